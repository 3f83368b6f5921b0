"""Schemas of 120 tools: tokens minified and plain, arguments kept, every target's rules, and what the providers' SDKs say."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence

from figures import Figure, median_ms

from transom.engine.selection.minification import LEVELS, minify
from transom.jsontext import dumps, dumps_text
from transom.messages import Tool
from transom.testing.toolset import priorities, tools
from transom.tokens import Heuristic, Tokenizer, bpe, weigh_tools
from transom.wire.schemas import PROFILES, broken_rules, convert_tools

LIMITS = (20_000, 10_000)
"""Tokens that a list is fitted into, of 31,753."""


def measure() -> Iterator[Figure]:
    """Sizes, losses, rules, and what the work costs."""
    plain = tools()
    counters = (Heuristic(), bpe("o200k"))
    for level in LEVELS[1:]:
        written, _ = minify(plain, level=level)
        for counter in counters:
            yield Figure(
                f"minified ÷ plain, {level}, counted by {counter.name}",
                _tokens(written, counter) / _tokens(plain, counter),
                "",
                at_most=0.6 if level == "tight" else None,
                note=f"{_tokens(plain, counter):,} tokens plain",
            )
        yield Figure(f"arguments lost or changed, {level}", _lost(plain, written), "", at_most=0)
    for profile in PROFILES[1:]:
        for name, given in (("plain", plain), ("minified", minify(plain, level="tight")[0])):
            converted, _ = convert_tools(given, profile)
            broken = sum(len(broken_rules(tool.parameters or {"type": "object"}, profile)) for tool in converted)
            yield Figure(f"rules of {profile} broken, {name}", broken, "", at_most=0)
            yield Figure(f"arguments lost for {profile}, {name}", _missing(plain, converted), "", at_most=0)
            yield Figure(f"definitions for {profile}, {name}", sum(len(_bytes(tool)) for tool in converted) / 1000, "kB")
    yield from _official(plain)
    for limit in LIMITS:
        written, report = minify(plain, level="light", limit_tokens=limit, priority=priorities())
        kept = sum(entry.level is not None for entry in report.tools if entry.priority == "critical")
        yield Figure(f"tokens under a limit of {limit:,}", weigh_tools(written, Heuristic()), "", at_most=limit)
        yield Figure(f"tools left of 120 under {limit:,}", len(written), "", note=f"critical ones left: {kept} of 29")
    yield Figure("minify 120 tools", median_ms(lambda: minify(plain, level="tight"), repeat=5), "ms")
    for profile in PROFILES[1:]:
        yield Figure(f"convert 120 tools for {profile}", median_ms(_converting(plain, profile), repeat=5), "ms")


def _converting(given: Sequence[Tool], profile: str) -> Callable[[], object]:
    return lambda: convert_tools(given, next(known for known in PROFILES if known == profile))


def _bytes(tool: Tool) -> bytes:
    return dumps({"name": tool.name, "description": tool.description, "parameters": tool.parameters})


def _tokens(given: Sequence[Tool], counter: Tokenizer) -> int:
    texts = [dumps_text({"name": tool.name, "description": tool.description, "parameters": tool.parameters}) for tool in given]
    return sum(counter.count_batch(texts))


def _arguments(tool: Tool) -> Mapping[str, object]:
    found = (tool.parameters or {}).get("properties", {})
    return found if isinstance(found, Mapping) else {}


def _missing(plain: Sequence[Tool], written: Sequence[Tool]) -> int:
    """Arguments that are there no longer."""
    return sum(
        name not in _arguments(tool) for original, tool in zip(plain, written, strict=True) for name in _arguments(original)
    )


def _lost(plain: Sequence[Tool], written: Sequence[Tool]) -> int:
    """Places where a minified schema constrains otherwise than the plain one."""
    return sum(
        _constraints(one.parameters) != _constraints(other.parameters) for one, other in zip(plain, written, strict=True)
    )


def _constraints(schema: object) -> object:
    """A schema without its words: what it constrains. "Or null" in one spelling."""
    if isinstance(schema, list | tuple):
        return [_constraints(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    union = schema.get("anyOf")
    if isinstance(union, list) and len(union) == 2 and union[1] == {"type": "null"} and isinstance(union[0].get("type"), str):
        rest = {word: value for word, value in schema.items() if word != "anyOf"}
        schema = {**union[0], **rest, "type": [union[0]["type"], "null"], "enum": union[0].get("enum")}
    silent = ("description", "title", "$schema", "examples", "default", "enum" if schema.get("enum") is None else "")
    return {
        word: {name: _constraints(inner) for name, inner in value.items()}
        if word in ("properties", "$defs") and isinstance(value, Mapping)
        else _constraints(value)
        for word, value in sorted(schema.items())
        if word not in silent and not (word == "required" and not value)
    }


def _official(plain: Sequence[Tool]) -> Iterator[Figure]:
    """What the providers' own libraries say of converted schemas."""
    from google.genai.types import Schema
    from openai.lib._pydantic import _ensure_strict_json_schema

    strict = [tool.parameters for tool in convert_tools(plain, "openai-strict")[0]]
    changed = sum(
        _ensure_strict_json_schema(copy.deepcopy(dict(schema)), path=(), root=dict(schema)) != schema
        for schema in strict
        if schema is not None
    )
    yield Figure("schemas for openai-strict that OpenAI's own converter would still change", changed, "", at_most=0)
    refused = 0
    for tool in convert_tools(plain, "gemini")[0]:
        if tool.parameters is not None:
            try:
                Schema.model_validate(tool.parameters)
            except ValueError:
                refused += 1
    yield Figure("schemas for gemini that Google's own type refuses", refused, "", at_most=0)
