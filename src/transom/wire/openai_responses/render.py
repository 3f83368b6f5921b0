"""OpenAI Responses, written: one turn at a time.

Knows messages and items. Every element is one item. Messages that were read from this format go out as the bytes they came in;
all else is built: a piece of text, a call or a result is an item of its own, so that their order is kept. Results follow all
calls of their turn, in call order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...jsontext import dumps
from ...messages import Attachment, Call, Message, Opaque, RedactedThinking, Result, Text, Thinking
from ...vocabulary.mending import MendingWords
from ..format import Element, RenderOptions
from ..losses import note_unknown
from ..pairing import Pairing, pair
from ..report import Report
from ..thinking import note_redacted
from .parse import FORMAT
from .parts import call_item, content_block, is_carried
from .splice import spliced

__all__ = ["render_system", "render_turn", "user_element"]


_SAID_OTHERWISE = frozenset({"cache_control", "detail", "id", "role", "status", "type"})
"""Fields that are carried in another way, or that mean nothing outside their source."""


def user_element(text: str) -> Element:
    """A new user item."""
    return _whole(dumps({"role": "user", "content": text}))


def _whole(raw: bytes) -> Element:
    return Element(b"", (raw,))


def _is_own(message: Message) -> bool:
    return message.origin is not None and message.origin.format == FORMAT


def _own(message: Message, words: MendingWords) -> Iterator[Element]:
    """The item of a message of this format, nothing where its edits leave nothing."""
    origin = message.origin
    if origin is None:
        return
    if origin.place:
        # ``input`` or ``instructions`` as one string: it has no item of its own to go back into.
        yield _whole(dumps({"role": message.role, "content": message.text}))
        return
    raw = spliced(message, origin.raw, words) if message.edits else origin.raw
    if raw:
        yield _whole(raw)


def render_turn(turn: Sequence[Message], options: RenderOptions, report: Report, where: str = "") -> tuple[Element, ...]:
    """See ``Format.render_turn``."""
    if all(_is_own(message) for message in turn):
        return tuple([element for message in turn for element in _own(message, options.words)])
    return tuple(_Turn(turn, options, report, where).elements())


def render_system(system: Sequence[Message], options: RenderOptions, report: Report) -> tuple[bytes, tuple[Element, ...]]:
    """The system prompt: the field ``instructions`` as JSON text, and the items that come first.

    A single text from elsewhere becomes ``instructions``; several stay apart, as items.
    """
    first = system[0] if system else None
    if (
        first is not None
        and first.origin is not None
        and first.origin.format == FORMAT
        and first.origin.place == "instructions"
    ):
        raw = dumps(first.text) if first.edits else first.origin.raw
        return raw, _items(system[1:], options, report)
    if first is not None and len(system) == 1 and not _is_own(first) and [type(part) for part in first.parts] == [Text]:
        _Turn(system, options, report, "system").note_extra(0, first)
        return dumps(first.text), ()
    return b"", _items(system, options, report)


def _items(system: Sequence[Message], options: RenderOptions, report: Report) -> tuple[Element, ...]:
    elements: list[Element] = []
    for index, message in enumerate(system):
        elements.extend(render_turn((message,), options, report, f"system[{index}]"))
    return tuple(elements)


class _Turn:
    """One turn that holds at least one message from elsewhere."""

    def __init__(self, turn: Sequence[Message], options: RenderOptions, report: Report, where: str) -> None:
        self._turn = turn
        self._options = options
        self._report = report
        self._where = where
        self._pairing: Pairing = pair(turn)

    def _place(self, at: int, index: int | None = None) -> str:
        place = f"{self._where or 'turn'}[{at}]" if len(self._turn) > 1 or not self._where else self._where
        return place if index is None else f"{place}.parts[{index}]"

    def _drop(self, at: int, index: int | None, detail: str) -> None:
        self._report.add("dropped", self._place(at, index), detail)

    def elements(self) -> Iterator[Element]:
        words = self._options.words
        answers: list[tuple[int, Element]] = []
        rest: list[Element] = []
        for at, message in enumerate(self._turn):
            if message.role == "assistant":
                # An assistant message after results (a turn put together by hand) closes what came before it.
                yield from self._flush(answers, rest)
                yield from _own(message, words) if _is_own(message) else self._assistant(at, message)
            elif _is_own(message):
                results = [index for index, part in enumerate(message.parts) if isinstance(part, Result)]
                if results:
                    answers.extend((self._pairing.order[at, results[0]], element) for element in _own(message, words))
                else:
                    rest.extend(_own(message, words))
            else:
                for index, part in enumerate(message.parts):
                    if isinstance(part, Result):
                        answers.append((self._pairing.order[at, index], self._result(at, index, part)))
                rest.extend(self._message(at, message))
        yield from self._flush(answers, rest)

    @staticmethod
    def _flush(answers: list[tuple[int, Element]], rest: list[Element]) -> Iterator[Element]:
        answers.sort(key=lambda answer: answer[0])
        yield from [element for _, element in answers]
        yield from rest
        answers.clear()
        rest.clear()

    def _assistant(self, at: int, message: Message) -> Iterator[Element]:
        self.note_extra(at, message)
        if message.name:
            self._drop(at, None, f"the name {message.name!r}: Responses has no speakers' names")
        if not message.parts:
            yield _whole(dumps({"role": "assistant", "content": ""}))
        for index, part in enumerate(message.parts):
            match part:
                case Text():
                    if part.refusal:
                        self._report.add("degraded", self._place(at, index), "a refusal became plain text")
                    self._note_fields(at, part.extra)
                    yield _whole(dumps({"role": "assistant", "content": part.text}))
                case Call():
                    if part.signature is not None:
                        self._report.add("dropped", "messages", "thought signatures, which only their own provider can read")
                    self._note_fields(at, part.extra)
                    yield _whole(dumps(call_item(part, self._pairing.ids[at, index])))
                case Thinking():
                    if self._options.thinking == "text" and part.text:
                        self._report.add("degraded", self._place(at, index), "reasoning became text")
                        yield _whole(dumps({"role": "assistant", "content": self._options.words.as_reasoning(part.text)}))
                    else:
                        self._drop(at, index, "reasoning, which Responses takes only from itself")
                case RedactedThinking():
                    note_redacted(self._report)
                case Opaque(format, kind, value):
                    if format == FORMAT and isinstance(value, dict):
                        yield _whole(dumps(value))
                    else:
                        self._drop(at, index, f"a {kind!r} item, which only {format} understands")
                case Attachment():
                    self._drop(at, index, f"a file ({part.media_type}) in an assistant message")
                case Result():
                    pass

    def _result(self, at: int, index: int, result: Result) -> Element:
        blocks: list[dict[str, object]] = []
        for item in result.content:
            match item:
                case Text():
                    blocks.append({"type": "input_text", "text": item.text})
                case Attachment() if is_carried(item):
                    blocks.append(content_block(item, self._options.words))
                case Attachment():
                    self._drop(at, index, f"a file ({item.media_type}) that an output cannot hold")
                case Opaque():
                    if item.format == FORMAT and isinstance(item.value, dict):
                        blocks.append(item.value)
                    else:
                        self._drop(at, index, f"a {item.kind!r} item, which only {item.format} understands")
        if result.is_error:
            self._report.add("degraded", self._place(at, index), "an output cannot be marked as an error")
        self._note_fields(at, result.extra)
        place = self._pairing.calls[at, index]
        call = None if place is None else self._turn[place[0]].parts[place[1]]
        kind = "custom_tool_call_output" if isinstance(call, Call) and call.kind == "custom" else "function_call_output"
        call_id = self._pairing.result_id((at, index), result)
        return _whole(dumps({"type": kind, "call_id": call_id, "output": _in_short(blocks)}))

    def _message(self, at: int, message: Message) -> Iterator[Element]:
        """A user or system message, without its results."""
        blocks: list[dict[str, object]] = []
        for index, part in enumerate(message.parts):
            match part:
                case Text():
                    self._note_fields(at, part.extra)
                    blocks.append({"type": "input_text", "text": part.text})
                case Attachment() if message.role != "system" and is_carried(part):
                    self._note_fields(at, part.extra)
                    blocks.append(content_block(part, self._options.words))
                case Attachment():
                    self._drop(at, index, f"a file ({part.media_type}) that a {message.role} message cannot hold")
                case Opaque(format, kind, value):
                    if format == FORMAT and isinstance(value, dict):
                        blocks.append(value)
                    else:
                        self._drop(at, index, f"a {kind!r} item, which only {format} understands")
                case Thinking() | RedactedThinking() | Call():
                    self._drop(at, index, f"{type(part).__name__.lower()} in a {message.role} message")
                case Result():
                    pass
        self.note_extra(at, message)
        if message.name and message.role != "tool":
            self._drop(at, None, f"the name {message.name!r}: Responses has no speakers' names")
        if message.parts and not blocks:
            return
        role = "developer" if message.extra.get("role") == "developer" else message.role
        yield _whole(dumps({"role": "user" if role == "tool" else role, "content": _in_short(blocks)}))

    def note_extra(self, at: int, message: Message) -> None:
        """Report the fields of a message that only its own provider knows, each once in a conversation."""
        if message.cache_breakpoint:
            self._report.add("dropped", "messages", "cache breakpoints: OpenAI caches prefixes by itself")
        self._note_fields(at, message.extra)

    def _note_fields(self, at: int, extra: Mapping[str, object]) -> None:
        if extra:
            origin = self._turn[at].origin
            note_unknown(extra, "its own provider" if origin is None else origin.format, self._report, _SAID_OTHERWISE)


def _in_short(blocks: list[dict[str, object]]) -> object:
    """One text is written as a string, several parts as a list."""
    if not blocks:
        return ""
    return blocks[0]["text"] if len(blocks) == 1 and blocks[0].get("type") == "input_text" else blocks
