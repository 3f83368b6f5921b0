"""OpenAI Responses: edits put into an item without touching the rest of it.

Knows the shape of one item. What is not edited keeps its exact bytes; what is edited keeps its form: a string stays a string,
an array stays an array, ``arguments`` stays text.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsontext import dumps, join_object, loads, raw_items, raw_object
from ...messages import Call, Message, Opaque, Part, RedactedThinking, Result, Text, Thinking
from ...vocabulary.mending import MendingWords
from .parse import slots
from .parts import content_block

__all__ = ["spliced"]


def spliced(message: Message, raw: bytes, words: MendingWords) -> bytes | None:
    """The item with the message's edits in it; ``None`` where nothing is left of it."""
    value = loads(raw)
    assert isinstance(value, dict)
    places = slots(value)
    members = raw_object(raw)
    lists: dict[str, dict[int, Part | None]] = {}
    for index, part in message.edits:
        field, at = places[index]
        if at >= 0:
            lists.setdefault(field, {})[at] = part
        elif field == "":
            if not isinstance(part, Opaque):
                return None
            members = {key: dumps(item) for key, item in part.value.items()} if isinstance(part.value, dict) else members
        elif isinstance(part, Call):
            _put_call(members, value, field, part)
        elif isinstance(part, Result):
            _put_result(members, value, part, words)
        elif field == "encrypted_content":
            members[field] = dumps(part.data) if isinstance(part, RedactedThinking) else b"null"
        elif part is None:
            if field != "content":
                return None
            members[field] = b'""'
        else:
            members[field] = dumps(part.text) if isinstance(part, Text) else dumps([_block(part, value, words)])
    for field, changes in lists.items():
        _put_list(members, value, field, changes, words)
    if value.get("type") == "reasoning" and not message.parts:
        return None
    return join_object(members)


def _put_list(
    members: dict[str, bytes],
    value: Mapping[str, object],
    field: str,
    changes: Mapping[int, Part | None],
    words: MendingWords,
) -> None:
    rest: list[bytes] = []
    for index, block in enumerate(raw_items(members[field])):
        if index not in changes:
            rest.append(block)
            continue
        part = changes[index]
        if part is not None:
            rest.append(_changed(block, part, value, words))
    empty = b"[]" if value.get("type") == "reasoning" else b'""'
    members[field] = b"[" + b",".join(rest) + b"]" if rest else empty


def _changed(block: bytes, part: Part, value: Mapping[str, object], words: MendingWords) -> bytes:
    if isinstance(part, Text | Thinking) and block.startswith(b"{"):
        inner = raw_object(block)
        field = "refusal" if isinstance(part, Text) and part.refusal else "text"
        if field in inner:
            inner[field] = dumps(part.text)
            return join_object(inner)
    return dumps(_block(part, value, words))


def _block(part: Part, value: Mapping[str, object], words: MendingWords) -> object:
    if isinstance(part, Opaque):
        return part.value
    if value.get("role") == "assistant" and isinstance(part, Text):
        return {"type": "output_text", "text": part.text, "annotations": []}
    return content_block(part, words)


def _put_call(members: dict[str, bytes], value: Mapping[str, object], field: str, part: Call) -> None:
    if value.get(field) != part.arguments:
        members[field] = dumps(part.arguments)
    if value.get("name") != part.name:
        members["name"] = dumps(part.name)
    if part.id and value.get("call_id") != part.id:
        members["call_id"] = dumps(part.id)


def _put_result(members: dict[str, bytes], value: Mapping[str, object], part: Result, words: MendingWords) -> None:
    only = part.content[0] if len(part.content) == 1 else None
    if not part.content:
        members["output"] = b'""'
    elif isinstance(only, Text) and not isinstance(value.get("output"), list):
        members["output"] = dumps(only.text)
    else:
        members["output"] = dumps([_block(item, value, words) for item in part.content])
    if part.call_id and value.get("call_id") != part.call_id:
        members["call_id"] = dumps(part.call_id)
