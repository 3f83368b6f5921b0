"""The tools for projects: the registry, and whose memory is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....engine.memory.kinds import Action
from ...tool import Alias, Result, ToolContext, tool
from .opened import Memories
from .records import project_data, project_line

if TYPE_CHECKING:
    from ....engine.memory.managing import ProjectAnswer
    from ....vocabulary.memorizing import MemorizingWords

__all__ = ["manage_projects", "switch_context"]

_NAMED = {"project_id": "project", "project_name": "name", "path": "root", "project_path": "root"}


@tool(
    family="memory",
    title="Manage projects",
    confirm=lambda arguments: arguments.get("action") == "remove" and arguments.get("erase") is True,
    tier=4,
    aliases=(
        Alias(name="register_project", arguments=_NAMED, fixed={"action": "register"}),
        Alias(
            name="get_project_info", arguments={**_NAMED, "name": "project", "project_name": "project"}, fixed={"action": "get"}
        ),
        Alias(name="list_projects", fixed={"action": "list"}),
        Alias(name="search_projects", fixed={"action": "search"}),
    ),
)
async def manage_projects(
    context: ToolContext,
    action: Action,
    project: str = "",
    name: str = "",
    id: str = "",  # noqa: A002  # the tool's name for it
    root: str | None = None,
    description: str | None = None,
    query: str = "",
    erase: bool = False,
    confirm: bool = False,
) -> Result:
    """Keep the list of projects, each with a memory of its own.

    Args:
        action: what to do.
        project: the id or name of the project meant (get, rename, update, remove).
        name: the name it gets (register, rename).
        id: the id it gets (register); made from the name if left out.
        root: the folder it lies in (register, update).
        description: what it is about (register, update).
        query: words to look for (search).
        erase: delete what is remembered of it too (remove).
        confirm: must be true to erase.
    """
    from ....engine.memory.managing import manage_projects as manage

    answer = await manage(
        context.use(Memories).projects(context),
        action,
        project=project,
        name=name,
        id=id,
        root=root,
        description=description,
        query=query,
        erase=erase,
    )
    data: dict[str, object] = {"action": answer.action, "projects": [project_data(known) for known in answer.projects]}
    if answer.removal is not None:
        data["memory"] = [{"uri": kept.uri, "entries": kept.entries} for kept in answer.removal.memory]
        data["erased"] = answer.removal.erased
    lines = [project_line(known, context.words) for known in answer.projects]
    said = _said(answer, context.words.memorizing)
    return Result(data=data, text="\n".join([*([said] if said else []), *(lines if answer.removal is None else [])]))


@tool(family="memory", title="Switch to a project's memory", destructive=False, idempotent=True, drains=True, tier=4)
async def switch_context(context: ToolContext, project: str) -> Result:
    """Open the memory of a registered project for the rest of this session. Files and commands stay where they are.

    Args:
        project: its id or name; empty for the memory that belongs to no project.
    """
    opened = await context.use(Memories).switch(context, project.strip())
    words = context.words.memorizing
    if opened.project is None:
        return Result(data={"project": None}, text=words.closed)
    facts = len(await opened.memory.facts.list())
    entries = len(await opened.memory.entries.headings())
    sessions = len(await opened.sessions.list(None))
    text = words.switched.format(project=opened.project.id, facts=facts, entries=entries, sessions=sessions)
    return Result(
        data={"project": project_data(opened.project), "facts": facts, "entries": entries, "sessions": sessions}, text=text
    )


def _said(answer: ProjectAnswer, words: MemorizingWords) -> str:
    match answer.action:
        case "register":
            return words.registered.format(project=answer.projects[0].id)
        case "rename":
            return words.renamed.format(project=answer.projects[0].id)
        case "update":
            return words.updated.format(project=answer.projects[0].id)
        case "remove":
            assert answer.removal is not None
            count = sum(kept.entries for kept in answer.removal.memory)
            text = words.removed.format(project=answer.projects[0].id)
            if not count:
                return text
            if answer.removal.erased:
                return text + words.erased.format(count=count)
            return text + words.kept.format(count=count, places=", ".join(kept.uri for kept in answer.removal.memory))
        case "list" | "search" | "get":
            return "" if answer.projects else words.no_projects
