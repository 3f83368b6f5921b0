"""``generateContent`` and ``streamGenerateContent``, read as they pass; also the answer of ``countTokens``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..endpoint import Protocol
from .reader import Reader
from .usage import Usage, gemini_usage

__all__ = ["GeminiReader"]

_SILENT = frozenset({"text", "thought", "thoughtSignature"})


class GeminiReader(Reader):
    """Gemini's pieces, which all have the shape of a whole answer. None is the last by its shape: a reason to stop ends it."""

    protocol: ClassVar[Protocol] = "gemini"

    def _read(self, value: dict[str, object], data: bytes) -> None:  # noqa: ARG002 - the protocol's
        self._name(value, "modelVersion")
        self.usage = gemini_usage(value.get("usageMetadata")) or self.usage
        total = value.get("totalTokens")
        if isinstance(total, int) and self.usage is None:
            self.usage = Usage(input_tokens=total, prompt_tokens=total)
            self.ended = True
        candidates = value.get("candidates")
        for candidate in candidates if isinstance(candidates, list) else ():
            if isinstance(candidate, Mapping):
                self._candidate(candidate)
        feedback = value.get("promptFeedback")
        if isinstance(feedback, Mapping):
            self._stop(feedback.get("blockReason"))

    def _candidate(self, candidate: Mapping[str, object]) -> None:
        self._stop(candidate.get("finishReason"))
        content = candidate.get("content")
        parts = content.get("parts") if self.empty and isinstance(content, Mapping) else None
        if isinstance(parts, list) and any(
            isinstance(part, Mapping) and (part.get("text") or not part.keys() <= _SILENT) for part in parts
        ):
            self._say()

    def _stop(self, reason: object) -> None:
        if isinstance(reason, str) and reason:
            self.finish = reason
            self.ended = True
