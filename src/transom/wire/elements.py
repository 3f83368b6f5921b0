"""Elements of a conversation list, read one after another, as every list of plain objects is.

Knows JSON values and messages; no provider.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..errors import FormatError
from ..jsontext import EMPTY
from ..messages import Message
from .bodies import Item

__all__ = ["kind_of", "other_fields", "read_elements", "text_in"]


def read_elements(
    items: Iterable[Item], read: Callable[[dict[str, object], bytes, bool], Message], field: str, hint: str
) -> tuple[Message, ...]:
    """Read a conversation list.

    Args:
        items: its elements with their exact bytes.
        read: reads one; told whether only system messages stand before it. What it raises begins behind the element's place.
        field: the list's name, for errors.
        hint: the mend where an element is no object.

    Raises:
        FormatError: an element that cannot be read; names it.
    """
    messages: list[Message] = []
    leading = True
    for index, (value, raw) in enumerate(items):
        if not isinstance(value, dict):
            raise FormatError(f"{field}[{index}] is {kind_of(value)}, not an object", hint=hint)
        try:
            message = read(value, raw, leading)
        except FormatError as error:
            raise FormatError(f"{field}[{index}]{error.message}", hint=error.hint) from None
        leading = leading and message.role == "system"
        messages.append(message)
    return tuple(messages)


def kind_of(value: object) -> str:
    """What something is, for an error."""
    return "null" if value is None else type(value).__name__


def text_in(value: Mapping[str, object], key: str) -> str:
    """The text of a field; empty where it is missing or no text."""
    text = value.get(key)
    return text if isinstance(text, str) else ""


def other_fields(value: dict[str, object], known: frozenset[str]) -> Mapping[str, object]:
    """The fields that are not known, in their order."""
    return EMPTY if known.issuperset(value) else {key: item for key, item in value.items() if key not in known}
