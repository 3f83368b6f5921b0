"""Walks a span once and tells it as a sequence of events: words said, and calls with their results.

Knows messages and nothing of what the texts mean, with one exception: agents without tool calls write a command into a fenced
block and get its output back as a user message, and that is told as a call too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....messages import Attachment, Call, Message, Result
from ....messages.parts import text_of

__all__ = ["Exchange", "Said", "events"]

_FENCE = re.compile(r"```(?:bash|sh|shell|console|zsh|powershell)[^\n]*\n(.*?)\n?```", re.DOTALL)
_OUTPUT = re.compile(
    r"\s*(?:<(?:returncode|output|observation|stdout|tool_output|execution_result)\b|OBSERVATION:|Observation:|diff --git )"
)
_RAN = re.compile(r"Ran `([^`\n]+)`\n```")


_WAITING = 512  # calls of one turn that may be without a result; bounds what a result is compared with


@dataclass(frozen=True, slots=True)
class Said:
    """Words of one message.

    Attributes:
        number: the message, from 1.
        files: what was attached, by name or type.
    """

    number: int
    role: str
    text: str
    files: tuple[str, ...] = ()


@dataclass(slots=True)
class Exchange:
    """A call and its result, as far as both are there.

    Attributes:
        number: the message of the call, or of the result where the call left before.
        answer: the text of the result; ``None`` while unanswered.
    """

    number: int
    name: str
    arguments: str
    custom: bool = False
    answer: str | None = None
    is_error: bool = False
    files: tuple[str, ...] = ()


def events(messages: Sequence[Message], *, missing: str) -> list[Said | Exchange]:
    """Tell the span in order. A result is paired within its turn: by id, else by the tool's name, else in order.

    ``missing`` is what stands in for a result that there is not.
    """
    told: list[Said | Exchange] = []
    waiting: list[tuple[str, Exchange]] = []
    for number, message in enumerate(messages, 1):
        results = [part for part in message.parts if isinstance(part, Result)]
        for result in results:
            exchange = _claim(waiting, result)
            if exchange is None:
                exchange = Exchange(number, result.name, "")
                told.append(exchange)
            exchange.answer, exchange.is_error = result.text if result.text != missing else None, result.is_error
            exchange.files = _files(result.content)
        text = text_of(message.parts)
        files = _files(message.parts)
        if text or files:
            if message.role == "user" and not results and _typed_output(text, told, number):
                continue
            told.append(Said(number, message.role, text, files))
            if message.role == "user" and text:
                waiting.clear()
        for part in message.parts:
            if isinstance(part, Call):
                exchange = Exchange(number, part.name, part.arguments, part.kind == "custom")
                told.append(exchange)
                waiting.append((part.id, exchange))
                if len(waiting) > _WAITING:
                    del waiting[0]
    return told


def _claim(waiting: list[tuple[str, Exchange]], result: Result) -> Exchange | None:
    index = -1
    if result.call_id:
        index = next((at for at, (known, _) in enumerate(waiting) if known == result.call_id), -1)
    if index < 0 and result.name:
        index = next((at for at, (known, held) in enumerate(waiting) if held.name == result.name and _loose(known, result)), -1)
    if index < 0 and not result.name:
        index = next((at for at, (known, _) in enumerate(waiting) if _loose(known, result)), -1)
    return waiting.pop(index)[1] if index >= 0 else None


def _loose(call_id: str, result: Result) -> bool:
    """Two ids that differ are two calls; order may pair them only where one of the two has none."""
    return not call_id or not result.call_id


def _typed_output(text: str, told: list[Said | Exchange], number: int) -> bool:
    """Whether a user message is the output of a command, either one the agent wrote in a fence or one the user ran."""
    ran = _RAN.match(text)
    if ran:
        told.append(Exchange(number, "user ran", ran.group(1), True, text[ran.end() :].rstrip("`\n")))
        return True
    if _OUTPUT.match(text) and told and isinstance(before := told[-1], Said) and before.role == "assistant":
        fence = _FENCE.search(before.text)
        if fence:
            told.append(Exchange(before.number, "shell", fence.group(1), True, text))
            return True
    return False


def _files(parts: Sequence[object]) -> tuple[str, ...]:
    return tuple(
        part.filename or part.media_type
        for part in parts
        if isinstance(part, Attachment) and (part.filename or part.media_type)
    )
