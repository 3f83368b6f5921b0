"""*assemble*: the sandwich, in its fixed order: system prompt, history, tail.

Functions in the slot ``after-assemble`` may transform the messages; only then is the conversation flattened and cut into
turns again.
"""

from __future__ import annotations

from ..state import CompileState

__all__ = ["assemble"]


async def assemble(state: CompileState) -> None:
    """Hand the conversation through the transforming slots."""
    if state.slots.taken("after-assemble"):
        state.messages = state.transformed(await state.slots.fold("after-assemble", state.flatten()), "after-assemble")
