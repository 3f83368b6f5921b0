"""How far our count is from what a model's provider reports, learned from the reports themselves.

Pure: a value in, a value out; no clock, no store. One calibration belongs to one model and one tokenizer. Its ratio is the
weighted median of the last reports, so that one odd report (a cached prompt counted by half, a lost image) moves nothing.

When the correction is applied is not decided here: a caller takes a new ratio only when a window closes (a correction that
moved with each report would move the trigger with it, and two compiles of one history would differ).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .bounds import MOST_TOKENS

__all__ = ["HISTORY", "Calibration"]

HISTORY = 32
"""Reports remembered."""
_LOWEST, _HIGHEST = 0.25, 8.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is known of one model's way to count.

    Attributes:
        pairs: the last reports, oldest first, as (our estimate, tokens reported). Enough to store and rebuild it.
        ratio: reported tokens for one of ours: the median over the reports, larger payloads counting more. 1.0 without reports.
    """

    pairs: tuple[tuple[int, int], ...] = ()
    ratio: float = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Asked for many times in each compile.
        object.__setattr__(self, "ratio", _median(self.pairs))

    def observe(self, estimated: int, reported: int) -> Calibration:
        """The calibration after one more report. A report without a positive number on both sides teaches nothing.

        Args:
            estimated: our own, uncorrected count of the whole payload.
            reported: input tokens the provider reported for it, cached ones included.
        """
        if not 0 < estimated <= MOST_TOKENS or not 0 < reported <= MOST_TOKENS:
            return self
        return Calibration((*self.pairs, (estimated, reported))[-HISTORY:])

    @property
    def error(self) -> float | None:
        """Mean relative error of the corrected count over the remembered reports, larger payloads counting more (0.02 = 2 %).
        ``None`` without reports.
        """
        if not self.pairs:
            return None
        ratio = self.ratio
        return sum(abs(estimated * ratio - reported) for estimated, reported in self.pairs) / sum(
            reported for _, reported in self.pairs
        )

    def correct(self, tokens: int) -> int:
        """Our count in the provider's tokens, rounded up."""
        return -int(-tokens * self.ratio // 1)

    def __len__(self) -> int:
        return len(self.pairs)


def _median(pairs: Sequence[tuple[int, int]]) -> float:
    ordered = sorted((reported / estimated, estimated) for estimated, reported in pairs)
    half = sum(weight for _, weight in ordered) / 2
    passed = 0
    for ratio, weight in ordered:
        passed += weight
        if passed >= half:
            return min(_HIGHEST, max(_LOWEST, ratio))
    return 1.0
