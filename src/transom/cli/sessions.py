"""The rest of ``transom memory``: projects and the sessions saved in them.

Knows the registry, the summaries and the dossier by their verbs.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter

from ..engine.memory.dossier import STALE_AFTER, Dossier
from ..engine.memory.projects import Project as Registered
from ..engine.memory.projects import Projects
from ..engine.memory.summaries import SessionInfo
from ..engine.memory.switching import MemoryScope
from ..store.store import Store
from ..tokens import Heuristic
from . import output
from .numbers import Budget, Limit, positive
from .opened import with_store
from .options import JSON, StorePath
from .project import Project, moment, with_memory

__all__ = ["projects", "register", "restore", "sessions"]

Identifier = Annotated[str, Parameter(name="--id", help="What its memory is filed under; made from the name if left out.")]
Root = Annotated[str, Parameter(name="--root", help="The folder it lies in.")]
Description = Annotated[str, Parameter(name="--description", help="What it is about.")]
StaleAfter = Annotated[
    float, Parameter(name="--stale-after", validator=positive, help="Days after which the text warns of its age.")
]
Tag = Annotated[str, Parameter(name="--tag", help="Only sessions that carry this tag.")]


def projects(*, store: StorePath = None, json: JSON = False) -> None:
    """List the registered projects."""

    async def listed(opened: Store) -> list[Registered]:
        return await Projects(opened).list()

    found = with_store(store, None, listed)
    if json:
        output.json_line({"projects": [asdict(project) for project in found]})
    else:
        rows = [(each.id, each.name, each.root, each.description) for each in found]
        output.table(("id", "name", "root", "description"), rows, spare=(3,))


def register(
    name: str,
    /,
    *,
    id: Identifier = "",  # noqa: A002 - the option's name
    root: Root = "",
    description: Description = "",
    store: StorePath = None,
    json: JSON = False,
) -> None:
    """Register a project, so that it can have a memory of its own.

    Parameters
    ----------
    name:
        What people call it.
    """

    async def add(opened: Store) -> Registered:
        return await Projects(opened).register(name, id=id, root=root, description=description)

    made = with_store(store, None, add, create=True)
    if json:
        output.json_line(asdict(made))
    else:
        output.line(f"{made.name} is registered as {made.id}")


def sessions(*, limit: Limit = 20, tag: Tag = "", project: Project = "", store: StorePath = None, json: JSON = False) -> None:
    """List the sessions that were saved, the last one first. A project that has none shows those of no project."""

    async def listed(memory: MemoryScope) -> list[SessionInfo]:
        return await memory.sessions.list(limit, tag=tag)

    found = with_memory(store, project, listed)
    if json:
        output.json_line({"sessions": [asdict(info) for info in found]})
        return
    rows = [
        (
            info.id,
            moment(info.saved),
            "(cannot be read)" if info.damaged else info.title,
            info.open_steps or "",
            f"{info.characters:,}",
        )
        for info in found
    ]
    output.table(("id", "saved", "title", "to do", "characters"), rows, right=(3, 4), spare=(4, 1))


def restore(
    session: str | None = None,
    /,
    *,
    budget: Budget = 2000,
    stale_after: StaleAfter = STALE_AFTER / 86_400,
    project: Project = "",
    store: StorePath = None,
    json: JSON = False,
) -> None:
    """Write what a session left as one text for the next: summary, open steps, facts and entries, within the budget.

    Parameters
    ----------
    session:
        Its id; the session saved last if left out.
    """

    async def composed(memory: MemoryScope) -> Dossier:
        return await memory.restore(session, max_tokens=budget, count=Heuristic().count, stale_after=stale_after * 86_400)

    dossier = with_memory(store, project, composed)
    if json:
        told = asdict(dossier)
        told["session"] = {"id": dossier.session.id, "project": dossier.session.project, "uri": dossier.session.uri}
        output.json_line(told)
        return
    for line in dossier.text.split("\n") if dossier.text else ():
        output.line(line)
    if not dossier.text:
        output.note(f"a budget of {output.counted(budget, 'token')} has no room for it")
