"""The Responses API, read as it passes: named events, or the response in one piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ...jsontext import EMPTY
from ..endpoint import Protocol
from .fault import fault
from .reader import Reader
from .usage import responses_usage

__all__ = ["ResponsesReader"]

_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_RESPONSE = frozenset({"response.created", "response.in_progress", "response.queued", *_ENDS})


class ResponsesReader(Reader):
    """OpenAI's events. Usage may stand in any of the events that end a response."""

    protocol: ClassVar[Protocol] = "openai-responses"

    def _is_told(self, name: bytes) -> bool:
        return not self.empty and name.endswith((b".delta", b".done", b".added"))

    def _read_name(self, name: bytes) -> None:
        kind = name.decode(errors="replace")
        if kind in _ENDS:
            self.ended = True
            self.finish = kind.removeprefix("response.")
        elif kind not in _RESPONSE:
            self._say()

    def _read(self, value: dict[str, object], data: bytes) -> None:
        kind = value.get("type")
        if not isinstance(kind, str):
            if value.get("object") == "response":
                self._response(value, data, is_end=True)
            elif "input_tokens" in value:
                self.usage = responses_usage(value)
            return
        if kind in _RESPONSE:
            response = value.get("response")
            if isinstance(response, Mapping):
                self._response(response, data, is_end=kind in _ENDS)
        elif self.empty and kind.startswith("response."):
            item = value.get("item")
            if kind.endswith(".delta"):
                if value.get("delta"):
                    self._say()
            elif isinstance(item, Mapping) and _is_content(item):
                self._say()

    def _response(self, response: Mapping[str, object], data: bytes, *, is_end: bool) -> None:
        self._name(response)
        self.usage = responses_usage(response.get("usage")) or self.usage
        if response.get("error"):
            self._fail(fault(response, data))
        if not is_end:
            return
        status = response.get("status")
        why = response.get("incomplete_details")
        reason = why.get("reason") if isinstance(why, Mapping) else None
        self.finish = reason if isinstance(reason, str) else status if isinstance(status, str) else ""
        self.ended = True
        output = response.get("output")
        if self.empty and isinstance(output, list) and any(isinstance(item, Mapping) and _is_content(item) for item in output):
            self._say()


def _is_content(item: Mapping[str, object]) -> bool:
    """Whether an output item holds what a model said: an empty message does not, a call does."""
    match item.get("type"):
        case "message":
            parts = item.get("content")
            return isinstance(parts, list) and any(_has_words(part) for part in parts)
        case "reasoning":
            return any(item.get(field) for field in ("summary", "content", "encrypted_content"))
        case _:
            return True


def _has_words(part: object) -> bool:
    fields = part if isinstance(part, Mapping) else EMPTY
    return bool(fields.get("text") or fields.get("refusal"))
