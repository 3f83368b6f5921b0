"""What the user is told when a command fails: one line on stderr with the way out, and an exit status.

Knows the error tree and nothing of any command. An exception that is nobody's fault but ours is not explained: its traceback is
what a bug report needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from cyclopts import CoercionError, CycloptsError, UnknownOptionError, ValidationError

from ..errors import SettingError, TransomError, UsageError

__all__ = ["Failure", "explain"]

_NUMBERS: Mapping[object, str] = {
    int: "it is a whole number in digits, such as 32000",
    float: "it is a number in digits, such as 0.5",
}
_WAYS_OUT: Mapping[type[OSError], str] = {
    FileNotFoundError: "check the path",
    IsADirectoryError: "name a file in it",
    PermissionError: "check its permissions",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """How a command ends that did not do its work.

    Attributes:
        status: exit status.
        line: what stderr says, without the program's name; empty says nothing.
    """

    FAILED: ClassVar[int] = 1
    USAGE: ClassVar[int] = 2
    INTERRUPTED: ClassVar[int] = 130
    PIPE_CLOSED: ClassVar[int] = 141

    status: int
    line: str


def explain(error: Exception) -> Failure | None:
    """The failure to report, or ``None`` for an exception that is a fault of the program."""
    match error:
        case CoercionError() if error.target_type in _NUMBERS and error.token is not None:
            name = error.token.keyword or "a value"
            return Failure(Failure.USAGE, f"{name} cannot be {error.token.value!r} ({_NUMBERS[error.target_type]})")
        case ValidationError() if error.argument is not None and error.argument.tokens:
            token = error.argument.tokens[0]
            return Failure(Failure.USAGE, f"{token.keyword or 'a value'} cannot be {token.value!r} ({error.exception_message})")
        case UnknownOptionError() if tuple(error.command_chain or ())[:1] == ("wrap",):
            hint = "what is the client's stands after --: transom wrap CLIENT -- OPTIONS"
            return Failure(Failure.USAGE, f"{_one_line(str(error))} ({hint})")
        case CycloptsError():
            command = " ".join(("transom", *(error.command_chain or ())))
            return Failure(Failure.USAGE, f"{_one_line(str(error))} (see {command} --help)")
        case UsageError() | SettingError():
            return Failure(Failure.USAGE, _one_line(str(error)))
        case TransomError():
            return Failure(Failure.FAILED, _one_line(str(error)))
        case BrokenPipeError():
            return Failure(Failure.PIPE_CLOSED, "")
        case OSError() if error.strerror:
            where = f"{error.filename}: " if error.filename is not None else ""
            hint = next((f" ({hint})" for kind, hint in _WAYS_OUT.items() if isinstance(error, kind)), "")
            return Failure(Failure.FAILED, _one_line(f"{where}{error.strerror}{hint}"))
        case _:
            return None


def _one_line(text: str) -> str:
    return " ".join(text.split())
