"""The beginning of an answer, put into the model's mouth, for targets that do not continue one.

Knows messages. Anthropic continues a request's last message where that is the assistant's text ("prefill"); elsewhere the same
message would be taken for a finished answer, so it becomes a system note that asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..messages import Message, Role, Text
from ..vocabulary.mending import MendingWords
from .report import Report

__all__ = ["degrade_prefill", "is_prefill", "prefill_note"]


def is_prefill(messages: Sequence[Message]) -> bool:
    """Whether the conversation ends in text of the assistant, and nothing but text, after something to answer."""
    return (
        len(messages) > 1
        and messages[-1].role == "assistant"
        and messages[-2].role != "assistant"
        and bool(messages[-1].parts)
        and all(isinstance(part, Text) for part in messages[-1].parts)
    )


def degrade_prefill(messages: Sequence[Message], report: Report, words: MendingWords) -> tuple[Message, ...]:
    """The conversation with its prefill as a system note; unchanged where there is none."""
    if not is_prefill(messages):
        return tuple(messages)
    report.add("degraded", f"messages[{len(messages) - 1}]", "a prefilled answer became a system note")
    return (*messages[:-1], prefill_note(messages[-1], words))


def prefill_note(message: Message, words: MendingWords, role: Role = "system") -> Message:
    """What stands for a prefill: a note that asks for its continuation. Its reasoning, which no note may hold, is left out."""
    # In one text: a target that frames each part of a system message would else put its frame around what is to be continued.
    begun = "".join(part.text for part in message.parts if isinstance(part, Text))
    return Message(role, f"{words.prefill}\n\n{begun}", positional=role == "system")
