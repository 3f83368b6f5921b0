"""The Messages API, read as it passes: named events, or the message in one piece; also the answer of ``count_tokens``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..endpoint import Protocol
from .reader import Reader
from .usage import messages_usage

__all__ = ["MessagesReader"]

_WORDS = ("text", "thinking", "partial_json", "signature", "citation", "content")
_SILENT = ("text", "thinking")


class MessagesReader(Reader):
    """Anthropic's events. The input is told at the beginning, by some servers at the end, the output at the end."""

    protocol: ClassVar[Protocol] = "anthropic"

    def _is_told(self, name: bytes) -> bool:
        return name == b"ping" or (not self.empty and name.startswith(b"content_block_"))

    def _read_name(self, name: bytes) -> None:
        if name == b"message_stop":
            self.ended = True
        elif name.startswith(b"content_block_") or not name:
            self._say()

    def _read(self, value: dict[str, object], data: bytes) -> None:  # noqa: ARG002 - the protocol's
        match value.get("type"):
            case "content_block_delta":
                delta = value.get("delta")
                if isinstance(delta, Mapping) and any(delta.get(field) for field in _WORDS):
                    self._say()
            case "content_block_start":
                block = value.get("content_block")
                if isinstance(block, Mapping) and _is_content(block):
                    self._say()
            case "message_start":
                message = value.get("message")
                if isinstance(message, Mapping):
                    self._message(message)
            case "message_delta":
                self.usage = messages_usage(value.get("usage"), self.usage)
                delta = value.get("delta")
                if isinstance(delta, Mapping):
                    self._stop(delta)
            case "message_stop":
                self.ended = True
            case "message":
                self._message(value)
                self.ended = True
            case None if "input_tokens" in value:
                self.usage = messages_usage(value)
                self.ended = True
            case _:
                pass

    def _message(self, message: Mapping[str, object]) -> None:
        self._name(message)
        self.usage = messages_usage(message.get("usage"), self.usage)
        self._stop(message)
        blocks = message.get("content")
        if isinstance(blocks, list) and any(isinstance(block, Mapping) and _is_content(block) for block in blocks):
            self._say()

    def _stop(self, holder: Mapping[str, object]) -> None:
        reason = holder.get("stop_reason")
        if isinstance(reason, str):
            self.finish = reason


def _is_content(block: Mapping[str, object]) -> bool:
    kind = block.get("type")
    return kind not in _SILENT or any(block.get(field) for field in _WORDS)
