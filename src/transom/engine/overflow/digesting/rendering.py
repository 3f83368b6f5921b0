"""Notes as lines of text, one entry at a time.

Knows the written form, the words and no budget. ``reading`` is the exact inverse; the two change together.
"""

from __future__ import annotations

from ....vocabulary.digesting import DigestWords
from .form import BREAKS, quote_lines
from .notes import CallNote, CommandNote, ErrorNote, FileNote, Line, Recurring, Remark, Request, Statement, Step, TaskNote

__all__ = ["Rendering"]

_BOXES = {"open": " ", "doing": "~", "done": "x"}


class Rendering:
    """Writes notes down in the words of one vocabulary.

    Attributes:
        words: what it says in its own voice.
    """

    __slots__ = ("words",)

    def __init__(self, words: DigestWords) -> None:
        self.words = words

    def heading(self, section: str) -> str:
        """The line that opens a section."""
        return f"## {self.words.section(section)}"

    def more(self, count: int) -> str:
        """Says how many entries a section leaves out."""
        return f"[… {self.words.more.format(count=count)}]"

    def _cut(self, line: Line) -> str:
        """Says that a line is only the beginning of what it quotes."""
        size = line.size
        return f" {self.words.shown_of.format(shown=len(line.text), size=size)}" if size > len(line.text) else ""

    def _part(self, line: Line) -> str:
        return f" {self.words.part_of.format(size=line.size)}" if line.size > len(line.text) else ""

    def _under(self, line: Line) -> str:
        """A line that belongs to the entry above it."""
        cut = self._cut(line)
        return f"  {cut[1:]} > {line.text}" if cut else f"  > {line.text}"

    def remark(self, remark: Remark) -> str:
        """A quote under its place; on one line where it is one."""
        quote = remark.quote
        head = f"- {remark.place} {self.words.speaker(remark.who)}"
        if quote.complete:
            text = quote.shown
            return f"{head}\n{quote_lines(text)}" if BREAKS.search(text) else f"{head} > {text}"
        head += f", {self.words.size.format(size=quote.size, where=quote.uri or self.words.in_archive)}"
        return "\n".join((head, *map(_piece, quote.pieces)))

    def request(self, request: Request) -> str:
        """What the user said and how the answer closed."""
        text = self.remark(request.said)
        if request.asked is not None:
            text = f"{text}\n  {self.words.asked}{self._part(request.asked)} > {request.asked.text}"
        return text if request.reply is None else f"{text}\n{self.reply(request.reply)}"

    def reply(self, reply: Line) -> str:
        """The line that closed an answer."""
        return f"  {self.words.assistant}{self._part(reply)} > {reply.text}"

    def statement(self, note: Statement) -> str:
        """One sentence."""
        return f"- {note.place} {self.words.speaker(note.who)}{self._cut(note.line)} > {note.line.text}"

    def task(self, note: TaskNote) -> str:
        """One checkbox."""
        source = f" {self.words.source(note.source)}" if note.source else ""
        return f"- [{_BOXES[note.state]}] {note.place}{source}{self._cut(note.line)} > {note.line.text}"

    def error(self, note: ErrorNote) -> str:
        """What failed, how it ended, what it said."""
        many = f" ×{note.count}" if note.count > 1 else ""
        lines = [f"- {self.words.ending(note.ended)}{many} {note.place}{self._cut(note.label)} > {note.label.text}"]
        lines.extend(map(self._under, note.lines))
        if note.uri:
            lines.append(f"  {self.words.full.format(uri=note.uri)}")
        return "\n".join(lines)

    def step(self, note: Step) -> str:
        """One of the last calls."""
        return f"- {note.place} {self.words.outcome(note.outcome)}{self._cut(note.label)} > {note.label.text}"

    def base(self, base: str) -> str:
        """Says what ``…/`` at the beginning of a path stands for."""
        return self.words.base.format(base=base)

    def file(self, note: FileNote, base: str = "") -> str:
        """What was done to a file. A path under ``base`` is written ``…/`` and the rest."""
        path = f"…/{note.path[len(base) :]}" if base and note.path.startswith(base) else note.path
        deeds = ((self.words.deed(verb), count) for verb, count in note.verbs)
        done = ", ".join(deed if count == 1 else f"{deed} ×{count}" for deed, count in deeds)
        return f"- {done}{' ' + self.words.last_failed if note.failed else ''} > {path}"

    def command(self, note: CommandNote) -> str:
        """A command after its outcome."""
        many = f" ×{note.count}" if note.count > 1 else ""
        failures = f" {self.words.some_failed.format(count=note.failures)}" if note.failures and note.count > 1 else ""
        head = f"- {self.words.outcome(note.outcome)}{many}{failures}{self._cut(note.command)}"
        text = f"{head} {'$…' if note.partial else '$'} {note.command.text}"
        return text if note.summary is None else f"{text}\n{self._under(note.summary)}"

    def recurring(self, note: Recurring) -> str:
        """A name and how often it came up."""
        context = f" > {note.context}" if note.context and note.context != note.text else ""
        return f"- {note.text} ×{note.count}{context}"

    def call(self, note: CallNote) -> str:
        """A call after the address of its full result."""
        if not note.uri:
            return f"- {note.place}{self._cut(note.label)} > {note.label.text}\n{self._under(note.short or Line('', 0))}"
        size = f" {self.words.bytes.format(size=note.size)}" if note.size else ""
        return f"- {note.uri}{size} {note.place}{self._cut(note.label)} > {note.label.text}"


def _piece(piece: str | int) -> str:
    return f"  [… {piece:,}]" if isinstance(piece, int) else quote_lines(piece)
