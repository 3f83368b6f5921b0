"""``Skill``: instructions for one kind of task, and what the head of a ``SKILL.md`` says about them.

Knows the fields that the published formats name, in the words of this library; what no format names is kept in ``extra``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...jsontext import EMPTY
from .frontmatter import Sheet

__all__ = ["Origin", "Skill", "first_paragraph"]

_HEADING = re.compile(r"#{1,6}[ \t]")


@dataclass(frozen=True, slots=True)
class Origin:
    """The file a skill was read from, and how it would be called if the file did not say."""

    sheet: Sheet
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One skill. ``dataclasses.replace`` changes it, ``render_skill`` writes it.

    The fields are those of the Agent Skills specification (name, description, license, compatibility, metadata, allowed-tools)
    and of Claude Code's extensions of it.

    Attributes:
        name: how it is called; from its folder where the file does not say.
        description: what it does and when to use it, for the model that chooses. May be empty.
        body: the instructions, with plain line ends.
        allowed_tools: tools that may be used without asking while it is in force, patterns such as ``Bash(git *)`` included.
        arguments: names of its arguments, in order.
        optional: those of them that may be missing.
        argument_hint: what a user is shown of its arguments.
        when_to_use: more about when to use it.
        license, compatibility, model, context, agent: as the file says.
        metadata: further properties, as text.
        for_model, for_user: a model may choose it (not ``disable-model-invocation``); a user may call it (``user-invocable``).
        extra: what else stands in the frontmatter, by key.
        directory: its folder; ``None`` for a skill that came from no file.
        files: the other files of the folder, as paths relative to it, in order.
        origin: the file it was read from; ``None`` for one that was made in a program.
    """

    name: str = ""
    description: str = ""
    body: str = ""
    allowed_tools: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    argument_hint: str = ""
    when_to_use: str = ""
    license: str = ""
    compatibility: str = ""
    model: str = ""
    context: str = ""
    agent: str = ""
    metadata: Mapping[str, object] = EMPTY
    for_model: bool = True
    for_user: bool = True
    extra: Mapping[str, object] = EMPTY
    directory: Path | None = None
    files: tuple[str, ...] = ()
    origin: Origin | None = field(default=None, repr=False, compare=False)

    @property
    def summary(self) -> str:
        """What it does in one paragraph: its description, or else the first paragraph of its body."""
        said = self.description or first_paragraph(self.body)
        return " ".join(f"{said} {self.when_to_use}".split())


def first_paragraph(body: str) -> str:
    """The first paragraph of a text that is no heading."""
    for block in re.split(r"\n[ \t]*\n", body):
        lines = [line for line in block.strip().splitlines() if not _HEADING.match(line)]
        if lines:
            return " ".join(" ".join(lines).split())
    return ""
