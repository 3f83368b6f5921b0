"""What is said about a call of a tool, whichever it is: why it was not made, how it went, where the rest is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["ToolingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolingWords:
    """What is said about a call.

    Attributes:
        failed: frames every failure (``{text}``).
        unknown_tool, similar_tools: there is no such tool (``{name}``); those with a name like it (``{names}``).
        unknown_argument: the tool takes no such argument (``{names}``, ``{tool}``; ``{valid}``, those it takes).
        no_arguments: the tool takes none at all (``{names}``, ``{tool}``).
        missing_argument: it needs one that was not given (``{names}``, ``{tool}``, ``{valid}``).
        bad_argument: one has the wrong type or is out of bounds (``{tool}``, ``{detail}``).
        not_an_object: arguments are no JSON object (``{tool}``).
        disabled: the tool is switched off (``{tool}``, ``{family}``).
        confirm, declined: it needs the user's consent (``{tool}``); the user said no.
        question: what the user is asked (``{tool}``, ``{arguments}``).
        unavailable: what the tool needs is not here (``{tool}``, ``{what}``).
        timeout, cancelled: it ran too long (``{tool}``, ``{seconds}``); it was called off.
        fault: the tool broke (``{tool}``, ``{kind}``).
        put_off: it was not done because other calls still run (``{tool}``).
        alias: the name is an older one (``{alias}``, ``{tool}``).
        alias_failed: frames a failure under an older name (``{alias}``, ``{tool}``, ``{text}``).
        repeated: the same call came again and again (``{tool}``, ``{times}``).
        budget, budget_short: how full the window is (``{used}``, ``{window}``, ``{percent}``); the same when little is left.

    For finding tools:

    Attributes:
        families: introduces the families.
        family_line: one of them (``{family}``, ``{tools}``).
        off: stands behind what is switched off.
        found, found_line: introduces tools that fit (``{query}``); one of them (``{tool}``, ``{description}``).
        nothing_found: no tool fits (``{query}``).
        how_to_call: what to do with a found tool.
        described: one tool in full (``{tool}``, ``{description}``, ``{schema}``).
    """

    failed: str
    unknown_tool: str
    similar_tools: str
    unknown_argument: str
    no_arguments: str
    missing_argument: str
    bad_argument: str
    not_an_object: str
    disabled: str
    confirm: str
    declined: str
    question: str
    unavailable: str
    timeout: str
    cancelled: str
    fault: str
    put_off: str
    alias: str
    alias_failed: str
    repeated: str
    budget: str
    budget_short: str
    families: str
    family_line: str
    off: str
    found: str
    found_line: str
    nothing_found: str
    how_to_call: str
    described: str

    def no_such_tool(self, name: str, similar: Sequence[str]) -> str:
        """There is no such tool, and which may be meant."""
        text = self.unknown_tool.format(name=name)
        return f"{text} {self.similar_tools.format(names=', '.join(similar))}" if similar else text

    def no_such_argument(self, tool: str, names: Sequence[str], valid: Sequence[str]) -> str:
        """The tool takes no such arguments, and which it takes."""
        template = self.unknown_argument if valid else self.no_arguments
        return template.format(tool=tool, names=", ".join(names), valid=", ".join(valid))

    def usage(self, used: int, window: int) -> str:
        """How full the window is, in thousands of tokens."""
        percent = round(100 * used / window)
        template = self.budget_short if percent >= 90 else self.budget
        return template.format(used=f"{used / 1000:.1f}k", window=f"{window / 1000:g}k", percent=percent)
