"""Notes as lines of text, one entry at a time.

Knows the written form and no budget. ``reading`` is the exact inverse; the two change together.
"""

from __future__ import annotations

from .form import ARCHIVED, BREAKS, TITLES, quote_lines
from .notes import CallNote, CommandNote, ErrorNote, FileNote, Line, Recurring, Remark, Request, Statement, Step, TaskNote

__all__ = [
    "base_text",
    "call_text",
    "command_text",
    "error_text",
    "file_text",
    "heading",
    "recurring_text",
    "remark_text",
    "reply_text",
    "request_text",
    "statement_text",
    "step_text",
    "task_text",
]

_BOXES = {"open": " ", "doing": "~", "done": "x"}


def heading(section: str) -> str:
    """The line that opens a section."""
    return f"## {TITLES[section]}"


def _cut(line: Line) -> str:
    """Says that a line is only the beginning of what it quotes."""
    return f" (first {len(line.text):,} of {line.size:,})" if line.size > len(line.text) else ""


def _part(line: Line) -> str:
    return f" (from {line.size:,} chars)" if line.size > len(line.text) else ""


def _under(line: Line) -> str:
    """A line that belongs to the entry above it."""
    cut = _cut(line)
    return f"  {cut[1:]} > {line.text}" if cut else f"  > {line.text}"


def remark_text(remark: Remark) -> str:
    """A quote under its place; on one line where it is one."""
    quote = remark.quote
    head = f"- {remark.place} {remark.who}"
    if quote.complete:
        text = quote.shown
        return f"{head}\n{quote_lines(text)}" if BREAKS.search(text) else f"{head} > {text}"
    head += f", {quote.size:,} chars, whole: {quote.uri or ARCHIVED}"
    return "\n".join((head, *map(_piece, quote.pieces)))


def _piece(piece: str | int) -> str:
    return f"  [… {piece:,}]" if isinstance(piece, int) else quote_lines(piece)


def request_text(request: Request) -> str:
    """What the user said and how the answer closed."""
    text = remark_text(request.said)
    if request.asked is not None:
        text = f"{text}\n  to{_part(request.asked)} > {request.asked.text}"
    return text if request.reply is None else f"{text}\n{reply_text(request.reply)}"


def reply_text(reply: Line) -> str:
    """The line that closed an answer."""
    return f"  assistant{_part(reply)} > {reply.text}"


def statement_text(note: Statement) -> str:
    """One sentence."""
    return f"- {note.place} {note.who}{_cut(note.line)} > {note.line.text}"


def task_text(note: TaskNote) -> str:
    """One checkbox."""
    source = f" {note.source}" if note.source else ""
    return f"- [{_BOXES[note.state]}] {note.place}{source}{_cut(note.line)} > {note.line.text}"


def error_text(note: ErrorNote) -> str:
    """What failed, how it ended, what it said."""
    many = f" ×{note.count}" if note.count > 1 else ""
    lines = [f"- {note.ended or 'unresolved'}{many} {note.place}{_cut(note.label)} > {note.label.text}"]
    lines.extend(map(_under, note.lines))
    if note.uri:
        lines.append(f"  full: {note.uri}")
    return "\n".join(lines)


def step_text(note: Step) -> str:
    """One of the last calls."""
    return f"- {note.place} {note.outcome}{_cut(note.label)} > {note.label.text}"


def base_text(base: str) -> str:
    """Says what ``…/`` at the beginning of a path stands for."""
    return f"(…/ is {base})"


def file_text(note: FileNote, base: str = "") -> str:
    """What was done to a file. A path under ``base`` is written ``…/`` and the rest."""
    path = f"…/{note.path[len(base) :]}" if base and note.path.startswith(base) else note.path
    done = ", ".join(verb if count == 1 else f"{verb} ×{count}" for verb, count in note.verbs)
    return f"- {done}{' (last failed)' if note.failed else ''} > {path}"


def command_text(note: CommandNote) -> str:
    """A command after its outcome."""
    many = f" ×{note.count}" if note.count > 1 else ""
    failures = f" ({note.failures} failed)" if note.failures and note.count > 1 else ""
    text = f"- {note.outcome}{many}{failures}{_cut(note.command)} {'$…' if note.partial else '$'} {note.command.text}"
    return text if note.summary is None else f"{text}\n{_under(note.summary)}"


def recurring_text(note: Recurring) -> str:
    """A name and how often it came up."""
    return f"- {note.text} ×{note.count}" + (f" > {note.context}" if note.context and note.context != note.text else "")


def call_text(note: CallNote) -> str:
    """A call after the address of its full result."""
    if not note.uri:
        return f"- {note.place}{_cut(note.label)} > {note.label.text}\n{_under(note.short or Line('', 0))}"
    size = f" {note.size:,} bytes" if note.size else ""
    return f"- {note.uri}{size} {note.place}{_cut(note.label)} > {note.label.text}"
