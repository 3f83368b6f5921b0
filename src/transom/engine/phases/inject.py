"""*inject*: functions in the slot ``before-assemble`` may add volatile text."""

from __future__ import annotations

from ...errors import WindowError
from ..state import CompileState

__all__ = ["inject"]


async def inject(state: CompileState) -> None:
    """Collect what slots add, and refuse what no longer fits.

    Raises:
        WindowError: the added text exceeds the room that is left.
    """
    if not state.slots.taken("before-assemble"):
        return
    before = len(state.tail)
    await state.slots.run("before-assemble", state)
    added = sum(state.tokenizer.count(text) for text in state.tail[before:])
    budget = state.budget
    assert budget is not None
    free = budget.available - state.movable
    if added > free:
        raise WindowError(
            f"a function in the slot before-assemble added {added:,} tokens where {max(free, 0):,} are free",
            hint="add less, or keep room by a smaller trigger",
        )
