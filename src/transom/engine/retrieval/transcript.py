"""Archived messages as a reader wants them: who spoke, what was called with what, what came back.

An archive line is a message in its source format, whichever that was. What is known of it is laid out, texts verbatim; what is
not stands as JSON at its end, so that nothing is left out. Total: any bytes give some text.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import JSONError
from ...jsontext import dumps_text, loads
from ...store.archive import HEAD_KEY
from ...vocabulary.retrieving import RetrievalWords

__all__ = ["archive_messages", "spoken"]

_CALLS = {"tool_use", "tool_call", "function_call", "custom_tool_call", "server_tool_use"}
_RESULTS = {"tool_result", "function_call_output", "custom_tool_call_output"}
_TEXTS = {"text", "input_text", "output_text", "summary_text", "reasoning_text"}
_THOUGHTS = {"thinking", "reasoning"}
_IDS = ("call_id", "tool_call_id", "tool_use_id", "id")
_GEMINI = {"functionCall": "call", "function_call": "call", "functionResponse": "result", "function_response": "result"}


def archive_messages(data: bytes) -> list[bytes]:
    """The lines of an archive, one a message."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def spoken(line: bytes, number: int, total: int, words: RetrievalWords) -> str:
    """One archived message as text.

    Args:
        line: its JSON, texts that lie elsewhere put back.
        number, total: which of how many it is.
        words: the labels.
    """
    try:
        value = loads(line)
    except JSONError:
        value = line.decode("utf-8", "replace")
    if not isinstance(value, Mapping):
        heading = words.spoken.format(number=number, total=total, role="?")
        return f"[{heading}]\n{value if isinstance(value, str) else dumps_text(value)}"
    known = dict(value)
    role = known.pop("role", None)
    who = role if isinstance(role, str) else _text(known.get("type")) or "?"
    if isinstance(known.get("name"), str) and role is not None:
        who = f"{who} {known.pop('name')}"
    if known.get(HEAD_KEY) == "head":
        del known[HEAD_KEY]
        who = f"{who}, {words.head}"
    writer = _Writer(words)
    if role in {"tool", "function"}:
        who = _with_id(who, known)
        writer.message(known)
    elif role is None:
        writer.block(known)
    else:
        writer.message(known)
    return "\n".join([f"[{words.spoken.format(number=number, total=total, role=who)}]", *writer.lines])


class _Writer:
    """Lays out the parts of one message, line by line."""

    def __init__(self, words: RetrievalWords) -> None:
        self.words = words
        self.lines: list[str] = []

    def message(self, known: dict[str, object]) -> None:
        """Everything of a message but its role."""
        for name in ("reasoning_content", "reasoning"):
            if isinstance(known.get(name), str):
                self.lines.append(f"{self.words.thinking} {known.pop(name)}")
        self.content(known.pop("content", None))
        self.content(known.pop("parts", None))
        for name in ("tool_calls", "function_call"):
            calls = known.pop(name, None)
            for call in calls if isinstance(calls, list) else [calls] if calls is not None else []:
                self._call(dict(call)) if isinstance(call, Mapping) else self._json(call)
        self.fields(known)

    def content(self, value: object) -> None:
        """A text, or a list of blocks."""
        if value is None or value == "":
            return
        if isinstance(value, str):
            self.lines.append(value)
        elif isinstance(value, list):
            for item in value:
                self.block(dict(item)) if isinstance(item, Mapping) else self.content(item)
        elif isinstance(value, Mapping):
            self.block(dict(value))
        else:
            self._json(value)

    def block(self, block: dict[str, object]) -> None:
        """One block, by its type; as JSON where that is not known."""
        kind = block.get("type")
        if kind in _TEXTS or (kind is None and isinstance(block.get("text"), str)):
            self._pop_text(block, "text")
        elif kind == "refusal":
            self._pop_text(block, "refusal")
        elif kind in _THOUGHTS:
            self._thought(block)
        elif kind in _CALLS:
            self._call(block)
        elif kind in _RESULTS:
            self._result(block)
        elif (name := next((name for name in _GEMINI if isinstance(block.get(name), Mapping)), "")) != "":
            inner = block.pop(name)
            assert isinstance(inner, Mapping)
            self._call(dict(inner)) if _GEMINI[name] == "call" else self._result(dict(inner))
            self.fields(block)
        else:
            self._json(block)

    def fields(self, rest: Mapping[str, object]) -> None:
        """What was not shown yet."""
        kept = {name: value for name, value in rest.items() if value is not None and value not in ("", [], {})}
        if kept:
            self.lines.append(f"{self.words.fields} {dumps_text(kept)}")

    def _pop_text(self, block: dict[str, object], name: str) -> None:
        block.pop("type", None)
        self.content(block.pop(name, None))
        self.fields(block)

    def _thought(self, block: dict[str, object]) -> None:
        self.lines.append(self.words.thinking)
        block.pop("type")
        for name in ("thinking", "summary", "content", "text"):
            self.content(block.pop(name, None))
        self.fields(block)

    def _call(self, block: dict[str, object]) -> None:
        """A call: its name and id, then its arguments one by one, those of several lines verbatim below their name."""
        block.pop("type", None)
        function = block.pop("function", None) or block.pop("custom", None)
        inner = dict(function) if isinstance(function, Mapping) else block
        name = _text(inner.pop("name", None)) or "?"
        self.lines.append(_with_id(self.words.called.format(name=name), block))
        given = next((inner.pop(key) for key in ("arguments", "input", "args") if key in inner), None)
        self._arguments(given)
        if inner is not block:
            self.fields(inner)
        self.fields(block)

    def _arguments(self, given: object) -> None:
        value = given
        if isinstance(given, str):
            try:
                value = loads(given)
            except JSONError:
                value = None
        if not isinstance(value, Mapping):
            self.content(given if isinstance(given, str) else None)
            if given is not None and not isinstance(given, str):
                self._json(given)
            return
        for name, item in value.items():
            text = item if isinstance(item, str) else dumps_text(item)
            self.lines.append(f"  {name}:{chr(10) if chr(10) in text else ' '}{text}")

    def _result(self, block: dict[str, object]) -> None:
        block.pop("type", None)
        name = _text(block.pop("name", None))
        heading = _with_id(self.words.result.format(name=name).rstrip(), block)
        failed = block.pop("is_error", None)
        self.lines.append(f"{heading}, {self.words.failed}" if failed else heading)
        for key in ("content", "output"):
            self.content(block.pop(key, None))
        response = block.pop("response", None)
        if isinstance(response, Mapping):
            self._arguments(response)
        elif response is not None:
            self.content(response)
        self.fields(block)

    def _json(self, value: object) -> None:
        self.lines.append(dumps_text(value))


def _with_id(heading: str, block: dict[str, object]) -> str:
    """The heading with the id by which call and result know each other, taken out of the block."""
    ids = [value for name in _IDS if isinstance(value := block.get(name), str) and value]
    for name in _IDS:
        if isinstance(block.get(name), str):
            del block[name]
    return f"{heading} ({', '.join(ids)})" if ids else heading


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
