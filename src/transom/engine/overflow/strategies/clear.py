"""``clear``: old tool results, thinking and ``<think>`` tags leave the closing span at no model cost; its turns stay.

The strategy only; what a cleared message looks like stands in ``overflow/clearing``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ....messages import Message
from ....tokens.weigh import PER_MESSAGE
from ...ledger.edits import TurnEdit, edits_between, result_names
from ...ledger.live import LiveTurn
from ...ledger.records import Item
from ...offload.payloads import RETRIEVAL_TOOLS
from ..clearing import ClearSettings, clearing
from ..strategy import Outcome, Span

__all__ = ["Clear", "clear"]


@dataclass(frozen=True, slots=True)
class Clear:
    """Shortens the span without folding it.

    Attributes:
        keep_recent: how many of the newest tool results stay whole, wherever the span ends.
        settings: what is cleared.
    """

    keep_recent: int
    settings: ClearSettings

    @property
    def name(self) -> str:
        """``clear``."""
        return "clear"

    @property
    def model_free(self) -> bool:
        """It needs no model."""
        return True

    @property
    def fingerprint(self) -> str:
        """Name, rules and settings."""
        chosen = self.settings
        flags = f"{chosen.results:d}{chosen.thinking:d}{chosen.think_tags:d}"
        return f"clear2({self.keep_recent},{_spelled(chosen.tools)},{_spelled(chosen.exempt)},{chosen.min_bytes},{flags})"

    def least_after(self, span: Span) -> int:
        """See ``Bounded``: every message stays, and costs its wrapping at least."""
        count, place = 0, b""
        for live in span.turns[: span.cut]:
            if not live.pinned and (live.head or live.place != place):
                count += len(live.source.messages)
            place = live.place or place
        return PER_MESSAGE * count + sum(live.tokens for live in span.turns[span.cut :] if not live.pinned)

    async def apply(self, span: Span) -> Outcome:
        """Clear what may be cleared in ``turns[:cut]``."""
        recent = self.keep_recent
        exempt: set[int] = set()
        for index in range(len(span.turns) - 1, -1, -1):
            count = sum(len(message.results) for message in span.turns[index].source.messages)
            if recent > 0 and count:
                exempt.add(index)
                recent -= count
        items: list[Item] = []
        texts: list[str] = []
        changed, place = False, b""
        for index, live in enumerate(span.turns[: span.cut]):
            if live.head:
                items.append(Item("head", text=live.turn.messages[0].text))
                continue
            if live.place == place:
                # Nothing but reasoning: no record can name such a turn, and the archive has it.
                continue
            place = live.place
            untouched = index in span.staying or index in exempt
            edits = live.edits if untouched else self._edits(live, span, texts)
            changed = changed or edits != live.edits
            items.append(Item("edit", place=live.place, edits=edits) if edits else Item("keep", place=live.place))
        if not changed:
            return Outcome()
        return Outcome(span.cut, tuple(items), span.messages(span.cut), (), tuple(texts), self.name)

    def _edits(self, live: LiveTurn, span: Span, texts: list[str]) -> tuple[TurnEdit, ...]:
        if live.edits:
            return live.edits
        cleared: list[Message] = []
        for message, names in zip(live.source.messages, result_names(live.source), strict=True):
            found = clearing(message, tool_names=names, settings=self.settings, vocabulary=span.vocabulary)
            cleared.append(message if found is None else found.message)
            if found is not None:
                texts.extend(text.text for text in found.texts)
        return edits_between(live.source, cleared)


def _spelled(tools: frozenset[str] | Callable[[str], bool] | None) -> str:
    """A selection as text; a predicate goes by its name."""
    if tools is None or isinstance(tools, frozenset):
        return ",".join(sorted(tools)) if tools else "*"
    return f"{getattr(tools, '__module__', '')}.{getattr(tools, '__qualname__', repr(tools))}"


def clear(
    *,
    keep_recent: int = 3,
    tools: Iterable[str] | Callable[[str], bool] | None = None,
    exempt: Iterable[str] = (),
    results: bool = True,
    thinking: bool = True,
    think_tags: bool = True,
) -> Clear:
    """Mechanical clearing.

    Args:
        keep_recent: how many of the newest tool results stay whole.
        tools: only results of these tools are cleared; all by default.
        exempt: results of these tools are never cleared.
        results, thinking, think_tags: what is cleared at all. Signed reasoning and pinned turns never are.
    """
    chosen = tools if tools is None or callable(tools) else frozenset(tools)
    kept = RETRIEVAL_TOOLS | frozenset(exempt)
    return Clear(
        keep_recent, ClearSettings(tools=chosen, exempt=kept, results=results, thinking=thinking, think_tags=think_tags)
    )
