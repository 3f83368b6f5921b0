"""Request bodies of the four wire formats as transcripts, a recorded chat exchange (the log of a proxy) among them.

A body is everything its agent had before one call, so it is one call for each message of the model in it, plus the body
itself. For the Responses API, whose items are smaller than messages, a run of items by the model is what a message is
elsewhere. What a log holds of the answer is not part of the request: it is named as skipped, and its id and usage belong
to the last call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...messages import Message
from ..format import Format, Request
from .codex_rollout import is_made
from .drafting import NO_NOTE, CallNote, SegmentDraft, SkipLog
from .shape import mapping, sequence, text
from .source import one_document
from .transcript import Conversation, ModelCall, Segment, Transcript
from .usage import chat_usage
from .wires import ANTHROPIC, CHAT, GEMINI, RESPONSES

__all__ = ["AnthropicMessages", "GeminiContents", "OpenAIChatBody", "OpenAIResponsesBody"]

_LOG_FIELDS = {
    "cost": "figures of the log",
    "timestamp": "figures of the log",
    "latency_sec": "figures of the log",
    "context_window": "figures of the log",
    "raw_response": "what the model answered to this request; not part of it",
}


@dataclass(frozen=True, slots=True)
class _WireBody:
    """What the four have in common."""

    name: str
    wire: Format

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the document is a request body of this format, or a bare conversation list."""
        return not lines and isinstance(document, dict | list) and bool(document) and self.wire.detect(document)

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        skips = SkipLog()
        body, answer = self.taken_apart(one_document(document, lines=lines), skips)
        request = self.wire.parse(body)
        draft = SegmentDraft(request.head)
        model = request.head.model or ""
        for message, made, alone in self.dealt(request, body):
            if made:
                draft.add_made(message, CallNote(model=model), alone=alone)
            else:
                draft.add(message)
        segment = draft.finish()
        last = ModelCall(len(segment.messages), answer.id, model, answer.usage)
        segment = Segment(segment.messages, (*segment.calls, last), segment.head)
        return Transcript(self.name, (Conversation("main", (segment,)),), skips.done())

    @staticmethod
    def taken_apart(document: object, _: SkipLog) -> tuple[object, CallNote]:
        """The request body within the document, and what is known of the answer to it."""
        return document, NO_NOTE

    @staticmethod
    def dealt(request: Request, _: object) -> Iterator[tuple[Message, bool, bool]]:
        """Each message, whether the model made it, and whether it is a call of its own."""
        for message in request.messages:
            yield message, message.role == "assistant", True


class AnthropicMessages(_WireBody):
    """The reader of ``anthropic-messages``: a body for ``/v1/messages``."""

    def __init__(self) -> None:
        super().__init__("anthropic-messages", ANTHROPIC)


class GeminiContents(_WireBody):
    """The reader of ``gemini-contents``: a body for ``generateContent``."""

    def __init__(self) -> None:
        super().__init__("gemini-contents", GEMINI)


class OpenAIChatBody(_WireBody):
    """The reader of ``openai-chat``: a body for ``/v1/chat/completions``, or a log entry that holds one and its answer."""

    def __init__(self) -> None:
        super().__init__("openai-chat", CHAT)

    @staticmethod
    def taken_apart(document: object, skips: SkipLog) -> tuple[object, CallNote]:
        """A log entry keeps the sampling fields apart from the messages; here they are together as they were sent."""
        log = mapping(document)
        if not isinstance(log.get("response"), dict) and not isinstance(log.get("kwargs"), dict):
            return document, NO_NOTE
        response = mapping(log.get("response"))
        sent: dict[str, object] = {}
        model = log.get("model") or response.get("model")
        if isinstance(model, str):
            sent["model"] = model
        for key, value in mapping(log.get("kwargs")).items():
            if key == "extra_body":
                skips.field("kwargs.extra_body", "extra_body", "fields for the proxy that wrote the log")
            elif key not in ("messages", "tools") or key not in log:
                sent[key] = value
            else:
                skips.field(f"kwargs.{key}", key, "a copy of the field beside it")
        for key, value in log.items():
            if key in _LOG_FIELDS:
                skips.field(key, key, _LOG_FIELDS[key])
            elif key == "response":
                skips.field(key, key, "what the model answered to this request; not part of it")
            elif key != "kwargs":
                sent[key] = value
        return sent, CallNote(text(response.get("id")), usage=chat_usage(response.get("usage")))


class OpenAIResponsesBody(_WireBody):
    """The reader of ``openai-responses``: a body for ``/v1/responses``."""

    def __init__(self) -> None:
        super().__init__("openai-responses", RESPONSES)

    @staticmethod
    def dealt(request: Request, body: object) -> Iterator[tuple[Message, bool, bool]]:
        """A run of items by the model is one call; instructions stand before the items and are nobody's."""
        items = _items(body)
        before = len(request.messages) - len(items)
        for index, message in enumerate(request.messages):
            yield message, index >= before and is_made(mapping(items[index - before])), False


def _items(document: object) -> list[object]:
    if isinstance(document, list):
        return document
    body: Mapping[str, object] = mapping(document)
    return [body["input"]] if isinstance(body.get("input"), str) else sequence(body.get("input"))
