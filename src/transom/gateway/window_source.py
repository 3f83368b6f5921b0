"""Where the window of a model is known from, and what is told of it: what a guard wants, and ``Windows`` fulfils."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .upstreams import Upstream

__all__ = ["WindowSource"]


class WindowSource(Protocol):
    """Where the window of a model is known from."""

    async def of(self, upstream: Upstream, model: str, asked: int | None = None) -> tuple[int | None, str]:
        """Tokens, and from where: a setting, the request, the server or what it read, an error, a table.

        ``None`` where nobody knows.
        """
        ...

    def learn(self, upstream: Upstream, model: str, tokens: int) -> None:
        """What an error named."""
        ...

    def counts_answer(self, upstream: Upstream, model: str) -> bool:
        """Whether what a request asks for its answer has to fit into the window too."""
        ...

    def learn_counting(self, upstream: Upstream, model: str) -> None:
        """It has: an error said so."""
        ...

    def doubt(self, upstream: Upstream, model: str) -> None:
        """An error named nothing."""
        ...

    def answered(self, upstream: Upstream, model: str, counted: int = 0) -> None:
        """The model answered, and counted so many tokens."""
        ...

    async def dropped(self, upstream: Upstream, model: str, counted: int) -> None:
        """The server read only so many tokens, and said nothing of the rest."""
        ...
