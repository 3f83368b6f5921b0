"""Who has a say in a request beside client and upstream: a guard that may make it smaller, and a journal that is told of it.

Knows what they promise, not what they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from .decisions import Decision
from .exchange import Exchange

__all__ = ["Ended", "Guarding", "Journal", "NullGuard", "NullJournal"]


class Guarding(Protocol):
    """What the gateway wants of a guard; see ``guard.Guard``."""

    async def before(self, exchange: Exchange) -> None:
        """Make a request fit. Raises nothing."""
        ...

    async def overflowed(self, exchange: Exchange, said: int | None, window: int | None, *, certain: bool = True) -> bool:
        """Make a refused request smaller; whether it is."""
        ...

    async def after(self, exchange: Exchange) -> None:
        """Take note of what the upstream counted."""
        ...


class NullGuard:
    """Leaves everything as it is."""

    async def before(self, exchange: Exchange) -> None:
        """Nothing."""

    async def overflowed(
        self,
        exchange: Exchange,  # noqa: ARG002
        said: int | None,  # noqa: ARG002
        window: int | None,  # noqa: ARG002
        *,
        certain: bool = True,  # noqa: ARG002
    ) -> bool:
        """Nothing."""
        return False

    async def after(self, exchange: Exchange) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a request ended.

    Attributes:
        how: ``answered``; ``refused``, by the upstream's own error; ``failed``, where there was none or it broke off;
            ``aborted``, by the client.
        status: what the client was answered; 0 where it was not.
        message: what went wrong, in the upstream's words or ours.
        size: bytes of the answer's body.
        began, first, ended: seconds on one clock; ``first`` when the first byte of the answer went, if one did.
        model: who answered, by the upstream's word; empty where it does not say.
        finish: why the model stopped, in the protocol's word.
    """

    how: Literal["answered", "refused", "failed", "aborted"]
    status: int
    message: str = ""
    size: int = 0
    began: float = 0.0
    first: float | None = None
    ended: float = 0.0
    model: str = ""
    finish: str = ""


class Journal(Protocol):
    """What is told of every request that is looked at. Nothing here may raise or take long."""

    def began(self, exchange: Exchange) -> None:
        """The guard has seen it; now it is asked."""
        ...

    def headers(self, exchange: Exchange) -> Sequence[tuple[str, str]]:
        """What the answer's headers say of it."""
        ...

    def ended(self, exchange: Exchange, ended: Ended) -> None:
        """It is over."""
        ...

    def noted(self, exchange: Exchange, decisions: Sequence[Decision]) -> None:
        """What the guard saw in the answer, once it was over."""
        ...


class NullJournal:
    """Keeps nothing."""

    def began(self, exchange: Exchange) -> None:
        """Nothing."""

    def headers(self, exchange: Exchange) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        """Nothing."""
        return ()

    def ended(self, exchange: Exchange, ended: Ended) -> None:
        """Nothing."""

    def noted(self, exchange: Exchange, decisions: Sequence[Decision]) -> None:
        """Nothing."""
