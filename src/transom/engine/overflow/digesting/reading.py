"""Reads the text of an earlier digest back into notes.

Knows the written form and the words; the inverse of ``rendering``. Total: a line it does not know is passed over, and a text
that is no digest at all reads as ``None``, never as an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from string import Formatter
from typing import TypeVar

from ....vocabulary.digesting import DigestWords
from .form import SECTIONS, number, unquote
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

__all__ = ["Reading"]

_T = TypeVar("_T")

_NUMBER = r"[\d,]+"
_PLACE = r"(?P<place>\S+:\d+)"
_VFS = "context://vfs/[0-9a-f]{64}"
_GAP = re.compile(r"  \[… ([\d,]+)\]$")
_RECURRING = re.compile(r"- (\S+) ×(\d+)(?: > (.*))?$", re.DOTALL)
_STATES = {" ": "open", "~": "doing", "x": "done"}
_SPEAKERS = ("user", "assistant", "system", "summary")
_DEEDS = ("read", "written", "edited", "deleted", "moved")
_ENDINGS = ("", "passed", "changed")
_OUTCOMES = ("ok", "failed", "no result", "unknown")


def _filled(template: str, prefix: str | None = "", **groups: str) -> str:
    """What a filled template looks like, as a regular expression.

    Args:
        template: its placeholders become groups of their names.
        prefix: put before these names; ``None`` leaves the groups without a name.
        groups: what each placeholder may hold.
    """
    pieces: list[str] = []
    seen: set[str] = set() if prefix is not None else set(groups)
    for literal, name, _, _ in Formatter().parse(template):
        pieces.append(re.escape(literal))
        if name is not None:
            pieces.append(f"(?:{groups[name]})" if name in seen else f"(?P<{prefix}{name}>{groups[name]})")
            seen.add(name)
    return "".join(pieces)


def _any(words: Iterable[str]) -> str:
    """Any of these words; of two that begin alike the longer one is tried first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


class Reading:
    """Reads digests that were written in the words of one vocabulary. Patterns are compiled once in a process."""

    def __init__(self, words: DigestWords) -> None:
        self._words = words
        self._titles = {f"## {words.section(key)}": key for key in SECTIONS}
        self._who = {words.speaker(who): who for who in _SPEAKERS}
        self._verbs = {words.deed(verb): verb for verb in _DEEDS}
        self._endings = {words.ending(ended): ended for ended in _ENDINGS}
        self._outcomes = {words.outcome(word): word for word in _OUTCOMES}
        self._sources = {words.source(found): found for found in ("plan", "said")}
        shown = _filled(words.shown_of, shown=_NUMBER, size=_NUMBER)
        cut = f"(?: {shown})?"
        part = f"(?: {_filled(words.part_of, size=_NUMBER)})?"
        who = f"(?P<who>{_any(self._who)})"
        text = " > (?P<text>.*)$"
        title = _filled(words.title, messages=_NUMBER, window=r"\S+")
        many = _filled(words.many_before, "many_", before=_NUMBER, windows=_NUMBER)
        one = _filled(words.one_before, "one_", before=_NUMBER, windows=_NUMBER)
        self._counts = re.compile(f"{re.escape(words.mark)} {title}(?:{many}|{one})?")
        self._archive = re.compile(_filled(words.archive, window=r"\S+", uri=r"context://archive/\S+") + "$")
        self._more = re.compile(rf"\[… {_filled(words.more, count=_NUMBER)}\]$")
        size = _filled(words.size, size=_NUMBER, where=r"\S+")
        self._remark_line = re.compile(rf"- {_PLACE} {who}(?:, {size})?(?: > (?P<text>.*))?$", re.DOTALL)
        self._reply = re.compile(f"  {re.escape(words.assistant)}{part}{text}", re.DOTALL)
        self._asked = re.compile(f"  {re.escape(words.asked)}{part}{text}", re.DOTALL)
        self._statement_line = re.compile(f"- {_PLACE} {who}{cut}{text}", re.DOTALL)
        no_source = f"{_filled(words.shown_of, None, shown=_NUMBER, size=_NUMBER)}|> "
        source = rf"(?: (?!{no_source})(?P<source>\S+))?"
        self._task_line = re.compile(rf"- \[(?P<state>[ ~x])\] {_PLACE}{source}{cut}{text}", re.DOTALL)
        ended = f"(?P<ended>{_any(self._endings)})"
        self._error_line = re.compile(rf"- {ended}(?: ×(?P<count>\d+))? {_PLACE}{cut}{text}", re.DOTALL)
        self._under = re.compile(f"  (?:{shown} )?> (?P<text>.*)$", re.DOTALL)
        self._full = re.compile(f"  {_filled(words.full, uri=_VFS)}$")
        deed = rf"(?:{_any(self._verbs)})(?: ×\d+)?"
        failed = f"(?P<failed> {re.escape(words.last_failed)})?"
        self._file_line = re.compile(f"- (?P<done>{deed}(?:, {deed})*){failed}{text}", re.DOTALL)
        self._base = re.compile(_filled(words.base, base=".*") + "$")
        self._code = re.compile(_filled(words.exit_code, code=r"-?\d+"))
        outcome = f"(?P<outcome>{_any(self._outcomes)}|{_filled(words.exit_code, None, code='-?[0-9]+')})"
        failures = f"(?: {_filled(words.some_failed, 'failed_', count='[0-9]+')})?"
        self._command_line = re.compile(
            rf"- {outcome}(?: ×(?P<count>\d+))?{failures}{cut} \$(?P<partial>…)? (?P<text>.*)$", re.DOTALL
        )
        weight = f"(?: {_filled(words.bytes, 'full_', size=_NUMBER)})?"
        self._call_line = re.compile(f"- (?:(?P<uri>{_VFS}){weight} )?{_PLACE}{cut}{text}", re.DOTALL)

    def read(self, text: str) -> Notes | None:
        """Notes of an earlier digest; ``None`` when the text is none."""
        lines = text.split("\n")
        counts = self._counts.match(lines[0])
        if counts is None:
            return None
        archives: list[Archive] = []
        blocks: dict[str, list[list[str]]] = {key: [] for key in SECTIONS}
        hidden: dict[str, int] = {}
        section = ""
        for line in lines[1:]:
            if line in self._titles:
                section = self._titles[line]
            elif not section:
                named = self._archive.match(line)
                if named:
                    archives.append(Archive(named["window"], named["uri"]))
            elif more := self._more.match(line):
                hidden[section] = hidden.get(section, 0) + number(more["count"])
            elif line.startswith("- ") or self._base.match(line):
                blocks[section].append([line])
            elif line.startswith("  ") and blocks[section]:
                blocks[section][-1].append(line)
        found = counts.groupdict()
        before = found.get("many_before") or found.get("one_before")
        windows = found.get("many_windows") or found.get("one_windows") or ("1" if before else "0")
        return replace(
            self._notes(blocks),
            messages=number(found["messages"]),
            before=number(before or "0"),
            windows=number(windows) + 1,
            archives=tuple(archives),
            hidden=hidden,
        )

    def _notes(self, blocks: dict[str, list[list[str]]]) -> Notes:
        return Notes(
            task=next(iter(_each(self._remark, blocks["task"])), None),
            stood=next(iter(_each(self._remark, blocks["stood"])), None),
            rules=_each(self._remark, blocks["rules"]),
            requests=_each(self._request, blocks["requests"]),
            tasks=_each(self._task, blocks["tasks"]),
            constraints=_each(self._statement, blocks["constraints"]),
            decisions=_each(self._statement, blocks["decisions"]),
            errors=_each(self._error, blocks["errors"]),
            files=self._files(blocks["files"]),
            commands=_each(self._command, blocks["commands"]),
            recurring=_each(_recurring, blocks["recurring"]),
            calls=_each(self._call, blocks["calls"]),
        )

    def _remark(self, block: list[str]) -> Remark | None:
        head = self._remark_line.match(block[0])
        if head is None:
            return None
        place, who, size, where = head["place"], self._who[head["who"]], head["size"], head["where"]
        if head["text"] is not None:
            return Remark(place, who, Quote.whole(head["text"]))
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
        return Remark(place, who, Quote(tuple(pieces), number(size), "" if where == self._words.in_archive else where))

    def _request(self, block: list[str]) -> Request | None:
        reply = asked = None
        rest = block
        if len(rest) > 1 and (found := self._reply.match(rest[-1])):
            rest = rest[:-1]
            reply = _line(found["text"], found["size"])
        if len(rest) > 1 and (found := self._asked.match(rest[-1])):
            rest = rest[:-1]
            asked = _line(found["text"], found["size"])
        remark = self._remark(rest)
        return None if remark is None else Request(remark, reply, asked)

    def _statement(self, block: list[str]) -> Statement | None:
        found = self._statement_line.match(block[0])
        return (
            None if found is None else Statement(found["place"], self._who[found["who"]], _line(found["text"], found["size"]))
        )

    def _task(self, block: list[str]) -> TaskNote | None:
        found = self._task_line.match(block[0])
        if found is None:
            return None
        source = found["source"] or ""
        line = _line(found["text"], found["size"])
        return TaskNote(found["place"], _STATES[found["state"]], line, self._sources.get(source, source))

    def _error(self, block: list[str]) -> ErrorNote | None:
        found = self._error_line.match(block[0])
        if found is None:
            return None
        lines: list[Line] = []
        uri = ""
        for line in block[1:]:
            full = self._full.match(line)
            under = self._under.match(line)
            if full:
                uri = full["uri"]
            elif under:
                lines.append(_line(under["text"], under["size"]))
        label = _line(found["text"], found["size"])
        return ErrorNote(found["place"], label, tuple(lines), int(found["count"] or 1), self._endings[found["ended"]], uri)

    def _file(self, block: list[str]) -> FileNote | None:
        found = self._file_line.match(block[0])
        if found is None:
            return None
        verbs = []
        for done in found["done"].split(", "):
            deed, _, count = done.partition(" ×")
            verbs.append((self._verbs[deed], int(count or 1)))
        return FileNote(found["text"], tuple(verbs), found["failed"] is not None)

    def _files(self, blocks: list[list[str]]) -> tuple[FileNote, ...]:
        base = next((found["base"] for block in blocks if (found := self._base.match(block[0]))), "")
        notes = _each(self._file, blocks)
        return tuple(
            replace(note, path=base + note.path[2:]) if base and note.path.startswith("…/") else note for note in notes
        )

    def _command(self, block: list[str]) -> CommandNote | None:
        found = self._command_line.match(block[0])
        if found is None:
            return None
        outcome = self._outcome(found["outcome"])
        under = self._under.match(block[1]) if len(block) > 1 else None
        summary = _line(under["text"], under["size"]) if under else None
        total = int(found["count"] or 1)
        failures = found["failed_count"]
        failed = int(failures) if failures else int(outcome == "failed" or outcome.startswith("exit")) if total == 1 else 0
        return CommandNote(_line(found["text"], found["size"]), outcome, total, failed, summary, found["partial"] is not None)

    def _outcome(self, shown: str) -> str:
        if shown in self._outcomes:
            return self._outcomes[shown]
        code = self._code.match(shown)
        return f"exit {code['code']}" if code else "unknown"

    def _call(self, block: list[str]) -> CallNote | None:
        found = self._call_line.match(block[0])
        if found is None:
            return None
        under = self._under.match(block[1]) if len(block) > 1 else None
        short = _line(under["text"], under["size"]) if under else None
        size = found["full_size"]
        return CallNote(
            found["place"], _line(found["text"], found["size"]), found["uri"] or "", number(size) if size else 0, short
        )


def _each(parse: Callable[[list[str]], _T | None], blocks: list[list[str]]) -> tuple[_T, ...]:
    return tuple(note for block in blocks if (note := parse(block)) is not None)


def _line(text: str, size: str | None) -> Line:
    return Line(text, number(size) if size else len(text))


def _recurring(block: list[str]) -> Recurring | None:
    found = _RECURRING.match(block[0])
    return None if found is None else Recurring(found.group(1), int(found.group(2)), found.group(3) or "")
