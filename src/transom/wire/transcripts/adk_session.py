"""``adk-session``: sessions of Google's Agent Development Kit. An event with content is a Gemini content, one without is state.

The kit stores its keys in snake case; the contents here are spelt as the API spells them. Function arguments and responses
are the tools' own data and stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import FormatError
from ..format import Head
from .drafting import CallNote, SegmentDraft, SkipLog, parse_leniently
from .shape import mapping, sequence, text
from .source import one_document
from .transcript import Conversation, Transcript
from .usage import gemini_usage
from .wires import GEMINI

__all__ = ["ADKSession"]

_KEYS = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "thought_signature": "thoughtSignature",
    "inline_data": "inlineData",
    "file_data": "fileData",
    "mime_type": "mimeType",
    "file_uri": "fileUri",
    "display_name": "displayName",
    "executable_code": "executableCode",
    "code_execution_result": "codeExecutionResult",
    "video_metadata": "videoMetadata",
    "will_continue": "willContinue",
}
_OWN_DATA = frozenset({"args", "response"})


class ADKSession:
    """The reader of ``adk-session`` files."""

    @property
    def name(self) -> str:
        """``adk-session``."""
        return "adk-session"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the document is a session with events by an author."""
        body = mapping(document)
        named = "app_name" in body or "appName" in body
        return not lines and named and any("author" in mapping(event) for event in sequence(body.get("events")))

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        body = mapping(one_document(document, lines=lines))
        skips = SkipLog()
        held: list[tuple[str, dict[str, object], CallNote]] = []
        for index, value in enumerate(sequence(body.get("events"))):
            event = mapping(value)
            where = f"events[{index}]"
            content = mapping(event.get("content"))
            parts = sequence(content.get("parts"))
            if not parts:
                skips.add(where, "event", "event without content: a change of state")
                continue
            role = text(content.get("role")) or ("user" if event.get("author") == "user" else "model")
            usage = gemini_usage(event.get("usage_metadata") or event.get("usageMetadata"))
            note = CallNote(model=text(event.get("model_version") or event.get("modelVersion")), usage=usage)
            held.append((where, {"role": role, "parts": [_spelt(part) for part in parts]}, note))
        if body.get("state"):
            skips.add("state", "state", "the session's state; not part of the conversation")
        messages = parse_leniently(GEMINI, [content for _, content, _ in held], [where for where, _, _ in held], skips)
        draft = SegmentDraft(Head())
        for (_, content, note), message in zip(held, messages, strict=True):
            if message is None:
                continue
            if content["role"] == "model":
                draft.add_made(message, note)
            else:
                draft.add(message)
        if not draft.messages:
            raise FormatError("no event of this session has content", hint="was anything asked in it?")
        meta: Mapping[str, object] = {key: body[key] for key in ("id", "app_name", "appName") if key in body}
        return Transcript(self.name, (Conversation("main", (draft.finish(),)),), skips.done(), meta)


def _spelt(value: object) -> object:
    if isinstance(value, dict):
        return {
            _KEYS.get(key, key): inner if key in _OWN_DATA else _spelt(inner)
            for key, inner in value.items()
            if inner is not None
        }
    if isinstance(value, list):
        return [_spelt(item) for item in value]
    return value
