"""``openai-chat-lines``: JSON Lines whose lines are conversations: bare lists of chat messages, or objects with ``messages``.

A file whose lines are single messages is one conversation. Lines that hold neither (metadata) are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import FormatError
from .chat_elements import SENT_FIELDS, chat_element, chat_head, chat_segment
from .drafting import CallNote, SkipLog
from .shape import mapping, sequence, text
from .source import line_number
from .transcript import Conversation, Transcript

__all__ = ["OpenAIChatLines"]


class OpenAIChatLines:
    """The reader of ``openai-chat-lines`` files."""

    @property
    def name(self) -> str:
        """``openai-chat-lines``."""
        return "openai-chat-lines"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether some line holds chat messages."""
        return lines and any(_messages(value) for value in sequence(document))

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        rows = sequence(document) if lines else [document]
        skips = SkipLog()
        single: list[tuple[str, Mapping[str, object], CallNote]] = []
        conversations: list[Conversation] = []
        for index, value in enumerate(rows):
            where = f"line {line_number(document, index) if lines else 1}"
            found = _messages(value)
            if not found:
                skips.add(where, "metadata", "a line without messages")
                continue
            elements = []
            for place, message in enumerate(found):
                spot = f"{where}, message {place + 1}"
                elements.append((spot, chat_element(message), CallNote()))
                for key in message.keys() - SENT_FIELDS:
                    skips.field(spot, key, "a field that chat messages do not have")
            if _is_message(mapping(value)):
                single.extend(elements)
                continue
            body = mapping(value)
            head = chat_head(model=text(body.get("model")), tools=sequence(body.get("tools")))
            conversations.append(Conversation(f"line-{where.removeprefix('line ')}", (chat_segment(elements, head, skips),)))
        if single:
            conversations.insert(0, Conversation("main", (chat_segment(single, chat_head(), skips),)))
        if not conversations:
            raise FormatError("no chat message on any line", hint="a line is a list of messages or an object with 'messages'")
        return Transcript(self.name, tuple(conversations), skips.done())


def _is_message(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("role"), str) and ("content" in value or "tool_calls" in value)


def _messages(value: object) -> list[Mapping[str, object]]:
    """The chat messages on a line; none if the line is something else."""
    body = mapping(value)
    if _is_message(body):
        return [body]
    found = [mapping(item) for item in (sequence(value) or sequence(body.get("messages")))]
    return found if found and all(_is_message(item) for item in found) else []
