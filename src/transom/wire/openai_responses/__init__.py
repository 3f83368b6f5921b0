"""OpenAI Responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ...errors import FormatError
from ...jsontext import dumps
from ...messages import Message
from ..bodies import Body, open_body
from ..format import Element, Frame, Head, RenderOptions, Request
from ..report import Report
from ..trailing import append_to_content
from . import parse, render, rules
from .head import CONVERSATION, parse_head, render_frame

__all__ = ["OpenAIResponses"]

_STATE = ("previous_response_id", "conversation", "prompt")
_ITEM_TYPES = ("function_call", "reasoning", "custom_tool_call", "item_reference", "compaction")


class OpenAIResponses:
    """The format ``openai-responses``. Stateless."""

    parse_items = staticmethod(parse.parse_items)
    render_turn = staticmethod(render.render_turn)
    user_element = staticmethod(render.user_element)
    validate = staticmethod(rules.validate)

    @property
    def name(self) -> str:
        """``openai-responses``."""
        return parse.FORMAT

    @property
    def conversation(self) -> str:
        """``input``."""
        return "input"

    @property
    def ids(self) -> Literal["free", "present", "unique"]:
        """See ``Format.ids``."""
        return "unique"

    @property
    def takes_late_system(self) -> bool:
        """``system`` and ``developer`` may stand anywhere."""
        return True

    def detect(self, body: object) -> bool:
        """See ``Format.detect``: an ``input``, or a bare list in which at least one item has a type of its own."""
        if isinstance(body, Mapping):
            if "messages" in body or "contents" in body:
                return False
            # A prompt that is text is what Ollama and the completions of old have; here it is a stored one, by its id.
            return (
                isinstance(body.get(CONVERSATION), str | list)
                or "previous_response_id" in body
                or isinstance(body.get("prompt"), Mapping)
            )
        if not isinstance(body, list) or not all(isinstance(item, Mapping) for item in body):
            return False
        return any(_is_item(item) for item in body)

    def parse(self, body: object) -> Request:
        """See ``Format.parse``: ``instructions`` becomes the first message, a plain ``input`` the user's."""
        opened = open_body(body, CONVERSATION, ("tools", "instructions"))
        head = parse_head(opened)
        messages: list[Message] = []
        instructions = opened.fields.get("instructions")
        if isinstance(instructions, str):
            messages.append(parse.instructions(_raw(opened, "instructions", instructions), instructions))
        plain = opened.fields.get(CONVERSATION)
        if isinstance(plain, str):
            messages.append(parse.plain_input(_raw(opened, CONVERSATION, plain), plain))
        elif CONVERSATION in opened.lists:
            messages.extend(parse.parse_elements(opened.lists[CONVERSATION]))
        elif plain is not None or not any(field in opened.fields for field in _STATE):
            raise FormatError("the request has no input", hint="a Responses request holds its conversation in 'input'")
        return Request(head=head, messages=tuple(messages))

    def render_head(
        self, head: Head, system: Sequence[Message], options: RenderOptions, report: Report
    ) -> tuple[Frame, tuple[Element, ...]]:
        """See ``Format.render_head``: ``instructions`` stands in the frame, system items come first in the list."""
        instructions, elements = render.render_system(system, options, report)
        return render_frame(head, instructions, report), elements

    def append_text(self, last: Element, text: str) -> tuple[Element, int] | None:
        """See ``Format.append_text``."""
        return append_to_content(last, text, "input_text")

    def prefill(self, head: Head) -> Literal["continued", "ignored", "refused"]:  # noqa: ARG002 - the protocol's
        """An ended message is a finished answer."""
        return "ignored"


def _raw(body: Body, field: str, value: str) -> bytes:
    return body.raw.get(field) or dumps(value)


def _is_item(item: Mapping[str, object]) -> bool:
    kind = item.get("type")
    if kind == "message" or (isinstance(kind, str) and (kind in _ITEM_TYPES or kind.endswith(("_call", "_output")))):
        return True
    content = item.get("content")
    return isinstance(content, list) and any(
        isinstance(part, Mapping) and part.get("type") in ("input_text", "output_text", "input_image", "input_file")
        for part in content
    )
