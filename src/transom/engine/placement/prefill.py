"""The beginning of an answer at the end of a conversation, where the target does not continue one.

Pure. A target that takes it for a finished answer is told in a system note what to continue; one that refuses it is told by the
user, since it wants the user's word last. A target's own message that it merely ignores is left as it came: servers that speak
its format may continue it.
"""

from __future__ import annotations

from typing import assert_never

from ...messages import Message, Text, Thinking, Turn
from ...vocabulary.mending import MendingWords
from ...wire.format import Format, Head
from ...wire.prefill import prefill_note

__all__ = ["degraded_prefill", "is_unanswered"]


def is_unanswered(turn: Turn) -> bool:
    """Whether a turn is nothing but the assistant's words."""
    return all(message.role == "assistant" for message in turn.messages)


def degraded_prefill(turn: Turn, target: Format, head: Head, words: MendingWords) -> Message | None:
    """What stands for the last message of the last turn, said in ``words``; ``None`` where that stays."""
    last = turn.messages[-1]
    if not is_unanswered(turn) or not any(isinstance(part, Text) and part.text for part in last.parts):
        return None
    if not all(isinstance(part, Text | Thinking) for part in last.parts):
        return None
    match target.prefill(head):
        case "continued":
            return None
        case "ignored":
            own = last.origin is not None and last.origin.format == target.name
            return None if own else prefill_note(last, words)
        case "refused":
            return prefill_note(last, words, "user")
        case never:
            assert_never(never)
