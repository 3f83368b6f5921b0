"""What a message is made of: one frozen dataclass per kind of content.

Knows no provider. A part holds what every provider would understand; fields only its own provider knows stand in ``extra``
(JSON values by their wire name). What no other provider understands at all is ``Opaque`` and travels verbatim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..jsontext import EMPTY
from .construction import quick_init

__all__ = ["Attachment", "Call", "Content", "Opaque", "Part", "RedactedThinking", "Result", "Text", "Thinking", "text_of"]


@quick_init
@dataclass(frozen=True, slots=True)
class Text:
    """Plain text.

    Attributes:
        text: the words.
        refusal: the provider marked this text as a refusal.
        extra: unknown fields (annotations, citations, …).
    """

    text: str
    refusal: bool = False
    extra: Mapping[str, object] = EMPTY


@quick_init
@dataclass(frozen=True, slots=True)
class Thinking:
    """Readable reasoning of the model.

    Attributes:
        text: the reasoning, possibly empty when only its signature is kept.
        signature: the provider's proof that the text is its own; invalid as soon as a byte of the text changes.
    """

    text: str
    signature: str | None = None
    extra: Mapping[str, object] = EMPTY


@quick_init
@dataclass(frozen=True, slots=True)
class RedactedThinking:
    """Reasoning that only the provider can read. Never turned into text.

    Attributes:
        data: the encrypted reasoning, verbatim.
    """

    data: str
    extra: Mapping[str, object] = EMPTY


@quick_init
@dataclass(frozen=True, slots=True)
class Attachment:
    """An image, document, audio clip or other file.

    Attributes:
        media_type: for example ``image/png``; ``image/*`` or ``application/octet-stream`` where the source does not say.
        data: base64 text, when the bytes are inline.
        url: an address or a provider's file id (``file-…``, ``files/…``), when they are not.
        filename: the name shown to the model, if any.
    """

    media_type: str
    data: str | None = None
    url: str | None = None
    filename: str | None = None
    extra: Mapping[str, object] = EMPTY


@quick_init
@dataclass(frozen=True, slots=True)
class Call:
    """A tool call the model made.

    Attributes:
        name: the tool.
        arguments: JSON text exactly as the provider sent it (it may be invalid JSON), or the raw input of a custom tool.
        id: the provider's call id; empty where the source has none.
        kind: ``custom`` for tools whose input is free text.
        signature: an opaque token bound to the call (Gemini's thought signature).
    """

    name: str
    arguments: str = "{}"
    id: str = ""
    kind: Literal["function", "custom"] = "function"
    signature: str | None = None
    extra: Mapping[str, object] = EMPTY


@quick_init
@dataclass(frozen=True, slots=True)
class Opaque:
    """An item that only one provider understands (compaction blocks, hosted tool calls and their results, …).

    Attributes:
        format: the wire format it belongs to.
        kind: the provider's own type name.
        value: the whole item as parsed JSON, verbatim.
    """

    format: str
    kind: str
    value: object


Content = Text | Attachment | Opaque
"""What may stand inside a tool result."""


@quick_init
@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered.

    Attributes:
        content: the answer, usually one ``Text``.
        call_id: the id of the call it answers; empty where the source has none.
        name: the tool's name, where the source repeats it.
        is_error: the tool reported a failure.
    """

    content: tuple[Content, ...] = ()
    call_id: str = ""
    name: str = ""
    is_error: bool = False
    extra: Mapping[str, object] = EMPTY

    @property
    def text(self) -> str:
        """All text of the answer, pieces joined by newlines."""
        return text_of(self.content)


Part = Text | Thinking | RedactedThinking | Attachment | Call | Result | Opaque


def text_of(parts: tuple[Part, ...]) -> str:
    """All plain text among ``parts``, pieces joined by newlines. Reasoning and results are not included."""
    if len(parts) == 1:
        only = parts[0]
        return only.text if isinstance(only, Text) else ""
    return "\n".join(part.text for part in parts if isinstance(part, Text))
