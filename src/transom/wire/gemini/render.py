"""Gemini generateContent, written: one turn at a time.

Knows messages and elements of ``contents``. What was read from this format goes out as the bytes it came in, with its
signatures. All else is built: neighbours with one role become one content, and the results of a turn one content in call
order, because the API wants as many function responses right after the calls as there were calls.

Source: https://ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...messages import Call, Message, RedactedThinking, Result, Text
from ..format import Element, RenderOptions
from ..losses import note_fields
from ..pairing import pair
from ..report import Notes, Report
from ..thinking import note_redacted
from .parse import FORMAT
from .pieces import call_piece, piece, result_piece, text_piece
from .splice import append_to_entry, splice_message

__all__ = ["append_text", "render_turn", "user_element"]

_OPEN = {"user": b'{"role":"user","parts":[', "model": b'{"role":"model","parts":['}
_CLOSE = b"]}"

UNNAMED = "unknown_tool"
"""A response needs a name; what one is given that answers no known call and names no tool."""


def render_turn(turn: Sequence[Message], options: RenderOptions, report: Report, where: str = "") -> tuple[Element, ...]:
    """See ``Format.render_turn``."""
    if all(_is_native(message) for message in turn):
        elements = [_native(message, _notes(turn, at, options, report, where)) for at, message in enumerate(turn)]
        return tuple([element for element in elements if element is not None])
    return tuple(_Turn(turn, options, report, where).elements())


def _notes(turn: Sequence[Message], at: int, options: RenderOptions, report: Report, where: str) -> Notes:
    return Notes.in_turn(report, options.words, where, len(turn), at)


def _is_native(message: Message) -> bool:
    origin = message.origin
    return origin is not None and origin.format == FORMAT and not origin.place


def _has_results(message: Message) -> bool:
    return any(isinstance(part, Result) for part in message.parts)


def _native(message: Message, notes: Notes) -> Element | None:
    assert message.origin is not None
    raw = splice_message(message, notes) if message.edits else message.origin.raw
    if raw is None:
        notes("skipped", "nothing is left of this message")
        return None
    return Element(b"", (raw,))


class _Turn:
    """One turn that holds at least one message from elsewhere."""

    def __init__(self, turn: Sequence[Message], options: RenderOptions, report: Report, where: str) -> None:
        self._turn = turn
        self._options = options
        self._report = report
        self._where = where
        self._pairing = pair(turn)
        # All results of a turn stand in one entry: where one is from elsewhere, those of this format are written anew with it.
        self._gathers = any(_has_results(message) and not _is_native(message) for message in turn)

    def elements(self) -> Iterator[Element]:
        group: list[int] = []
        role = ""
        for at, message in enumerate(self._turn):
            native = _is_native(message) and not (self._gathers and _has_results(message))
            target = "" if native else "model" if message.role == "assistant" else "user"
            if group and target != role:
                yield from self._group(role, group)
                group = []
            role = target
            if native:
                element = _native(message, _notes(self._turn, at, self._options, self._report, self._where))
                if element is not None:
                    yield element
            else:
                group.append(at)
        if group:
            yield from self._group(role, group)

    def _group(self, role: str, group: list[int]) -> Iterator[Element]:
        """Neighbours with one role, as one content."""
        rows: list[tuple[int, bytes]] = []
        for at in group:
            rows.extend(self._pieces(at))
        in_order = sorted(rows, key=_order)
        if in_order != rows:
            self._report.add("reordered", self._where or "turn", "results stand first, in the order of their calls")
        if in_order:
            yield Element(_OPEN[role], tuple([written for _, written in in_order]), _CLOSE, role)

    def _pieces(self, at: int) -> Iterator[tuple[int, bytes]]:
        """The parts of one message, each with its place among results (-1: no result)."""
        message = self._turn[at]
        notes = _notes(self._turn, at, self._options, self._report, self._where)
        note_fields(message, self._report, signatures=True)
        if message.cache_breakpoint:
            self._report.add("dropped", "messages", "cache breakpoints: Gemini caches by itself or by name")
        for index, part in enumerate(message.parts):
            notes.part = index
            match part:
                case Call():
                    yield -1, call_piece(part, self._call_id(at, index, part), notes)
                case Result():
                    yield self._pairing.order[at, index], self._result(at, index, part, notes)
                case RedactedThinking():
                    note_redacted(self._report)
                case Text() if message.role == "system":
                    if part.text:
                        notes("degraded", "Gemini has no system message inside a conversation: it became a marked user text")
                        yield -1, text_piece(self._options.words.as_system(part.text))
                case _:
                    written = piece(part, self._options.thinking == "text", notes)
                    if written is not None:
                        yield -1, written

    def _call_id(self, at: int, index: int, call: Call) -> str:
        """Ids are optional here: none is made up for a call without one, names and order tell the calls apart."""
        return self._pairing.ids[at, index] if call.id and not _is_native(self._turn[at]) else call.id

    def _result(self, at: int, index: int, result: Result, notes: Notes) -> bytes:
        place = self._pairing.calls[at, index]
        if place is None:
            name = result.name or UNNAMED
            if not result.name:
                notes("degraded", "a result that names neither call nor tool")
            return result_piece(result, result.call_id, name, notes)
        call = self._turn[place[0]].parts[place[1]]
        assert isinstance(call, Call)
        return result_piece(result, self._call_id(*place, call), call.name, notes)


def _order(row: tuple[int, bytes]) -> int:
    """Results by the order of their calls, everything else behind them as it stood."""
    return row[0] if row[0] >= 0 else 1 << 40


def user_element(text: str) -> Element:
    """A new user entry."""
    return Element(_OPEN["user"], (text_piece(text),), _CLOSE, "user")


def append_text(last: Element, text: str) -> tuple[Element, int] | None:
    """See ``Format.append_text``."""
    if not last.open:
        appended = append_to_entry(last.blocks[0], text) if len(last.blocks) == 1 else None
        if appended is None:
            return None
        return Element(last.open, (appended[0],), last.close, last.merge), appended[1]
    if last.open != _OPEN["user"] or any(block.startswith(b'{"functionResponse"') for block in last.blocks):
        return None
    kept = len(last.open) + sum(map(len, last.blocks)) + max(0, len(last.blocks) - 1)
    return Element(last.open, (*last.blocks, text_piece(text)), last.close, last.merge), kept
