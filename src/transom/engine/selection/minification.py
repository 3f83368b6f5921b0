"""Tool definitions in fewer tokens: what explains is shortened, what constrains stays.

Knows tools and a tokenizer; no target, no conversation. A minified schema takes exactly the values that the original takes: no
parameter, type, listed value, required mark or bound is lost. Minify first and convert for a target afterwards: a conversion
says in descriptions what the target cannot check, and that must not be cut again.

The tiers are those of the toolbox (TOOLBOX, "Priority tiers"): under a limit the lowest are shortened and left out first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from ...errors import InputError
from ...messages import Tool
from ...tokens import Heuristic, Tokenizer, weigh_tools
from ...wire.schemas.wording import says_default
from .descriptions import shorten

__all__ = ["LEVELS", "PRIORITIES", "Level", "MinifiedTool", "MinifyReport", "Priority", "minify", "minify_tool"]

Level = Literal["whole", "light", "standard", "tight"]
"""How much is taken away. ``light``: annotations that say nothing to a model (titles, dialects, examples), and sentences that
repeat keywords. ``standard``: also descriptions of tools beyond some 150 characters and of parameters beyond 60. ``tight``: one
short sentence for a tool, and for a parameter nothing where its name and the tool's sentence say it."""

LEVELS: tuple[Level, ...] = get_args(Level)
"""From nothing taken away to the least that is left."""

Priority = Literal["critical", "high", "standard", "optional", "background"]
"""How much a tool matters when a limit forces a choice."""

PRIORITIES: tuple[Priority, ...] = get_args(Priority)
"""From what is kept longest to what goes first."""

_LENGTHS: Mapping[Level, tuple[int, int]] = {"light": (100_000, 100_000), "standard": (150, 60), "tight": (60, 32)}
"""Characters aimed at for a tool's description and a parameter's."""

_ANNOTATIONS = frozenset(
    {"title", "$schema", "$id", "$anchor", "$comment", "examples", "example", "deprecated", "readOnly", "writeOnly",
     "contentMediaType", "contentEncoding"}
)  # fmt: skip
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems")
_DEEPEST = 200
"""Steps of a pointer beyond which a schema is left as it is."""
_LONGEST_REPEAT = 400
"""Characters beyond which a sentence says more than a keyword."""
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
_REPEATS_BOUND = re.compile(
    r"\b(?:between|at most|at least|maximum|minimum|max\b|min\b|up to|from|values?|range|accepted|not (?:be )?empty)\b",
    re.IGNORECASE,
)
_FILLER = frozenset(
    re.findall(
        r"\w+",
        """a an the of to for in on at by from with and or not is are be been it its this that these those which what whether if
        when how many much only also too given used use uses defaults default optional must should may can will does do number
        value values return returned returns most""",
    )
)
"""Words that say nothing about one parameter rather than another."""


@dataclass(frozen=True, slots=True)
class MinifiedTool:
    """What became of one tool.

    Attributes:
        name: the tool.
        level: how far it was minified; ``None`` for one that was left out.
        priority: its tier.
        before, after: its tokens; ``after`` is 0 for one that was left out.
        shortened: JSON pointers to the descriptions that lost sentences; the empty one is the tool's own.
    """

    name: str
    level: Level | None
    priority: Priority
    before: int
    after: int
    shortened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MinifyReport:
    """What became of all of them, in their order.

    Attributes:
        tools: one entry a tool.
        before, after: tokens of all of them together.
        limit: what was asked for; ``None`` for no limit.
    """

    tools: tuple[MinifiedTool, ...]
    before: int
    after: int
    limit: int | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """Names of the tools that no longer stand in the list: what a tool search can still offer."""
        return tuple(tool.name for tool in self.tools if tool.level is None)

    @property
    def ratio(self) -> float:
        """Tokens after ÷ before; 1 for no tools."""
        return self.after / self.before if self.before else 1.0


def minify(
    tools: Iterable[Tool],
    *,
    level: Level = "standard",
    limit_tokens: int | None = None,
    priority: Mapping[str, Priority] | Callable[[Tool], Priority] | None = None,
    tokenizer: Tokenizer | None = None,
    weigh: Callable[[Tool], int] | None = None,
) -> tuple[tuple[Tool, ...], MinifyReport]:
    """Tools in fewer tokens, in their order.

    Under a limit every tool starts at ``level`` and tools are shortened further, the lowest tier first and within a tier the
    last one first, until all fit: all tiers but ``critical`` down to ``tight``, ``critical`` to ``standard``. Where that is
    not enough, tools are left out, the lowest tier first; ``critical`` ones are shortened to ``tight`` before one of them
    goes. The same tools and settings give the same bytes.

    Args:
        tools: the definitions; not changed. Hosted tools and tools with free-text input stay as they are.
        level: how far every tool is minified at least.
        limit_tokens: what all of them together may weigh; ``None`` for no limit.
        priority: the tier of each tool, by name or by a function; ``standard`` for those it does not name.
        tokenizer: what counts; the heuristic by default.
        weigh: tokens of one tool, for a caller who converts schemas afterwards; by default the tool as it stands.

    Returns:
        The tools that are left, and what became of each.

    Raises:
        InputError: an unknown level or tier, or a negative limit.
    """
    if level not in LEVELS:
        raise InputError(f"no level {level!r}", hint=f"one of {', '.join(LEVELS)}")
    if limit_tokens is not None and limit_tokens < 0:
        raise InputError(f"a limit of {limit_tokens} tokens", hint="0 or more; None for no limit")
    counted = tokenizer or Heuristic()
    weight = weigh or (lambda tool: weigh_tools((tool,), counted))
    work = [_Work(tool, _tier(tool, priority), weight, level) for tool in tools]
    if limit_tokens is not None:
        _fit(work, limit_tokens)
    report = MinifyReport(
        tuple(item.account() for item in work),
        sum(item.before for item in work),
        sum(item.after for item in work),
        limit_tokens,
    )
    return tuple(item.tool for item in work if item.level is not None), report


def minify_tool(tool: Tool, level: Level = "standard") -> tuple[Tool, tuple[str, ...]]:
    """One tool at one level, and where its descriptions lost sentences.

    A tool that stays as it is keeps the bytes it was read from.
    """
    if level == "whole" or tool.kind != "function":
        return tool, ()
    most, _ = _LENGTHS[level]
    shortened: list[str] = []
    description = shorten(tool.description, most)
    if description != tool.description:
        shortened.append("")
    parameters = tool.parameters
    if parameters is not None:
        known = _words(f"{_spaced(tool.name)} {description}")
        written = _schema(parameters, level, "", known, "", shortened)
        parameters = parameters if written == parameters else written
    if description == tool.description and parameters is tool.parameters:
        return tool, ()
    return replace(tool, description=description, parameters=parameters, origin=None), tuple(shortened)


class _Work:
    """One tool while a list is fitted."""

    __slots__ = ("_original", "_shortened", "_weight", "after", "before", "level", "priority", "tool")

    def __init__(self, tool: Tool, priority: Priority, weight: Callable[[Tool], int], level: Level) -> None:
        self._original = tool
        self._weight = weight
        self.priority = priority
        self.before = weight(tool)
        self.level: Level | None = "whole"
        self.tool, self.after = tool, self.before
        self._shortened: tuple[str, ...] = ()
        self.lower(level)

    def lower(self, level: Level) -> int:
        """Minify down to a level; returns the tokens that were saved."""
        if self.level is None or LEVELS.index(level) <= LEVELS.index(self.level):
            return 0
        self.level = level
        tool, shortened = minify_tool(self._original, level)
        weight = self._weight(tool)
        if weight >= self.after:
            return 0
        saved, self.tool, self.after, self._shortened = self.after - weight, tool, weight, shortened
        return saved

    def leave_out(self) -> int:
        """Take it away; returns the tokens that were saved."""
        saved, self.after, self.level, self._shortened = self.after, 0, None, ()
        return saved

    def account(self) -> MinifiedTool:
        """What became of it."""
        return MinifiedTool(self._original.name, self.level, self.priority, self.before, self.after, self._shortened)


def _tier(tool: Tool, priority: Mapping[str, Priority] | Callable[[Tool], Priority] | None) -> Priority:
    found = priority(tool) if callable(priority) else (priority or {}).get(tool.name, "standard")
    if found not in PRIORITIES:
        raise InputError(f"no priority {found!r} for the tool {tool.name!r}", hint=f"one of {', '.join(PRIORITIES)}")
    return found


def _fit(work: Sequence[_Work], limit: int) -> None:
    """Shorten, then leave out, until the rest fits."""
    over = sum(item.after for item in work) - limit
    lower = PRIORITIES[:0:-1]
    steps: list[tuple[Priority, Level | None]] = [(tier, level) for level in LEVELS[1:] for tier in lower]
    steps += [("critical", "light"), ("critical", "standard")]
    steps += [("background", None), ("optional", None), ("critical", "tight")]
    steps += [(tier, None) for tier in ("standard", "high", "critical")]
    for tier, level in steps:
        for item in reversed(work):
            if over <= 0:
                return
            if item.priority == tier and item.level is not None:
                over -= item.leave_out() if level is None else item.lower(level)


def _schema(
    schema: Mapping[str, object], level: Level, name: str, known: frozenset[str], where: str, shortened: list[str]
) -> dict[str, object]:
    """A schema without what says nothing.

    Args:
        schema: at any depth.
        level: how much is taken away.
        name: the parameter it describes; empty for what has no name.
        known: the words that a reader has met before its description.
        where: JSON pointer to it.
        shortened: takes the places of descriptions that lost something.
    """
    if where.count("/") > _DEEPEST:
        return dict(schema)
    node = _nullable(schema)
    said = {key: value for key, value in node.items() if key not in _ANNOTATIONS and not key.startswith("x-")}
    if said.get("default", True) is None:
        del said["default"]
    if said.get("required") == [] or said.get("required") == ():
        del said["required"]
    written: dict[str, object] = {}
    for key, value in said.items():
        place = f"{where}/{key}"
        if key == "description" and isinstance(value, str):
            text = _described(value, node, level, name, known)
            if text != value:
                shortened.append(where)
            if text:
                written[key] = text
        elif key in _MAPS and isinstance(value, Mapping):
            inner = value.items()
            written[key] = {
                one: _schema(
                    item,
                    level,
                    one if key == "properties" else "",
                    known | _words(_spaced(one)),
                    f"{place}/{_pointed(one)}",
                    shortened,
                )
                if isinstance(item, Mapping)
                else item
                for one, item in inner
            }
        elif key in _LISTS and isinstance(value, list | tuple):
            written[key] = [
                _schema(item, level, "", known, f"{place}/{index}", shortened) if isinstance(item, Mapping) else item
                for index, item in enumerate(value)
            ]
        elif key in ("items", "additionalProperties", "not", "contains") and isinstance(value, Mapping):
            written[key] = _schema(value, level, "", known, place, shortened)
        else:
            written[key] = value
    return written


def _nullable(schema: Mapping[str, object]) -> Mapping[str, object]:
    """A union of one type and null as one schema: the same values in fewer words."""
    union = schema.get("anyOf")
    if not isinstance(union, list | tuple) or len(union) != 2 or {"type", "enum", "const", "$ref"} & set(schema):
        return schema
    inner = next((branch for branch in union if isinstance(branch, Mapping) and branch != {"type": "null"}), None)
    if {"type": "null"} not in union or inner is None:
        return schema
    if not isinstance(inner.get("type"), str) or {"enum", "const", "allOf", "not", "anyOf", "oneOf", "if"} & set(inner):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    if set(rest) & set(inner) - {"title", "description"}:
        return schema
    return {**inner, **rest, "type": [inner["type"], "null"]}


def _described(text: str, node: Mapping[str, object], level: Level, name: str, known: frozenset[str]) -> str:
    _, most = _LENGTHS[level]

    def said(sentence: str) -> bool:
        return _repeats(sentence, node)

    if said(text):
        return ""
    short = shorten(text, most, said)
    if level == "tight" and name and (_is_named_flag(node, name) or _adds_nothing(short, node, known)):
        return ""
    return short


def _repeats(sentence: str, node: Mapping[str, object]) -> bool:
    """Whether a sentence says nothing but a default or bounds that stand beside it as keywords."""
    if len(sentence) > _LONGEST_REPEAT:
        return False
    words = sentence.split()
    if "default" in node and len(words) <= 6 and says_default(sentence, node["default"]):
        return re.match(r"\W*(?:the\s+)?default", sentence, re.IGNORECASE) is not None
    numbers = {_number(found) for found in _NUMBER.findall(sentence)}
    bounds = {value for key in _BOUNDS if isinstance(value := node.get(key), int | float)}
    return bool(numbers) and numbers <= bounds and len(words) <= 8 and _REPEATS_BOUND.search(sentence) is not None


def _number(text: str) -> float | None:
    """What digits stand for; ``None`` for an address or a version, which no bound equals."""
    plain = text.replace(",", "")
    if plain.count(".") > 1:
        return None
    return float(plain) if "." in plain else int(plain)


def _is_named_flag(node: Mapping[str, object], name: str) -> bool:
    """Whether it is a yes or no whose name is a phrase: ``include_hidden``, ``dryRun``."""
    return node.get("type") == "boolean" and len(_spaced(name).split()) > 1


def _adds_nothing(text: str, node: Mapping[str, object], known: frozenset[str]) -> bool:
    """Whether all words of a description but one were met before: in the names of the parameter and the tool, in the tool's
    description, in the values that are listed.
    """
    values = node.get("enum")
    listed = _words(" ".join(str(value) for value in values)) if isinstance(values, list | tuple) else frozenset()
    met = known | listed
    return sum(not any(_akin(word, other) for other in met) for word in _words(text)) <= 1


def _akin(word: str, other: str) -> bool:
    """Whether two words are forms of one: the shorter begins the longer, in three letters at least."""
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) >= 3 and long.startswith(short))


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\w+", text.lower()) if word not in _FILLER)


def _spaced(name: str) -> str:
    """A name as words: ``maxFileSize`` and ``max_file_size`` alike."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")


def _pointed(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
