"""Roles that take turns, for templates that insist on it: Gemma, Mistral 7B, Llama 2 and others refuse two messages of the user
in a row ("Conversation roles must alternate user/assistant/user/assistant/…").

Pure, on the elements of OpenAI Chat and Ollama. Behind a cut our own message, the user's by its role, stands before the next
one of the user; the two become one, ours first, and every word of both stays. Messages that the client itself sent in a row are
left alone, a third included: what comes later must not change what was sent before. So are formats that join such neighbours
themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..jsontext import join_object, raw_items, raw_object

__all__ = ["taking_turns"]

_USER = b'"user"'
_SYSTEM = (b'"system"', b'"developer"')


def taking_turns(conversation: bytes, came: bytes) -> bytes:
    """The conversation with our message and that of the user right behind it as one.

    Args:
        conversation: the list as it goes on.
        came: the list as the client sent it.
    """
    items, theirs = raw_items(conversation), raw_items(came)
    at = next((index for index, item in enumerate(items) if raw_object(item).get("role") not in _SYSTEM), len(items))
    # A message of ours stands for several of theirs; one in its own place is theirs, shortened.
    if at + 1 >= len(items) or len(items) >= len(theirs) or items[at] in set(theirs):
        return conversation
    joined = _joined(items[at], items[at + 1])
    return conversation if joined is None else _list([*items[:at], joined, *items[at + 2 :]])


def _joined(ours: bytes, theirs: bytes) -> bytes | None:
    """Two messages of the user as one, with the fields of the second; ``None`` where they are not such."""
    first, second = raw_object(ours), raw_object(theirs)
    if first.get("role") != _USER or second.get("role") != _USER:
        return None
    before, behind = first.get("content", b""), second.get("content", b"")
    if behind[:1] == b'"' and before[:1] == b'"':
        content = before[:-1] + b"\\n\\n" + behind[1:]
    elif behind[:1] == b"[" and before[:1] == b'"':
        content = _list([join_object({"type": b'"text"', "text": before}), *raw_items(behind)])
    elif behind[:1] == b"[" and before[:1] == b"[":
        content = _list([*raw_items(before), *raw_items(behind)])
    elif behind[:1] == b'"' and before[:1] == b"[":
        content = _list([*raw_items(before), join_object({"type": b'"text"', "text": behind})])
    else:
        return None
    return join_object({**second, "content": content})


def _list(items: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(items) + b"]"
