"""What is said of the window itself: a notice before it closes, how full it is, and what a closing saved."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["WindowWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WindowWords:
    """What is said of the window itself.

    Attributes:
        handoff: said once before a window closes; ``{n_remaining}`` is the tokens left until then.
        handoff_notes: added where the model has a tool to keep them.
        filling: how full the window is, from the share on at which the guard warns.
        closing: the same from the share on at which it closes the window.
        closed: said in the payload that closed a window: tokens before and after, and what was saved.
    """

    handoff: str
    handoff_notes: str
    filling: str
    closing: str
    closed: str

    def handoff_notice(self, remaining: int, prompt: str | None = None, tool: str = "") -> str:
        """The notice before a window closes.

        Args:
            remaining: tokens until then.
            prompt: the application's own template in place of ``handoff``.
            tool: the tool by which the model takes notes; empty where it has none.
        """
        own = self.handoff + (self.handoff_notes.format(tool=tool) if tool else "")
        return (prompt or own).replace("{n_remaining}", f"{remaining:,}")

    def budget_line(self, used: int, window: int, *, full: bool) -> str:
        """How full the window is.

        Args:
            used, window: tokens.
            full: the share is reached at which the window closes.
        """
        template = self.closing if full else self.filling
        return template.format(used=_thousands(used), window=_thousands(window), percent=used * 100 // max(1, window))

    def closing_line(self, before: int, after: int) -> str:
        """What a closing saved, in tokens before and after it."""
        return self.closed.format(before=_thousands(before), after=_thousands(after), saved=_thousands(max(0, before - after)))


def _thousands(tokens: int) -> str:
    """Tokens as people say them: ``812``, ``48.3k``, ``64k``."""
    if tokens < 1000:
        return str(tokens)
    return f"{tokens / 1000:.1f}".removesuffix(".0") + "k"
