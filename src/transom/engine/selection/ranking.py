"""Tool search: which tools fit a task that is said in plain words.

Pure, and the same for the same tools and words everywhere. A tool is ranked by BM25 over its fields: names weigh most, then
what the description begins with, the rest of it, the names and values of arguments, and their descriptions (Robertson, Zaragoza
and Taylor, "Simple BM25 extension to multiple weighted fields", 2004). No model and no vectors: among some hundred short texts
words decide.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...errors import InputError
from ...messages import Tool
from .terms import NEAR, question_terms, related, terms

__all__ = ["ToolHit", "ToolIndex", "search_tools"]

_FIELDS: Mapping[str, float] = {"name": 3.0, "purpose": 2.0, "description": 1.0, "arguments": 0.4, "details": 0.15}
_SATURATION = 0.8
_LENGTHS: Mapping[str, float] = {"name": 0.4, "purpose": 0.5, "description": 0.75, "arguments": 0.75, "details": 0.75}
"""How much the length of a field counts against its words. Measured with the weights; hardly any value of these is worse by two
of a hundred tasks."""
_NAMED = 1_000.0
"""A tool that is called by its name is what is meant."""
_DEEPEST = 8
_PURPOSE = re.compile(r"(?<=[.!?。！？])\s+|\n")


@dataclass(frozen=True, slots=True)
class ToolHit:
    """A tool that was found.

    Attributes:
        tool: as it was handed in.
        score: how well it fits; comparable within one search only.
        why: the words of the question that count for it, the most telling first; ``launch → execute`` where it says another.
    """

    tool: Tool
    score: float
    why: tuple[str, ...]


def search_tools(query: str, tools: Iterable[Tool], limit: int = 5) -> list[ToolHit]:
    """The tools that fit a task, the best first.

    Args:
        query: the task in plain words, or names of tools.
        tools: where to look.
        limit: how many at most.

    Returns:
        Tools with at least one word in common with the question; among equals in the order given.

    Raises:
        InputError: a question that is no text, or a limit below 1.
    """
    return ToolIndex(tools).search(query, limit)


class ToolIndex:
    """The words of some tools, counted once for many searches.

    Args:
        tools: where to look; a later one of the same name is a tool of its own.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self.tools = tuple(tools)
        counted = [_counted(tool) for tool in self.tools]
        lengths = {field: [sum(map(len, words[field].values())) for words in counted] for field in _FIELDS}
        usual = {field: sum(values) / max(1, sum(map(bool, values))) for field, values in lengths.items()}
        self._weights: list[dict[str, float]] = []
        self._spelled: dict[str, str] = {}
        for at, fields in enumerate(counted):
            weights: dict[str, float] = {}
            for field, weight in _FIELDS.items():
                share = _LENGTHS[field]
                norm = 1 - share + share * lengths[field][at] / usual[field] if usual[field] else 1.0
                for term, words in fields[field].items():
                    weights[term] = weights.get(term, 0.0) + weight * len(words) / norm
                    self._spelled.setdefault(term, words[0])
            self._weights.append(weights)
        holding = Counter(term for weights in self._weights for term in weights)
        total = len(self.tools)
        self._rarity = {term: math.log(1 + (total - count + 0.5) / (count + 0.5)) for term, count in holding.items()}

    def search(self, query: str, limit: int = 5) -> list[ToolHit]:
        """As ``search_tools``."""
        if not isinstance(query, str):
            raise InputError(f"a search for {query!r}", hint="say the task in plain words")
        if limit < 1:
            raise InputError(f"a search for {limit} tools", hint="ask for 1 or more")
        asked = {term: words[0] for term, words in question_terms(query).items()}
        named = set(re.findall(r"[\w.-]+", query))
        hits: list[ToolHit] = []
        for tool, weights in zip(self.tools, self._weights, strict=True):
            found = sorted(self._matches(asked, weights), key=lambda match: -match[0])
            score = sum(value for value, _ in found) + (_NAMED if tool.name in named else 0.0)
            if score > 0:
                hits.append(ToolHit(tool, score, tuple(why for _, why in found)))
        # Python's sort keeps the order of equals; rounding keeps noise of the last bit from deciding.
        hits.sort(key=lambda hit: -round(hit.score, 9))
        return hits[:limit]

    def _matches(self, asked: Mapping[str, str], weights: Mapping[str, float]) -> Iterator[tuple[float, str]]:
        for term, word in asked.items():
            best, why = self._value(term, weights), word
            for other in related(term):
                value = NEAR * self._value(other, weights)
                if value > best:
                    best, why = value, f"{word} → {self._spelled[other]}"
            if best > 0:
                yield best, why

    def _value(self, term: str, weights: Mapping[str, float]) -> float:
        weight = weights.get(term, 0.0)
        return self._rarity[term] * weight * (_SATURATION + 1) / (_SATURATION + weight) if weight else 0.0


def _counted(tool: Tool) -> dict[str, dict[str, list[str]]]:
    purpose, *rest = _PURPOSE.split(tool.description.strip(), maxsplit=1)
    names, details = [], []
    for name, described in _arguments(tool.parameters, _DEEPEST):
        names.append(name)
        details.append(described)
    texts = {
        "name": tool.name,
        "purpose": purpose,
        "description": rest[0] if rest else "",
        "arguments": " ".join(names),
        "details": " ".join(details),
    }
    return {field: terms(text) for field, text in texts.items()}


def _arguments(schema: object, depth: int) -> Iterator[tuple[str, str]]:
    """Names and allowed words of arguments, each with its description, at every depth that is read."""
    if depth == 0 or not isinstance(schema, Mapping):
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            described = inner.get("description") if isinstance(inner, Mapping) else None
            yield str(name), described if isinstance(described, str) else ""
            yield from _arguments(inner, depth - 1)
    values = schema.get("enum")
    if isinstance(values, Sequence) and not isinstance(values, str):
        yield " ".join(value for value in values if isinstance(value, str)), ""
    for key in ("items", "additionalProperties", "$defs", "definitions", "anyOf", "oneOf", "allOf"):
        inner = schema.get(key)
        if key in {"$defs", "definitions"} and isinstance(inner, Mapping):
            inner = list(inner.values())
        for branch in inner if isinstance(inner, Sequence) and not isinstance(inner, str) else [inner]:
            yield from _arguments(branch, depth - 1)
