"""Patches as models write them, read into changes of files: unified diffs, with or without git's head lines, and the form that
begins with ``*** Begin Patch``. Knows no files; ``hunks`` finds the places.

Read leniently where nothing can be mistaken: counts in hunk heads may be wrong or missing, an empty context line may have lost
its blank, the whole may stand in a code fence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from .refusal import EditRefused

__all__ = ["FileChange", "Hunk", "PatchLine", "parsed"]

Sign = Literal[" ", "-", "+"]

_HEAD = re.compile(r"@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BEGIN = re.compile(r"\*\*\* Begin Patch\s*")
_VERB = re.compile(r"\*\*\* (Add|Update|Delete) File: ?(.*)")
_MOVE = "*** Move to: "
_END_OF_FILE = "*** End of File"
_END = "*** End Patch"
_NOTHING = "/dev/null"
_FENCE = re.compile(r"\s*(```|~~~)\w*\s*\Z")


@dataclass(frozen=True, slots=True)
class PatchLine:
    """One line of a hunk.

    Attributes:
        sign: kept, removed or added.
        text: the line without what ends it.
        ended: it has a terminator.
        carriage: there was a CR at its end.
    """

    sign: Sign
    text: str
    ended: bool = True
    carriage: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One place of a file and what happens there.

    Attributes:
        lines: what stands there and what comes.
        start: the line of the old file where it should begin; 0 where the file was empty, ``None`` where nothing is said.
        headings: lines that stand above the place, outermost first.
        at_end: the place is the end of the file.
    """

    lines: Sequence[PatchLine]
    start: int | None = None
    headings: Sequence[str] = ()
    at_end: bool = False

    @property
    def old(self) -> list[str]:
        """The lines that must stand there."""
        return [line.text for line in self.lines if line.sign != "+"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """What a patch does to one file.

    Attributes:
        kind: what.
        path: the file as the patch names it.
        target: its new name, where it moves.
        hunks: the places that change; of a new file one, with added lines only.
    """

    kind: Literal["add", "update", "delete"]
    path: str
    target: str | None = None
    hunks: Sequence[Hunk] = field(default=())


def parsed(text: str) -> list[FileChange]:
    """A patch, file by file, in order.

    Raises:
        EditRefused: ``invalid_input``: it is no patch, or a line of it cannot be read; the line's number is in the facts.
    """
    raw = text.split("\n")
    lines = [line.removesuffix("\r") for line in raw]
    while lines and (not lines[-1].strip() or _FENCE.match(lines[-1])):
        lines.pop()
    begin = next((at for at, line in enumerate(lines) if _BEGIN.fullmatch(line)), None)
    reader = _Reader(lines, raw, begin + 1 if begin is not None else 0)
    begun = begin is not None or any(_VERB.match(line) for line in lines)
    changes = reader.sections() if begun else reader.unified()
    if not changes:
        raise EditRefused("invalid_input", "no_patch")
    return changes


@dataclass(slots=True)
class _Reader:
    lines: list[str]
    raw: list[str]
    at: int

    @property
    def line(self) -> str | None:
        return self.lines[self.at] if self.at < len(self.lines) else None

    @property
    def _carriage(self) -> bool:
        return self.raw[self.at].endswith("\r")

    def _odd(self, reason: str = "odd_patch_line") -> EditRefused:
        return EditRefused("invalid_input", reason, line=self.at + 1, text=(self.line or "")[:200])

    # ── *** Begin Patch ────────────────────────────────────────────────────────────────────────────────────────────────

    def sections(self) -> list[FileChange]:
        changes: list[FileChange] = []
        while (line := self.line) is not None and not line.startswith(_END):
            verb = _VERB.fullmatch(line.rstrip())
            if verb is None:
                if line.strip():
                    raise self._odd()
                self.at += 1
                continue
            if not (path := verb[2].strip()):
                raise self._odd()
            self.at += 1
            match verb[1]:
                case "Add":
                    changes.append(FileChange(kind="add", path=path, hunks=[self._added()]))
                case "Delete":
                    changes.append(FileChange(kind="delete", path=path))
                case _:
                    changes.append(self._updated(path))
        return changes

    def _section_ends(self) -> bool:
        return self.line is None or self.line.startswith(_END) or _VERB.match(self.line) is not None

    def _added(self) -> Hunk:
        new: list[PatchLine] = []
        while not self._section_ends():
            assert self.line is not None
            if self.line.startswith("+"):
                new.append(PatchLine("+", self.line[1:], carriage=self._carriage))
            elif self.line.strip() and not self.line.startswith("@@"):
                raise self._odd("not_added")
            self.at += 1
        return Hunk(lines=new)

    def _updated(self, path: str) -> FileChange:
        target = None
        if (line := self.line) is not None and line.startswith(_MOVE):
            target = line.removeprefix(_MOVE).strip()
            self.at += 1
        hunks: list[Hunk] = []
        while not self._section_ends():
            hunks.append(self._section_hunk())
        hunks = [hunk for hunk in hunks if hunk.lines]
        if not hunks and target is None:
            raise EditRefused("invalid_input", "empty_patch", path=path)
        return FileChange(kind="update", path=path, target=target, hunks=hunks)

    def _section_hunk(self) -> Hunk:
        start, headings = None, []
        while (line := self.line) is not None and line.startswith("@@"):
            if numbers := _HEAD.match(line):
                start = int(numbers[1])
            elif heading := line[2:].strip().removesuffix("@@").strip():
                headings.append(heading)
            self.at += 1
        body: list[PatchLine] = []
        at_end = False
        while not self._section_ends() and not (self.line or "").startswith("@@"):
            if (self.line or "").rstrip() == _END_OF_FILE:
                at_end = True
                self.at += 1
                break
            self._body_line(body)
        _without_blank_end(body)
        return Hunk(lines=body, start=start, headings=headings, at_end=at_end)

    # ── unified ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def unified(self) -> list[FileChange]:
        changes: list[FileChange] = []
        renamed: list[str] = []
        while (line := self.line) is not None:
            if self._heads_file(self.at):
                changes.append(self._file(renamed))
                renamed = []
            elif line.startswith("diff --git "):
                changes += _only_renamed(renamed)
                renamed = []
                self.at += 1
            elif line.startswith(("rename from ", "rename to ")):
                renamed.append(line.split(" ", 2)[2].strip())
                self.at += 1
            elif line.startswith(("GIT binary patch", "Binary files ")):
                raise self._odd("binary_patch")
            elif line.startswith("@@"):
                raise self._odd("hunk_without_file")
            else:
                self.at += 1  # prose, git's extended head
        return changes + _only_renamed(renamed)

    def _heads_file(self, at: int) -> bool:
        return at + 1 < len(self.lines) and self.lines[at].startswith("--- ") and self.lines[at + 1].startswith("+++ ")

    def _file(self, renamed: Sequence[str]) -> FileChange:
        old, new = (_name(self.lines[self.at + step][4:]) for step in (0, 1))
        self.at += 2
        prefixed = all(name == _NOTHING or name.startswith(side) for name, side in ((old, "a/"), (new, "b/")))
        if prefixed:
            old, new = (name if name == _NOTHING else name[2:] for name in (old, new))
        hunks: list[Hunk] = []
        while (line := self.line) is not None and line.startswith("@@"):
            hunks.append(self._unified_hunk())
        if old == _NOTHING:
            return FileChange(kind="add", path=new, hunks=hunks)
        if new == _NOTHING:
            return FileChange(kind="delete", path=old, hunks=hunks)
        if not hunks and not renamed:
            raise EditRefused("invalid_input", "empty_patch", path=new)
        return FileChange(kind="update", path=old, target=new if new != old else None, hunks=hunks)

    def _unified_hunk(self) -> Hunk:
        line = self.lines[self.at]
        head = _HEAD.match(line)
        heading = "" if head else line[2:].strip().removesuffix("@@").strip()
        start = int(head[1]) if head else None
        left_old, left_new = (int(head[group] or 1) for group in (2, 4)) if head else (0, 0)
        if head and head[2] == "0":
            start = int(head[1]) + 1  # an empty range names the line before it
        self.at += 1
        body: list[PatchLine] = []
        while (line_or_end := self.line) is not None:
            counted = left_old > 0 or left_new > 0
            if line_or_end.startswith(("@@", "diff --git ", "GIT binary")):
                break
            if self._heads_file(self.at) and (
                not counted or (self.lines[self.at + 2 : self.at + 3] and self.lines[self.at + 2].startswith("@@"))
            ):
                break
            if not line_or_end and not counted:
                break
            if line_or_end[:1] not in {" ", "+", "-", "\\", ""}:
                if counted and body:
                    raise self._odd()
                break
            before = len(body)
            self._body_line(body)
            for added in body[before:]:
                left_old -= added.sign != "+"
                left_new -= added.sign != "-"
        if not body:
            raise self._odd("empty_hunk")
        if left_old < 0 or left_new < 0 or not head:
            _without_blank_end(body)
        return Hunk(lines=body, start=start, headings=[heading] if heading else [])

    def _body_line(self, body: list[PatchLine]) -> None:
        line = self.lines[self.at]
        match line[:1]:
            case "":
                body.append(PatchLine(" ", "", carriage=self._carriage))
            case " " | "-" | "+" as sign:
                body.append(PatchLine(sign, line[1:], carriage=self._carriage))
            case "\\":  # no newline at end of file: says so of the line before
                if body:
                    body[-1] = replace(body[-1], ended=False)
            case _:
                raise self._odd()
        self.at += 1


def _name(text: str) -> str:
    """A file's name from a head line: without a time stamp, without git's quotes."""
    name = text.split("\t", 1)[0].strip()
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        raw = re.sub(
            rb"\\([0-7]{3}|.)",
            lambda found: bytes([int(found[1], 8) & 255]) if len(found[1]) == 3 else _ESCAPES.get(found[1], found[1]),
            name[1:-1].encode(),
        )
        return raw.decode(errors="replace")
    return name


_ESCAPES = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b'"': b'"', b"\\": b"\\"}


def _only_renamed(names: Sequence[str]) -> list[FileChange]:
    return [FileChange(kind="update", path=names[0], target=names[1])] if len(names) == 2 else []


def _without_blank_end(body: list[PatchLine]) -> None:
    """Empty lines at the end that were only space between parts of the patch."""
    while body and body[-1].sign == " " and not body[-1].text:
        body.pop()
