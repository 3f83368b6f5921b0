"""Changes one setting in a settings file and leaves every other byte of it alone.

Knows TOML's top level, line by line: comments, order and tables stay as their author wrote them. What a line-wise edit cannot
do safely (a value over several lines) is found by reading the result back before anything is written, and refused.
"""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..errors import SettingError
from ..jsontext import dumps_text
from .schema import catalogue
from .sources import find, parse_text, read_file

__all__ = ["set_in_file", "unset_in_file"]

_TABLE = re.compile(r"\s*\[")


def set_in_file(path: Path, key: str, text: str) -> object:
    """Set ``key`` to the value that ``text`` stands for, creating the file where there is none.

    Returns:
        The value as it was written.

    Raises:
        SettingError: no such setting, no such value, or a file that must be edited by hand.
        OSError: the file cannot be written.
    """
    setting = find(catalogue(), key, "config set")
    value = parse_text(setting, text, "config set")
    _rewrite(path, key, f"{key} = {_toml(value)}", {key: value})
    return value


def unset_in_file(path: Path, key: str) -> bool:
    """Take ``key`` out of the file; whether it was there.

    Raises:
        SettingError: no such setting, or a file that must be edited by hand.
    """
    find(catalogue(), key, "config unset")
    if not path.is_file() or key not in read_file(path):
        return False
    _rewrite(path, key, None, {})
    return True


def _rewrite(path: Path, key: str, line: str | None, change: Mapping[str, object]) -> None:
    before = read_file(path) if path.exists() else {}
    expected = {name: value for name, value in before.items() if name != key} | dict(change)
    # newline="" keeps the line ends of the file as they are.
    text = path.read_bytes().decode("utf-8-sig") if path.exists() else ""
    changed = _replace(text, key, line)
    try:
        read_back: object = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        read_back = None
    if read_back != expected:
        raise SettingError(f"{path}: {key} is written in a way that only a person can change", hint="edit the file by hand")
    _write(path, changed)


def _replace(text: str, key: str, line: str | None) -> str:
    """``text`` with the line of ``key`` replaced, taken out, or put at the end of the top level."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    own = re.compile(rf"""\s*(?:{key}|"{key}"|'{key}')\s*=""")
    top = next((index for index, found in enumerate(lines) if _TABLE.match(found)), len(lines))
    for index in range(top):
        if own.match(lines[index]):
            comment = _comment(lines[index])
            lines[index] = "" if line is None else f"{line}{comment}{end}"
            return "".join(lines)
    if line is None:
        return text
    while top > 0 and not lines[top - 1].strip():
        top -= 1
    if top > 0 and not lines[top - 1].endswith(("\n", "\r")):
        lines[top - 1] += end
    lines.insert(top, line + end)
    return "".join(lines)


def _comment(line: str) -> str:
    """The comment at the end of an assignment, with the blanks before it."""
    body = line.rstrip("\r\n")
    for match in re.finditer(r"\s*#", body):
        with suppress(tomllib.TOMLDecodeError):
            tomllib.loads(body[: match.start()])
            return body[match.start() :]
    return ""


def _toml(value: object) -> str:
    """A scalar as TOML. Its basic strings take the escapes of JSON, numbers and booleans look alike in both."""
    return dumps_text(value)


def _write(path: Path, text: str) -> None:
    """All or nothing: a reader sees the old file or the new one."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
