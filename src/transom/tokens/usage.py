"""Which number counts: what the provider reported, what we counted, or the larger of the two.

Pure. A report is always about the last payload and never about the next one, so it is brought up to date by what was counted
since: inside a tool loop the total grows with every result, before any new report arrives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..errors import SettingError
from .calibration import Calibration

__all__ = ["PREFERENCES", "Reported", "UsagePreference", "check_preference", "correction", "tokens_in_use"]

UsagePreference = Literal["max", "feed-first", "tokenizer-first"]

PREFERENCES: tuple[UsagePreference, ...] = ("max", "feed-first", "tokenizer-first")


@dataclass(frozen=True, slots=True)
class Reported:
    """One report of usage, beside our own count of the same payload.

    Attributes:
        reported: input tokens the provider reported.
        counted: what we had counted for that payload.
    """

    reported: int
    counted: int

    def now(self, counted: int) -> int:
        """The report brought up to date: plus what was counted since, or in proportion where the payload has shrunk."""
        if counted >= self.counted or self.counted <= 0:
            return self.reported + counted - max(0, self.counted)
        return -(-self.reported * counted // self.counted)


def check_preference(preference: str, *, has_tokenizer: bool) -> UsagePreference:
    """The preference, if it can be followed.

    Raises:
        SettingError: an unknown one, or ``tokenizer-first`` where no tokenizer was configured: the built-in estimate is not
            something to prefer to a report.
    """
    for known in PREFERENCES:
        if preference == known:
            if known == "tokenizer-first" and not has_tokenizer:
                raise SettingError(
                    "usage_preference tokenizer-first needs a tokenizer",
                    hint="configure one (o200k, cl100k or your own), or use max or feed-first",
                )
            return known
    raise SettingError(f"no usage_preference called {preference!r}", hint=f"there are {', '.join(PREFERENCES)}")


def tokens_in_use(preference: UsagePreference, counted: int, report: Reported | None) -> int:
    """Tokens the current payload is taken to have.

    Args:
        preference: as checked by ``check_preference``.
        counted: our count of the current payload.
        report: the last report, if there was one.
    """
    if report is None or preference == "tokenizer-first":
        return counted
    fed = report.now(counted)
    return max(fed, counted) if preference == "max" else fed


def correction(preference: UsagePreference, calibration: Calibration) -> float:
    """The factor that makes our weights those the preference believes: learned, never below ours for ``max``, or none."""
    match preference:
        case "feed-first":
            return calibration.ratio
        case "max":
            return max(1.0, calibration.ratio)
        case "tokenizer-first":
            return 1.0
