"""The tail: volatile text at the end, where rewriting it costs no cache.

Pure. It is merged into a trailing user message in the form that has (a string stays a string, an array an array); it is a
new user message after tool results; before a prefill it stands in front of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...wire.format import Element, Format

__all__ = ["closing_bytes", "place_tail"]


def place_tail(
    settled: Sequence[Element], volatile: Sequence[Element], prefill: int, text: str, target: Format
) -> tuple[list[Element], list[Element], int]:
    """Put text at the effective end of a conversation.

    Args:
        settled: elements that later compiles repeat.
        volatile: elements at the end that may change anyhow.
        prefill: how many of the last volatile elements are a prefill.
        text: what to add; nothing happens without it.
        target: spells it.

    Returns:
        Settled elements, volatile ones, and how many leading bytes of the first volatile element stay as they were.
    """
    stable, moving = list(settled), list(volatile)
    if not text:
        return stable, moving, 0
    at = len(moving) - prefill
    if at > 0:
        extended = target.append_text(moving[at - 1], text)
        if extended is not None:
            moving[at - 1] = extended[0]
        else:
            moving.insert(at, target.user_element(text))
        return stable, moving, 0
    extended = target.append_text(stable[-1], text) if stable else None
    if extended is None:
        return stable, [target.user_element(text), *moving], 0
    stable.pop()
    return stable, [extended[0], *moving], extended[1]


def closing_bytes(last: Element, target: Format) -> int:
    """How many bytes only close the last element of a conversation: text added at its end would stand before them."""
    extended = target.append_text(last, ".")
    return max(0, len(last.open) + sum(map(len, last.blocks)) - extended[1]) if extended is not None else 0
