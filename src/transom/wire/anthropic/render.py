"""Anthropic Messages, written: one turn at a time.

Knows messages and elements of ``messages``. What was read from this format goes out as the bytes it came in. All else is built:
assistant messages in a row become one entry; the results of a turn become one user entry in call order, with whatever else the
user said behind them, because the API wants results "immediately after" their calls and first in the entry.

Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from ...jsontext import dumps
from ...messages import Attachment, Call, Message, RedactedThinking, Result, Text
from ..format import Element, RenderOptions
from ..losses import note_fields
from ..pairing import Place, pair
from ..report import Notes, Report
from ..thinking import note_redacted
from .blocks import (
    MARKER,
    call_block,
    content_block,
    mark_entry,
    may_be_marked,
    result_block,
    stand_in,
    text_block,
    tool_name,
    valid_id,
    with_marker,
    without_markers,
)
from .parse import FORMAT
from .splice import append_to_entry, splice_message

__all__ = ["append_text", "marker_of", "render_turn", "user_element"]

_OPEN = {role: b'{"role":"' + role.encode() + b'","content":[' for role in ("user", "assistant", "system")}
_CLOSE = b"]}"


def render_turn(turn: Sequence[Message], options: RenderOptions, report: Report, where: str = "") -> tuple[Element, ...]:
    """See ``Format.render_turn``."""
    if all(_is_native(message) for message in turn):
        elements = [_native(message, options, _notes(turn, at, options, report, where)) for at, message in enumerate(turn)]
        return tuple([element for element in elements if element is not None])
    return tuple(_Turn(turn, options, report, where).elements())


def _notes(turn: Sequence[Message], at: int, options: RenderOptions, report: Report, where: str) -> Notes:
    return Notes.in_turn(report, options.words, where, len(turn), at)


def _is_native(message: Message) -> bool:
    origin = message.origin
    return origin is not None and origin.format == FORMAT and not origin.place


def _has_results(message: Message) -> bool:
    return any(isinstance(part, Result) for part in message.parts)


def _native(message: Message, options: RenderOptions, notes: Notes) -> Element | None:
    """A message of this format as one whole entry. Its markers count as ours: taken out of the plain bytes."""
    assert message.origin is not None
    raw = splice_message(message, notes) if message.edits else message.origin.raw
    if raw is None:
        notes("skipped", "nothing is left of this message")
        return None
    plain = without_markers(raw)
    if not message.cache_breakpoint or not options.cache_markers:
        return Element(b"", (plain,))
    marked = raw if plain is not raw else mark_entry(raw)
    return Element(b"", (plain,), marked=None if marked is None else (0, marked))


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
        self._ids = {place: self._call_id(place, name) for place, name in self._pairing.ids.items()}

    def _call_id(self, place: Place, name: str) -> str:
        message = self._turn[place[0]]
        part = message.parts[place[1]]
        if _is_native(message) and isinstance(part, Call):
            return part.id
        return name if valid_id(name) else _safe_id(name)

    def _result_id(self, place: Place, result: Result) -> str:
        call = self._pairing.calls[place]
        if call is not None:
            return self._ids[call]
        if valid_id(result.call_id):
            return result.call_id
        return _safe_id(result.call_id or f"{self._where} {place}")

    def elements(self) -> Iterator[Element]:
        group: list[int] = []
        role = ""
        for at, message in enumerate(self._turn):
            native = _is_native(message) and not (self._gathers and _has_results(message))
            target = "" if native else message.role if message.role in ("assistant", "system") else "user"
            if group and target != role:
                yield from self._group(role, group)
                group = []
            role = target
            if native:
                element = _native(message, self._options, _notes(self._turn, at, self._options, self._report, self._where))
                if element is not None:
                    yield element
            else:
                group.append(at)
        if group:
            yield from self._group(role, group)

    def _group(self, role: str, group: list[int]) -> Iterator[Element]:
        """Neighbours with one role, as one entry."""
        rows: list[tuple[int, int, bytes]] = []
        for at in group:
            rows.extend(self._blocks(at))
        in_order = sorted(rows, key=_order)
        if in_order != rows:
            self._report.add("reordered", self._where or "turn", "results stand first, in the order of their calls")
        if not in_order:
            return
        blocks = tuple([block for _, _, block in in_order])
        yield Element(_OPEN[role], blocks, _CLOSE, role, self._marked(group, in_order))

    def _marked(self, group: list[int], rows: list[tuple[int, int, bytes]]) -> tuple[int, bytes] | None:
        wanted = {at for at in group if self._turn[at].cache_breakpoint} if self._options.cache_markers else set()
        if not wanted:
            return None
        for index in reversed(range(len(rows))):
            _, at, block = rows[index]
            if at in wanted and may_be_marked(block):
                if len(wanted) > 1:
                    self._report.add(
                        "degraded", self._where or "turn", "of the cache breakpoints in one entry the last one counts"
                    )
                return index, with_marker(block, marker_of(self._turn[at]))
        return None

    def _blocks(self, at: int) -> Iterator[tuple[int, int, bytes]]:
        """The blocks of one message, each with its place among results (-1: no result) and the message it belongs to."""
        message = self._turn[at]
        notes = _notes(self._turn, at, self._options, self._report, self._where)
        note_fields(message, self._report)
        native = message.origin is None or message.origin.format == FORMAT
        for index, part in enumerate(message.parts):
            notes.part = index
            match part:
                case Call():
                    yield -1, at, call_block(part, self._ids[at, index], notes)
                case Result():
                    order = self._pairing.order[at, index]
                    yield order, at, result_block(part, self._result_id((at, index), part), notes)
                case RedactedThinking() if not native:
                    note_redacted(self._report)
                case Attachment() if message.role == "assistant":
                    yield -1, at, stand_in(part, "is the assistant's, and Anthropic takes files from the user only", notes)
                case _:
                    if message.role == "system" and not isinstance(part, Text):
                        notes("dropped", "a system message holds text only")
                        continue
                    block = content_block(part, native, self._options.thinking == "text", notes)
                    if block is not None:
                        yield -1, at, block


def _order(row: tuple[int, int, bytes]) -> int:
    """Results by the order of their calls, everything else behind them as it stood."""
    return row[0] if row[0] >= 0 else 1 << 40


def _safe_id(name: str) -> str:
    """An id in the API's alphabet for one that is not, the same one every time."""
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:12]
    return f"{tool_name(name)[:40]}_{digest}"


def marker_of(message: Message) -> bytes:
    """The cache marker a message asks for: the source's own where it had one."""
    for part in reversed(message.parts):
        marker = getattr(part, "extra", {}).get("cache_control")
        if isinstance(marker, Mapping) and message.origin is not None and message.origin.format == FORMAT:
            return dumps(marker)
    return MARKER


def user_element(text: str) -> Element:
    """A new user entry."""
    return Element(_OPEN["user"], (text_block(text),), _CLOSE, "user")


def append_text(last: Element, text: str) -> tuple[Element, int] | None:
    """See ``Format.append_text``."""
    if not last.open:
        return _append_whole(last, text)
    if last.open != _OPEN["user"] or any(block.startswith(b'{"type":"tool_result"') for block in last.blocks):
        return None
    kept = len(last.open) + sum(map(len, last.blocks)) + max(0, len(last.blocks) - 1)
    return Element(last.open, (*last.blocks, text_block(text)), last.close, last.merge, last.marked), kept


def _append_whole(last: Element, text: str) -> tuple[Element, int] | None:
    appended = append_to_entry(last.blocks[0], text) if len(last.blocks) == 1 else None
    if appended is None:
        return None
    entry, kept = appended
    marked = append_to_entry(last.marked[1], text) if last.marked is not None else None
    return Element(last.open, (entry,), last.close, last.merge, (0, marked[0]) if marked is not None else None), kept
