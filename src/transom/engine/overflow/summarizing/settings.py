"""What a caller chooses about summaries, checked once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....errors import StrategyError

__all__ = ["MAX_TOKENS", "TIMEOUT", "SummarySettings", "summary_settings"]

MAX_TOKENS = 1_024
"""Length of a summary, in tokens: about 500 words of prose."""

TIMEOUT = 60.0
"""Seconds a model may take for one closing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySettings:
    """How spans are summarized.

    Attributes:
        instructions: the caller's own, in front of the rules of the prompt.
        guidelines: further rules, numbered in the prompt.
        split: share of the turns that may leave which is folded, more where the budget asks for it.
        keep_turns: that many turns at the end stay, fewer where the budget leaves no room for them.
        max_tokens: upper bound of the summary, in tokens.
        window: tokens the model can hold, question and answer together; ``None`` for what the model says, or else the window
            of the session.
        timeout: seconds all requests of one closing may take together; ``None`` waits for ever.
    """

    instructions: str = ""
    guidelines: tuple[str, ...] = ()
    split: float | None = None
    keep_turns: int | None = None
    max_tokens: int = MAX_TOKENS
    window: int | None = None
    timeout: float | None = TIMEOUT

    @property
    def shaping(self) -> str:
        """What of it shapes a summary; patience does not."""
        return repr((self.instructions, self.guidelines, self.split, self.keep_turns, self.max_tokens, self.window))


def summary_settings(
    *,
    instructions: str = "",
    guidelines: Iterable[str] = (),
    split: float | None = None,
    keep_turns: int | None = None,
    max_tokens: int | None = None,
    window: int | None = None,
    timeout: float | None = TIMEOUT,
) -> SummarySettings:
    """Settings from what a caller wrote.

    Raises:
        StrategyError: a value that makes no sense.
    """
    if isinstance(guidelines, str):
        raise StrategyError("guidelines is one text", hint="give a list with one rule an entry")
    if split is not None and not 0 < split <= 1:
        raise StrategyError(f"split is {split}", hint="a share above 0 and up to 1: 0.7 folds the older 70 % of the turns")
    if split is not None and keep_turns is not None:
        raise StrategyError("both split and keep_turns say how deep to fold", hint="give one of them")
    for name, value, least in (("keep_turns", keep_turns, 1), ("max_tokens", max_tokens, 1), ("window", window, 1)):
        if value is not None and value < least:
            raise StrategyError(f"{name} is {value!r}", hint=f"a whole number from {least} on")
    if timeout is not None and timeout <= 0:
        raise StrategyError(f"timeout is {timeout}", hint="seconds above 0, or None to wait for ever")
    return SummarySettings(
        instructions=instructions,
        guidelines=tuple(guidelines),
        split=split,
        keep_turns=keep_turns,
        max_tokens=MAX_TOKENS if max_tokens is None else max_tokens,
        window=window,
        timeout=timeout,
    )
