"""From bytes to parsed JSON: one document or JSON Lines, told apart by content, with every damaged spot named.

Knows no format. A line that cannot be read costs that line only; a document that breaks off keeps the elements that were
complete. Time and memory grow with the size of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import FormatError, JSONError
from ...jsontext import loads
from .transcript import Skip

__all__ = ["Lines", "Source", "line_number", "one_document", "read_source", "rows_of"]


class Lines(list[object]):
    """The good values of a JSON Lines file, with the number of the line each stands on (counted from 1)."""

    __slots__ = ("numbers",)

    def __init__(self, values: Iterable[object] = (), numbers: Iterable[int] = ()) -> None:
        super().__init__(values)
        self.numbers: list[int] = list(numbers)


def line_number(document: object, index: int) -> int:
    """The number of the line that element ``index`` of the document stands on; its ordinal where that is not known."""
    return document.numbers[index] if isinstance(document, Lines) else index + 1


def rows_of(document: object, *, lines: bool) -> list[object]:
    """The entries of a file of entries: its lines, the elements of one array, or one document as the only entry."""
    return document if isinstance(document, list) and (lines or document) else [document]


def one_document(document: object, *, lines: bool) -> object:
    """The document of a file that must be one.

    Raises:
        FormatError: it is JSON Lines.
    """
    if lines:
        raise FormatError("this format is one JSON document, not JSON Lines", hint="is the file of another format?")
    return document


@dataclass(frozen=True, slots=True)
class Source:
    """A file, parsed as far as it can be.

    Attributes:
        document: the parsed JSON, or ``Lines``.
        lines: whether it was JSON Lines.
        damage: what could not be parsed, in file order.
    """

    document: object
    lines: bool
    damage: tuple[Skip, ...] = ()


_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CONTROL = frozenset(range(32)) - {7, 8, 9, 10, 12, 13, 27}


def read_source(data: bytes, name: str = "") -> Source:
    """Parse a file as JSON or JSON Lines.

    Args:
        data: the whole file.
        name: what messages call it.

    Raises:
        FormatError: empty, binary, or neither JSON nor JSON Lines.
        JSONError: one document that breaks off before anything of it is complete; says where.
    """
    what = name or "the input"
    if data.startswith(_UTF16):
        raise FormatError(f"{what} is UTF-16 text", hint="convert it to UTF-8")
    data = data.removeprefix(_BOM)
    if not data or data.isspace():
        raise FormatError(f"{what} is empty", hint="nothing was recorded, or the file was not written yet")
    try:
        return Source(loads(data), lines=False)
    except JSONError as error:
        whole = error
    good, damage = _parse_lines(data)
    broken_document = bool(damage) and _first_line_is_damaged(good, damage) and _count_damaged(damage) > len(good)
    if good and not broken_document:
        return Source(good, lines=True, damage=tuple(damage))
    if not _starts_like_json(data):
        kind = "binary" if _looks_binary(data) else "neither JSON nor JSON Lines"
        raise FormatError(f"{what} is {kind}", hint="a session file is JSON text")
    salvaged = _salvage(data)
    if salvaged is None:
        raise JSONError(f"{what}: {whole.message}", hint=whole.hint or "the file is cut off or damaged there")
    document, end = salvaged
    reason = f"{whole.message}; used up to byte {end:,} of {len(data):,}"
    return Source(document, lines=False, damage=(Skip(f"byte {end}", "document", reason, damaged=True),))


def _parse_lines(data: bytes) -> tuple[Lines, list[Skip]]:
    good, damage = Lines(), list[Skip]()
    for number, ending in enumerate(data.split(b"\n"), 1):
        line = ending.strip(b" \t\r")
        if not line:
            continue
        try:
            values, problem = [loads(line)], ""
        except JSONError as error:
            values, problem = _several(line)
            if not values:
                problem = error.message
            elif len(values) > 1:
                damage.append(Skip(f"line {number}", "line", f"{len(values)} values on one line; all used"))
        for value in values:
            if isinstance(value, dict | list):
                good.append(value)
                good.numbers.append(number)
            else:
                problem = problem or "neither an object nor an array"
        if problem:
            damage.append(Skip(f"line {number}", "line", problem.replace("at line 1, column", "at column"), damaged=True))
    return good, damage


def _several(line: bytes) -> tuple[list[object], str]:
    """What a line holds that is not one value: values one after the other, and what is wrong with the rest."""
    values: list[object] = []
    try:
        content = line.decode()
        scan = json.JSONDecoder().raw_decode
        position = 0
        while position < len(content):
            _, end = scan(content, position)
            values.append(loads(content[position:end]))
            position = _skip_blank(content, end)
    except UnicodeDecodeError as error:
        return values, f"not UTF-8 text (byte {error.start})"
    except (JSONError, RecursionError, ValueError, StopIteration) as error:
        return values, str(error) or "breaks off"
    return values, ""


def _skip_blank(content: str, position: int) -> int:
    while position < len(content) and content[position] in " \t\r":
        position += 1
    return position


def _count_damaged(damage: list[Skip]) -> int:
    return sum(skip.damaged for skip in damage)


def _first_line_is_damaged(good: Lines, damage: list[Skip]) -> bool:
    first = next((int(skip.where.removeprefix("line ")) for skip in damage if skip.damaged), 0)
    return bool(first) and (not good or first < good.numbers[0])


def _starts_like_json(data: bytes) -> bool:
    return data[:4096].lstrip()[:1] in (b"{", b"[")


def _looks_binary(data: bytes) -> bool:
    head = data[:4096]
    if any(byte in _CONTROL for byte in head):
        return True
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start < len(head) - 4
    return False


# A string that never ends is one token up to the end of the file: otherwise every quote in it would be tried as a start.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_SHALLOWEST = 4


def _salvage(data: bytes) -> tuple[object, int] | None:
    """Close a document that breaks off, after the last complete element of its outermost list that has one.

    Returns:
        The document and how many bytes of it were used, or ``None``.
    """
    stack = bytearray()
    complete: dict[int, tuple[int, bytes]] = {}
    for token in _TOKEN.finditer(data):
        mark = token.group()
        if mark in (b"{", b"["):
            stack += mark
        elif mark in (b"}", b"]"):
            if not stack:
                return None
            stack.pop()
            if stack[-1:] == b"[":
                complete[len(stack)] = (token.end(), bytes(stack))
    for depth in sorted(complete)[:_SHALLOWEST]:
        end, opened = complete[depth]
        closers = bytes(0x5D if mark == 0x5B else 0x7D for mark in reversed(opened))
        try:
            return loads(data[:end] + closers), end
        except JSONError:
            continue
    return None
