"""Why an argument does not fit, in words: what the check found, said without its type names, with what would fit.

Knows the messages of msgspec and a tool's schema; no tool.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..vocabulary.tooling import ToolingWords

__all__ = ["misfit"]

_AT = re.compile(r"(?P<said>.*?)(?: - at `\$\.?(?P<at>.*)`)?", re.DOTALL)
_KIND = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>\w+)`")
_BOUND = re.compile(r"Expected `\w+` (?P<how><|>|<=|>=) (?P<bound>\S+)")
_LENGTH = re.compile(r"Expected `(?P<kind>\w+)` of length (?P<how>==|<=|>=) (?P<bound>\d+)")
_STEP = re.compile(r"\[(?P<index>\d+|\.\.\.)\]|(?P<name>[^.\[\]]+)")


def misfit(found: str, arguments: Mapping[str, object], schema: Mapping[str, object], words: ToolingWords) -> str:
    """What is wrong with an argument, without an end to the sentence.

    Args:
        found: what the check says.
        arguments: those that were checked.
        schema: the tool's.
        words: what it is said with.
    """
    parts = _AT.fullmatch(found)
    at, said = (parts["at"] or "", parts["said"]) if parts else ("", found)
    if not at:
        return found.replace("`$.", "`").rstrip(".")
    value, shape = _there(at, arguments, schema)
    if said.startswith("Invalid enum value") and (allowed := _allowed(shape)):
        # Most arguments fit.
        import difflib

        near = difflib.get_close_matches(str(value).casefold(), allowed, n=1, cutoff=0.6)
        return words.not_one_of(at, str(value), allowed, near[0] if near else "")
    if kind := _KIND.fullmatch(said):
        wanted = [name for name in kind["wanted"].split(" | ") if name != "null"]
        allowed = _allowed(shape)
        return words.of_wrong_kind(at, wanted, kind["got"], allowed)
    if length := _LENGTH.fullmatch(said):
        return words.of_wrong_length(at, length["kind"], length["how"], length["bound"])
    if bound := _BOUND.fullmatch(said):
        return words.out_of_bounds(at, bound["how"], bound["bound"].removesuffix(".0"))
    return f"{said} (`{at}`)"


def _there(at: str, arguments: Mapping[str, object], schema: Mapping[str, object]) -> tuple[object, Mapping[str, object]]:
    """The value at a place and its schema; empty where they cannot be found."""
    value: object = arguments
    shape: object = schema
    for step in _STEP.finditer(at):
        name, index = step["name"], step["index"]
        if name is not None:
            value = value.get(name) if isinstance(value, Mapping) else None
            shape = _within(shape, "properties").get(name)
        else:
            value = value[int(index)] if isinstance(value, list) and index.isdecimal() and int(index) < len(value) else None
            shape = _within(shape, "items")
    return value, shape if isinstance(shape, Mapping) else {}


def _within(shape: object, name: str) -> Mapping[str, object]:
    inner = shape.get(name) if isinstance(shape, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _allowed(shape: Mapping[str, object]) -> list[str]:
    listed = shape.get("enum")
    return [str(value) for value in listed] if isinstance(listed, list) else []
