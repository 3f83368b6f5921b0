"""*audit*: in development, the laws of a compile are checked on what is about to go out. Reported, never enforced."""

from __future__ import annotations

from ..events import InvariantBroken
from ..invariants import broken_invariants
from ..state import CompileState

__all__ = ["audit"]


async def audit(state: CompileState) -> None:
    """Emit one event for each broken invariant."""
    if state.settings.check:
        for name, detail in broken_invariants(state):
            state.bus.emit(InvariantBroken(name, detail))
