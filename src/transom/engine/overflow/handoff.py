"""The handoff: a word to the model before its window closes, so that it can write down what it needs.

Pure: settings, and the arithmetic of the band. What is said stands in the vocabulary; when, in the phase.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import InputError

__all__ = ["Handoff"]


@dataclass(frozen=True, slots=True)
class Handoff:
    """When to tell the model that its window will close soon, and how.

    Attributes:
        budget_tokens: the notice is given once per window, when no more tokens than these are left until the window closes.
        prompt: what is said; ``{n_remaining}`` in it becomes the tokens left. The vocabulary's words by default.

    Raises:
        InputError: a budget that is no positive number of tokens, or an empty prompt.
    """

    budget_tokens: int
    prompt: str | None = None

    def __post_init__(self) -> None:
        tokens: object = self.budget_tokens
        prompt: object = self.prompt
        if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
            raise InputError(f"a handoff budget of {tokens!r} tokens", hint="give tokens, for example Handoff(4_000)")
        if prompt is not None and (not isinstance(prompt, str) or not prompt.strip()):
            raise InputError("an empty handoff prompt", hint="leave it out for the built-in words")

    def reached(self, headroom: int) -> bool:
        """Whether the tokens left until the window closes lie within the band."""
        return 0 < headroom <= self.budget_tokens
