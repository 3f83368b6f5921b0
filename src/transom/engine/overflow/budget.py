"""How much room there is, and when a window closes.

Pure arithmetic, in tokens. The window holds system prompt, tools, pinned turns, history, tail and a reserve for the answer.
Trigger and low-water mark apply to what the fixed parts leave over, so that a large tool list does not make windows close
all the time. What is said of the window itself counts for what fits, and not for when the window closes: a notice that it will
close must not be what closes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import WindowError

__all__ = ["MIN_RESERVE", "Budget", "Usage", "reserve_for"]

MIN_RESERVE = 1024
"""Room for an answer that is always kept free."""

RESERVE_SHARE = 0.10
"""Share of the window kept free where the provider does not count the requested output into it."""

HEAD_SHARE = 0.20
"""Share of the low-water mark that a head may take."""

MAX_HEAD = 8_000
"""No head needs more: beyond it, reading back what left is cheaper than carrying its digest."""


def reserve_for(window: int, requested: int | None, *, counted: bool) -> int:
    """Tokens kept free for the answer.

    Args:
        window: the whole window.
        requested: the output the request asks for, if it says.
        counted: the provider counts the whole requested output into the window (OpenAI Chat, vLLM). It then is reserved
            whole, up to half of the window: a request that asks for more leaves no room for its own question.
    """
    share = int(window * RESERVE_SHARE)
    if requested is None:
        return max(MIN_RESERVE, share)
    if counted:
        return max(MIN_RESERVE, min(requested, window // 2))
    return max(MIN_RESERVE, min(requested, share))


@dataclass(frozen=True, slots=True)
class Usage:
    """How full a window is.

    Attributes:
        tokens: in use, as the provider counts them: everything of a payload that its answer is not.
        window: the whole window.
    """

    tokens: int
    window: int

    @property
    def share(self) -> float:
        """Tokens in use as a share of the window; above 1 where something has to leave."""
        return self.tokens / self.window


@dataclass(frozen=True, slots=True)
class Budget:
    """What one compile has to fit into.

    Attributes:
        window: the whole window.
        reserve: kept free for the answer.
        system, tools: what the fixed parts weigh.
        tail: volatile text at the end and what slots may add.
        pinned: turns that no strategy may touch.
        ratio: correction learned from reported usage; what is weighed is multiplied by it.
        trigger_ratio, low_ratio: the two marks, as shares: of what is available, and of the trigger.
        notices: the part of the tail that says something of the window itself.
        closes_at: tokens of the whole payload at which the window closes, in place of ``trigger_ratio``.
        keep_messages: how many of the newest messages a closing leaves alone where it can.
    """

    window: int
    reserve: int
    system: int
    tools: int
    tail: int
    pinned: int
    ratio: float = 1.0
    trigger_ratio: float = 0.7
    low_ratio: float = 0.5
    notices: int = 0
    closes_at: int | None = None
    keep_messages: int = 0

    @property
    def fixed(self) -> int:
        """System, tools and pinned turns."""
        return self.system + self.tools + self.pinned

    @property
    def available(self) -> int:
        """What the movable history may weigh at most, in weighed tokens; may be negative."""
        return int((self.window - self.reserve) / self.ratio) - self.fixed - self.tail

    @property
    def trigger(self) -> int:
        """Above this the window closes."""
        room = self.available + self.notices
        if self.closes_at is None:
            return int(room * self.trigger_ratio)
        # Where the fixed parts come near the mark by themselves, it would close at every turn.
        return max(room // 2, min(self.available, int(self.closes_at / self.ratio) - self.fixed - self.tail + self.notices))

    @property
    def low_water(self) -> int:
        """What a closing aims at."""
        return int(self.trigger * self.low_ratio)

    @property
    def head(self) -> int:
        """What a head may weigh."""
        return max(0, min(int(self.low_water * HEAD_SHARE), MAX_HEAD))

    def require_room(self) -> None:
        """Refuse a window that its fixed parts alone exceed.

        Raises:
            WindowError: names each part.
        """
        if self.available <= 0:
            raise WindowError(
                f"the window of {self.window:,} tokens has no room for a conversation: system {self.system:,}, "
                f"tools {self.tools:,}, "
                f"pinned turns {self.pinned:,}, tail {self.tail:,}, reserve {self.reserve:,}",
                hint="use a larger window, shorten the system prompt, offer fewer tools or pin less",
            )
