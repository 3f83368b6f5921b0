"""What a digest knows of a span before it becomes text: one frozen record per kind of thing worth keeping.

Knows no message and no layout. Extraction fills these records from messages, reading fills them from the text of an earlier
digest, merging joins the two and rendering writes them down. Every text in them is a verbatim slice of the conversation; a
record that names where it came from does so by *place*: ``w3:41`` is message 41 (from 1) of the archive of window ``w3``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "Archive",
    "CallNote",
    "CommandNote",
    "ErrorNote",
    "FileNote",
    "Line",
    "Notes",
    "Quote",
    "Recurring",
    "Remark",
    "Request",
    "Statement",
    "Step",
    "TaskNote",
]


@dataclass(frozen=True, slots=True)
class Quote:
    """Verbatim words, possibly with gaps.

    Attributes:
        pieces: slices of the original in order; a number stands for that many characters left out.
        size: characters of the original.
        uri: where the original is stored by itself; empty where only the archive holds it.
        intact: whatever the gaps hide, none of it is the speaker's own words.
    """

    pieces: tuple[str | int, ...]
    size: int
    uri: str = ""
    intact: bool = False

    @classmethod
    def whole(cls, text: str) -> Quote:
        """All of ``text``."""
        return cls((text,), len(text), intact=True)

    @property
    def shown(self) -> str:
        """The visible slices, one below the other."""
        return "\n".join(piece for piece in self.pieces if isinstance(piece, str))

    @property
    def complete(self) -> bool:
        """Nothing is left out."""
        return len(self.pieces) == 1 and isinstance(self.pieces[0], str)


@dataclass(frozen=True, slots=True)
class Line:
    """One line, or the beginning of one.

    Attributes:
        text: the slice; holds no line break.
        size: characters of the original, line breaks and all.
    """

    text: str
    size: int


@dataclass(frozen=True, slots=True)
class Archive:
    """An archived window: its id and where its messages are."""

    window: str
    uri: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something said, as a quote.

    Attributes:
        who: ``user``, ``assistant``, ``system`` (standing instructions) or ``summary`` (an account made by somebody else).
    """

    place: str
    who: str
    quote: Quote


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for, and the line in which the assistant closed its answer.

    Attributes:
        asked: what a mere yes or no answers.
    """

    said: Remark
    reply: Line | None = None
    asked: Line | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that binds (a constraint) or settles (a decision, a finding)."""

    place: str
    who: str
    line: Line


@dataclass(frozen=True, slots=True)
class TaskNote:
    """An item of work.

    Attributes:
        state: ``open``, ``doing`` or ``done``.
        source: ``plan`` (set whole by a tool), ``#3`` (kept by a tool under that id), ``said`` (by the assistant), the name of
            a file that holds the checkbox, or empty (a checkbox elsewhere, or a user's words).
    """

    place: str
    state: str
    line: Line
    source: str = ""


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """A failure and how it ended.

    Attributes:
        label: what failed, as ``CallNote.label``.
        lines: what it said, at most three lines.
        ended: empty while unresolved, ``passed`` when the same went well later, ``changed`` when a file it names was changed.
        uri: the full result, where it is stored by itself.
    """

    place: str
    label: Line
    lines: tuple[Line, ...]
    count: int = 1
    ended: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class FileNote:
    """A file that was touched.

    Attributes:
        verbs: how often it was read, written, edited, deleted …, in the order first done.
        failed: the last thing done to it failed.
    """

    path: str
    verbs: tuple[tuple[str, int], ...]
    failed: bool = False

    @property
    def changed(self) -> bool:
        """It was more than read."""
        return any(verb != "read" for verb, _ in self.verbs)


@dataclass(frozen=True, slots=True)
class CommandNote:
    """A command and its last outcome.

    Attributes:
        outcome: ``ok``, ``failed``, ``exit N``, ``no result`` or ``unknown``.
        failures: how many of ``count`` runs failed.
        summary: the line that counts tests or names the result of a build.
        partial: directory changes or output plumbing around the command are left out.
    """

    command: Line
    outcome: str
    count: int = 1
    failures: int = 0
    summary: Line | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Recurring:
    """A number or name that came up in several messages, with the words around its first mention."""

    text: str
    count: int
    context: str = ""


@dataclass(frozen=True, slots=True)
class CallNote:
    """A call and where its full result is.

    Attributes:
        label: tool and main argument, or ``$ `` and the command.
        uri: of the full result; empty where the result is short (then ``short`` holds its first line) or absent.
        size: bytes of the full result; 0 when unknown.
    """

    place: str
    label: Line
    uri: str = ""
    size: int = 0
    short: Line | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One of the last calls of a span, and its outcome."""

    place: str
    outcome: str
    label: Line


@dataclass(frozen=True, slots=True)
class Notes:
    """Everything a digest knows; lists are in the order things happened.

    Attributes:
        messages: how many messages the newest window had.
        before: how many the windows before it had, as far as known.
        archives: newest first.
        hidden: by section, how many entries earlier digests left out.
    """

    messages: int = 0
    before: int = 0
    windows: int = 1
    archives: tuple[Archive, ...] = ()
    task: Remark | None = None
    rules: tuple[Remark, ...] = ()
    requests: tuple[Request, ...] = ()
    stood: Remark | None = None
    steps: tuple[Step, ...] = ()
    tasks: tuple[TaskNote, ...] = ()
    constraints: tuple[Statement, ...] = ()
    decisions: tuple[Statement, ...] = ()
    errors: tuple[ErrorNote, ...] = ()
    files: tuple[FileNote, ...] = ()
    commands: tuple[CommandNote, ...] = ()
    recurring: tuple[Recurring, ...] = ()
    calls: tuple[CallNote, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)
