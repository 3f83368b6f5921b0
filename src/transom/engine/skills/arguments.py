"""Putting arguments into the body of a skill.

Knows placeholders: ``$ARGUMENTS``, ``$ARGUMENTS[0]`` or ``$0``, ``$name`` for a declared name, ``${CLAUDE_SKILL_DIR}``; a
backslash before one keeps it as it is. Commands (``!`…```) are text here and are never run. Where a placeholder has no argument
this is an error, unless nothing says that the skill takes any: then ``$1`` is somebody's shell script.
Source: code.claude.com/docs/en/skills, which counts from 0 and splits as a shell does; texts written for older commands count
from 1.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

from ...errors import InputError
from ...vocabulary.skills import SkillWords
from .skill import Skill

__all__ = ["Arguments", "Missing", "render_body"]

Arguments = str | Sequence[str | int | float] | Mapping[str, str | int | float] | None
"""One text as a user types it, arguments in order, arguments by name, or none. A number is what it is written as."""

Missing = Literal["refuse", "keep"]

_PLACEHOLDER = re.compile(
    r"(?P<escaped>\\?)\$(?:ARGUMENTS\[(?P<index>\d{1,3})\]|(?P<all>ARGUMENTS)(?!\w)|(?P<short>\d{1,3})(?!\w)"
    r"|\{(?P<folder>CLAUDE_SKILL_DIR)\}|(?P<name>[A-Za-z_]\w*(?:-\w+)*))"
)


@dataclass(frozen=True, slots=True)
class _Given:
    """Arguments in the ways a body can ask for them."""

    whole: str
    ordered: tuple[str, ...]
    named: Mapping[str, str]


def render_body(
    skill: Skill, arguments: Arguments = None, *, words: SkillWords, first: Literal[0, 1] = 0, missing: Missing = "refuse"
) -> str:
    """The body of a skill with its arguments in place.

    Arguments that no placeholder asks for stand at the end. Where a body asks for all of them by ``$ARGUMENTS`` and declares no
    names, a ``$1`` in it is left alone: it belongs to a shell or to a price.

    Args:
        skill: whose body.
        arguments: text as a user types it (split as a shell does), texts in order, or texts by the names the skill declares.
        words: what introduces arguments at the end.
        first: the number of the first argument in ``$0``, ``$1`` …; 1 for texts written for commands that count from 1.
        missing: what becomes of a placeholder without an argument: an error, or it stays as it is.

    Raises:
        InputError: an argument is missing or neither text nor a number, or has a name that the skill does not declare.
    """
    given = _given(skill, arguments)
    strict = missing == "refuse" and (arguments is not None or bool(skill.arguments or skill.argument_hint))
    lacking: list[str] = []
    asked: set[int] = set()
    everything = any(match["all"] and not match["escaped"] for match in _PLACEHOLDER.finditer(skill.body))

    def fill(match: re.Match[str]) -> str:
        token = match.group()[len(match["escaped"]) :]
        if match["folder"]:
            known = "" if skill.directory is None else skill.directory.as_posix()
            return token if match["escaped"] or not known else match["escaped"] + known
        name = _declared(match["name"], skill) if match["name"] else ""
        if match["name"] and not name:
            return match.group()
        if match["escaped"]:
            return token
        rest = token[1 + len(name) :] if name else ""
        if match["all"]:
            return given.whole
        if match["short"] is not None and everything and not skill.arguments:
            return token
        number = match["index"] if match["index"] is not None else match["short"]
        at = int(number) - (first if match["index"] is None else 0) if number is not None else -1
        value = given.named.get(name) if name else given.ordered[at] if 0 <= at < len(given.ordered) else None
        if value is None and (name in skill.optional or _optional_at(skill, at)):
            value = ""
        if value is None:
            lacking.append(token[: len(token) - len(rest)])
            return token
        asked.add(skill.arguments.index(name) if name else at)
        return value + rest

    body = _PLACEHOLDER.sub(fill, skill.body)
    if lacking and strict:
        raise InputError(_complaint(skill, lacking, given), hint=_mend(skill))
    surplus = given.whole if not asked else " ".join(given.ordered[max(asked) + 1 :])
    if surplus and not everything:
        body = f"{body.rstrip()}\n\n{words.arguments_line(surplus)}\n"
    return body


def _given(skill: Skill, arguments: Arguments) -> _Given:
    if arguments is None:
        return _Given("", (), {})
    if isinstance(arguments, Mapping):
        unknown = sorted(set(arguments) - set(skill.arguments), key=str)
        if unknown:
            known = ", ".join(skill.arguments) or "none: give a text, or a list"
            raise InputError(f"the skill {skill.name} has no argument {unknown[0]!r}", hint=f"it declares {known}")
        named = {name: _as_text(value) for name, value in arguments.items()}
        ordered = tuple(named[name] for name in skill.arguments if name in named)
        whole = shlex.join(ordered)
        # By position only as far as none is left out before it.
        upto = next((at for at, name in enumerate(skill.arguments) if name not in arguments), len(skill.arguments))
        return _Given(whole, ordered[:upto], named)
    if isinstance(arguments, str):
        ordered, whole = tuple(_split(arguments)), arguments.strip()
    elif _is_list(arguments):
        ordered = tuple(_as_text(value) for value in arguments)
        whole = shlex.join(ordered)
    else:
        raise InputError(f"the arguments of a skill are a {type(arguments).__name__}", hint="give a text, a list or a mapping")
    return _Given(whole, ordered, dict(zip(skill.arguments, ordered, strict=False)))


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview)


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"an argument of a skill is a {type(value).__name__}", hint="give text or numbers")


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        # An apostrophe is no open quote to whoever typed it.
        return text.split()


def _declared(name: str, skill: Skill) -> str:
    """The longest declared name that a word begins with, up to a hyphen; empty where there is none."""
    known = (declared for declared in skill.arguments if name == declared or name.startswith(f"{declared}-"))
    return max(known, key=len, default="")


def _optional_at(skill: Skill, at: int) -> bool:
    return 0 <= at < len(skill.arguments) and skill.arguments[at] in skill.optional


def _complaint(skill: Skill, lacking: Sequence[str], given: _Given) -> str:
    names = ", ".join(dict.fromkeys(lacking))
    count = len(given.ordered) or len(given.named)
    return f"the skill {skill.name} asks for {names}, and {count or 'no'} argument{'' if count == 1 else 's'} came"


def _mend(skill: Skill) -> str:
    if skill.arguments:
        return f"give {', '.join(skill.arguments)}"
    takes = f"it takes {skill.argument_hint}; " if skill.argument_hint else ""
    return f"{takes}where $ belongs to the text, write \\$ in the skill or pass missing='keep'"
