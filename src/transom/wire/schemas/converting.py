"""Schemas, tools and arguments into the form of a target, and arguments back.

Knows the profiles by name. Nothing here is kept between calls: the same schema gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from ...errors import InputError
from ...jsontext import EMPTY, dumps
from ...messages import Tool
from ...vocabulary import ENGLISH
from ...vocabulary.schemas import SchemaWords
from ..profiles import PROFILES, Profile
from ..toolfields import SCHEMA_PROFILE
from . import gemini_subset, grammar, openai_strict
from .conversion import Conversion
from .dialect import Dialect, is_deeper
from .report import SchemaNote, SchemaReport
from .restoring import Codec
from .root import mended_root

__all__ = [
    "PROFILES",
    "SCHEMA_PROFILE",
    "Profile",
    "broken_rules",
    "convert_schema",
    "convert_tool",
    "convert_tools",
    "profile_for",
    "restore_arguments",
    "spell_arguments",
]

_DEEPEST = 400
"""Levels of objects and lists up to which rules are looked for. What is converted has a quarter of them."""
_GRAMMAR_HOSTS = frozenset({"llama.cpp", "llamacpp", "lm-studio", "lmstudio", "koboldcpp", "localai"})


def profile_for(target: str, host: str = "") -> Profile:
    """The profile to use where nobody chose one.

    Args:
        target: a wire format: ``openai``, ``openai-responses``, ``anthropic``, ``gemini``, ``ollama``.
        host: what answers, where that is known: ``llama.cpp``, ``lm-studio``, …

    Returns:
        ``grammar`` for hosts that compile schemas into a grammar, ``gemini`` for Gemini, else ``default``: OpenAI and Anthropic
        take JSON Schema, and strict mode is a choice, since it closes objects that were open.
    """
    if host.lower().replace("_", "-").replace(" ", "-") in _GRAMMAR_HOSTS:
        return "grammar"
    return "gemini" if target == "gemini" else "default"


def convert_schema(
    schema: Mapping[str, object], profile: Profile, *, words: SchemaWords = ENGLISH.schemas
) -> tuple[dict[str, object], SchemaReport]:
    """A schema of arguments in the subset of a target.

    No argument is lost, renamed or added, except that an object without properties gets one named ``unused`` where the target
    wants one. What the target cannot check is said in descriptions.

    Args:
        schema: JSON Schema of any draft, as tools carry it. It is not changed.
        profile: the target's subset.
        words: the sentences that stand for keywords.

    Returns:
        The converted schema and what it cost.

    Raises:
        InputError: an unknown profile, or a schema that is no object.
    """
    written, _, report = _convert(schema, profile, words)
    return written, report


def _convert(
    schema: Mapping[str, object], profile: Profile, words: SchemaWords = ENGLISH.schemas
) -> tuple[dict[str, object], Codec | None, SchemaReport]:
    if not isinstance(schema, Mapping):
        raise InputError(f"a schema is an object, not {type(schema).__name__}", hint="pass the tool's parameters")
    dialect = _dialect(profile)
    if dialect is None:
        notes: list[SchemaNote] = []
        written = mended_root(schema, lambda *note: notes.append(SchemaNote(*note)), words)
        return written, None, SchemaReport(profile, tuple(notes))
    work = Conversion(schema, dialect, words)
    written, codec = work.convert()
    for where, problem in _refusals(written, profile):
        work.record("refused", where, "", problem)
    return written, codec, SchemaReport(profile, tuple(work.notes))


def _refusals(schema: Mapping[str, object], profile: Profile) -> Iterator[tuple[str, str]]:
    """What no conversion can mend: sizes, and names that a target does not take."""
    if profile == "openai-strict":
        yield from (("", problem) for problem in openai_strict.broken_limits(schema))
    elif profile == "gemini":
        yield from (found for found in gemini_subset.broken_rules(schema) if found[1].startswith("the name"))


def _dialect(profile: Profile) -> Dialect | None:
    if profile not in PROFILES:
        raise InputError(f"no schema profile {profile!r}", hint=f"one of {', '.join(PROFILES)}")
    match profile:
        case "default":
            return None
        case "openai-strict":
            return openai_strict.DIALECT
        case "gemini":
            return gemini_subset.DIALECT
        case "grammar":
            return grammar.DIALECT
        case _:
            assert_never(profile)


def broken_rules(schema: Mapping[str, object], profile: Profile) -> tuple[tuple[str, str], ...]:
    """Every rule of a target that a schema breaks, converted or not: JSON pointer and what is wrong. Empty for ``default``.

    Of a schema that is nested deeper than anything a target takes, that is all that is said.

    Raises:
        InputError: an unknown profile.
    """
    if profile in PROFILES and profile != "default" and is_deeper(schema, _DEEPEST):
        return (("", f"nested more than {_DEEPEST} levels deep"),)
    match profile:
        case "openai-strict":
            return tuple(openai_strict.broken_rules(schema))
        case "gemini":
            return tuple(gemini_subset.broken_rules(schema))
        case "grammar":
            return tuple(grammar.broken_rules(schema))
    _dialect(profile)
    return ()


def convert_tool(tool: Tool, profile: Profile, *, words: SchemaWords = ENGLISH.schemas) -> tuple[Tool, SchemaReport]:
    """A tool with its schema converted.

    Hosted tools and tools with free-text input are left alone, and with ``default`` all whose root is an object. A converted
    tool no longer has the bytes it was read from. For ``openai-strict`` the tool says ``strict``; a schema that strict mode
    refuses (too large, too deep) stays as it was, without ``strict``, and the report says why. For ``gemini`` a tool without
    arguments has no schema.

    Args:
        tool: the tool; not changed.
        profile: the target's subset.
        words: the sentences that stand for keywords.

    Raises:
        InputError: an unknown profile.
    """
    kept = _dialect(profile) is None
    if tool.kind != "function" or (kept and not tool.parameters):
        return tool, SchemaReport(profile)
    written, report = convert_schema(tool.parameters or EMPTY, profile, words=words)
    if kept:
        if written == tool.parameters:
            return tool, report
        return replace(tool, parameters=written, origin=None), report.named(tool.name)
    extra = {name: value for name, value in tool.extra.items() if name != "strict"}
    if report.refused and profile == "openai-strict":
        return replace(tool, extra=extra or EMPTY, origin=None), SchemaReport(profile, report.refused).named(tool.name)
    if profile == "openai-strict":
        extra["strict"] = True
    elif "strict" in tool.extra and profile == "grammar":
        extra["strict"] = tool.extra["strict"]
    extra[SCHEMA_PROFILE] = profile
    empty = profile == "gemini" and not _arguments(tool.parameters)
    return replace(tool, parameters=None if empty else written, extra=extra, origin=None), report.named(tool.name)


def _arguments(parameters: Mapping[str, object] | None) -> bool:
    """Whether a tool has arguments at all."""
    if not parameters:
        return False
    written, _ = convert_schema(parameters, "openai-strict")
    return bool(written["properties"])


def convert_tools(
    tools: Iterable[Tool], profile: Profile, *, words: SchemaWords = ENGLISH.schemas
) -> tuple[tuple[Tool, ...], SchemaReport]:
    """Several tools, in their order, with one report. For ``grammar`` it also says when all of them together are too large.

    Raises:
        InputError: an unknown profile.
    """
    converted: list[Tool] = []
    reports: list[SchemaReport] = []
    for tool in tools:
        written, report = convert_tool(tool, profile, words=words)
        converted.append(written)
        reports.append(report)
    if profile == "grammar":
        size = sum(len(dumps(tool.parameters)) + len(tool.description.encode(errors="surrogatepass")) for tool in converted)
        if size > grammar.MOST_BYTES:
            detail = f"all tools together have {size} bytes, grammars of more than {grammar.MOST_BYTES} may not compile"
            reports.append(SchemaReport(profile, (SchemaNote("refused", "", "", detail),)))
    return tuple(converted), SchemaReport.joined(profile, reports)


def restore_arguments(
    schema: Mapping[str, object] | None, arguments: Mapping[str, object], profile: Profile = "openai-strict"
) -> dict[str, object]:
    """The arguments of a call in the form of the original schema, before the tool runs.

    A null that stands for "not given" goes, lists of names and values become objects again, JSON text becomes the value it
    says. What does not look like the converted schema passes through, for whoever checks arguments to refuse.

    Args:
        schema: the original schema, not the converted one.
        arguments: as the model wrote them, parsed.
        profile: what the schema was converted to.

    Raises:
        InputError: an unknown profile.
    """
    _, codec, _ = _convert(schema or EMPTY, profile)
    restored = arguments if codec is None else codec.restore(arguments)
    return dict(restored) if isinstance(restored, Mapping) else dict(arguments)


def spell_arguments(
    schema: Mapping[str, object] | None, arguments: Mapping[str, object], profile: Profile = "openai-strict"
) -> dict[str, object]:
    """The other way: arguments of the original schema as a model would write them under the converted one.

    For examples that are shown to a model. What is left out is null under ``openai-strict``.

    Raises:
        InputError: an unknown profile.
    """
    _, codec, _ = _convert(schema or EMPTY, profile)
    spelled = arguments if codec is None else codec.spell(arguments)
    return dict(spelled) if isinstance(spelled, Mapping) else dict(arguments)
