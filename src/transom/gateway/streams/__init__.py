"""Answers, read while they pass: a copy of the bytes goes through a reader, and the client gets what the upstream sent.

``reader`` makes the reader of one answer. What the gateway says itself is spelled by ``keepalive``, ``error_event`` and
``error_body``, and begins with a ``content_type`` where the answer that is ``awaited`` has not come; ``UsageChunkFilter`` takes
out the one chunk that a client did not ask for. Knows no HTTP and no sockets.
"""

from __future__ import annotations

from ..endpoint import Protocol
from .chat import ChatReader
from .fault import Fault
from .gemini import GeminiReader
from .messages import MessagesReader
from .ollama import OllamaReader
from .reader import Clock, Reader
from .responses import ResponsesReader
from .shapes import Framing, awaited, content_type, error_body, error_event, keepalive
from .splitting import LIMIT, Events, JsonLines, Splitter
from .usage import Usage
from .usage_chunk import UsageChunkFilter
from .values import Sniffed, Values, Whole

__all__ = [
    "LIMIT",
    "Clock",
    "Fault",
    "Framing",
    "Reader",
    "Usage",
    "UsageChunkFilter",
    "awaited",
    "content_type",
    "error_body",
    "error_event",
    "keepalive",
    "reader",
]


def reader(protocol: Protocol, content_type: str, clock: Clock, *, status: int = 200, limit: int = LIMIT) -> Reader:
    """The reader of one answer.

    Args:
        protocol: as the endpoint says.
        content_type: the answer's header, which decides how it is cut: some servers stream to those who did not ask for it,
            and some do not to those who did. Empty where there is none.
        clock: seconds; when the first content came is told on it.
        status: the answer's HTTP status.
        limit: bytes of one event that are kept to be read; longer ones pass unread.
    """
    kind = content_type.partition(";")[0].strip().lower()
    return _READERS[protocol](_splitter(protocol, kind, limit), clock, status)


_READERS: dict[Protocol, type[Reader]] = {
    "openai": ChatReader,
    "openai-responses": ResponsesReader,
    "anthropic": MessagesReader,
    "gemini": GeminiReader,
    "ollama": OllamaReader,
}


def _splitter(protocol: Protocol, kind: str, limit: int) -> Splitter:
    if kind == "text/event-stream":
        return Events(limit)
    if "ndjson" in kind or "jsonl" in kind or kind in ("application/json-lines", "application/stream+json"):
        return JsonLines(limit)
    if kind.endswith("json"):
        # Gemini streams an array, and what stands between Ollama and us may call its lines plain JSON.
        return Values(limit) if protocol in ("gemini", "ollama") else Whole(limit)
    return Sniffed(limit)
