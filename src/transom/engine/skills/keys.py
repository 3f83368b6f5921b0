"""What the keys of a ``SKILL.md`` mean: the published ones as fields of ``Skill``, all others as they are.

Knows each key that the formats name and what it may hold. A known key that says nothing usable is refused with its line and
what to write instead; an unknown one is never refused for what it says.
Sources: the Agent Skills specification (agentskills.io/specification) and the frontmatter reference of Claude Code
(code.claude.com/docs/en/skills).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from ...errors import FormatError
from .frontmatter import Entry, Sheet
from .values import Scalar, Value, plain, read_value

__all__ = ["FLAGS", "TEXTS", "fields_of"]

MOST_NAME = 64
"""Characters, as the specification says."""

TEXTS = {
    "name": "name",
    "description": "description",
    "when_to_use": "when_to_use",
    "argument-hint": "argument_hint",
    "license": "license",
    "compatibility": "compatibility",
    "model": "model",
    "context": "context",
    "agent": "agent",
}
FLAGS = {"disable-model-invocation": ("for_model", False), "user-invocable": ("for_user", True)}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ARGUMENT = re.compile(r"[A-Za-z_][\w-]*")


def fields_of(sheet: Sheet) -> dict[str, object]:
    """What the frontmatter says, by field of ``Skill``.

    Raises:
        FormatError: a known key says nothing that can be used, or a value is of a kind that is never read.
    """
    values = _values(sheet)
    fields: dict[str, object] = {}
    extra: dict[str, object] = {}
    for key, (entry, value) in values.items():
        if key in TEXTS:
            if said := _text(entry, value):
                fields[TEXTS[key]] = said
        elif key in FLAGS:
            name, straight = FLAGS[key]
            fields[name] = _flag(entry, value, default=straight) is straight
        elif key == "allowed-tools":
            fields["allowed_tools"] = _tools(entry, value)
        elif key == "arguments":
            fields["arguments"], fields["optional"] = _arguments(entry, value)
        elif key == "metadata":
            fields["metadata"] = _metadata(entry, value)
        else:
            extra[key] = plain(value)
    _check_name(values.get("name"), str(fields.get("name", "")))
    return {**fields, "extra": extra}


def _values(sheet: Sheet) -> dict[str, tuple[Entry, Value]]:
    found: dict[str, tuple[Entry, Value]] = {}
    known = {*TEXTS, *FLAGS, "allowed-tools", "arguments", "metadata"}
    for entry in sheet.entries:
        if not entry.key:
            continue
        if entry.key in found:
            raise FormatError(
                f"line {entry.line}: {entry.key} stands twice, first on line {found[entry.key][0].line}",
                hint="leave one of them out",
            )
        found[entry.key] = entry, read_value(entry, any_text=entry.key not in known)
    return found


def _text(entry: Entry, value: Value) -> str:
    if isinstance(value, Scalar):
        return "" if value.bare and plain(value) is None else value.text.strip()
    if entry.key == "argument-hint":
        # ``[file]`` is how hints are written, whatever YAML makes of it.
        return " ".join(re.sub(r"(?:^|[ \t])#[^\r\n]*", "", entry.value).split())
    kind = "list" if isinstance(value, list) else "mapping"
    raise FormatError(
        f"line {entry.line}: {entry.key} is a {kind} to YAML, not text", hint=f'put it into quotes: {entry.key}: "…"'
    )


def _flag(entry: Entry, value: Value, *, default: bool) -> bool:
    if isinstance(value, Scalar):
        if not value.text:
            return default
        if value.text.lower() in {"true", "false"}:
            return value.text.lower() == "true"
    raise FormatError(f"line {entry.line}: {entry.key} is neither true nor false", hint=f"write {entry.key}: true")


def _tools(entry: Entry, value: Value) -> tuple[str, ...]:
    """One a comma or a space, outside of parentheses; or one an item of a list."""
    if isinstance(value, list):
        return tuple(text for item in value if (text := _item(entry, item)))
    if not isinstance(value, Scalar):
        raise FormatError(f"line {entry.line}: allowed-tools is a mapping", hint="write allowed-tools: Read, Bash(git *)")
    found, depth = [""], 0
    for character in "" if plain(value) is None else value.text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if depth == 0 and (character == "," or character.isspace()):
            found.append("")
        else:
            found[-1] += character
    if depth:
        raise FormatError(
            f"line {entry.line}: the parentheses of allowed-tools do not match", hint="write allowed-tools: Read, Bash(git *)"
        )
    return tuple(filter(None, found))


def _item(entry: Entry, item: Value) -> str:
    if isinstance(item, Scalar):
        return item.text.strip()
    raise FormatError(f"line {entry.line}: {entry.key} lists something other than text", hint="write one name an item")


def _arguments(entry: Entry, value: Value) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(all names, those that may be missing): names parted by spaces, a list of names, or a list of records with ``name``."""
    names: list[str] = []
    optional: list[str] = []
    items: list[Value] = value if isinstance(value, list) else []
    if isinstance(value, Scalar) and plain(value) is not None:
        items = [Scalar(text, True, value.line) for text in value.text.replace(",", " ").split()]
    elif isinstance(value, dict):
        raise FormatError(f"line {entry.line}: arguments is a mapping", hint="write arguments: [first, second]")
    for item in items:
        if isinstance(item, dict):
            word = _item(entry, item.get("name", Scalar("", True, entry.line)))
            lax = _flag(entry, item["required"], default=True) is False if "required" in item else False
        elif isinstance(item, list):
            # ``[name]`` in a list is a bracketed name to its writer.
            word, lax = (_item(entry, item[0]) if len(item) == 1 else ""), True
        else:
            word = _item(entry, item)
            lax = word.startswith("[") or word.endswith("?")
            word = word.strip("<>[]?$")
        if not _ARGUMENT.fullmatch(word) or word in names or word == "ARGUMENTS":
            raise FormatError(
                f"line {entry.line}: arguments names {word!r}", hint="name each argument once, by letters, digits, - and _"
            )
        names.append(word)
        if lax:
            optional.append(word)
    return tuple(names), tuple(optional)


def _metadata(entry: Entry, value: Value) -> Mapping[str, object]:
    if isinstance(value, Scalar) and plain(value) is None:
        return {}
    if not isinstance(value, dict):
        raise FormatError(f"line {entry.line}: metadata is no mapping", hint="write indented key: value lines below metadata:")
    return cast("Mapping[str, object]", _as_text(value))


def _as_text(value: Value) -> object:
    match value:
        case Scalar():
            return value.text
        case list():
            return tuple(_as_text(item) for item in value)
        case _:
            return {key: _as_text(item) for key, item in value.items()}


def _check_name(found: tuple[Entry, Value] | None, name: str) -> None:
    if found is None or not name:
        return
    if len(name) > MOST_NAME:
        raise FormatError(f"line {found[0].line}: a name of {len(name)} characters", hint=f"use at most {MOST_NAME}")
    if _CONTROL.search(name) or "/" in name or "\\" in name:
        raise FormatError(f"line {found[0].line}: the name {name!r} cannot be called", hint="use letters, digits and hyphens")
