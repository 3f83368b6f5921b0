"""What is said about a call of a tool, whichever it is: why it was not made, how it went, where the rest is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["ToolingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolingWords:
    """What is said about a call.

    Attributes:
        failed: frames every failure (``{text}``).
        unknown_tool: there is no such tool (``{name}``).
        meant_tools, similar_tools: those that do what it says; those with a name like it (``{names}``).
        unknown_argument: the tool takes no such argument (``{names}``, ``{tool}``; ``{valid}``, those it takes).
        no_arguments: the tool takes none at all (``{names}``, ``{tool}``).
        missing_argument: it needs one that was not given (``{names}``, ``{tool}``, ``{valid}``).
        bad_argument: one has the wrong type or is out of bounds (``{tool}``, ``{detail}``).
        unlisted, nearest: the value is none of those allowed (``{name}``, ``{value}``, ``{allowed}``); the one most like it
            (``{near}``).
        wrong_kind: it is of another kind (``{name}``; ``{wanted}`` and ``{got}``, of ``kinds``).
        kinds, either: what kinds of values are called, by the type's name; what stands between two of them.
        least, most, over, under: its bounds (``{name}``, ``{bound}``).
        shortest, longest, exactly: bounds of its length (``{name}``, ``{bound}``, ``{unit}`` of ``units``, by the type's name).
        not_an_object: arguments are no JSON object (``{tool}``).
        disabled: the tool is switched off (``{tool}``, ``{family}``).
        confirm, declined: it needs the user's consent (``{tool}``); the user said no.
        question: what the user is asked (``{tool}``, ``{arguments}``).
        unavailable: what the tool needs is not here (``{tool}``, ``{what}``).
        timeout, cancelled: it ran too long (``{tool}``, ``{seconds}``); it was called off.
        no_space, read_only_disk, no_permission, too_many_open: the system refused the tool something, and why (``{tool}``).
        refused: the same for other reasons (``{reason}``).
        fault: the tool broke (``{tool}``, ``{kind}``).
        put_off: it was not done because other calls still run (``{tool}``).
        doubts: what stands below an answer that is not read off a source, by how sure it is.
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
    meant_tools: str
    similar_tools: str
    unknown_argument: str
    no_arguments: str
    missing_argument: str
    bad_argument: str
    unlisted: str
    nearest: str
    wrong_kind: str
    kinds: Mapping[str, str]
    either: str
    least: str
    most: str
    over: str
    under: str
    shortest: str
    longest: str
    exactly: str
    units: Mapping[str, str]
    not_an_object: str
    disabled: str
    confirm: str
    declined: str
    question: str
    unavailable: str
    timeout: str
    cancelled: str
    no_space: str
    read_only_disk: str
    no_permission: str
    too_many_open: str
    refused: str
    fault: str
    put_off: str
    doubts: Mapping[str, str]
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

    def no_such_tool(self, name: str, similar: Sequence[str], meant: Sequence[str] = ()) -> str:
        """There is no such tool, and which may be meant."""
        text = self.unknown_tool.format(name=name)
        if meant:
            return f"{text} {self.meant_tools.format(names=', '.join(meant))}"
        return f"{text} {self.similar_tools.format(names=', '.join(similar))}" if similar else text

    def no_such_argument(self, tool: str, names: Sequence[str], valid: Sequence[str]) -> str:
        """The tool takes no such arguments, and which it takes."""
        template = self.unknown_argument if valid else self.no_arguments
        return template.format(tool=tool, names=", ".join(names), valid=", ".join(valid))

    def not_one_of(self, name: str, value: str, allowed: Sequence[str], near: str) -> str:
        """A value is none of those allowed."""
        text = self.unlisted.format(name=name, value=value, allowed=", ".join(allowed))
        return text + (self.nearest.format(near=near) if near else "")

    def of_wrong_kind(self, name: str, wanted: Sequence[str], got: str, allowed: Sequence[str]) -> str:
        """A value is of another kind than those taken."""
        kinds = self.either.join(self.kinds.get(kind, kind) for kind in wanted)
        text = self.wrong_kind.format(name=name, wanted=kinds, got=self.kinds.get(got, got))
        return f"{text}: {', '.join(allowed)}" if allowed else text

    def out_of_bounds(self, name: str, how: str, bound: str) -> str:
        """A number is beyond its bound; ``how`` is ``<``, ``<=``, ``>`` or ``>=``."""
        template = {"<": self.under, "<=": self.most, ">": self.over, ">=": self.least}[how]
        return template.format(name=name, bound=bound)

    def of_wrong_length(self, name: str, kind: str, how: str, bound: str) -> str:
        """A text or a list is too long or too short; ``how`` is ``==``, ``<=`` or ``>=``."""
        template = {"==": self.exactly, "<=": self.longest, ">=": self.shortest}[how]
        return template.format(name=name, bound=bound, unit=self.units.get(kind, kind))

    def usage(self, used: int, window: int) -> str:
        """How full the window is, in thousands of tokens."""
        percent = round(100 * used / window)
        template = self.budget_short if percent >= 90 else self.budget
        return template.format(used=f"{used / 1000:.1f}k", window=f"{window / 1000:g}k", percent=percent)
