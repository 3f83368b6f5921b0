"""What is refused where messages are wanted, and where such a value goes instead. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import FormatError
from .message import Message

__all__ = ["check_messages"]


def check_messages(verb: str, messages: Iterable[object]) -> None:
    """Refuse what is no message.

    Args:
        verb: what was called, for the error.
        messages: what it was given.

    Raises:
        FormatError: says what was given, and where such values go.
    """
    for message in messages:
        if not isinstance(message, Message):
            raise FormatError(
                f"{verb} takes messages, not a {type(message).__name__}",
                hint="a provider's own JSON goes to Context.load(history, format='openai'), "
                "several messages to append(*messages)",
            )
