"""The order of a compile, as a literal tuple, and the loop that runs it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from ..errors import CompileCancelled
from .events import CompileStarted
from .payload import Payload
from .phases.adapt import adapt
from .phases.assemble import assemble
from .phases.audit import audit
from .phases.done import done
from .phases.guard import guard
from .phases.handoff import handoff
from .phases.inject import inject
from .phases.memory import memory
from .phases.overflow import overflow
from .phases.recall import recall
from .phases.start import start
from .phases.tail import tail
from .phases.tool_results import tool_results
from .state import CompileState

__all__ = ["PHASES", "run"]

Phase = Callable[[CompileState], Awaitable[None]]

PHASES: tuple[Phase, ...] = (
    start,
    tool_results,
    handoff,
    overflow,
    recall,
    guard,
    inject,
    memory,
    assemble,
    tail,
    adapt,
    audit,
)
"""Everything before ``done``, which returns the payload."""


async def run(state: CompileState, cancelled: Callable[[], bool]) -> Payload:
    """Run all phases.

    Args:
        state: the compile.
        cancelled: asked between phases.

    Raises:
        CompileCancelled: it said yes. What was stored stays stored; the context goes on as if the compile had not been.
    """
    state.bus.emit(CompileStarted(state.target.name, len(state.session.live.history.turns)))
    begun = time.perf_counter()
    for phase in PHASES:
        if cancelled():
            raise CompileCancelled(f"the compile was cancelled before {phase.__name__}")
        await phase(state)
        ended = time.perf_counter()
        state.timings[phase.__name__] = (ended - begun) * 1000
        begun = ended
    if cancelled():
        raise CompileCancelled("the compile was cancelled before done")
    return await done(state)
