"""Reading a ``SKILL.md`` and writing one.

A file that nothing was changed in is written as it was read, character by character; of a changed one only the entries change
that say something else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from .frontmatter import Entry, Sheet, cut
from .keys import FLAGS, TEXTS, fields_of
from .skill import Origin, Skill
from .values import written

__all__ = ["parse_skill", "render_skill"]


def parse_skill(text: str, *, name: str = "") -> Skill:
    """Read a ``SKILL.md``.

    Unknown keys are kept. Nothing in the file is executed, imported or looked up.

    Args:
        text: the file, with or without frontmatter.
        name: what it is called where it does not say itself: the name of its folder.

    Raises:
        FormatError: a key that is known and says nothing that can be used, or a frontmatter that is none; names the line and
            what to write.
    """
    sheet = cut(text)
    fields = {"name": name, **fields_of(sheet)}
    return Skill(**fields, body=_body(sheet), origin=Origin(sheet, name))  # type: ignore[arg-type]


def render_skill(skill: Skill) -> str:
    """Write a skill: the file it was read from, with what was changed since.

    Raises:
        FormatError: a field holds what no frontmatter can.
    """
    if skill.origin is None:
        lines = [_line(key, value, "\n") for key, value in _changes(skill, {}).items()]
        return "".join(["---\n", *lines, "---\n", skill.body]) if lines else skill.body
    sheet = skill.origin.sheet
    changes = _changes(skill, {"name": skill.origin.name, **fields_of(sheet)})
    entries = list(sheet.entries)
    for key, value in changes.items():
        text = "" if value is _GONE else _line(key, value, sheet.newline)
        at = next((index for index, entry in enumerate(entries) if entry.key == key), len(entries))
        entries[at : at + 1] = [Entry(key, 0, text)]
    opening, closing, body = sheet.opening, sheet.closing, sheet.body
    if changes and not closing:
        fence = f"---{sheet.newline}"
        opening, closing = opening + fence, fence
    if skill.body != _body(sheet):
        body = skill.body.replace("\n", sheet.newline)
        if closing and not closing.endswith(("\n", "\r")):
            closing += sheet.newline
    return replace(sheet, opening=opening, entries=tuple(entries), closing=closing, body=body).text


_GONE = object()
"""What is no longer said."""


def _changes(skill: Skill, was: Mapping[str, object]) -> dict[str, object]:
    """What has to be said otherwise than it was, by key."""
    blank = Skill()
    changes: dict[str, object] = {}

    def compare(key: str, field: str, value: object) -> None:
        now, usual = getattr(skill, field), getattr(blank, field)
        if now != was.get(field, usual):
            changes[key] = _GONE if now == usual else value

    for key, field in TEXTS.items():
        compare(key, field, getattr(skill, field))
    for key, (field, straight) in FLAGS.items():
        compare(key, field, not straight)
    compare("allowed-tools", "allowed_tools", skill.allowed_tools)
    names = [f"[{name}]" if name in skill.optional else name for name in skill.arguments]
    compare("arguments", "arguments", names)
    if "arguments" not in changes and skill.optional != was.get("optional", ()):
        changes["arguments"] = names
    compare("metadata", "metadata", skill.metadata)
    before = cast("Mapping[str, object]", was.get("extra", {}))
    changes.update(dict.fromkeys((key for key in before if key not in skill.extra), _GONE))
    changes.update({key: now for key, now in skill.extra.items() if key not in before or before[key] != now})
    return changes


def _line(key: str, value: object, newline: str) -> str:
    name = key if re.fullmatch(r"[A-Za-z_][\w-]*", key) else f'"{key}"'
    return f"{name}: {written(value)}{newline}"


def _body(sheet: Sheet) -> str:
    return re.sub(r"\r\n|\r", "\n", sheet.body)
