"""Ollama's ``/api/chat`` and ``/api/generate``, read as they pass: one object a line, or the answer in one piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..endpoint import Protocol
from .reader import Reader
from .usage import ollama_usage

__all__ = ["OllamaReader"]

_CONTENT = ("content", "thinking", "tool_calls", "images")


class OllamaReader(Reader):
    """Ollama's lines; the one that says ``done`` is the last and has the counts."""

    protocol: ClassVar[Protocol] = "ollama"

    def _read(self, value: dict[str, object], data: bytes) -> None:  # noqa: ARG002 - the protocol's
        if not self.model:
            self._name(value)
        if self.empty:
            message = value.get("message")
            if (
                value.get("response")
                or value.get("thinking")
                or (isinstance(message, Mapping) and any(message.get(field) for field in _CONTENT))
            ):
                self._say()
        if value.get("done") is True:
            self.ended = True
            self.usage = ollama_usage(value) or self.usage
            reason = value.get("done_reason")
            self.finish = reason if isinstance(reason, str) else self.finish
