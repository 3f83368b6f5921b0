"""The wire formats: parse and render of a large chat body against the clock.

A ratio is of medians of CPU time within one process, the two taken in turn.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import orjson
from figures import Figure

from transom.wire.convert import render_request
from transom.wire.format import RenderOptions
from transom.wire.openai_chat import OpenAIChat
from transom.wire.report import Report

ROUNDS = 60
MESSAGES = 300
BYTES = 500_000


def chat_body(messages: int = MESSAGES, size: int = BYTES) -> dict[str, object]:
    """An agent's session: a question, then calls that read files and their results, which are real program text."""
    source = Path(argparse.__file__).read_text(encoding="utf-8")
    said: list[dict[str, object]] = [{"role": "system", "content": "You are a careful engineer."}]
    length = size * 2 // messages
    while len(said) < messages:
        number = len(said)
        if number % 10 == 1:
            said.append({"role": "user", "content": f"Look at part {number} of the program and say what it does."})
            continue
        call = {"name": "read_file", "arguments": f'{{"path":"argparse.py","offset":{number * 40}}}'}
        said.append(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"call_{number}", "type": "function", "function": call}],
            }
        )
        start = number * 397 % (len(source) - length)
        said.append({"role": "tool", "tool_call_id": f"call_{number}", "content": source[start : start + length]})
    body: dict[str, object] = {"model": "m", "stream": True, "messages": said}
    spare = size - len(orjson.dumps(body))
    if spare > 0:
        said.append({"role": "user", "content": source[:spare]})
    return body


def _medians(first: Callable[[], object], second: Callable[[], object]) -> tuple[float, float]:
    """Median CPU seconds of both, taken in turn: what else the machine does must not count."""
    times: tuple[list[float], list[float]] = ([], [])
    gc.disable()
    try:
        for _ in range(ROUNDS):
            for function, taken in zip((first, second), times, strict=True):
                start = time.process_time()
                function()
                taken.append(time.process_time() - start)
    finally:
        gc.enable()
    return statistics.median(times[0]), statistics.median(times[1])


def measure() -> Iterable[Figure]:
    chat, options = OpenAIChat(), RenderOptions()
    text = orjson.dumps(chat_body())
    plain, ours = _medians(
        lambda: orjson.dumps(orjson.loads(text)), lambda: render_request(chat.parse(text), chat, options, Report())
    )
    yield Figure("chat body", len(text) / 1000, "KB", note=f"{MESSAGES} messages")
    yield Figure("parse + render of it", ours * 1000, "ms")
    yield Figure("parse + render / loads + dumps", ours / plain, "x", at_most=5, note="orjson")
