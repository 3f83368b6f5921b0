"""OpenAI Chat Completions, written: one turn at a time.

Knows messages and chat elements. Every element is an entry of its own (chat merges nothing). Messages that were read from this
format go out as the bytes they came in; all else is built: the assistant messages of a turn become one entry with content and
calls, the results follow as ``tool`` entries in call order, whatever else the turn holds comes after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...jsontext import dumps
from ...messages import Attachment, Call, Message, Opaque, Part, RedactedThinking, Result, Text, Thinking
from ...vocabulary.mending import MendingWords
from ..format import Element, RenderOptions
from ..losses import note_unknown
from ..pairing import Pairing, pair
from ..report import Report
from ..thinking import note_redacted
from .parse import FORMAT
from .parts import call_block, content_block, is_carried
from .splice import spliced

__all__ = ["render_system", "render_turn", "user_element"]

_SAID_OTHERWISE = frozenset({"cache_control", "detail", "id", "role", "status", "type"})
"""Fields that are carried in another way, or that mean nothing outside their source."""

_NAME = re.compile(r"[^\s<|\\/>]{1,64}")


def user_element(text: str) -> Element:
    """A new user entry."""
    return _whole(dumps({"role": "user", "content": text}))


def _whole(raw: bytes) -> Element:
    return Element(b"", (raw,))


def _own(message: Message, words: MendingWords) -> bytes | None:
    """The bytes a message of this format goes out as."""
    origin = message.origin
    if origin is None or origin.format != FORMAT:
        return None
    return spliced(message, origin.raw, words) if message.edits else origin.raw


def render_turn(turn: Sequence[Message], options: RenderOptions, report: Report, where: str = "") -> tuple[Element, ...]:
    """See ``Format.render_turn``."""
    elements: list[Element] = []
    for message in turn:
        origin = message.origin
        if origin is None or origin.format != FORMAT:
            return tuple(_Turn(turn, options, report, where).elements())
        elements.append(_whole(spliced(message, origin.raw, options.words) if message.edits else origin.raw))
    return tuple(elements)


def render_system(system: Sequence[Message], options: RenderOptions, report: Report) -> tuple[Element, ...]:
    """The system prompt, as the first elements."""
    elements: list[Element] = []
    for index, message in enumerate(system):
        elements.extend(render_turn((message,), options, report, f"system[{index}]"))
    return tuple(elements)


class _Turn:
    """One turn that holds at least one message from elsewhere."""

    def __init__(self, turn: Sequence[Message], options: RenderOptions, report: Report, where: str) -> None:
        self._turn = turn
        self._raw = [_own(message, options.words) for message in turn]
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
        at = 0
        while at < len(self._turn):
            start = at
            while at < len(self._turn) and self._turn[at].role == "assistant":
                at += 1
            if at > start:
                yield from self._assistant(range(start, at))
            start = at
            while at < len(self._turn) and self._turn[at].role != "assistant":
                at += 1
            yield from self._others(range(start, at))

    def _assistant(self, run: range) -> Iterator[Element]:
        """A run of assistant messages: those of this format stay entries of their own, as long as no call of theirs would then
        stand before another assistant entry."""
        own = [at for at in run if self._raw[at]]
        if any(self._turn[at].tool_calls for at in own if at != run[-1]):
            own = []
        foreign: list[int] = []
        for at in run:
            if at in own:
                yield from self._built(foreign)
                foreign = []
                yield _whole(self._raw[at] or b"")
            else:
                foreign.append(at)
        yield from self._built(foreign)

    def _built(self, run: Sequence[int]) -> Iterator[Element]:
        if not run:
            return
        content: list[dict[str, object]] = []
        calls: list[dict[str, object]] = []
        names: list[str] = []
        for at in run:
            message = self._turn[at]
            self._note_extra(at, message)
            if message.name:
                names.append(message.name)
            for index, part in enumerate(message.parts):
                if isinstance(part, Call):
                    calls.append(call_block(part, self._pairing.ids[at, index]))
                    self._note_call(at, part)
                    continue
                block = self._assistant_block(at, index, part)
                if block is not None:
                    content.append(block)
                    if calls:
                        self._report.add(
                            "reordered", self._place(at, index), "text after a call stands before it in a chat message"
                        )
        if not content and not calls and any(self._turn[at].parts for at in run):
            return
        entry: dict[str, object] = {"role": "assistant", "content": _in_short(content) if content or not calls else None}
        if calls:
            entry["tool_calls"] = calls
        name = self._name(run[0], names[0] if names else None)
        if name:
            entry["name"] = name
        yield _whole(dumps(entry))

    def _assistant_block(self, at: int, index: int, part: Part) -> dict[str, object] | None:
        match part:
            case Text():
                self._note_fields(at, part.extra)
                return content_block(part, self._options.words)
            case Thinking():
                if self._options.thinking == "text" and part.text:
                    self._report.add("degraded", self._place(at, index), "reasoning became text")
                    return {"type": "text", "text": self._options.words.as_reasoning(part.text)}
                self._drop(at, index, "reasoning, which a chat message cannot carry")
            case RedactedThinking():
                note_redacted(self._report)
            case Opaque(format, kind, value):
                if format == FORMAT and isinstance(value, dict) and "type" in value:
                    return value
                self._drop(at, index, f"a {kind!r} item, which only {format} understands")
            case Attachment():
                self._drop(at, index, f"a file ({part.media_type}) in an assistant message")
            case Call() | Result():
                pass
        return None

    def _others(self, run: range) -> Iterator[Element]:
        """Results in call order, then what else the messages hold."""
        answers: list[tuple[int, bytes]] = []
        rest: list[Element] = []
        for at in run:
            message = self._turn[at]
            raw = self._raw[at]
            results = [(index, part) for index, part in enumerate(message.parts) if isinstance(part, Result)]
            if raw is not None:
                if results:
                    answers.append((self._pairing.order[at, results[0][0]], raw))
                else:
                    rest.append(_whole(raw))
                continue
            files: list[dict[str, object]] = []
            for index, part in results:
                answers.append((self._pairing.order[at, index], self._result(at, index, part, files)))
            if files:
                rest.append(_whole(dumps({"role": "user", "content": files})))
            if not results or len(results) < len(message.parts):
                rest.extend(self._message(at, message))
        answers.sort(key=lambda answer: answer[0])
        for _, raw in answers:
            yield _whole(raw)
        yield from rest

    def _result(self, at: int, index: int, result: Result, files: list[dict[str, object]]) -> bytes:
        texts: list[dict[str, object]] = []
        for item in result.content:
            match item:
                case Text():
                    texts.append({"type": "text", "text": item.text})
                case Attachment() if is_carried(item):
                    files.append(content_block(item, self._options.words))
                    self._report.add("degraded", self._place(at, index), "a file in a result went into a user message after it")
                case Attachment():
                    self._drop(at, index, f"a file ({item.media_type}) that a chat message cannot hold")
                case Opaque():
                    self._drop(at, index, f"a {item.kind!r} item, which only {item.format} understands")
        if result.is_error:
            self._report.add("degraded", self._place(at, index), "a chat result cannot be marked as an error")
        self._note_fields(at, result.extra)
        call_id = self._pairing.result_id((at, index), result)
        return dumps({"role": "tool", "tool_call_id": call_id, "content": _in_short(texts)})

    def _message(self, at: int, message: Message) -> Iterator[Element]:
        """A user or system message, without its results."""
        self._note_extra(at, message)
        blocks: list[dict[str, object]] = []
        for index, part in enumerate(message.parts):
            match part:
                case Text():
                    self._note_fields(at, part.extra)
                    blocks.append({"type": "text", "text": part.text})
                case Attachment() if message.role == "user" and is_carried(part):
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
        if message.parts and not blocks:
            return
        role: str = "user" if message.role == "tool" else message.role
        if role == "system" and message.extra.get("role") == "developer":
            role = "developer"
        entry: dict[str, object] = {"role": role, "content": _in_short(blocks)}
        name = self._name(at, message.name)
        if name:
            entry["name"] = name
        yield _whole(dumps(entry))

    def _name(self, at: int, name: str | None) -> str | None:
        if name is None or _NAME.fullmatch(name):
            return name
        self._drop(at, None, f"the name {name!r}, which has characters that OpenAI refuses")
        return None

    def _note_extra(self, at: int, message: Message) -> None:
        """Report the fields of a message that only its own provider knows, each once in a conversation."""
        if message.cache_breakpoint:
            self._report.add("dropped", "messages", "cache breakpoints: OpenAI caches prefixes by itself")
        self._note_fields(at, message.extra)

    def _note_fields(self, at: int, extra: Mapping[str, object]) -> None:
        if extra:
            origin = self._turn[at].origin
            note_unknown(extra, "its own provider" if origin is None else origin.format, self._report, _SAID_OTHERWISE)

    def _note_call(self, at: int, call: Call) -> None:
        if call.signature is not None:
            self._report.add("dropped", "messages", "thought signatures, which only their own provider can read")
        self._note_fields(at, call.extra)


def _in_short(blocks: list[dict[str, object]]) -> object:
    """One text is written as a string, several parts as a list."""
    if not blocks:
        return ""
    only = blocks[0]
    return only["text"] if len(blocks) == 1 and only.get("type") == "text" and len(only) == 2 else blocks
