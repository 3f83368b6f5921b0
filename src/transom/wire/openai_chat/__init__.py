"""OpenAI Chat Completions, and every server that speaks it."""

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

__all__ = ["OpenAIChat"]

# A tuple, since what is looked up is anybody's JSON: a list where a role should stand has no hash.
_ROLES: tuple[object, ...] = ("system", "developer", "user", "assistant", "tool", "function")


class OpenAIChat:
    """The format ``openai``. Stateless."""

    parse_items = staticmethod(parse.parse_items)
    render_turn = staticmethod(render.render_turn)
    user_element = staticmethod(render.user_element)
    validate = staticmethod(rules.validate)

    @property
    def name(self) -> str:
        """``openai``."""
        return parse.FORMAT

    @property
    def conversation(self) -> str:
        """``messages``."""
        return "messages"

    @property
    def ids(self) -> Literal["free", "present", "unique"]:
        """See ``Format.ids``."""
        return "present"

    @property
    def takes_late_system(self) -> bool:
        """``system`` and ``developer`` may stand anywhere."""
        return True

    def detect(self, body: object) -> bool:
        """See ``Format.detect``: every element looks like a chat message and none like another provider's."""
        items = body.get(CONVERSATION) if isinstance(body, Mapping) else body
        if not isinstance(items, list) or (isinstance(body, Mapping) and ("contents" in body or "input" in body)):
            return False
        if isinstance(body, Mapping) and "system" in body:
            return False
        return all(
            isinstance(item, Mapping) and item.get("role") in _ROLES and "parts" not in item for item in items
        ) and not any(_is_anthropic(item) for item in items)

    def parse(self, body: object) -> Request:
        """See ``Format.parse``."""
        opened = open_body(body, CONVERSATION, ("tools", "functions"))
        if CONVERSATION not in opened.lists:
            raise FormatError("the request has no list of messages", hint="a chat request holds its conversation in 'messages'")
        return Request(head=parse_head(opened), messages=parse.parse_elements(opened.lists[CONVERSATION]))

    def render_head(
        self, head: Head, system: Sequence[Message], options: RenderOptions, report: Report
    ) -> tuple[Frame, tuple[Element, ...]]:
        """See ``Format.render_head``: the system prompt becomes the first elements."""
        return render_frame(head, report), render.render_system(system, options, report)

    def append_text(self, last: Element, text: str) -> tuple[Element, int] | None:
        """See ``Format.append_text``."""
        return append_to_content(last, text, "text")

    def prefill(self, head: Head) -> Literal["continued", "ignored", "refused"]:  # noqa: ARG002 - the protocol's
        """An ended message is a finished answer; servers that continue it do so by options of their own."""
        return "ignored"


def _is_anthropic(item: Mapping[str, object]) -> bool:
    content = item.get("content")
    return isinstance(content, list) and any(
        isinstance(block, Mapping) and block.get("type") in ("tool_use", "tool_result", "thinking", "image", "document")
        for block in content
    )
