"""Reads a span of messages into notes: one pass, linear in the span, no model.

Knows messages and what the sibling modules find in them; no budget beyond ``most``, which bounds how many entries of each long
list are worth preparing, and no layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....messages import Message
from ....store.blobs import blob_uri
from ....vocabulary import ENGLISH, Vocabulary
from ....vocabulary.digesting import DigestWords
from ...offload.excerpts import byte_size, excerpt_source
from .actions import Action, action_of, command_key, informational
from .excerpts import OWN_BYTES, line_of
from .form import first_line
from .notes import CallNote, CommandNote, ErrorNote, FileNote, Line, Notes, Quote, Remark, Request, Statement, Step, TaskNote
from .outcomes import Outcome, outcome_of, telling_line
from .pairing import Exchange, Said, events
from .plans import Plans
from .recurring import Tally
from .speech import acknowledges, closing_line, is_noise, is_rules, is_summary, own_words, statements

__all__ = ["extract"]

_PROSE = (".md", ".markdown", ".org", ".txt")
_STEPS = 5
_LABEL = 200  # characters of a call's label that are kept
_ERROR_LINE = 240
_SESSION = re.compile(r"session (?:id )?[:#]?\s*(\d+)", re.IGNORECASE)
_MOVED = re.compile(r"context://vfs/[0-9a-f]{64}")
_MARKER = 700  # characters; a longer answer that names an address is one that quotes it
_UNKNOWN = Outcome("unknown", False)


def extract(
    messages: Sequence[Message],
    window: str,
    *,
    most: int,
    texts: dict[str, str],
    skip: str | None = None,
    earlier: Sequence[TaskNote] = (),
    vocabulary: Vocabulary = ENGLISH,
) -> Notes:
    """Read a span.

    Args:
        messages: the span, in order.
        window: names the places (``w3:41``).
        earlier: tasks of the window before, which a tool may now update by their ids.
        skip: a text that is no message but an earlier digest; the message that is exactly this is passed over.
        most: entries of each long list that are worth preparing.
        texts: receives, by address, every text whose address the notes name.
        vocabulary: names what has no words of its own, and tells what stands in for a message that was missing.
    """
    reader = _Reader(window, most, texts, earlier, vocabulary.digesting)
    told = events(messages, missing=vocabulary.mending.missing_result)
    room = max(2_000_000 // (len(told) + 1), 200)
    for event in told:
        if isinstance(event, Exchange):
            reader.exchange(event, room)
        elif event.text not in (skip, vocabulary.mending.opening):
            reader.said(event)
    return reader.notes(len(messages))


class _Reader:
    """The state of one pass; every dict keeps the order of last use."""

    def __init__(self, window: str, most: int, texts: dict[str, str], earlier: Sequence[TaskNote], words: DigestWords) -> None:
        self.words = words
        self.window = window
        self.most = most
        self.texts = texts
        self.plans = Plans(earlier)
        self.tally = Tally()
        self.task: Remark | None = None
        self.rules: list[Remark] = []
        self.requests: list[Request] = []
        self.constraints: dict[str, Statement] = {}
        self.decisions: dict[str, Statement] = {}
        self.open: list[tuple[int, TaskNote]] = []
        self.errors: dict[str, ErrorNote] = {}
        self.failed_at: dict[str, int] = {}
        self.files: dict[str, tuple[dict[str, int], bool]] = {}
        self.changed_at: dict[str, int] = {}
        self.commands: dict[str, CommandNote] = {}
        self.calls: dict[str, tuple[Exchange, Line]] = {}
        self.answer: Said | None = None
        self.answers: list[int] = []
        self.spoken: list[Said] = []
        self.latest: list[Step] = []
        self.sessions: dict[str, Action] = {}

    def place(self, number: int) -> str:
        return f"{self.window}:{number}"

    # ── words ──────────────────────────────────────────────────────────────────────────────────────────────────────────
    def said(self, event: Said) -> None:
        if event.role == "assistant":
            self._answered(event)
            return
        place = self.place(event.number)
        if event.role == "system" or is_rules(event.text):
            self.rules.append(Remark(place, "system", Quote.whole(event.text)))
            return
        words = own_words(event.text)
        shown = words.shown
        if not shown.strip() and event.files:
            words = Quote.whole(" ".join(self.words.attached.format(name=name) for name in event.files))
        elif is_noise(shown):
            return
        self._close()
        remark = Remark(place, "summary" if is_summary(shown) else "user", words)
        if not words.complete and words.uri:
            self.texts[words.uri] = event.text
        self.task = self.task or remark
        asked = None
        if self.requests and acknowledges(shown):
            last = self.requests[-1]
            asked = last.reply
            self.requests[-1] = Request(last.said, None, last.asked)
        self.requests.append(Request(remark, asked=asked))
        self.tally.add(shown[:20_000], said=True)
        self.plans.text(place, shown)
        self._statements(place, remark.who, shown, event.number)

    def _answered(self, event: Said) -> None:
        if not event.text.strip():
            return
        self.answer = event
        self.answers = [*self.answers[-1:], event.number]
        place = self.place(event.number)
        self.tally.add(event.text[:6_000], said=True)
        self.plans.text(place, event.text)
        self.spoken.append(event)

    def _statements(self, place: str, who: str, text: str, number: int) -> None:
        for kind, statement in statements(place, who, text):
            if kind == "open":
                source = "" if who == "user" else "said"
                self.open.append((number if source else 0, TaskNote(place, "open", statement.line, source)))
            elif kind == "constraint":
                self.constraints.setdefault(statement.line.text, statement)
            else:
                self.decisions.pop(statement.line.text, None)
                self.decisions[statement.line.text] = statement

    def _close(self) -> None:
        """The user speaks again: what the assistant said last was its reply."""
        if self.answer is not None and self.requests:
            last = self.requests[-1]
            if last.reply is None:
                self.requests[-1] = Request(last.said, closing_line(self.answer.text), last.asked)
        self.answer = None

    def _settled(self) -> None:
        """Decisions of the assistant, from the newest back until there are enough: the old ones give way anyway."""
        found: list[list[tuple[str, Statement]]] = []
        count = 0
        for event in reversed(self.spoken):
            if count > self.most:
                break
            said = list(statements(self.place(event.number), "assistant", event.text[:12_000]))
            found.append(said)
            count += len(said)
        for said in reversed(found):
            for kind, statement in said:
                if kind == "open":
                    number = int(statement.place.rpartition(":")[2])
                    self.open.append((number, TaskNote(statement.place, "open", statement.line, "said")))
                else:
                    self.decisions.pop(statement.line.text, None)
                    self.decisions[statement.line.text] = statement

    # ── calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────
    def exchange(self, event: Exchange, room: int) -> None:
        action = action_of(event.name, event.arguments, custom=event.custom, words=self.words)
        place = self.place(event.number)
        if action.arguments is not None and self.plans.tool(place, event.name, action.arguments, event.answer):
            return
        session = self._session(event, action)
        if session is not None:
            action = session
        self.tally.add(event.arguments[: min(room, 300)], said=False)
        if event.answer is not None and len(event.answer) <= room:
            self.tally.add(event.answer[:600], said=False)
        label = line_of(action.label, _LABEL)
        outcome = self._outcome(event, action)
        key = command_key(action.command)[:_LABEL] if action.command else label.text
        if action.command:
            self._command(key, action, outcome, again=session is not None)
        self._files(event, action, outcome)
        if outcome.failed:
            self._failed(key, place, label, outcome, event)
        elif outcome.word == "ok":
            self._succeeded(key)
        self.latest = [*self.latest[1 - _STEPS :], Step(place, outcome.word, label)]
        if event.answer is not None:
            self.calls.pop(label.text, None)
            self.calls[label.text] = (event, label)

    def _outcome(self, event: Exchange, action: Action) -> Outcome:
        answer = event.answer
        if answer is not None and len(answer) < _MARKER and _moved(answer) is not None:
            return _UNKNOWN
        shows = bool(action.command) and informational(action.command)
        return outcome_of(answer, flagged=event.is_error, runs=bool(action.command) and not shows, shows=shows)

    def _session(self, event: Exchange, action: Action) -> Action | None:
        """The command that a call goes on with, where a tool keeps commands running and is polled for their output."""
        if action.command:
            running = _SESSION.search(event.answer[:400]) if event.answer else None
            if running:
                self.sessions[running.group(1)] = action
            return None
        given = action.arguments.get("session_id") if action.arguments is not None else None
        return self.sessions.get(str(given)) if given is not None else None

    def _command(self, key: str, action: Action, outcome: Outcome, *, again: bool) -> None:
        """``again``: this is more output of a run that was counted before."""
        known = self.commands.pop(key, None)
        summary = line_of(outcome.summary, _ERROR_LINE) if outcome.summary else None
        if summary is None and known is not None and known.outcome == outcome.word:
            summary = known.summary
        self.commands[key] = CommandNote(
            line_of(key, _LABEL),
            outcome.word,
            (known.count if known else 0) + (not again),
            (known.failures if known else 0) + outcome.failed,
            summary,
            action.label.startswith("$… "),
        )

    def _files(self, event: Exchange, action: Action, outcome: Outcome) -> None:
        for verb, given in action.files:
            path = first_line(given)[:400]
            if not path:
                continue
            verbs, _ = self.files.pop(path, ({}, False))
            verbs[verb] = verbs.get(verb, 0) + 1
            self.files[path] = (verbs, outcome.failed and not action.command)
            if verb != "read":
                self.changed_at[path] = event.number
                if not outcome.failed:
                    self._succeeded("changing " + path)
        for verb, path in action.files:
            if verb == "deleted":
                self.plans.gone(_name(path))
        if action.arguments is not None and action.files and action.files[0][1].endswith(_PROSE):
            for key in ("content", "file_text", "new_string", "newText", "new_str"):
                value = action.arguments.get(key)
                if isinstance(value, str):
                    self.plans.text(self.place(event.number), value[:100_000], _name(action.files[0][1]))

    def _failed(self, key: str, place: str, label: Line, outcome: Outcome, event: Exchange) -> None:
        known = self.errors.pop(key, None)
        answer = event.answer or ""
        lines = tuple(line_of(line, _ERROR_LINE) for line in outcome.lines)
        uri = self._address(answer) if byte_size(answer) >= OWN_BYTES else ""
        self.errors[key] = ErrorNote(place, label, lines, (known.count if known else 0) + 1, "", uri)
        self.failed_at[key] = event.number

    def _succeeded(self, key: str) -> None:
        known = self.errors.get(key)
        if known is not None and not known.ended:
            self.errors[key] = ErrorNote(known.place, known.label, known.lines, known.count, "passed", known.uri)

    def _address(self, answer: str) -> str:
        moved = _moved(answer)
        if moved is not None:
            return moved[0]
        uri = blob_uri(answer)
        self.texts[uri] = answer
        return uri

    # ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────────
    def notes(self, messages: int) -> Notes:
        self._settled()
        stood = None
        if self.answer is not None:
            stood = Remark(self.place(self.answer.number), "assistant", Quote.whole(self.answer.text))
        recent = self.answers[0] if self.answers else 0
        prose = [note for number, note in self.open if number == 0 or number >= recent]
        return Notes(
            messages=messages,
            task=self.task,
            rules=tuple(self.rules),
            requests=self._requests(),
            stood=stood,
            steps=tuple(self.latest),
            tasks=(*prose, *self.plans.notes()),
            constraints=tuple(self.constraints.values()),
            decisions=tuple(self.decisions.values()),
            errors=tuple(self._ended(note, self.failed_at[key]) for key, note in list(self.errors.items())[-self.most :]),
            files=tuple(FileNote(path, tuple(verbs.items()), failed) for path, (verbs, failed) in self.files.items()),
            commands=tuple(self.commands.values()),
            recurring=self.tally.notes(self.most),
            calls=self._calls(),
        )

    def _requests(self) -> tuple[Request, ...]:
        """All of them, but of several accounts of earlier work only the newest."""
        accounts = [index for index, request in enumerate(self.requests) if request.said.who == "summary"]
        outdated = set(accounts[:-1])
        return tuple(request for index, request in enumerate(self.requests) if index not in outdated)

    def _ended(self, note: ErrorNote, at: int) -> ErrorNote:
        """An error line that names a file which was changed afterwards is probably dealt with, and says so."""
        if note.ended:
            return note
        said = "\n".join(line.text for line in (note.label, *note.lines))
        for path, changed in self.changed_at.items():
            if changed > at and path.rsplit("/", 1)[-1] in said:
                return ErrorNote(note.place, note.label, note.lines, note.count, "changed", note.uri)
        return note

    def _calls(self) -> tuple[CallNote, ...]:
        """The newest calls; those whose results the message list shows anyway, or that say little, give way to the others."""
        notes: list[CallNote] = []
        for event, label in reversed(self.calls.values()):
            answer = event.answer or ""
            place = self.place(event.number)
            if len(notes) >= self.most:
                break
            moved = _moved(answer)
            if moved is not None or byte_size(answer) >= OWN_BYTES:
                notes.append(CallNote(place, label, self._address(answer), moved[1] if moved else byte_size(answer)))
            elif not label.text.startswith("$") and label.text.partition(" ")[2] not in self.files:
                line = telling_line(answer)
                if line:
                    notes.append(CallNote(place, label, short=Line(line[:160], len(answer))))
        return tuple(reversed(notes))


def _name(path: str) -> str:
    """The last part of a path, without blanks."""
    return "".join(path.rsplit("/", 1)[-1].split()) or "file"


def _moved(answer: str) -> tuple[str, int] | None:
    """Where the whole of an answer is that was shortened or cleared before, and its size where that is known; else ``None``."""
    if "context://" not in answer:
        return None
    source = excerpt_source(answer)
    if source is not None:
        return source.uri, source.size
    named: set[str] = set(_MOVED.findall(answer)) if len(answer) < _MARKER else set()
    return (named.pop(), 0) if len(named) == 1 else None
