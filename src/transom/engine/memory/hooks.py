"""What an application says about memory: which keys may change, who is asked before, who is told after, what is injected.

Knows facts; stores nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from ...errors import InputError, MemoryRefusedError
from .events import ChangeKind
from .fact import Fact

__all__ = ["Change", "ChangeHook", "MemorySettings", "Selector", "VetoHook", "permit", "tell"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one fact, planned or done.

    Attributes:
        key: the fact's key; the new one of a ``renamed`` fact, whose old one is ``old.key``.
        kind: ``added``, ``changed``, ``renamed``, ``deleted``, or ``expired`` (told afterwards, never asked about).
        old, new: the fact before and after; ``None`` where there is none. What is asked about has the times of the asking.
    """

    key: str
    kind: ChangeKind
    old: Fact | None
    new: Fact | None


VetoHook = Callable[[Change], bool | str | Awaitable[bool | str | None] | None]
"""Asked before a change: ``True`` or ``None`` allows it, ``False`` or a reason (text) forbids it."""

ChangeHook = Callable[[Change], object]
"""Told after a change; a plain function or a coroutine function, what it returns is ignored."""

Selector = Callable[[Sequence[Fact]], Sequence[Fact]]
"""Chooses, from all valid facts in key order, those that stand in the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings:
    """How one context uses its memory.

    Attributes:
        allowed_keys: the keys that may be written, renamed or deleted: exact ones, beginnings that end in ``/``, or patterns
            with ``*``, ``?`` and ``[…]`` (``*`` takes ``/`` as well). ``None`` allows all, an empty sequence none.
        before_change: asked before each change; may forbid it.
        on_changed: told after each change that was stored. What it raises reaches the one who made the change.
        select: chooses the facts that stand in the prompt; all by default.
        place: where they stand: ``prefix`` (cached; what changes later is said in the tail until the window closes) or
            ``tail`` (always as they are now, never cached).
        max_tokens: how much room the block of facts may take.
        max_facts: how many facts it may hold; ``None`` for no bound but the room.

    Raises:
        InputError: a place or a bound that makes no sense.
    """

    allowed_keys: Sequence[str] | None = None
    before_change: VetoHook | None = None
    on_changed: ChangeHook | None = None
    select: Selector | None = None
    place: Literal["prefix", "tail"] = "prefix"
    max_tokens: int = 1000
    max_facts: int | None = None

    def __post_init__(self) -> None:
        if self.place not in {"prefix", "tail"}:
            raise InputError(f"memory placed in {self.place!r}", hint="prefix or tail")
        if self.max_tokens < 0 or (self.max_facts is not None and self.max_facts < 0):
            raise InputError("a negative bound of memory", hint="max_tokens and max_facts are 0 or more")
        if isinstance(self.allowed_keys, str):
            raise InputError("allowed_keys is one text", hint=f"write allowed_keys=[{self.allowed_keys!r}]")

    def allows(self, key: str) -> bool:
        """Whether a key may be changed."""
        if self.allowed_keys is None:
            return True
        return any(
            key == rule or (rule.endswith("/") and key.startswith(rule)) or fnmatchcase(key, rule) for rule in self.allowed_keys
        )

    def chosen(self, facts: Sequence[Fact]) -> list[Fact]:
        """The facts that stand in the prompt, as far as there is room.

        Raises:
            InputError: the selector gave something else than facts.
        """
        if self.select is None:
            return list(facts)
        chosen: object = self.select(facts)
        if not isinstance(chosen, Sequence) or not all(isinstance(fact, Fact) for fact in chosen):
            raise InputError("select gave no facts", hint="return a list of the facts it was given; it cannot be asynchronous")
        return list(chosen)


async def permit(settings: MemorySettings, change: Change) -> None:
    """Make sure that a change is allowed.

    Raises:
        MemoryRefusedError: it is not; the message says why.
    """
    keys = {change.key} if change.old is None else {change.old.key, change.key}
    for key in sorted(keys):
        if not settings.allows(key):
            allowed = ", ".join(settings.allowed_keys or ()) or "none"
            raise MemoryRefusedError(f"the key {key!r} may not be changed", hint=f"these may: {allowed}")
    if settings.before_change is None:
        return
    answer = settings.before_change(change)
    verdict = await answer if inspect.isawaitable(answer) else answer
    if verdict is None or verdict is True:
        return
    reason = f": {verdict}" if isinstance(verdict, str) and verdict else ""
    raise MemoryRefusedError(
        f"{_deed(change)} was refused{reason}", hint="the application decides this: leave it, or ask the user to change it"
    )


async def tell(settings: MemorySettings, change: Change) -> None:
    """Say that a change was stored."""
    if settings.on_changed is not None:
        answer = settings.on_changed(change)
        if inspect.isawaitable(answer):
            await answer


def _deed(change: Change) -> str:
    match change.kind:
        case "deleted":
            return f"deleting {change.key!r}"
        case "renamed":
            return f"renaming {change.old.key if change.old else ''!r} to {change.key!r}"
        case _:
            return f"writing {change.key!r}"
