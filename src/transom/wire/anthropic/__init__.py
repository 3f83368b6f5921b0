"""Anthropic Messages: the format as one class.

Knows how the parts of this package fit together; no other format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ...errors import FormatError
from ...jsontext import dumps
from ...messages import Message
from ..bodies import as_item, open_body
from ..format import Element, Frame, Head, RenderOptions, Request
from ..report import Report
from .head import parse_head, render_frame
from .parse import FORMAT, parse_message, parse_system
from .render import append_text, render_turn, user_element
from .rules import refuses_prefill, thinks, validate

__all__ = ["Anthropic"]


class Anthropic:
    """``anthropic``: the Messages API. Stateless; see ``wire.format.Format`` for what each method promises."""

    render_turn = staticmethod(render_turn)
    append_text = staticmethod(append_text)
    user_element = staticmethod(user_element)
    validate = staticmethod(validate)

    @property
    def name(self) -> str:
        """``anthropic``."""
        return FORMAT

    @property
    def conversation(self) -> str:
        """``messages``."""
        return "messages"

    @property
    def ids(self) -> Literal["free", "present", "unique"]:
        """See ``Format.ids``."""
        return "unique"

    @property
    def takes_late_system(self) -> bool:
        """Only recent models take one."""
        return False

    def detect(self, body: object) -> bool:
        """Whether something in the body is said only by this format."""
        return looks_like_messages(body)

    def parse(self, body: object) -> Request:
        """Read a request body or a bare list of messages."""
        opened = open_body(body, "messages", ("tools", "system"))
        if "messages" not in opened.lists:
            raise FormatError(
                "the request has no list of messages", hint="Anthropic bodies hold their conversation in 'messages'"
            )
        for field in ("tools", "system"):
            # An empty list is no tool and no prompt: it stays a field, so that it goes out again.
            if opened.lists.get(field) == []:
                opened.fields[field] = opened.lists.pop(field)
        messages: list[Message] = []
        if "system" in opened.lists:
            items = opened.lists["system"]
            raw = b"[" + b",".join([raw for _, raw in items]) + b"]"
            messages.append(parse_system([value for value, _ in items], raw))
        elif isinstance(opened.fields.get("system"), str):
            text = opened.fields.pop("system")
            messages.append(parse_system(text, opened.raw.get("system") or dumps(text)))
        messages.extend(
            [parse_message(value, raw, index) for index, (value, raw) in enumerate(opened.lists.get("messages", ()))]
        )
        return Request(head=parse_head(opened), messages=tuple(messages))

    def parse_items(self, items: Sequence[object]) -> tuple[Message, ...]:
        """Read elements of ``messages``."""
        return tuple([parse_message(*as_item(item), index) for index, item in enumerate(items)])

    def render_head(
        self, head: Head, system: Sequence[Message], options: RenderOptions, report: Report
    ) -> tuple[Frame, tuple[Element, ...]]:
        """Render everything but the conversation; the system prompt stands in the frame."""
        return render_frame(head, system, options, report), ()

    def prefill(self, head: Head) -> Literal["continued", "ignored", "refused"]:
        """Anthropic continues the answer, except with models that take no prefill, and with extended thinking."""
        own = head.format == FORMAT and thinks(head.fields)
        return "refused" if own or refuses_prefill(head.model) else "continued"


# Tuples, since what is looked up is anybody's JSON: a list where a name should stand has no hash.
_ONLY_HERE: tuple[object, ...] = (
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "document",
    "compaction",
    "container_upload",
)
_NEVER_HERE: tuple[object, ...] = ("tool", "developer", "function")
_ONLY_OPENAI: tuple[object, ...] = ("image_url", "input_text", "output_text", "input_audio", "refusal")


def looks_like_messages(body: object) -> bool:
    """Whether parsed JSON says something that only a Messages request says.

    A plain exchange of texts could be any of several formats; the model's name, a top-level system prompt or Anthropic's own
    blocks and tool definitions decide, and anything that only OpenAI writes speaks against it.
    """
    if isinstance(body, Mapping):
        messages = body.get("messages")
        evidence = (
            "system" in body
            or "anthropic_version" in body
            or str(body.get("model", "")).startswith("claude")
            or any(isinstance(tool, Mapping) and "input_schema" in tool for tool in _listed(body.get("tools")))
        )
        counter = any(isinstance(tool, Mapping) and tool.get("type") == "function" for tool in _listed(body.get("tools")))
    else:
        messages, evidence, counter = body, False, False
    if not isinstance(messages, list | tuple) or counter:
        return False
    for message in messages:
        if not isinstance(message, Mapping) or message.get("role") in _NEVER_HERE or "tool_calls" in message:
            return False
        for block in _listed(message.get("content")):
            if isinstance(block, Mapping):
                kind = block.get("type")
                if kind in _ONLY_HERE or (kind == "image" and "source" in block):
                    evidence = True
                elif kind in _ONLY_OPENAI:
                    return False
    return evidence


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
