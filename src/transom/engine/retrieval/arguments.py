"""The arguments of a call as a model wrote them: JSON text or an object, read with patience.

A number in quotes or with a decimal zero is a number, a list in quotes is a list. What cannot be understood is refused with
what was wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import JSONError
from ...jsontext import loads
from .refusal import Refused

__all__ = ["Arguments", "read_arguments"]

_SHOWN = 80
"""Characters of a model's own words that are repeated to it."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was given, and the command it is for.

    Attributes:
        command: one of those allowed.
        given: everything, by name.
    """

    command: str
    given: Mapping[str, object]

    def text(self, *names: str) -> str:
        """The text under the first of ``names`` that was given.

        Raises:
            Refused: there is none, or it is no text.
        """
        found = self.optional_text(*names)
        if found is None:
            raise Refused("missing", command=self.command, name=names[0])
        return found

    def optional_text(self, *names: str) -> str | None:
        """The same, or ``None``."""
        name, value = self._first(names)
        if value is None or isinstance(value, str):
            return value
        raise Refused("no_text", name=name)

    def number(self, name: str) -> int:
        """A whole number, 0 or more.

        Raises:
            Refused: there is none, or it is something else.
        """
        value = self.given.get(name)
        if value is None:
            raise Refused("missing", command=self.command, name=name)
        number = _whole(value)
        if number is None or number < 0:
            raise Refused("no_number", name=name)
        return number

    @property
    def offset(self) -> int:
        """What to leave out at the beginning."""
        return self.number("offset") if self.given.get("offset") is not None else 0

    @property
    def view_range(self) -> tuple[int, int] | None:
        """First and last, as given; the end may be -1."""
        value = self.given.get("view_range")
        if isinstance(value, str):
            try:
                value = loads(value)
            except JSONError:
                raise Refused("no_range", name="view_range") from None
        if value is None:
            return None
        pair = [_whole(item) for item in value] if isinstance(value, Sequence) and not isinstance(value, str) else []
        if len(pair) != 2 or pair[0] is None or pair[1] is None:
            raise Refused("no_range", name="view_range")
        return pair[0], pair[1]

    def _first(self, names: Sequence[str]) -> tuple[str, object]:
        return next(((name, self.given[name]) for name in names if self.given.get(name) is not None), (names[0], None))


def read_arguments(given: object, commands: Sequence[str]) -> Arguments:
    """What a model wrote.

    Args:
        given: JSON text, a parsed object, or nothing.
        commands: those that there are.

    Raises:
        Refused: no JSON, no object, or no such command.
    """
    value = given
    if isinstance(given, str | bytes):
        try:
            value = loads(given) if given.strip() else {}
        except JSONError as error:
            raise Refused("bad_json", why=error.message[:_SHOWN]) from None
    if value is None:
        value = {}
    if not isinstance(value, Mapping):
        raise Refused("bad_arguments", example='{"command":"view","path":"notes"}')
    command = value.get("command")
    known = ", ".join(commands)
    if command is None or command == "":
        raise Refused("no_command", commands=known)
    if not isinstance(command, str) or command not in commands:
        raise Refused("unknown_command", command=repr(command)[:_SHOWN], commands=known)
    return Arguments(command, value)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) < 12 and value.strip().removeprefix("-").isdecimal():
        return int(value)
    return None
