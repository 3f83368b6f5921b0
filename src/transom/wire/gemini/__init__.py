"""Gemini generateContent: the format as one class.

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
from .parse import FORMAT, parse_content, parse_system
from .render import append_text, render_turn, user_element
from .rules import validate

__all__ = ["Gemini"]

_SYSTEM = ("systemInstruction", "system_instruction")


class Gemini:
    """``gemini``: generateContent and streamGenerateContent. Stateless; see ``wire.format.Format``."""

    render_turn = staticmethod(render_turn)
    append_text = staticmethod(append_text)
    user_element = staticmethod(user_element)
    validate = staticmethod(validate)

    @property
    def name(self) -> str:
        """``gemini``."""
        return FORMAT

    @property
    def conversation(self) -> str:
        """``contents``."""
        return "contents"

    @property
    def ids(self) -> Literal["free", "present", "unique"]:
        """See ``Format.ids``: calls and responses are matched by name and order."""
        return "free"

    @property
    def takes_late_system(self) -> bool:
        """There is one place for system text, before the conversation."""
        return False

    def detect(self, body: object) -> bool:
        """Whether the body holds ``contents``, or is a list of elements with ``parts``."""
        contents = body.get("contents") if isinstance(body, Mapping) else body
        if not isinstance(contents, list | tuple):
            return False
        if not contents:
            return isinstance(body, Mapping)
        return all(isinstance(content, Mapping) and "parts" in content for content in contents)

    def parse(self, body: object) -> Request:
        """Read a request body or a bare list of contents."""
        opened = open_body(body, "contents", ("tools", *_SYSTEM))
        if "contents" not in opened.lists:
            raise FormatError("the request has no list of contents", hint="Gemini bodies hold their conversation in 'contents'")
        for field in ("tools", *_SYSTEM):
            # An empty list of tools stays a field, so that it goes out again; a list of system texts only SDKs understand.
            if field in opened.lists and (field != "tools" or not opened.lists[field]):
                opened.fields[field] = [value for value, _ in opened.lists.pop(field)]
        messages: list[Message] = []
        for field in _SYSTEM:
            if isinstance(opened.fields.get(field), Mapping | str):
                value = opened.fields.pop(field)
                messages.append(parse_system(value, opened.raw.get(field) or dumps(value), field))
        messages.extend([parse_content(value, raw, index) for index, (value, raw) in enumerate(opened.lists["contents"])])
        return Request(head=parse_head(opened), messages=tuple(messages))

    def parse_items(self, items: Sequence[object]) -> tuple[Message, ...]:
        """Read elements of ``contents``."""
        return tuple([parse_content(*as_item(item), index) for index, item in enumerate(items)])

    def render_head(
        self,
        head: Head,
        system: Sequence[Message],
        options: RenderOptions,
        report: Report,
    ) -> tuple[Frame, tuple[Element, ...]]:
        """Render everything but the conversation; the system instruction stands in the frame."""
        return render_frame(head, system, options, report), ()

    def prefill(self, head: Head) -> Literal["continued", "ignored", "refused"]:  # noqa: ARG002 - the protocol's
        """A content of the model is a finished answer."""
        return "ignored"
