"""``switch_context``: the memory of another project, opened for facts, entries and sessions together.

Knows the registry and the three families. Switches memory only: where commands run and files are read is no business of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ...store.store import Store
from ...vocabulary import ENGLISH, Vocabulary
from .dossier import STALE_AFTER, Dossier
from .entries import Entries
from .facts import Facts
from .hooks import MemorySettings
from .memory import Memory
from .projects import Project, Projects
from .restoring import restore_session
from .sessions import Sessions, new_session_id

__all__ = ["MemoryScope", "open_memory", "switch_context"]


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """What one session remembers and looks up: everything of one project, and what belongs to nobody behind it.

    Attributes:
        project: the project; ``None`` where none is open.
        memory, sessions: what is remembered of it. Lookups are local first; nothing of another project is seen.
        session: the session that remembers; empty for none.
    """

    project: Project | None
    memory: Memory
    sessions: Sessions
    session: str = ""

    async def restore(
        self,
        session_id: str | None = None,
        *,
        max_tokens: int = 2_000,
        count: Callable[[str], int],
        stale_after: float = STALE_AFTER,
        labelled: bool = True,
        vocabulary: Vocabulary = ENGLISH,
    ) -> Dossier:
        """The dossier of one of its sessions; see ``restore_session``."""
        return await restore_session(
            self.sessions,
            session_id,
            max_tokens=max_tokens,
            count=count,
            stale_after=stale_after,
            labelled=labelled,
            vocabulary=vocabulary,
        )


async def open_memory(
    store: Store,
    project: str = "",
    *,
    session: str = "",
    memory: Memory | None = None,
    settings: MemorySettings | None = None,
    clock: Callable[[], float] = time.time,
    ids: Callable[[], str] = new_session_id,
    vocabulary: Vocabulary = ENGLISH,
) -> MemoryScope:
    """The memory of a project.

    Args:
        store: where it lies.
        project: id or name of a registered one; empty for none.
        session: the session that remembers, for entries and facts that last as long as it.
        memory: one that is open already, for example ``ctx.memory``: it is switched to the project, so that its context goes on
            with it. By default a new one.
        settings: rules for facts, where the memory is new.
        clock: unix time in seconds.
        ids: makes the ids of sessions.
        vocabulary: the words of a recall, where the memory is new.

    Raises:
        NotFoundError: no project of that id or name is registered. None ever is by being named here.
    """
    found = await Projects(store, clock=clock).get(project) if project else None
    name = found.id if found is not None else ""
    if memory is not None:
        await memory.switch(project=name, session=session)
    else:
        facts = Facts(store, settings=settings, project=name, session=session, clock=clock)
        entries = Entries(store, project=name, session=session, clock=clock)
        memory = Memory(facts, entries, words=vocabulary.remembering)
    return MemoryScope(found, memory, Sessions(store, project=name, clock=clock, ids=ids), session)


async def switch_context(scope: MemoryScope, project: str) -> MemoryScope:
    """Open another project's memory in place of the one that is open.

    The memory of ``scope`` is switched, so that whoever holds it (a context, its prompt) goes on with the new project; on a
    refusal it stays as it is.

    Args:
        scope: what is open now.
        project: id or name of a registered one; empty for none.

    Returns:
        The scope that is open from now on.

    Raises:
        NotFoundError: no project of that id or name is registered.
    """
    now = scope.sessions
    return await open_memory(now.store, project, session=scope.session, memory=scope.memory, clock=now.clock, ids=now.ids)
