"""The dossier of a session: what it left, and what is remembered beside it, as one text within a budget.

Knows a session, facts and entries, and how to weigh a text; reads no store. Every part is verbatim, cut only at its end or at
the end of a long item, and wherever something is missing it says how much and where all of it is. The text never weighs more
than the budget: every step of its growth is weighed as a whole before it is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ...errors import InputError
from ...vocabulary import ENGLISH, Vocabulary
from ...vocabulary.words import MARK_CLOSE, MARK_OPEN
from .entry import Entry
from .fact import Fact
from .summaries import Session

__all__ = ["STALE_AFTER", "Dossier", "Part", "compose", "item_text"]

STALE_AFTER = 7 * 86_400.0
"""Seconds after which what a session left is taken with a grain of salt."""

_ITEM = 400
"""Characters of one item: a longer one ends with a mark, so that one does not take the place of all."""
_PIECE = 120
"""Characters that a summary grows by at most in one step."""
_SHARES = (
    ("next_steps", 0.30),
    ("summary", 0.60),
    ("decisions", 0.70),
    ("facts", 0.85),
    ("entries", 0.95),
    ("files", 1.0),
)
"""The parts in order, and which share of the room behind the first line may be used up when each has had its first turn. What
is left over then goes to the parts in the same order."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a dossier.

    Attributes:
        kind: next_steps, summary, decisions, facts, entries or files.
        uri: where all of it is.
        shown, total: how much is shown of how much: characters of a summary, items of the others.
    """

    kind: str
    uri: str
    shown: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """A session, made ready to be read by the one that follows it.

    Attributes:
        text: what a model reads.
        tokens: what the text weighs; never more than the budget.
        session: the session whole.
        parts: what is in the text, in order.
        left_out: the parts that are shown in part or not at all.
        age: seconds since the session was saved; ``None`` if that is not known.
        stale: it is older than the limit, or of unknown age; the text says so.
    """

    text: str
    tokens: int
    session: Session
    parts: tuple[Part, ...]
    left_out: tuple[Part, ...]
    age: float | None
    stale: bool


@dataclass(frozen=True, slots=True)
class _Source:
    """A part before it is fitted: the pieces that it grows by, and how much is shown with so many of them."""

    kind: str
    uri: str
    pieces: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def total(self) -> int:
        return self.sizes[-1]

    @property
    def flows(self) -> bool:
        """Whether the pieces make one text, and are no items of a list."""
        return self.kind == "summary"


def compose(
    session: Session,
    facts: Sequence[Fact],
    entries: Sequence[Entry],
    *,
    max_tokens: int,
    count: Callable[[str], int],
    now: float,
    stale_after: float = STALE_AFTER,
    places: tuple[str, str] = ("", ""),
    labelled: bool = True,
    vocabulary: Vocabulary = ENGLISH,
) -> Dossier:
    """A dossier of what is handed in.

    Args:
        session: what it is about.
        facts, entries: what is remembered beside it, the most important first.
        max_tokens: what the text may weigh. Where it is too little for the first line, the text is empty.
        count: tokens of a text.
        now: unix time in seconds.
        stale_after: seconds.
        places: the addresses under which all facts and all entries lie.
        labelled: say how sure each fact and entry is, and that a summary is somebody's account.
        vocabulary: the words.

    Raises:
        InputError: a budget below 0.
    """
    if max_tokens < 0:
        raise InputError(f"a budget of {max_tokens} tokens", hint="0 or more")
    words = vocabulary.remembering.dossier
    age = max(0.0, now - session.saved) if session.saved else None
    stale = age is None or age > stale_after
    opening = words.opening_line(title=session.title, project=session.project, age=age, uri=session.uri)
    if stale:
        opening += f"\n{words.stale_line(stale_after / 86_400)}"
    sources = _sources(session, facts, entries, places, vocabulary, labelled=labelled)
    fitting = _Fitting(session.uri, opening, sources, max_tokens, count, vocabulary, labelled=labelled)
    text = fitting.text()
    parts = tuple(
        Part(source.kind, source.uri, source.sizes[shown], source.total)
        for source, shown in zip(fitting.sources, fitting.shown, strict=True)
    )
    return Dossier(
        text=text,
        tokens=count(text) if text else 0,
        session=session,
        parts=tuple(part for part in parts if part.shown),
        left_out=tuple(part for part in parts if part.shown < part.total),
        age=age,
        stale=stale,
    )


def _sources(
    session: Session,
    facts: Sequence[Fact],
    entries: Sequence[Entry],
    places: tuple[str, str],
    vocabulary: Vocabulary,
    *,
    labelled: bool,
) -> list[_Source]:
    memory, words = vocabulary.remembering, vocabulary.remembering.dossier

    def items(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(words.item_line(item_text(line, session.uri, vocabulary)) for line in lines)

    def line_of(line: str, record: Fact | Entry) -> str:
        if not labelled:
            return words.addressed_line(line, record.uri)
        return f"{line} {vocabulary.placing.label(record.confidence, uri=record.uri)}"

    pieces = {
        "next_steps": items(session.open_steps),
        "summary": _pieces(session.summary),
        "decisions": items(session.decisions),
        "facts": tuple(
            line_of(memory.fact_line(fact.key, item_text(fact.value, fact.uri, vocabulary), fact.description), fact)
            for fact in facts
        ),
        "entries": tuple(
            line_of(
                words.entry_line(title=entry.title, type=entry.type, content=item_text(entry.content, entry.uri, vocabulary)),
                entry,
            )
            for entry in entries
        ),
        "files": items(session.files),
    }
    where = {"facts": places[0], "entries": places[1]}
    return [
        _Source(kind, where.get(kind) or session.uri, found, _sizes(kind, found))
        for kind, _ in _SHARES
        if (found := pieces[kind])
    ]


def _sizes(kind: str, pieces: Sequence[str]) -> tuple[int, ...]:
    """How much is shown with so many pieces: characters of a summary, items of anything else."""
    return tuple(accumulate((len(piece) if kind == "summary" else 1 for piece in pieces), initial=0))


class _Fitting:
    """Grows the parts within the budget. ``shown`` is always a state whose text fits, or the text is empty."""

    def __init__(
        self,
        home: str,
        opening: str,
        sources: list[_Source],
        budget: int,
        count: Callable[[str], int],
        vocabulary: Vocabulary,
        *,
        labelled: bool,
    ) -> None:
        self.sources = sources
        self.shown = [0] * len(sources)
        self._home = home
        self._opening = opening
        self._budget = budget
        self._count = count
        self._vocabulary = vocabulary
        self._labelled = labelled
        self._complete = True
        self._fits = True
        self._start()

    def text(self) -> str:
        """The text of the state reached."""
        return self._render(self.shown) if self._fits else ""

    def _start(self) -> None:
        for complete in (True, False):
            self._complete = complete
            least = self._weigh(self.shown)
            if least <= self._budget:
                break
        else:
            self._fits = False
            return
        room, shares = self._budget - least, dict(_SHARES)
        for last in (False, True):
            for index, source in enumerate(self.sources):
                self._grow(index, self._budget if last else least + int(room * shares[source.kind]))

    def _grow(self, index: int, limit: int) -> None:
        """Show as much more of one part as the limit has room for."""
        least, step, most = self.shown[index], 1, len(self.sources[index].pieces)
        refused = most + 1
        while least < most and refused > least + 1:
            wanted = min(least + step, most, refused - 1)
            if self._weigh([*self.shown[:index], wanted, *self.shown[index + 1 :]]) <= limit:
                least = self.shown[index] = wanted
                step *= 2
            else:
                refused = wanted
                step = max(1, (refused - least) // 2)

    def _weigh(self, shown: Sequence[int]) -> int:
        return self._count(self._render(shown))

    def _render(self, shown: Sequence[int]) -> str:
        words = self._vocabulary.remembering.dossier
        blocks = [self._opening]
        missing: list[tuple[str, int, str]] = []
        for source, count in zip(self.sources, shown, strict=True):
            if count:
                blocks.append(f"{self._heading(source)}\n{self._body(source, count)}")
            else:
                missing.append((source.kind, source.total, source.uri if source.uri != self._home else ""))
        if missing and self._complete:
            blocks.append(words.left_out_line(missing))
        return "\n\n".join(blocks)

    def _heading(self, source: _Source) -> str:
        heading = self._vocabulary.remembering.dossier.heading(source.kind)
        # A summary tells in other words what was said; what stands in lists was taken down as it is.
        return f"{heading} {self._vocabulary.placing.label('inferred')}" if source.flows and self._labelled else heading

    def _body(self, source: _Source, count: int) -> str:
        hidden = source.total - source.sizes[count]
        if not source.flows:
            more = [self._marked(self._vocabulary.remembering.dossier.more_note(hidden, source.uri))] if hidden else []
            return "\n".join([*source.pieces[:count], *more])
        text = "".join(source.pieces[:count])
        if not hidden:
            return text.rstrip("\n")
        note = self._marked(self._vocabulary.remembering.cut_note(hidden, source.total, source.uri))
        return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{note}"

    def _marked(self, note: str) -> str:
        return f"{MARK_OPEN}{note}{MARK_CLOSE}"


def item_text(text: str, uri: str, vocabulary: Vocabulary) -> str:
    """An item of a list: its further lines are indented, a long one ends with a mark that names ``uri``."""
    if len(text) > _ITEM:
        note = vocabulary.remembering.cut_note(len(text) - _ITEM, len(text), uri)
        text = f"{text[:_ITEM]} {MARK_OPEN}{note}{MARK_CLOSE}"
    return "\n  ".join(text.splitlines())


def _pieces(text: str) -> tuple[str, ...]:
    """A text in pieces that give it back when they are joined: its lines, long ones cut at blanks where they have any."""
    pieces: list[str] = []
    for line in text.splitlines(keepends=True):
        start = 0
        while len(line) - start > _PIECE:
            blank = line.rfind(" ", start, start + _PIECE)
            end = blank + 1 if blank > start else start + _PIECE
            pieces.append(line[start:end])
            start = end
        pieces.append(line[start:])
    return tuple(pieces)
