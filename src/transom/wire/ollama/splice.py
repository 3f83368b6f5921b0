"""Ollama: edits put into an element without touching the rest of it.

Knows the shape of one message. What is not edited keeps its exact bytes and its place.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsontext import dumps, join_object, loads, raw_items, raw_object
from ...messages import Attachment, Call, Message, Opaque, Part, Result, Text, Thinking
from ..arguments import object_bytes
from ..attachments import is_image, split_data_url
from ..report import Notes
from .parse import slots

__all__ = ["call_bytes", "picture", "spliced"]


def spliced(message: Message, raw: bytes, notes: Notes) -> bytes:
    """The element with the message's edits in it."""
    value = loads(raw)
    assert isinstance(value, dict)
    places = slots(value)
    members = raw_object(raw)
    lists: dict[str, dict[int, Part | None]] = {}
    for index, part in message.edits:
        field, at = places[index]
        if at >= 0:
            lists.setdefault(field, {})[at] = part
        elif isinstance(part, Result):
            _put_result(members, value, part, notes)
        elif isinstance(part, Text | Thinking):
            members[field] = dumps(part.text)
        elif part is None and field == "thinking":
            del members[field]
        else:
            members[field] = b'""'
            if part is not None:
                notes("dropped", f"{type(part).__name__.lower()} where only text can stand")
    for field, changes in lists.items():
        _put_list(members, field, changes, notes)
    return join_object(members)


def _put_list(members: dict[str, bytes], field: str, changes: Mapping[int, Part | None], notes: Notes) -> None:
    rest: list[bytes] = []
    for index, item in enumerate(raw_items(members[field])):
        if index not in changes:
            rest.append(item)
            continue
        match changes[index]:
            case None:
                pass
            case Call() as call if field == "tool_calls":
                rest.append(_call(item, call, notes))
            case Attachment() as file if field == "images" and (data := picture(file)):
                rest.append(dumps(data))
            case Text() as text if field == "images":
                said = loads(members.get("content", b'""'))
                members["content"] = dumps("\n\n".join(filter(None, (said if isinstance(said, str) else "", text.text))))
            case Opaque() as opaque if opaque.format == "ollama":
                rest.append(dumps(opaque.value))
            case part:
                notes("dropped", f"{type(part).__name__.lower()} in {field}")
    if rest:
        members[field] = b"[" + b",".join(rest) + b"]"
    else:
        del members[field]
    members.setdefault("content", b'""')


def _call(item: bytes, call: Call, notes: Notes) -> bytes:
    outer = raw_object(item)
    inner = raw_object(outer["function"]) if outer.get("function", b"").startswith(b"{") else {}
    if inner.get("name") != dumps(call.name):
        inner["name"] = dumps(call.name)
    arguments = object_bytes(call, notes)
    if inner.get("arguments") != arguments:
        inner["arguments"] = arguments
    outer["function"] = join_object(inner)
    if call.id and outer.get("id") != dumps(call.id):
        outer["id"] = dumps(call.id)
    return join_object(outer)


def _put_result(members: dict[str, bytes], value: Mapping[str, object], part: Result, notes: Notes) -> None:
    members["content"] = dumps(part.text)
    pictures = [data for item in part.content if isinstance(item, Attachment) and (data := picture(item))]
    if len(pictures) < sum(not isinstance(item, Text) for item in part.content):
        notes("dropped", "a file in a result that is no picture")
    if pictures != (value.get("images") or []):
        members.pop("images", None)
        if pictures:
            members["images"] = dumps(pictures)
    for field, name in (("tool_call_id", part.call_id), ("tool_name", part.name)):
        if name and name != value.get(field):
            members[field] = dumps(name)


def call_bytes(call: Call, call_id: str, notes: Notes) -> bytes:
    """An entry of ``tool_calls``; a call without an id goes out without one."""
    outer = {"id": dumps(call_id)} if call_id else {}
    outer["function"] = join_object({"name": dumps(call.name), "arguments": object_bytes(call, notes)})
    return join_object(outer)


def picture(part: Attachment) -> str:
    """The base64 text of a picture that is at hand; empty for any other file."""
    if part.data is not None:
        return part.data if is_image(part.media_type) else ""
    split = split_data_url(part.url or "")
    return split[1] if split and is_image(split[0]) else ""
