"""Chooses which notes a budget has room for, and lays them out.

Knows notes, their rendering and an estimate of what characters weigh; ``digest`` weighs the outcome with the real tokenizer and
asks again with a corrected estimate. Every section has a share; what one does not need goes to those that want more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from .actions import informational
from .excerpts import shorten
from .form import SECTIONS
from .notes import CallNote, CommandNote, Notes, Request, Statement
from .rendering import Rendering
from .speech import acknowledges, weight

__all__ = ["Layout", "Rates"]

# Sections from the most valuable to the least, with their shares of the budget where every one has something to say.
_SHARES = {
    "task": 20,
    "tasks": 9,
    "constraints": 12,
    "stood": 9,
    "requests": 24,
    "errors": 9,
    "decisions": 6,
    "files": 8,
    "commands": 5,
    "steps": 3,
    "rules": 6,
    "recurring": 3,
    "calls": 6,
}
_LEAST = 65  # estimated tokens per section; with less room the least valuable sections are left out
_CAPS = (100_000, 6_000, 3_000, 1_600, 900, 500, 300)
_FRAGMENTS = (200, 120, 60)
_UNCUT = 420  # characters up to which a quote is shown whole or not at all
_REPLY = 220
_MOST = 400  # entries of one section that are rendered at all
_MISSES = 12  # entries too large for what is left, after which a section stops trying
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Rates:
    """What text weighs, estimated.

    Attributes:
        ascii: tokens a character of ASCII text.
        other: tokens a character outside ASCII.
        uri: tokens of one ``context://vfs`` address.
    """

    ascii: float
    other: float
    uri: float

    def cost(self, text: str) -> float:
        """Estimated tokens of one entry, its line break included."""
        uris = text.count("context://vfs/")
        other = 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))
        return (len(text) - other - 78 * uris + 1) * self.ascii + other * self.other + uris * self.uri


@dataclass(frozen=True, slots=True)
class _Entry:
    """One rendered note. ``order`` is where it stands in its section."""

    order: int
    text: str


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What a section got. ``wants``: it would use more room; ``whole``: places of the quotes shown in full."""

    entries: tuple[_Entry, ...]
    used: float
    hidden: int
    wants: bool
    whole: frozenset[str] = frozenset()


class Layout:
    """The sections of one digest. Entries are rendered and weighed once, however often ``fill`` is asked."""

    def __init__(self, notes: Notes, rates: Rates, texts: dict[str, str], written: Rendering) -> None:
        """``texts`` receives, by address, what shortened quotes leave out."""
        self._rates = rates
        self._written = written
        # What a section costs before it says anything.
        heads = {key: rates.cost(written.heading(key)) + rates.cost(written.more(1_000)) for key in SECTIONS}
        self._quoted = {
            key: _Quotes(heads[key], requests, rates, texts, notes.hidden.get(key, 0), written)
            for key, requests in _quoted(notes)
            if requests
        }
        self._listed = {
            key: _List(heads[key], entries, places, rates, notes.hidden.get(key, 0))
            for key, entries, places in _lists(notes, written)
            if entries
        }

    def fill(self, room: float) -> str:
        """The sections in at most about ``room`` estimated tokens, headings included."""
        keys = [key for key in _SHARES if key in self._quoted or key in self._listed]
        keys = keys[: max(int(room / _LEAST), 1)]
        total = sum(_SHARES[key] for key in keys)
        rooms = {key: room * _SHARES[key] / total for key in keys}
        chosen: dict[str, _Chosen] = {}
        for turn in range(_ROUNDS):
            whole: frozenset[str] = frozenset()
            for key in keys:
                if key in self._quoted:
                    chosen[key] = self._quoted[key].choose(rooms[key])
                    whole |= chosen[key].whole
            for key in keys:
                if key in self._listed:
                    chosen[key] = self._listed[key].choose(rooms[key], whole)
            left = room - sum(section.used for section in chosen.values())
            wanting = [key for key, section in chosen.items() if section.wants]
            if left < 12 or not wanting or turn == _ROUNDS - 1:
                break
            rooms = {key: section.used for key, section in chosen.items()}
            shares = sum(_SHARES[key] for key in wanting)
            for key in wanting:
                rooms[key] += left * _SHARES[key] / shares
        filled = [(key, chosen[key]) for key in SECTIONS if key in chosen and chosen[key].entries]
        return "\n".join(line for key, section in filled for line in self._section(key, section))

    def _section(self, key: str, chosen: _Chosen) -> Iterable[str]:
        yield self._written.heading(key)
        for entry in sorted(chosen.entries, key=lambda entry: entry.order):
            yield entry.text
        if chosen.hidden:
            yield self._written.more(chosen.hidden)


def _quoted(notes: Notes) -> Iterable[tuple[str, list[Request]]]:
    task = notes.task
    replies = [request.reply for request in notes.requests if task is not None and request.said.place == task.place]
    yield "task", [Request(task, replies[0] if replies else None)] if task is not None else []
    yield "requests", [request for request in notes.requests if task is None or request.said.place != task.place]
    yield "rules", [Request(rule) for rule in notes.rules]
    yield "stood", [Request(notes.stood)] if notes.stood is not None else []


def _lists(notes: Notes, written: Rendering) -> Iterable[tuple[str, list[_Entry], Sequence[str]]]:
    """The plain sections, entries in order of importance. By its place an entry is skipped where its source is shown whole."""
    # What a tool keeps is the plan being worked on; a checkbox may stand in any document that was read or written.
    tasks = sorted(
        enumerate(notes.tasks),
        key=lambda at: (("doing", "open", "done").index(at[1].state), not at[1].source.startswith(("plan", "#"))),
    )
    yield "tasks", [_Entry(at, written.task(note)) for at, note in tasks if note.state != "done"], ()
    for key, statements in (("constraints", notes.constraints), ("decisions", notes.decisions)):
        ranked = _ranked(statements)
        yield key, [_Entry(at, written.statement(statements[at])) for at in ranked], [statements[at].place for at in ranked]
    yield "steps", [_Entry(at, written.step(note)) for at, note in reversed(list(enumerate(notes.steps)))], ()
    errors = sorted(enumerate(notes.errors), key=lambda at: (bool(at[1].ended), -at[0]))
    yield "errors", [_Entry(at, written.error(note)) for at, note in errors], ()
    files = sorted(enumerate(notes.files), key=lambda at: (not at[1].changed, -at[0]))[:_MOST]
    base = _base([note.path for _, note in files])
    first = [_Entry(-1, written.base(base))] if base else []
    yield "files", [*first, *(_Entry(at, written.file(note, base)) for at, note in files)], ()
    commands = sorted(
        enumerate(notes.commands),
        key=lambda at: (_routine(at[1]), -at[0]),
    )
    yield "commands", [_Entry(at, written.command(note)) for at, note in commands[:_MOST]], ()
    yield "recurring", [_Entry(at, written.recurring(note)) for at, note in enumerate(notes.recurring)], ()
    calls = sorted(enumerate(notes.calls), key=lambda at: 4 * _cheap(at[1]) - at[0])
    yield "calls", [_Entry(at, written.call(note)) for at, note in calls], ()


def _routine(note: CommandNote) -> int:
    """How little an outcome says: 0 for tests that failed, more for a look around or a script whose first line is mute."""
    return (
        (not note.failures)
        + (note.summary is None)
        + informational(note.command.text)
        + (note.command.size > 2 * len(note.command.text))
    )


def _cheap(note: CallNote) -> int:
    """How easily the result is had again, or done without: 0 for work of others and of the network, 3 for housekeeping."""
    mark, _, rest = note.label.text.partition(" ")
    if mark in ("$", "$…"):
        return 3 if rest.startswith(("git add", "git commit", "git status", "ls", "mkdir", "echo", "cp ", "mv ")) else 1
    return 2 if mark.lower() in ("read", "edit", "write", "glob", "ls", "view") else 0


def _base(paths: Sequence[str]) -> str:
    """The directory whose repetition costs most, with its final slash; empty where it is not worth a line."""
    if any("…/" in path for path in paths):
        return ""
    saved: dict[str, int] = {}
    for path in paths:
        at = path.find("/", 1)
        while at > 0:
            saved[path[: at + 1]] = saved.get(path[: at + 1], 0) + at
            at = path.find("/", at + 1)
    best = max(saved, key=lambda prefix: (saved[prefix], -len(prefix)), default="")
    return best if len(best) > 12 and saved[best] > 4 * len(best) else ""


def _ranked(statements: Sequence[Statement]) -> list[int]:
    """By weight; among equals alternately the newest and the oldest, so that neither end crowds the other out."""
    groups: dict[int, list[int]] = {}
    for at, statement in enumerate(statements):
        groups.setdefault(weight(statement), []).append(at)
    ranked: list[int] = []
    for key in sorted(groups, reverse=True):
        group = groups[key]
        half = (len(group) + 1) // 2
        for newest, oldest in zip_longest(reversed(group[len(group) - half :]), group[: len(group) - half]):
            ranked.extend(at for at in (newest, oldest) if at is not None)
    return ranked


class _List:
    """A section of plain entries, the most important first."""

    def __init__(self, head: float, entries: list[_Entry], places: Sequence[str], rates: Rates, before: int) -> None:
        self._entries = entries
        self._places = places
        self._before = before
        self._costs = [rates.cost(entry.text) for entry in entries]
        self._head = head

    def choose(self, room: float, whole: frozenset[str]) -> _Chosen:
        """The most important entries that fit; those whose source is shown whole need not be repeated."""
        used, kept, hidden, misses = self._head, [], 0, 0
        for at, entry in enumerate(self._entries):
            if self._places and self._places[at] in whole:
                continue
            if misses < _MISSES and used + self._costs[at] <= room:
                kept.append(entry)
                used += self._costs[at]
            else:
                hidden += 1
                misses += 1
        return _Chosen(tuple(kept), used if kept else 0.0, hidden + self._before, hidden > 0)


class _Quotes:
    """A section of quotes, which can be shortened before any is left out."""

    def __init__(
        self,
        head: float,
        requests: Sequence[Request],
        rates: Rates,
        texts: dict[str, str],
        before: int,
        written: Rendering,
    ) -> None:
        self._requests = requests
        self._rates = rates
        self._texts = texts
        self._before = before
        self._head = head
        self._written = written
        self._ranked = _by_importance(requests)
        self._made: dict[tuple[int, int], tuple[Request, float]] = {}

    def choose(self, room: float) -> _Chosen:
        """All quotes under the widest cap that lets them fit; under the narrowest, the most important ones."""
        candidates = self._ranked[: int(room / 6) + 2]
        for cap in _CAPS:
            narrowest = cap == _CAPS[-1]
            if not narrowest and self._at_least(candidates, cap) > room:
                continue
            used, kept = self._head, []
            for rank, at in enumerate(candidates):
                said, cost = self._capped(at, _allowed(cap, rank))
                if used + cost <= room:
                    used += cost
                    kept.append((at, said))
                elif not narrowest:
                    break
            else:
                return self._with_replies(kept or self._fragment(candidates, room), used, room)
        raise AssertionError

    def _fragment(self, candidates: Sequence[int], room: float) -> list[tuple[int, Request]]:
        """The beginning of the most important quote, where not one fits as it should."""
        for cap in _FRAGMENTS:
            said, cost = self._capped(candidates[0], cap)
            if self._head + cost <= room:
                return [(candidates[0], said)]
        return []

    def _at_least(self, candidates: Sequence[int], cap: int) -> float:
        """A cheap lower bound of what the quotes cost under a cap."""
        visible = sum(min(self._requests[at].said.quote.size, _allowed(cap, rank)) for rank, at in enumerate(candidates))
        return visible * min(self._rates.ascii, self._rates.other) * 0.7

    def _capped(self, at: int, cap: int) -> tuple[Request, float]:
        request = self._requests[at]
        if request.said.quote.size <= cap:
            cap = 0
        made = self._made.get((at, cap))
        if made is None:
            quote = (
                shorten(request.said.quote, cap, self._texts, account=request.said.who == "summary")
                if cap
                else request.said.quote
            )
            asked = replace(request.asked, text=request.asked.text[:_REPLY].rstrip()) if request.asked else None
            said = Request(replace(request.said, quote=quote), None, asked)
            made = self._made[at, cap] = (said, self._rates.cost(self._written.request(said)))
        return made

    def _with_replies(self, kept: list[tuple[int, Request]], used: float, room: float) -> _Chosen:
        entries: list[_Entry] = []
        missing = 0
        if len(kept) == 1 and used == self._head:
            used += self._rates.cost(self._written.request(kept[0][1]))
        for at, capped in kept:
            reply = self._requests[at].reply
            shown = None
            if reply is not None:
                shorter = replace(reply, text=reply.text[:_REPLY].rstrip())
                cost = self._rates.cost(self._written.reply(shorter))
                if used + cost <= room:
                    used += cost
                    shown = shorter
                else:
                    missing += 1
            entries.append(_Entry(at, self._written.request(Request(capped.said, shown, capped.asked))))
        whole = frozenset(said.said.place for _, said in kept if said.said.quote.intact)
        hidden = len(self._requests) - len(kept)
        wants = hidden > 0 or missing > 0 or len(whole) < len(kept)
        return _Chosen(tuple(entries), used if kept else 0.0, hidden + self._before, wants, whole)


def _allowed(cap: int, rank: int) -> int:
    """The newest words get more room than the others; what is short is not cut at all."""
    return max(cap * 3 if rank == 0 else cap * 2 if rank < 3 else cap, _UNCUT)


def _by_importance(requests: Sequence[Request]) -> list[int]:
    """Newest first, mere acknowledgements last."""
    newest = range(len(requests) - 1, -1, -1)
    return sorted(newest, key=lambda at: acknowledges(requests[at].said.quote.shown))
