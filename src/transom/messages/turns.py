"""Turns: the units that are kept, moved or dropped whole.

Pure. A user message or a system message is a turn of its own. A run of assistant messages together with everything that
answers its calls is one turn, so that nothing can come between a call and its result, or between reasoning and what it led to.
"""

from __future__ import annotations

from collections.abc import Sequence

from .inserted import is_inserted
from .message import Message
from .parts import Attachment, Call, Opaque, Result, Text

__all__ = ["carries_result", "group_turns", "is_user_request", "leading_system"]


def leading_system(messages: Sequence[Message]) -> int:
    """How many messages at the start are the system prompt."""
    count = 0
    while count < len(messages) and messages[count].role == "system" and not messages[count].positional:
        count += 1
    return count


def carries_result(message: Message) -> bool:
    """Whether the message answers a call."""
    return _count(message, Result) > 0


def _count(message: Message, kind: type) -> int:
    count = 0
    for part in message.parts:
        if isinstance(part, kind):
            count += 1
    return count


def is_user_request(message: Message) -> bool:
    """Whether the user wrote something in it: not merely tool results, and what a client inserts beside them by itself."""
    if message.role != "user":
        return False
    with_results = carries_result(message)
    return any(
        isinstance(part, Attachment | Opaque) or (isinstance(part, Text) and not (with_results and is_inserted(part.text)))
        for part in message.parts
    )


def group_turns(messages: Sequence[Message]) -> list[range]:
    """Cut a conversation into turns, as index ranges that cover it without gaps.

    A result joins the assistant turn before it while that turn still has calls without a result; user messages that arrive in
    between (a user who typed while a tool ran) join it too, if a result follows before the next assistant message. A result
    with no call before it is a turn of its own.
    """
    turns: list[range] = []
    start, index, count = 0, 0, len(messages)
    while index < count:
        start = index
        if messages[index].role != "assistant":
            index += 1
        else:
            index = _assistant_turn(messages, index)
        turns.append(range(start, index))
    return turns


def _assistant_turn(messages: Sequence[Message], start: int) -> int:
    """Where the turn that starts with an assistant message ends."""
    end, open_calls, answered = start, 0, False
    for index in range(start, len(messages)):
        message = messages[index]
        if message.role == "assistant":
            if answered or end < index:
                break
            open_calls += _count(message, Call)
        elif message.role == "tool" and not carries_result(message):
            answered = True
        elif open_calls <= 0:
            break
        elif answers := _count(message, Result):
            open_calls -= answers
            answered = True
        else:
            continue
        end = index + 1
    return end
