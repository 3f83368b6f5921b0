"""The six places where a caller may step into a compile.

Knows names and order only. A slot's functions run in the order they were registered; what they raise propagates to the
caller of the compile.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

__all__ = ["SLOTS", "SlotFunction", "SlotName", "Slots"]

SlotName = Literal["before-overflow", "after-overflow", "before-assemble", "after-assemble", "before-adapt", "after-adapt"]
SLOTS: tuple[str, ...] = get_args(SlotName)

SlotFunction = Callable[..., object]


@dataclass(slots=True)
class Slots:
    """Registered functions by slot."""

    functions: dict[str, list[SlotFunction]] = field(default_factory=dict)

    def use(self, slot: str, function: SlotFunction) -> Callable[[], None]:
        """Register a function; the returned one takes it out again.

        Raises:
            ValueError: no such slot.
        """
        if slot not in SLOTS:
            raise ValueError(f"no slot {slot!r}: use one of {', '.join(SLOTS)}")
        registered = self.functions.setdefault(slot, [])
        registered.append(function)
        return lambda: registered.remove(function) if function in registered else None

    def taken(self, slot: SlotName) -> bool:
        """Whether anything is registered."""
        return bool(self.functions.get(slot))

    @property
    def is_free(self) -> bool:
        """Whether nothing is registered anywhere."""
        return not any(self.functions.values())

    async def run(self, slot: SlotName, value: object) -> list[object]:
        """Call every function with ``value``; what they returned, in order."""
        return [await _awaited(function(value)) for function in tuple(self.functions.get(slot, ()))]

    async def fold(self, slot: SlotName, value: object) -> object:
        """Hand a value through every function; one that returns ``None`` leaves it as it is."""
        for function in tuple(self.functions.get(slot, ())):
            replaced = await _awaited(function(value))
            value = value if replaced is None else replaced
        return value


async def _awaited(value: object | Awaitable[object]) -> object:
    return await value if inspect.isawaitable(value) else value
