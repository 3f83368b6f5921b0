"""A request body as JSON text, taken apart once for all who look into it.

Knows JSON, and the name of the member that holds a conversation; no provider.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..jsontext import raw_items, raw_object

__all__ = ["Spelled"]


@dataclass(frozen=True, slots=True)
class Spelled:
    """A body and its parts, in the bytes they were written in.

    Attributes:
        text: all of it.
        conversation: the name of the member that holds the conversation.
        members: its members by name, in their order.
        items: the elements of the conversation; ``None`` where it is no list, or is not there.
    """

    text: bytes
    conversation: str
    members: Mapping[str, bytes]
    items: Sequence[bytes] | None

    @classmethod
    def of(cls, text: bytes, conversation: str, members: Mapping[str, bytes] | None = None) -> Spelled:
        """Take a body apart.

        Args:
            text: the body.
            conversation: the name of the member that holds the conversation.
            members: its members, where they are known.

        Raises:
            JSONError: it is no JSON object.
        """
        members = raw_object(text) if members is None else members
        listed = members.get(conversation, b"")
        return cls(text, conversation, members, raw_items(listed) if listed.startswith(b"[") else None)
