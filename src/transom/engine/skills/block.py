"""A skill as it stands in a prompt.

Pure: a skill and words in, text out. The frame cannot be closed by what stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...vocabulary.skills import SkillWords
from .arguments import Arguments, Missing, render_body
from .skill import Skill

__all__ = [
    "NO_SKILL",
    "Placed",
    "SkillPlace",
    "decode_placed",
    "encode_placed",
    "escape",
    "is_placed",
    "place_skill",
    "render_change",
]

SkillPlace = Literal["prefix", "tail"]
"""Where a skill stands: behind the system prompt, where it is frozen until the window closes, or at the end."""

MOST_FILES = 20
"""File names shown with a skill."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A skill with its arguments in place.

    Attributes:
        name: the skill's.
        inner: what stands inside the frame, behind the opening line.
        text: the whole block.
    """

    name: str = ""
    inner: str = ""
    text: str = ""


NO_SKILL = Placed()
"""No skill in force."""


def place_skill(skill: Skill, arguments: Arguments, words: SkillWords, *, missing: Missing = "refuse") -> Placed:
    """A skill as text.

    Raises:
        InputError: an argument is missing or unknown.
    """
    inner = escape(render_body(skill, arguments, words=words, missing=missing).strip("\n"), words)
    if skill.files:
        shown = ", ".join(escape(" ".join(name.split()), words) for name in skill.files[:MOST_FILES])
        inner = f"{inner}\n\n{words.files_line(shown, max(0, len(skill.files) - MOST_FILES))}"
    return Placed(skill.name, inner, _framed(skill.name, inner, words, before=""))


def render_change(frozen: Placed, now: Placed, words: SkillWords) -> str:
    """What to say at the end while the prompt still shows another skill; empty where the prompt is right."""
    if frozen.text == now.text:
        return ""
    if not now.text:
        return words.withdrawn_line(_attribute(frozen.name, words)) if frozen.text else ""
    return _framed(now.name, now.inner, words, before=frozen.name if frozen.text else "")


def is_placed(text: str, words: SkillWords) -> bool:
    """Whether a text is a skill in our frame."""
    return (
        text.startswith(f'<{words.block_name} name="')
        and text.partition("\n")[2].startswith(f"{words.opening}\n")
        and text.endswith(f"\n</{words.block_name}>")
    )


def encode_placed(placed: Placed) -> dict[str, object] | None:
    """As JSON values."""
    return {"name": placed.name, "inner": placed.inner, "text": placed.text} if placed.text else None


def decode_placed(value: object) -> Placed:
    """Read back what ``encode_placed`` wrote; no skill for what is none."""
    if not isinstance(value, Mapping):
        return NO_SKILL
    return Placed(str(value["name"]), str(value["inner"]), str(value["text"]))


def escape(text: str, words: SkillWords) -> str:
    """Without anything that could be read as a tag of our frames."""
    if "<" not in text:
        return text
    names = "|".join(re.escape(name) for name in sorted((words.block_name, words.list_name), reverse=True))
    return re.sub(rf"<(?=\s*+/?\s*+(?:{names})\b)", "&lt;", text, flags=re.IGNORECASE)


def _framed(name: str, inner: str, words: SkillWords, *, before: str) -> str:
    opening = words.opening_line(before=_attribute(before, words))
    return f'<{words.block_name} name="{_attribute(name, words)}">\n{opening}\n\n{inner}\n</{words.block_name}>'


def _attribute(name: str, words: SkillWords) -> str:
    return escape(" ".join(name.split()), words).replace('"', "'")
