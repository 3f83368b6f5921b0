"""The form a turn has in the window: pruned when first seen, edited when a window closes.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ..messages import Message, Turn
from ..tokens.counter import Tokenizer
from ..tokens.weigh import weigh
from .ledger.edits import TurnEdit, apply_edits, result_names
from .ledger.live import PREVIEW, Moved
from .offload.payloads import PruneSettings, prune

__all__ = ["Forming"]


@dataclass(frozen=True, slots=True)
class Forming:
    """Gives turns their form.

    Attributes:
        prune: settings; ``None`` prunes nothing.
        tokenizer: shared with the compile.
        failed: addresses of texts that could not be stored and therefore stay whole.
        weigh: weighs a message, from a cache where it can.
    """

    prune: PruneSettings | None
    tokenizer: Tokenizer
    failed: AbstractSet[str]
    weigh: Callable[[Message, Tokenizer], int] = weigh

    def __call__(self, turn: Turn, edits: tuple[TurnEdit, ...]) -> tuple[Turn, Mapping[str, int], tuple[Moved, ...]]:
        """(turn as shown, tokens by who wrote it, what pruning moved out of it)."""
        shown, moved = self._pruned(turn) if self.prune is not None else (turn, ())
        shown = apply_edits(shown, edits)
        weights: dict[str, int] = {}
        for message in shown.messages:
            kind = "results" if message.results else message.role if message.role != "tool" else "results"
            weights[_KINDS[kind]] = weights.get(_KINDS[kind], 0) + self.weigh(message, self.tokenizer)
        return shown, weights, moved

    def _pruned(self, turn: Turn) -> tuple[Turn, tuple[Moved, ...]]:
        assert self.prune is not None
        moved: list[Moved] = []
        names = result_names(turn)
        messages = tuple(self._pruned_message(*each, moved) for each in zip(turn.messages, names, strict=True))
        if not moved:
            return turn, ()
        linked = messages
        if turn.linked is not turn.messages:
            linked = tuple(self._pruned_message(*each, []) for each in zip(turn.linked, names, strict=True))
        return Turn(messages, linked, turn.ordinals, turn.sources), tuple(moved)

    def _pruned_message(self, message: Message, names: Sequence[str], moved: list[Moved]) -> Message:
        if not names:
            return message
        assert self.prune is not None
        pruned, report = prune(message, tool_names=names, settings=self.prune)
        if any(text.uri in self.failed for text in report.pruned):
            return message
        moved.extend(
            Moved("prune", text.uri, text.size, label=text.tool, preview=text.text[:PREVIEW], text=text.text)
            for text in report.pruned
        )
        return pruned


_KINDS = {"results": "results", "user": "user", "assistant": "assistant", "system": "user"}
