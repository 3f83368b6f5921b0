"""Ollama, written: one turn at a time.

Knows messages and elements of ``messages``. What was read from this format goes out as the bytes it came in; all else is built:
the assistant messages of a turn become one entry with content and calls, the results follow as ``tool`` entries in call order,
whatever else the turn holds comes after them. The content of an entry is one text, so several become one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...jsontext import dumps, join_object
from ...messages import Attachment, Call, Message, Opaque, RedactedThinking, Result, Text, Thinking
from ..format import Element, RenderOptions
from ..losses import note_fields
from ..pairing import pair
from ..report import Notes, Report
from ..thinking import note_redacted
from .parse import FORMAT
from .splice import call_bytes, picture, spliced

__all__ = ["render_system", "render_turn", "user_element"]


def user_element(text: str) -> Element:
    """A new user entry."""
    return _whole(dumps({"role": "user", "content": text}))


def _whole(raw: bytes) -> Element:
    return Element(b"", (raw,))


def render_turn(turn: Sequence[Message], options: RenderOptions, report: Report, where: str = "") -> tuple[Element, ...]:
    """See ``Format.render_turn``."""
    rendering = _Turn(turn, options, report, where)
    own = [rendering.own(at) for at in range(len(turn))]
    if all(own):
        return tuple([_whole(raw) for raw in own if raw])
    return tuple(rendering.elements(own))


def render_system(system: Sequence[Message], options: RenderOptions, report: Report) -> tuple[Element, ...]:
    """The system prompt, as the first elements."""
    elements: list[Element] = []
    for index, message in enumerate(system):
        elements.extend(render_turn((message,), options, report, f"system[{index}]"))
    return tuple(elements)


class _Entry:
    """An element in the making."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.pictures: list[str] = []
        self.calls: list[bytes] = []
        self.answers: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.texts or self.thoughts or self.pictures or self.calls)

    def raw(self, notes: Notes) -> bytes:
        if len(self.texts) > 1:
            notes("degraded", "several texts became one")
        members = {"role": dumps(self.role)}
        if self.thoughts:
            members["thinking"] = dumps("\n".join(self.thoughts))
        members["content"] = dumps("\n".join(self.texts))
        if self.pictures:
            members["images"] = dumps(self.pictures)
        if self.calls:
            members["tool_calls"] = b"[" + b",".join(self.calls) + b"]"
        members.update({field: dumps(value) for field, value in self.answers.items() if value})
        return join_object(members)


class _Turn:
    """One turn."""

    def __init__(self, turn: Sequence[Message], options: RenderOptions, report: Report, where: str) -> None:
        self._turn = turn
        self._options = options
        self._report = report
        self._where = where
        self._pairing = pair(turn)

    def _notes(self, at: int) -> Notes:
        return Notes.in_turn(self._report, self._options.words, self._where, len(self._turn), at)

    def own(self, at: int) -> bytes | None:
        """The bytes a message of this format goes out as."""
        message = self._turn[at]
        origin = message.origin
        if origin is None or origin.format != FORMAT:
            return None
        return spliced(message, origin.raw, self._notes(at)) if message.edits else origin.raw

    def elements(self, own: Sequence[bytes | None]) -> Iterator[Element]:
        """The turn where at least one message is from elsewhere."""
        at = 0
        while at < len(self._turn):
            run: list[int] = []
            while at < len(self._turn) and self._turn[at].role == "assistant":
                run.append(at)
                at += 1
            yield from self._assistant(run, own)
            run = []
            while at < len(self._turn) and self._turn[at].role != "assistant":
                run.append(at)
                at += 1
            yield from self._others(run, own)

    def _assistant(self, run: Sequence[int], own: Sequence[bytes | None]) -> Iterator[Element]:
        entry = _Entry("assistant")
        for at in run:
            raw = own[at]
            if raw is None:
                self._fill(entry, at)
                continue
            if entry:
                yield _whole(entry.raw(self._notes(at)))
            yield _whole(raw)
            entry = _Entry("assistant")
        if entry or (run and own[run[-1]] is None and not any(self._turn[at].parts for at in run)):
            yield _whole(entry.raw(self._notes(run[-1])))

    def _others(self, run: Sequence[int], own: Sequence[bytes | None]) -> Iterator[Element]:
        """Results in call order, then what else the messages hold."""
        answers: list[tuple[int, bytes]] = []
        rest: list[Element] = []
        for at in run:
            message = self._turn[at]
            results = [index for index, part in enumerate(message.parts) if isinstance(part, Result)]
            raw = own[at]
            if raw is not None:
                if results:
                    answers.append((self._pairing.order[at, results[0]], raw))
                else:
                    rest.append(_whole(raw))
                continue
            answers.extend([(self._pairing.order[at, index], self._result(at, index)) for index in results])
            entry = _Entry("system" if message.role == "system" else "user")
            self._fill(entry, at)
            if entry or not message.parts:
                rest.append(_whole(entry.raw(self._notes(at))))
        answers.sort(key=lambda answer: answer[0])
        yield from [_whole(raw) for _, raw in answers]
        yield from rest

    def _result(self, at: int, index: int) -> bytes:
        result = self._turn[at].parts[index]
        assert isinstance(result, Result)
        notes = self._notes(at)
        notes.part = index
        entry = _Entry("tool")
        for item in result.content:
            match item:
                case Text():
                    entry.texts.append(item.text)
                case Attachment():
                    self._picture(entry, item, notes)
                case Opaque():
                    notes("dropped", f"a {item.kind!r} item, which only {item.format} understands")
        if result.is_error:
            notes("degraded", "a result cannot be marked as an error")
        place = self._pairing.calls[at, index]
        name, call_id = result.name, result.call_id
        if place is not None:
            call = self._turn[place[0]].parts[place[1]]
            assert isinstance(call, Call)
            name, call_id = call.name, self._call_id(*place, call)
        entry.answers = {"tool_name": name, "tool_call_id": call_id}
        return entry.raw(notes)

    def _call_id(self, at: int, index: int, call: Call) -> str:
        """Ids are optional here: none is made up for a call without one, names and order tell the calls apart."""
        own = self._turn[at].origin
        return self._pairing.ids[at, index] if call.id and (own is None or own.format != FORMAT) else call.id

    def _fill(self, entry: _Entry, at: int) -> None:
        message = self._turn[at]
        notes = self._notes(at)
        note_fields(message, self._report)
        if message.cache_breakpoint:
            self._report.add("dropped", "messages", "cache breakpoints: Ollama caches prefixes by itself")
        for index, part in enumerate(message.parts):
            notes.part = index
            match part:
                case Text():
                    if part.text:
                        entry.texts.append(part.text)
                case Thinking():
                    self._thought(entry, part, notes)
                case RedactedThinking():
                    note_redacted(self._report)
                case Attachment():
                    self._picture(entry, part, notes)
                case Call() if entry.role == "assistant":
                    entry.calls.append(call_bytes(part, self._call_id(at, index, part), notes))
                case Call():
                    notes("dropped", f"a call in a {message.role} message")
                case Opaque(format_, kind, _):
                    notes("dropped", f"a {kind!r} item, which only {format_} understands")
                case Result():
                    pass

    def _thought(self, entry: _Entry, part: Thinking, notes: Notes) -> None:
        if entry.role != "assistant" or not part.text:
            return
        if self._options.thinking == "text":
            notes("degraded", "reasoning became text")
            entry.texts.append(self._options.words.as_reasoning(part.text))
        else:
            if part.signature is not None:
                self._report.add("dropped", "messages", "signatures of reasoning, which only their own provider can read")
            entry.thoughts.append(part.text)

    @staticmethod
    def _picture(entry: _Entry, part: Attachment, notes: Notes) -> None:
        data = picture(part)
        if data:
            entry.pictures.append(data)
        else:
            notes("dropped", f"a file ({part.media_type}) that is no picture at hand")
