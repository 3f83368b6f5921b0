"""Spans and a tokenizer for the digest's tests: built by hand, small, and about real-looking work."""

from __future__ import annotations

import json
from collections.abc import Sequence

from transom.engine.overflow.digesting import Digest, digest
from transom.messages import Call, Message, Result, Text

ARCHIVE = "context://archive/{window}"


class Quarters:
    """Four characters a token, rounded up."""

    name = "quarters"
    image_tokens = 85

    def count(self, text: str) -> int:
        return (len(text) + 3) // 4

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


def user(text: str) -> Message:
    return Message("user", text)


def assistant(text: str) -> Message:
    return Message("assistant", text)


def call(name: str, call_id: str = "c1", /, **arguments: object) -> Message:
    return Message("assistant", None, tool_calls=[Call(name, json.dumps(arguments, ensure_ascii=False), call_id)])


def answer(text: str, call_id: str = "c1", *, is_error: bool = False) -> Message:
    return Message.of("tool", (Result((Text(text),), call_id, is_error=is_error),))


def write(
    messages: Sequence[Message],
    budget: int = 2_000,
    *,
    previous: str | None = None,
    window: str = "w1",
    tokenizer: Quarters | None = None,
) -> Digest:
    return digest(
        messages,
        previous=previous,
        budget=budget,
        tokenizer=tokenizer or Quarters(),
        archive_uri=ARCHIVE.format(window=window),
        window=window,
    )


def chatter(count: int, *, start: int = 0) -> list[Message]:
    """Ordinary work that holds no planted fact: files read, edited and tested."""
    messages: list[Message] = []
    for number in range(start, start + count):
        path = f"src/module_{number % 17}.py"
        messages += [
            call("read_file", f"r{number}", path=path),
            answer(f"def function_{number}():\n    return {number}\n" * 20, f"r{number}"),
            assistant(f"Looking at the next piece, number {number}."),
            call("bash", f"b{number}", command=f"python -m pytest tests/test_{number % 9}.py"),
            answer(f"....\n{number % 30 + 3} passed in 0.{number}s", f"b{number}"),
        ]
    return messages
