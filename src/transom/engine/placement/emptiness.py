"""Elements of a target's own format that hold nothing and that its provider refuses for it.

Pure. A message goes out in the bytes it came in; where these spell its content as an empty list or as null, OpenAI refuses the
request ("Invalid 'messages[3].content': empty array"). A result then gets an empty text, a system message is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jsontext import raw_object
from ...messages import Message, Part, Result
from ...wire.report import Report

__all__ = ["without_empty_content"]


def without_empty_content(messages: Sequence[Message], report: Report) -> tuple[Message, ...]:
    """The messages as a provider takes them; those that hold something are handed through."""
    kept: list[Message] = []
    for message in messages:
        results: dict[int, Part | None] = {i: p for i, p in enumerate(message.parts) if isinstance(p, Result) and not p.content}
        if not (results or not message.parts) or not _is_spelled_empty(message):
            kept.append(message)
        elif results:
            # An edit that changes nothing: the element is written anew, with an empty text.
            kept.append(message.edit(results))
            report.add("repaired", "messages", "a tool result whose content was an empty list got an empty text")
        elif message.role == "system":
            report.add("repaired", "messages", "a system message that holds nothing was left out")
        else:
            kept.append(message)
    return tuple(kept)


def _is_spelled_empty(message: Message) -> bool:
    if message.origin is None or message.origin.place or message.edits or not message.origin.raw.startswith(b"{"):
        return False
    content = raw_object(message.origin.raw).get("content", b"")
    return content == b"null" or (content.startswith(b"[") and not content.strip(b"[] \t\r\n"))
