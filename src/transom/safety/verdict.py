"""What safety answers. Acts on nothing and is worded elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

__all__ = ["ALLOWED", "FACT_LENGTH", "Verdict", "refuse"]

FACT_LENGTH = 120
"""Characters of a fact: enough to know one's own text again, and no way to flood an answer with it."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether something may be done, and if not, which rule says so. True when allowed.

    Attributes:
        allowed: it may.
        error: the symbol of the refusal, for example ``command_blocked``; None when allowed.
        reason: the name of the rule, a field of ``vocabulary.refusing``; empty when allowed.
        facts: what the words of the rule are filled with.
    """

    allowed: bool
    error: str | None = None
    reason: str = ""
    facts: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    def __bool__(self) -> bool:
        return self.allowed


ALLOWED = Verdict(allowed=True)


def refuse(error: str, reason: str, /, **facts: str) -> Verdict:
    """A verdict that says no. Facts are made printable and cut to ``FACT_LENGTH`` characters.

    Args:
        error: the symbol of the refusal.
        reason: the name of the rule.
        facts: what its words are filled with.
    """
    return Verdict(allowed=False, error=error, reason=reason, facts={name: _printable(text) for name, text in facts.items()})


def _printable(text: str) -> str:
    short = text if len(text) <= FACT_LENGTH else text[: FACT_LENGTH - 1] + "…"
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in short)
