"""What is known of the window of one model at one upstream, and what of it outlives a restart.

Pure, but for the question that is under way. What follows of it is decided elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from ..tokens.bounds import is_window
from .model_key import model_key
from .upstreams import Upstream

__all__ = ["ERROR", "READ", "SERVER", "Known", "believed"]

ERROR, SERVER, READ = "an error", "the server", "what the server read"
"""What may have shown that a window is less than thought; the last where it left something out and said nothing."""


@dataclass(slots=True)
class Known:
    """What is known of one model at one upstream.

    Attributes:
        told: what the server told last.
        base: what was in force last, errors aside.
        learnt: what an error named, or a drop showed; what the server told, where that is less than a setting.
        source: which of these.
        against: what ``base`` was when it did.
        most: the most that the server ever counted.
        dropped: what it counted when it left something out; 0 where it did not, or has read more since.
        due: when to ask again; at once for what was never asked.
        is_doubted: it is less than thought, by all that is seen: the server is asked even where there is a setting.
        is_read: what the store holds of it has been read.
        is_late: requests have waited for the server in vain.
        counts_answer: it has refused a request for the answer that it asked for.
    """

    upstream: Upstream
    model: str
    told: int | None = None
    base: int | None = None
    learnt: int | None = None
    source: str = ERROR
    against: int | None = None
    most: int = 0
    dropped: int = 0
    is_doubted: bool = False
    is_settled: bool = False
    due: float = float("-inf")
    is_read: bool = False
    is_late: bool = False
    counts_answer: bool = False
    asking: asyncio.Task[None] | None = None

    @property
    def is_asking(self) -> bool:
        """The server is being asked."""
        return self.asking is not None and not self.asking.done()

    @property
    def path(self) -> str:
        """Where the store keeps it."""
        return f"windows/{model_key(self.upstream, self.model)}"

    def kept(self) -> dict[str, object]:
        """What a store is to keep."""
        return {
            "upstream": self.upstream.address.shown,
            "model": self.model,
            "told": self.told,
            "learnt": self.learnt,
            "source": self.source,
            "against": self.against,
            "counts_answer": self.counts_answer,
        }

    def take(self, value: object) -> None:
        """Take over what a store kept, which may be anything; what is known by now goes before."""
        if not isinstance(value, Mapping):
            return
        self.counts_answer = self.counts_answer or value.get("counts_answer") is True
        if self.told is None and self.learnt is None:
            self.told, self.learnt, self.against = (believed(value.get(name)) for name in ("told", "learnt", "against"))
            self.source = next((known for known in (SERVER, READ) if known == value.get("source")), ERROR)


def believed(value: object) -> int | None:
    """A window that somebody tells, where it can be one."""
    return value if is_window(value) else None
