"""The circuit breaker: after three failures in a row strategies that need a model are left alone in a session's next closings.

Pure state machine. While it is open only model-free steps are tried.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Breaker"]


@dataclass(slots=True)
class Breaker:
    """Counts failures in a row.

    Attributes:
        strikes: how many open it.
        failures: failures since the last success.
    """

    strikes: int = 3
    failures: int = 0

    @property
    def open(self) -> bool:
        """Whether the strategy is to be left alone."""
        return self.failures >= self.strikes

    def succeed(self) -> None:
        """A closing landed."""
        self.failures = 0

    def fail(self) -> None:
        """A closing failed."""
        self.failures += 1
