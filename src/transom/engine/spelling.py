"""Tool definitions as the target of a compile takes them, and a model's arguments back in the form of the original.

Knows how schemas are converted, no session. A list of tools is converted once for each profile; the originals stay what the
session holds, since snapshots and other targets need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import InputError
from ..messages import Tool
from ..vocabulary.schemas import SchemaWords
from ..wire.schemas import Profile, convert_tools, profile_for, restore_arguments

__all__ = ["SpelledTools", "ToolSchemas", "check_tool_schemas", "restored", "spell_tools"]

ToolSchemas = Profile | Literal["auto"]
"""How tool schemas are written: for a target's rules, or by what the target is known to need."""


@dataclass(frozen=True, slots=True)
class SpelledTools:
    """Tools as they are sent.

    Attributes:
        given: as the session holds them.
        tools: as they are sent; the very same tuple where nothing is converted.
        notes: what the target enforces or offers less of: where, and what.
    """

    given: tuple[Tool, ...]
    tools: tuple[Tool, ...]
    notes: tuple[tuple[str, str], ...] = ()


def check_tool_schemas(wanted: object) -> None:
    """Refuse what names no way of writing schemas.

    Raises:
        InputError: says which there are.
    """
    names = (*get_args(Profile), "auto")
    if wanted is not None and wanted not in names:
        raise InputError(
            f"tool_schemas {wanted!r} is unknown", hint=f"use {', '.join(names)}, or None to leave them as they are"
        )


def spell_tools(given: tuple[Tool, ...], wanted: ToolSchemas | None, target: str, words: SchemaWords) -> SpelledTools:
    """The tools for a target.

    Args:
        given: the session's.
        wanted: how schemas are written; ``None`` leaves them as they are.
        target: the wire format's name.
        words: what descriptions say of rules that the target cannot check.
    """
    if wanted is None or not given:
        return SpelledTools(given, given)
    tools, report = convert_tools(given, _profile(wanted, target), words=words)
    return SpelledTools(given, tools, tuple((note.where, note.detail) for note in (*report.weakened, *report.refused)))


def restored(
    parameters: Mapping[str, object] | None, arguments: Mapping[str, object], wanted: ToolSchemas | None, target: str
) -> Mapping[str, object]:
    """What a model wrote for converted parameters, in the form of the original ones."""
    return arguments if wanted is None else restore_arguments(parameters, arguments, _profile(wanted, target))


def _profile(wanted: ToolSchemas, target: str) -> Profile:
    return profile_for(target) if wanted == "auto" else wanted
