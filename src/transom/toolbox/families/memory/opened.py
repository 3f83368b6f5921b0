"""Whose memory a call works on: its conversation's, where the caller holds one, else the one that its session has open.

Knows callers by session and project. Memory is opened for each call anew, so that what other processes remember is seen at
once; kept between calls is only which project a session switched to. What remembers is loaded by the first call, for the list
of tools does without.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....errors import NotFoundError
from ....store.store import Store
from ...access.projects import project_of
from ...tool import Refused, ToolContext

if TYPE_CHECKING:
    from ....engine.context import Context
    from ....engine.memory.projects import Projects
    from ....engine.memory.switching import MemoryScope

__all__ = ["Conversation", "Memories", "conversation_of", "memory_services"]

_SESSIONS = 4_096
"""Sessions whose choice of a project is kept; the one that called longest ago goes first."""
_SWEEP = 3_600.0
"""Seconds between two searches for what reached the end of its time."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation that a face holds for its caller; it is registered among the caller's own services."""

    context: Context


class Memories:
    """The memory of every session of one toolbox.

    Args:
        store: where it lies.
        ids: makes the ids of session summaries; random ones if not given.
    """

    def __init__(self, store: Store, *, ids: Callable[[], str] | None = None) -> None:
        self.store = store
        self._ids_given = ids
        self._open: OrderedDict[str, str] = OrderedDict()
        self._sweep_at = -math.inf

    def projects(self, context: ToolContext) -> Projects:
        """The registry."""
        from ....engine.memory.projects import Projects

        return Projects(self.store, clock=context.clock)

    async def of(self, context: ToolContext) -> MemoryScope:
        """The memory that a call works on.

        Raises:
            NotFoundError: the caller's project is not registered.
        """
        from ....engine.memory.sessions import Sessions
        from ....engine.memory.switching import MemoryScope

        held = conversation_of(context)
        if held is not None:
            memory = held.context.memory
            name = memory.facts.project
            project = None
            with contextlib.suppress(NotFoundError):
                project = await self.projects(context).get(name) if name else None
            sessions = Sessions(held.context.store, project=name, clock=context.clock, ids=self._ids)
            return MemoryScope(project, memory, sessions, _session(context))
        opened = await self._opened(context, await self._project(context))
        if context.clock() >= self._sweep_at:
            self._sweep_at = context.clock() + _SWEEP
            await opened.memory.expire()
        return opened

    async def switch(self, context: ToolContext, project: str) -> MemoryScope:
        """Open another project's memory for the caller's session, from now on; an empty name closes the one that is open.

        Raises:
            NotFoundError: no project of that id or name is registered.
            Refused: the call belongs to no session.
        """
        from ....engine.memory.switching import open_memory

        held = conversation_of(context)
        if held is None and (context.session is None or not context.stateful):
            raise Refused("unavailable", context.words.memorizing.stateless)
        if held is not None:
            return await open_memory(
                held.context.store,
                project,
                session=_session(context),
                memory=held.context.memory,
                clock=context.clock,
                ids=self._ids,
            )
        opened = await self._opened(context, project)
        assert context.session is not None
        self._open[context.session] = opened.project.id if opened.project is not None else ""
        self._open.move_to_end(context.session)
        while len(self._open) > _SESSIONS:
            self._open.popitem(last=False)
        return opened

    async def _project(self, context: ToolContext) -> str:
        chosen = self._open.get(context.session) if context.session is not None else None
        return await project_of(context) if chosen is None else chosen

    @property
    def _ids(self) -> Callable[[], str]:
        from ....engine.memory.sessions import new_session_id

        return self._ids_given or new_session_id

    async def _opened(self, context: ToolContext, project: str) -> MemoryScope:
        from ....engine.memory.switching import open_memory

        return await open_memory(
            self.store,
            project,
            session=_session(context),
            clock=context.clock,
            ids=self._ids,
            vocabulary=context.words,
        )


def _session(context: ToolContext) -> str:
    """The caller's session as the store can name it: clients choose their ids as they like."""
    from ....engine.memory.entry import is_id

    name = context.session or ""
    return name if not name or is_id(name) else hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def conversation_of(context: ToolContext) -> Conversation | None:
    """The caller's conversation; ``None`` where it holds none."""
    try:
        return context.use(Conversation)
    except Refused:
        return None


def memory_services(store: Store) -> dict[type, object]:
    """What these tools use beside the ``Store``, by type."""
    return {Memories: Memories(store)}
