"""Ollama's own API: ``/api/chat``, and the prompts in one piece of ``/api/generate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ...errors import FormatError
from ...messages import Message
from ..bodies import open_body
from ..format import Element, Frame, Head, RenderOptions, Request
from ..report import Report
from ..trailing import append_to_content
from . import parse, render, rules
from .head import CONVERSATION, parse_head, render_frame

__all__ = ["Ollama"]

_ROLES: tuple[object, ...] = ("system", "user", "assistant", "tool")
_CHAT_MARKS = ("options", "keep_alive", "think")
_PROMPT_MARKS = (*_CHAT_MARKS, "suffix", "system", "template", "raw", "context", "images", "format")
_ELSEWHERE = ("contents", "input", "max_tokens", "max_completion_tokens")


class Ollama:
    """The format ``ollama``. Stateless.

    A request for ``/api/generate`` is read as its system text and its prompt. It comes back unchanged; written anew with other
    messages it becomes a request for ``/api/chat``, which the report says.
    """

    parse_items = staticmethod(parse.parse_items)
    render_turn = staticmethod(render.render_turn)
    user_element = staticmethod(render.user_element)
    validate = staticmethod(rules.validate)

    @property
    def name(self) -> str:
        """``ollama``."""
        return parse.FORMAT

    @property
    def conversation(self) -> str:
        """``messages``."""
        return CONVERSATION

    @property
    def ids(self) -> Literal["free", "present", "unique"]:
        """See ``Format.ids``: calls and results are matched by name and order where there are none."""
        return "free"

    @property
    def takes_late_system(self) -> bool:
        """``system`` may stand anywhere."""
        return True

    def detect(self, body: object) -> bool:
        """See ``Format.detect``: fields that only Ollama has, or messages with pictures beside their text or arguments that
        are objects.
        """
        if isinstance(body, Mapping):
            if any(field in body for field in _ELSEWHERE):
                return False
            if CONVERSATION not in body:
                return isinstance(body.get("prompt"), str) and any(mark in body for mark in _PROMPT_MARKS)
            items = body[CONVERSATION]
        else:
            items = body
        if not isinstance(items, list) or not all(_is_message(item) for item in items):
            return False
        marked = isinstance(body, Mapping) and any(mark in body for mark in _CHAT_MARKS)
        return marked or any(_has_mark(item) for item in items)

    def parse(self, body: object) -> Request:
        """See ``Format.parse``."""
        opened = open_body(body, CONVERSATION, ("tools",))
        fields = opened.fields
        if CONVERSATION in opened.lists:
            return Request(head=parse_head(opened), messages=parse.parse_elements(opened.lists[CONVERSATION]))
        if fields.get(CONVERSATION) is not None or not ("model" in fields or "prompt" in fields):
            raise FormatError("the request has no messages and no prompt", hint="Ollama's hold a conversation in 'messages'")
        messages: list[Message] = []
        system = fields.get("system")
        if isinstance(system, str) and system:
            messages.append(parse.parse_system(system))
        if fields.get("prompt") or fields.get("images"):
            messages.append(parse.parse_prompt(fields))
        return Request(head=parse_head(opened), messages=tuple(messages))

    def render_head(
        self, head: Head, system: Sequence[Message], options: RenderOptions, report: Report
    ) -> tuple[Frame, tuple[Element, ...]]:
        """See ``Format.render_head``: the system prompt becomes the first elements."""
        return render_frame(head, report), render.render_system(system, options, report)

    def append_text(self, last: Element, text: str) -> tuple[Element, int] | None:
        """See ``Format.append_text``."""
        return append_to_content(last, text, "text")

    def prefill(self, head: Head) -> Literal["continued", "ignored", "refused"]:  # noqa: ARG002 - the protocol's
        """The model's template leaves a last message of the assistant open, so that it is continued."""
        return "continued"


def _is_message(item: object) -> bool:
    return (
        isinstance(item, Mapping)
        and item.get("role") in _ROLES
        and isinstance(item.get("content", ""), str | None)
        and "parts" not in item
    )


def _has_mark(item: Mapping[str, object]) -> bool:
    if "images" in item or "tool_name" in item:
        return True
    calls = item.get("tool_calls")
    return isinstance(calls, list) and any(
        isinstance(call, Mapping)
        and isinstance(function := call.get("function"), Mapping)
        and isinstance(function.get("arguments"), Mapping)
        for call in calls
    )
