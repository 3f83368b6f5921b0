"""``gemini-cli`` chat files: one JSON document whose ``gemini`` messages hold calls and their results together.

Each such message becomes what was on the wire: the model's content with its calls, then the user's content with the function
responses. What the file holds for the screen (``resultDisplay``, the summaries in ``thoughts``) was never sent back.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import FormatError
from ..format import Head
from .drafting import CallNote, SegmentDraft, SkipLog, parse_leniently
from .shape import count, mapping, sequence, text
from .source import one_document
from .transcript import Conversation, Transcript, Usage
from .wires import GEMINI

__all__ = ["GeminiCLI"]

_TYPES = frozenset({"user", "gemini"})
_FIELDS = {"thoughts": "summaries of the reasoning, for the screen; not sent back to the model"}
_CALL_FIELDS = {
    "resultDisplay": "the result again, for the screen",
    "description": "what the tool is for, for the screen",
}


class GeminiCLI:
    """The reader of ``gemini-cli`` files."""

    @property
    def name(self) -> str:
        """``gemini-cli``."""
        return "gemini-cli"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the document is a session with messages of type ``user`` or ``gemini``."""
        body = mapping(document)
        return (
            not lines
            and "sessionId" in body
            and any(text(mapping(message).get("type")) in _TYPES for message in sequence(body.get("messages")))
        )

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        body = mapping(one_document(document, lines=lines))
        skips = SkipLog()
        contents: list[tuple[str, dict[str, object], CallNote | None]] = []
        for index, value in enumerate(sequence(body.get("messages"))):
            contents.extend(_contents(f"messages[{index}]", mapping(value), skips))
        messages = parse_leniently(GEMINI, [content for _, content, _ in contents], [where for where, _, _ in contents], skips)
        draft = SegmentDraft(Head())
        for (_, _, note), message in zip(contents, messages, strict=True):
            if message is None:
                continue
            if note is not None:
                draft.add_made(message, note, alone=True)
            else:
                draft.add(message)
        if not draft.messages:
            raise FormatError("no message in this gemini-cli chat", hint="was anything asked in it?")
        meta = {key: body[key] for key in ("sessionId", "projectHash", "startTime") if key in body}
        return Transcript(self.name, (Conversation("main", (draft.finish(),)),), skips.done(), meta)


def _contents(
    where: str, message: Mapping[str, object], skips: SkipLog
) -> list[tuple[str, dict[str, object], CallNote | None]]:
    kind = text(message.get("type"))
    if kind not in _TYPES:
        skips.add(where, kind or "message", "notice for the screen; not sent to the model")
        return []
    skips.fields(where, message, _FIELDS)
    parts = _parts(message.get("content"))
    if kind == "user":
        return [(where, {"role": "user", "parts": parts}, None)]
    answers: list[object] = []
    for item in sequence(message.get("toolCalls")):
        call = mapping(item)
        skips.fields(where, call, _CALL_FIELDS)
        made = {key: call[key] for key in ("id", "name", "args") if call.get(key) is not None}
        parts.append({"functionCall": made})
        answers.extend(_answers(call))
    if not parts:
        skips.add(where, kind, "empty message")
        return []
    tokens = mapping(message.get("tokens"))
    usage = Usage(
        count(tokens.get("input")), count(tokens.get("cached")), count(tokens.get("output")) + count(tokens.get("thoughts"))
    )
    note = CallNote(model=text(message.get("model")), usage=usage if usage.input_tokens or usage.output_tokens else None)
    contents: list[tuple[str, dict[str, object], CallNote | None]] = [(where, {"role": "model", "parts": parts}, note)]
    if answers:
        contents.append((f"{where}.toolCalls", {"role": "user", "parts": answers}, None))
    return contents


def _parts(content: object) -> list[object]:
    if isinstance(content, str):
        return [{"text": content}] if content else []
    return [{"text": part} if isinstance(part, str) else part for part in sequence(content)]


def _answers(call: Mapping[str, object]) -> list[object]:
    result = call.get("result")
    if isinstance(result, str) and result:
        answer = {"id": call.get("id"), "name": call.get("name"), "response": {"output": result}}
        return [{"functionResponse": {key: value for key, value in answer.items() if value is not None}}]
    return sequence(result) or ([result] if isinstance(result, dict) else [])
