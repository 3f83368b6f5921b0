"""Chat messages as other programs store them, made clean again, and conversations built from them.

Knows the ``openai`` wire format, no file. A stored message keeps only what may be sent; what else it held is named as skipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...jsontext import dumps_text
from ...messages import Message, Text
from ..format import Head
from .drafting import CallNote, SegmentDraft, SkipLog, own_words, parse_leniently
from .shape import mapping, sequence
from .transcript import Segment
from .wires import CHAT

__all__ = ["SENT_FIELDS", "add_chat", "chat_call", "chat_element", "chat_head", "chat_segment"]

SENT_FIELDS = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio"})
"""What a chat message may hold on the wire."""

_NULL_STAYS = "content"


def chat_element(message: Mapping[str, object]) -> dict[str, object]:
    """A chat message with only what may be sent; calls get their arguments as JSON text, as the wire has them."""
    element = {key: value for key, value in message.items() if key in SENT_FIELDS and (value is not None or key == _NULL_STAYS)}
    calls = sequence(element.pop("tool_calls", None))
    if calls:
        element["tool_calls"] = [_clean_call(call) for call in calls]
    return element


def _clean_call(value: object) -> object:
    call = mapping(value)
    function = mapping(call.get("function"))
    if not function:
        return value
    clean = {key: call[key] for key in ("id", "type") if call.get(key) is not None}
    clean.setdefault("type", "function")
    return {**clean, "function": {**function, "arguments": _arguments(function.get("arguments"))}}


def _arguments(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return "{}" if arguments is None else dumps_text(arguments)


def chat_call(name: str, arguments: object, identity: str) -> dict[str, object]:
    """An entry of ``tool_calls``."""
    call: dict[str, object] = {"id": identity} if identity else {}
    return {**call, "type": "function", "function": {"name": name, "arguments": _arguments(arguments)}}


def chat_head(*, model: str = "", tools: Sequence[object] = (), **params: object) -> Head:
    """The head of a chat request.

    Args:
        model: empty if unknown.
        tools: definitions as the wire has them.
        params: sampling fields by their wire name; those that are ``None`` are left out.
    """
    body: dict[str, object] = {"model": model} if model else {}
    body.update((key, value) for key, value in params.items() if value is not None)
    if tools:
        body["tools"] = list(tools)
    return own_words(CHAT.parse({**body, "messages": []}).head)


def chat_segment(elements: Sequence[tuple[str, Mapping[str, object], CallNote]], head: Head, skips: SkipLog) -> Segment:
    """A segment of chat messages: each run of assistant messages is one call.

    Args:
        elements: (where it stands in the file, the clean message, what is known of its call).
        head: model, tools and sampling.
        skips: takes messages that cannot be read.
    """
    draft = SegmentDraft(head)
    messages = parse_leniently(CHAT, [element for _, element, _ in elements], [where for where, _, _ in elements], skips)
    for (_, _, note), message in zip(elements, messages, strict=True):
        if message is not None:
            add_chat(draft, message, note)
    return draft.finish()


def add_chat(draft: SegmentDraft, message: Message, note: CallNote) -> None:
    """Add a message to a draft: as made by a call if the model wrote it and it holds anything."""
    if message.role == "assistant" and any(not isinstance(part, Text) or part.text for part in message.parts):
        draft.add_made(message, note)
    else:
        draft.add(message)
