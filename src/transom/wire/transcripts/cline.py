"""``cline-messages``: Cline sessions. Messages have the blocks of the Messages API, with two of Cline's own.

``file`` blocks hold whole files and go to the model as text in a ``file_content`` tag; a tool result may be a list of the
tool's own records and goes as JSON text.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import FormatError
from ...jsontext import dumps_text
from .drafting import CallNote, SegmentDraft, SkipLog, own_words, parse_leniently
from .shape import count, mapping, sequence, text
from .source import one_document
from .transcript import Conversation, Transcript, Usage
from .wires import ANTHROPIC

__all__ = ["ClineMessages"]

_BLOCKS = frozenset({"text", "image", "document", "search_result", "tool_reference"})


class ClineMessages:
    """The reader of ``cline-messages`` files."""

    @property
    def name(self) -> str:
        """``cline-messages``."""
        return "cline-messages"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the document is a session whose messages carry Cline's time stamps."""
        messages = [mapping(message) for message in sequence(mapping(document).get("messages"))]
        return (
            not lines and bool(messages) and all("role" in message for message in messages) and any("ts" in m for m in messages)
        )

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        body = mapping(one_document(document, lines=lines))
        skips = SkipLog()
        held: list[tuple[str, dict[str, object], CallNote]] = []
        for index, value in enumerate(sequence(body.get("messages"))):
            message = mapping(value)
            where = f"messages[{index}]"
            content = message.get("content")
            if isinstance(content, list):
                content = [_block(mapping(block)) for block in content]
            if not content:
                skips.add(where, text(message.get("role")) or "message", "empty message")
                continue
            held.append((where, {"role": message.get("role"), "content": content}, _note(message)))
        messages = parse_leniently(ANTHROPIC, [element for _, element, _ in held], [where for where, _, _ in held], skips)
        opening = ANTHROPIC.parse({**_opening(body, held), "messages": []})
        draft = SegmentDraft(own_words(opening.head), list(opening.messages))
        for (_, element, note), parsed in zip(held, messages, strict=True):
            if parsed is None:
                continue
            if element["role"] == "assistant":
                draft.add_made(parsed, note)
            else:
                draft.add(parsed)
        if not held:
            raise FormatError("no message in this Cline session", hint="was anything asked in it?")
        meta = {key: body[key] for key in ("sessionId", "agent", "updated_at") if key in body}
        return Transcript(self.name, (Conversation("main", (draft.finish(),)),), skips.done(), meta)


def _opening(body: Mapping[str, object], held: list[tuple[str, dict[str, object], CallNote]]) -> dict[str, object]:
    opening: dict[str, object] = {}
    model = next((note.model for _, _, note in held if note.model), "")
    if model:
        opening["model"] = model
    if text(body.get("system_prompt")):
        opening["system"] = body["system_prompt"]
    return opening


def _note(message: Mapping[str, object]) -> CallNote:
    metrics = mapping(message.get("metrics"))
    usage = Usage(count(metrics.get("inputTokens")), count(metrics.get("cacheReadTokens")), count(metrics.get("outputTokens")))
    model = text(mapping(message.get("modelInfo")).get("id"))
    return CallNote(model=model, usage=usage if usage.input_tokens or usage.output_tokens else None)


def _block(block: Mapping[str, object]) -> dict[str, object]:
    match block.get("type"):
        case "file":
            words = f'<file_content path="{text(block.get("path"))}">\n{text(block.get("content"))}\n</file_content>'
            return {"type": "text", "text": words}
        case "tool_result":
            result = {key: block[key] for key in ("type", "tool_use_id", "is_error") if block.get(key) is not None}
            return {**result, "content": _result(block.get("content"))}
        case _:
            return dict(block)


def _result(content: object) -> object:
    if content is None or isinstance(content, str):
        return content or ""
    blocks = sequence(content)
    if blocks and all(text(mapping(block).get("type")) in _BLOCKS for block in blocks):
        return blocks
    return dumps_text(content)
