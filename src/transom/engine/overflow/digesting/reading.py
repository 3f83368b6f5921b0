"""Reads the text of an earlier digest back into notes.

Knows the written form; the inverse of ``rendering``. Total: a line it does not know is passed over, and a text that is no
digest at all reads as ``None``, never as an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from .form import ARCHIVE, ARCHIVED, ENDINGS, MARK, MORE, SECTIONS, number, unquote
from .notes import (
    Archive,
    CallNote,
    CommandNote,
    ErrorNote,
    FileNote,
    Line,
    Notes,
    Quote,
    Recurring,
    Remark,
    Request,
    Statement,
    TaskNote,
)

__all__ = ["read"]

_T = TypeVar("_T")

_BY_TITLE = {f"## {title}": key for key, title in SECTIONS}
_COUNTS = re.compile(
    re.escape(MARK) + r" stands for ([\d,]+) messages of window \S+(?: and ([\d,]+) of ([\d,]+) windows? before)?"
)
_CUT = r"(?: \(first [\d,]+ of ([\d,]+)\))?"
_REMARK = re.compile(r"- (\S+:\d+) (user|assistant|system|summary)(?:, ([\d,]+) chars, whole: (\S+))?(?: > (.*))?$", re.DOTALL)
_REPLY = re.compile(r"  assistant(?: \(from ([\d,]+) chars\))? > (.*)$", re.DOTALL)
_ASKED = re.compile(r"  to(?: \(from ([\d,]+) chars\))? > (.*)$", re.DOTALL)
_GAP = re.compile(r"  \[… ([\d,]+)\]$")
_STATEMENT = re.compile(r"- (\S+:\d+) (user|assistant|system|summary)" + _CUT + r" > (.*)$", re.DOTALL)
_TASK = re.compile(r"- \[([ ~x])\] (\S+:\d+)(?: (?!\(first |> )(\S+))?" + _CUT + r" > (.*)$", re.DOTALL)
_ERROR = re.compile(r"- (unresolved|" + "|".join(ENDINGS) + r")(?: ×(\d+))? (\S+:\d+)" + _CUT + r" > (.*)$", re.DOTALL)
_UNDER = re.compile(r"  (?:\(first [\d,]+ of ([\d,]+)\) )?> (.*)$", re.DOTALL)
_FULL = re.compile(r"  full: (context://vfs/[0-9a-f]{64})$")
_FILE = re.compile(r"- ([a-z]+(?: ×\d+)?(?:, [a-z]+(?: ×\d+)?)*)( \(last failed\))? > (.*)$", re.DOTALL)
_BASE = re.compile(r"\(…/ is (.*)\)$")
_COMMAND = re.compile(
    r"- (ok|failed|exit -?\d+|no result|unknown)(?: ×(\d+))?(?: \((\d+) failed\))?" + _CUT + r" \$(…)? (.*)$", re.DOTALL
)
_RECURRING = re.compile(r"- (\S+) ×(\d+)(?: > (.*))?$", re.DOTALL)
_CALL = re.compile(r"- (?:(context://vfs/[0-9a-f]{64})(?: ([\d,]+) bytes)? )?(\S+:\d+)" + _CUT + r" > (.*)$", re.DOTALL)
_STATES = {" ": "open", "~": "doing", "x": "done"}


def read(text: str) -> Notes | None:
    """Notes of an earlier digest; ``None`` when the text is none."""
    lines = text.split("\n")
    counts = _COUNTS.match(lines[0])
    if counts is None:
        return None
    archives: list[Archive] = []
    blocks: dict[str, list[list[str]]] = {key: [] for key, _ in SECTIONS}
    hidden: dict[str, int] = {}
    section = ""
    for line in lines[1:]:
        if line in _BY_TITLE:
            section = _BY_TITLE[line]
        elif not section:
            found = ARCHIVE.match(line)
            if found:
                archives.append(Archive(found.group(1), found.group(2)))
        elif more := MORE.match(line):
            hidden[section] = hidden.get(section, 0) + number(more.group(1))
        elif line.startswith(("- ", "(…/ is ")):
            blocks[section].append([line])
        elif line.startswith("  ") and blocks[section]:
            blocks[section][-1].append(line)
    messages, before, windows = counts.groups()
    return replace(
        _notes(blocks),
        messages=number(messages),
        before=number(before or "0"),
        windows=number(windows or "0") + 1,
        archives=tuple(archives),
        hidden=hidden,
    )


def _notes(blocks: dict[str, list[list[str]]]) -> Notes:
    return Notes(
        task=next(iter(_each(_remark, blocks["task"])), None),
        stood=next(iter(_each(_remark, blocks["stood"])), None),
        rules=_each(_remark, blocks["rules"]),
        requests=_each(_request, blocks["requests"]),
        tasks=_each(_task, blocks["tasks"]),
        constraints=_each(_statement, blocks["constraints"]),
        decisions=_each(_statement, blocks["decisions"]),
        errors=_each(_error, blocks["errors"]),
        files=_files(blocks["files"]),
        commands=_each(_command, blocks["commands"]),
        recurring=_each(_recurring, blocks["recurring"]),
        calls=_each(_call, blocks["calls"]),
    )


def _each(parse: Callable[[list[str]], _T | None], blocks: list[list[str]]) -> tuple[_T, ...]:
    return tuple(note for block in blocks if (note := parse(block)) is not None)


def _line(text: str, size: str | None) -> Line:
    return Line(text, number(size) if size else len(text))


def _remark(block: list[str]) -> Remark | None:
    head = _REMARK.match(block[0])
    if head is None:
        return None
    place, who, size, where, inline = head.groups()
    if inline is not None:
        return Remark(place, who, Quote.whole(inline))
    pieces: list[str | int] = []
    quoted: list[str] = []
    for line in (*block[1:], ""):
        if line.startswith("  > "):
            quoted.append(line)
            continue
        if quoted:
            pieces.append(unquote("\n".join(quoted)))
            quoted = []
        gap = _GAP.match(line)
        if gap:
            pieces.append(number(gap.group(1)))
    if not any(isinstance(piece, str) for piece in pieces):
        return None
    if size is None:
        return Remark(place, who, Quote.whole("\n".join(piece for piece in pieces if isinstance(piece, str))))
    return Remark(place, who, Quote(tuple(pieces), number(size), "" if where == ARCHIVED else where))


def _request(block: list[str]) -> Request | None:
    reply = asked = None
    rest = block
    if len(rest) > 1 and (found := _REPLY.match(rest[-1])):
        rest = rest[:-1]
        reply = _line(found.group(2), found.group(1))
    if len(rest) > 1 and (found := _ASKED.match(rest[-1])):
        rest = rest[:-1]
        asked = _line(found.group(2), found.group(1))
    remark = _remark(rest)
    return None if remark is None else Request(remark, reply, asked)


def _statement(block: list[str]) -> Statement | None:
    found = _STATEMENT.match(block[0])
    return None if found is None else Statement(found.group(1), found.group(2), _line(found.group(4), found.group(3)))


def _task(block: list[str]) -> TaskNote | None:
    found = _TASK.match(block[0])
    if found is None:
        return None
    state, place, source, size, text = found.groups()
    return TaskNote(place, _STATES[state], _line(text, size), source or "")


def _error(block: list[str]) -> ErrorNote | None:
    found = _ERROR.match(block[0])
    if found is None:
        return None
    ended, count, place, size, label = found.groups()
    lines: list[Line] = []
    uri = ""
    for line in block[1:]:
        full = _FULL.match(line)
        under = _UNDER.match(line)
        if full:
            uri = full.group(1)
        elif under:
            lines.append(_line(under.group(2), under.group(1)))
    return ErrorNote(place, _line(label, size), tuple(lines), int(count or 1), "" if ended == "unresolved" else ended, uri)


def _file(block: list[str]) -> FileNote | None:
    found = _FILE.match(block[0])
    if found is None:
        return None
    verbs = []
    for done in found.group(1).split(", "):
        verb, _, count = done.partition(" ×")
        verbs.append((verb, int(count or 1)))
    return FileNote(found.group(3), tuple(verbs), found.group(2) is not None)


def _files(blocks: list[list[str]]) -> tuple[FileNote, ...]:
    base = next((found.group(1) for block in blocks if (found := _BASE.match(block[0]))), "")
    notes = _each(_file, blocks)
    return tuple(replace(note, path=base + note.path[2:]) if base and note.path.startswith("…/") else note for note in notes)


def _command(block: list[str]) -> CommandNote | None:
    found = _COMMAND.match(block[0])
    if found is None:
        return None
    outcome, count, failures, size, partial, command = found.groups()
    under = _UNDER.match(block[1]) if len(block) > 1 else None
    summary = _line(under.group(2), under.group(1)) if under else None
    total = int(count or 1)
    failed = int(failures) if failures else int(outcome == "failed" or outcome.startswith("exit")) if total == 1 else 0
    return CommandNote(_line(command, size), outcome, total, failed, summary, partial is not None)


def _recurring(block: list[str]) -> Recurring | None:
    found = _RECURRING.match(block[0])
    return None if found is None else Recurring(found.group(1), int(found.group(2)), found.group(3) or "")


def _call(block: list[str]) -> CallNote | None:
    found = _CALL.match(block[0])
    if found is None:
        return None
    uri, size, place, cut, label = found.groups()
    under = _UNDER.match(block[1]) if len(block) > 1 else None
    short = _line(under.group(2), under.group(1)) if under else None
    return CallNote(place, _line(label, cut), uri or "", number(size) if size else 0, short)
