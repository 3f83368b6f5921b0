"""Chat Completions, read as they pass: chunks of a stream, or the completion in one piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..endpoint import Protocol
from .fault import fault
from .reader import Reader
from .usage import chat_usage

__all__ = ["ChatReader"]

_CONTENT = ("content", "tool_calls", "reasoning_content", "reasoning", "reasoning_details", "refusal", "function_call", "audio")


class ChatReader(Reader):
    """OpenAI's chunks, and what compatible servers make of them: no ``[DONE]``, usage in a chunk that has choices, …"""

    protocol: ClassVar[Protocol] = "openai"

    def _read_text(self, data: bytes) -> None:
        if data.startswith(b"[DONE]"):
            self.ended = True

    def _read(self, value: dict[str, object], data: bytes) -> None:
        if not self.model:
            self._name(value)
        if value.get("usage") or "timings" in value or "x_groq" in value:
            self.usage = chat_usage(value) or self.usage
        choices = value.get("choices")
        if not isinstance(choices, list):
            return
        for choice in choices:
            if isinstance(choice, Mapping):
                self._choice(choice, data)

    def _choice(self, choice: Mapping[str, object], data: bytes) -> None:
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self.finish = finish
            self.ended = self.ended or self.error is None
        if choice.get("error"):
            # OpenRouter tells there what became of the one provider it had asked.
            self._fail(fault(choice, data))
            self.ended = False
        if self.empty:
            said = choice.get("delta") or choice.get("message")
            if choice.get("text") or (isinstance(said, Mapping) and any(said.get(field) for field in _CONTENT)):
                self._say()
