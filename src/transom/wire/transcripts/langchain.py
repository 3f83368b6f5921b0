"""``langchain-dump``: messages as LangChain serialises them, as constructors (``lc``, ``kwargs``) or ``type`` and ``data``.

Calls stand twice in messages of some providers, as content blocks and in ``tool_calls``; they are taken once. The
provider's message id is in ``response_metadata``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import FormatError
from ...messages import Message, Part, RedactedThinking, Thinking
from .chat_elements import add_chat, chat_call, chat_head
from .drafting import CallNote, SegmentDraft, SkipLog, parse_leniently
from .shape import count, mapping, sequence, text
from .source import rows_of
from .transcript import Conversation, Transcript, Usage
from .wires import CHAT

__all__ = ["LangChainDump"]

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "HumanMessageChunk": "user",
    "AIMessageChunk": "assistant",
}
_FIELDS = {
    "artifact": "data of the tool that was not given to the model",
    "response_metadata": "the provider's report; id, model and usage are used",
    "additional_kwargs": "the provider's fields again",
}
_CALL_BLOCKS = frozenset({"tool_use", "tool_call", "function_call", "input_json_delta"})


@dataclass(slots=True)
class _Built:
    where: str
    element: dict[str, object]
    note: CallNote
    reasoning: list[Part]


class LangChainDump:
    """The reader of ``langchain-dump`` files."""

    @property
    def name(self) -> str:
        """``langchain-dump``."""
        return "langchain-dump"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the document lists messages in one of LangChain's forms."""
        return any(_fields(item)[0] for item in _items(rows_of(document, lines=lines)))

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        skips = SkipLog()
        built: list[_Built] = []
        for index, item in enumerate(_items(rows_of(document, lines=lines))):
            role, fields = _fields(item)
            where = f"messages[{index}]"
            if role:
                built.append(_build(where, role, fields, skips))
            else:
                kind = text(mapping(item).get("type"))
                skips.add(where, kind or "message", "not a message of a conversation")
        messages = parse_leniently(CHAT, [one.element for one in built], [one.where for one in built], skips)
        draft = SegmentDraft(chat_head())
        for one, message in zip(built, messages, strict=True):
            if message is not None:
                add_chat(draft, _with_reasoning(message, one.reasoning), one.note)
        if not draft.messages:
            raise FormatError("no message in this dump", hint="a dump lists messages with 'lc' and 'kwargs'")
        return Transcript(self.name, (Conversation("main", (draft.finish(),)),), skips.done())


def _items(document: list[object]) -> list[object]:
    body = mapping(document[0]) if len(document) == 1 else {}
    return sequence(body.get("messages")) or document


def _fields(item: object) -> tuple[str, Mapping[str, object]]:
    """The role and the fields of a stored message; no role if it is none."""
    value = mapping(item)
    if value.get("type") == "constructor" and "lc" in value:
        fields = mapping(value.get("kwargs"))
        path = sequence(value.get("id"))
        return _ROLES.get(text(path[-1]) if path else "", ""), fields
    if isinstance(value.get("data"), dict):
        return _ROLES.get(text(value.get("type")), ""), mapping(value["data"])
    return "", {}


def _build(where: str, role: str, fields: Mapping[str, object], skips: SkipLog) -> _Built:
    skips.fields(where, fields, _FIELDS)
    report = mapping(fields.get("response_metadata"))
    usage = mapping(fields.get("usage_metadata"))
    cached = count(mapping(usage.get("input_token_details")).get("cache_read"))
    counted = Usage(count(usage.get("input_tokens")), cached, count(usage.get("output_tokens"))) if usage else None
    note = CallNote(text(report.get("id")), text(report.get("model_name")) or text(report.get("model")), counted)
    calls = [
        chat_call(text(call.get("name")), call.get("args"), text(call.get("id")))
        for listed in ("tool_calls", "invalid_tool_calls")
        for call in map(mapping, sequence(fields.get(listed)))
    ]
    known = {text(call.get("id")) for call in calls}
    content: object = fields.get("content")
    reasoning: list[Part] = []
    if isinstance(content, list):
        kept: list[object] = []
        for value in content:
            block = mapping(value) or {"type": "text", "text": text(value)}
            kind = text(block.get("type"))
            if kind == "tool_use" and text(block.get("id")) not in known:
                calls.append(chat_call(text(block.get("name")), block.get("input"), text(block.get("id"))))
            elif kind in _CALL_BLOCKS:
                skips.field(where, f"content/{kind}", "the call again; it stands in tool_calls")
            elif kind == "thinking":
                reasoning.append(Thinking(text(block.get("thinking")), text(block.get("signature")) or None))
            elif kind == "redacted_thinking":
                reasoning.append(RedactedThinking(text(block.get("data"))))
            else:
                kept.append(_clean_block(block))
        content = kept or None
    element: dict[str, object] = {"role": role, "content": content}
    if calls:
        element["tool_calls"] = calls
    if role == "tool":
        element["tool_call_id"] = text(fields.get("tool_call_id"))
        element["content"] = "" if content is None else content
    if text(fields.get("name")):
        element["name"] = fields["name"]
    return _Built(where, element, note, reasoning)


def _clean_block(block: Mapping[str, object]) -> dict[str, object]:
    if block.get("type") == "text":
        return {"type": "text", "text": text(block.get("text"))}
    source = mapping(block.get("source"))
    if block.get("type") == "image" and source.get("type") == "base64":
        url = f"data:{text(source.get('media_type'))};base64,{text(source.get('data'))}"
        return {"type": "image_url", "image_url": {"url": url}}
    return dict(block)


def _with_reasoning(message: Message, reasoning: list[Part]) -> Message:
    """Chat messages have no place for signed reasoning; the message then stands for itself, without wire bytes."""
    if not reasoning:
        return message
    return Message.of(message.role, (*reasoning, *message.parts), name=message.name)
