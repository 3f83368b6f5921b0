"""English. See ``vocabulary.mending``."""

from __future__ import annotations

from ...mending import MendingWords

__all__ = ["MENDING"]

MENDING = MendingWords(
    opening="[The conversation continues from an earlier point.]",
    missing_result="[No result was recorded for this call.]",
    prefill="Your next answer has already begun with the text that follows. Continue it where it ends and do not repeat it.",
    reasoning="<thinking>\n{text}\n</thinking>",
    system="<system>\n{text}\n</system>",
    attachment="[attachment left out: {name}, {media_type}]",
    file="file",
)
