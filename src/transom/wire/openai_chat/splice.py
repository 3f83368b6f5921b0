"""OpenAI Chat Completions: edits put into an element without touching the rest of it.

Knows the shape of one message. What is not edited keeps its exact bytes; what is edited keeps its form: a string stays a
string, an array stays an array, ``arguments`` stays text.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import JSONError
from ...jsontext import dumps, join_object, loads, raw_items, raw_object
from ...messages import Call, Message, Opaque, Part, Result, Text, Thinking
from ...vocabulary.mending import MendingWords
from .parse import slots
from .parts import call_block, content_block

__all__ = ["spliced"]


def spliced(message: Message, raw: bytes, words: MendingWords) -> bytes:
    """The element with the message's edits in it."""
    value = loads(raw)
    assert isinstance(value, dict)
    places = slots(value)
    members = raw_object(raw)
    lists: dict[str, dict[int, Part | None]] = {}
    for index, part in message.edits:
        field, at = places[index]
        if isinstance(part, Result):
            _put_result(members, value, part, words)
        elif at >= 0:
            lists.setdefault(field, {})[at] = part
        elif part is None:
            # llama.cpp refuses reasoning that is null.
            is_text = field in {"reasoning_content", "reasoning"} or (field == "content" and "tool_calls" not in value)
            members[field] = b'""' if is_text else b"null"
        elif field == "function_call":
            members[field] = _call(members[field], part, words)
        elif isinstance(part, Text | Thinking):
            members[field] = dumps(part.text)
        else:
            members[field] = dumps([_block(part, words)])
    for field, changes in lists.items():
        _put_list(members, field, changes, words)
    return join_object(members)


def _put_list(members: dict[str, bytes], field: str, changes: Mapping[int, Part | None], words: MendingWords) -> None:
    rest: list[bytes] = []
    for index, block in enumerate(raw_items(members[field])):
        if index not in changes:
            rest.append(block)
            continue
        part = changes[index]
        if part is not None:
            rest.append(_call(block, part, words) if field == "tool_calls" else _changed(block, part, words))
    if rest:
        members[field] = b"[" + b",".join(rest) + b"]"
    elif field == "tool_calls":
        del members[field]
        if members.get("content") in (None, b"null"):
            members["content"] = b'""'
    else:
        members[field] = b'""'


def _changed(block: bytes, part: Part, words: MendingWords) -> bytes:
    """A content part: the words are exchanged, its other fields stay."""
    if isinstance(part, Text) and block.startswith(b"{"):
        inner = raw_object(block)
        field = "refusal" if part.refusal else "text"
        if inner.get("type") == dumps(field):
            inner[field] = dumps(part.text)
            return join_object(inner)
    if isinstance(part, Text) and block.startswith(b'"'):
        return dumps(part.text)
    return dumps(_block(part, words))


def _block(part: Part, words: MendingWords) -> object:
    if isinstance(part, Opaque):
        return part.value
    return content_block(part, words)


def _call(block: bytes, part: Part, words: MendingWords) -> bytes:
    if not isinstance(part, Call):
        return dumps(part.value) if isinstance(part, Opaque) else dumps(_block(part, words))
    outer = raw_object(block)
    field = "custom" if part.kind == "custom" else "function"
    if field not in outer:
        if part.kind == "custom" or "arguments" not in outer:
            return dumps(call_block(part, part.id))
        return join_object(_named(outer, "arguments", part))
    outer[field] = join_object(_named(raw_object(outer[field]), "input" if field == "custom" else "arguments", part))
    if part.id and outer.get("id") != dumps(part.id):
        outer["id"] = dumps(part.id)
    return join_object(outer)


def _named(inner: dict[str, bytes], field: str, part: Call) -> dict[str, bytes]:
    before = inner.get(field, b'""')
    if before.startswith(b'"'):
        if loads(before) != part.arguments:
            inner[field] = dumps(part.arguments)
    else:
        inner[field] = _as_value(part.arguments)
    if inner.get("name") != dumps(part.name):
        inner["name"] = dumps(part.name)
    return inner


def _as_value(arguments: str) -> bytes:
    """Where the source wrote an object instead of text, an object goes back."""
    try:
        loads(arguments)
    except JSONError:
        return dumps(arguments)
    return arguments.encode()


def _put_result(members: dict[str, bytes], value: Mapping[str, object], part: Result, words: MendingWords) -> None:
    texts = [item.text for item in part.content if isinstance(item, Text)]
    if isinstance(value.get("content"), list):
        members["content"] = dumps([_block(item, words) for item in part.content]) if part.content else b'""'
    elif len(texts) <= 1 and len(texts) == len(part.content):
        members["content"] = dumps(texts[0] if texts else "")
    else:
        members["content"] = dumps([_block(item, words) for item in part.content])
    if part.call_id and part.call_id != value.get("tool_call_id") and value.get("role") == "tool":
        members["tool_call_id"] = dumps(part.call_id)
