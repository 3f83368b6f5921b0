"""Sessions to measure on: what an agent's history looks like, made from a seed, of any length.

A request every twenty messages, then calls and their results. Lengths are spread like those of recorded sessions: most results
a few hundred characters, some many thousands; about 1,400 bytes of JSON a message. The texts are lines of the standard
library's own source with numbers mixed in, so that no two are alike and a tokenizer sees program text.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import orjson

__all__ = ["SYSTEM", "chat_body", "planted", "session"]

SYSTEM = "You are a careful engineer. Work step by step, run the tests, and say what you changed and why."
_SIZES = (80, 120, 300, 300, 600, 600, 1_200, 1_200, 2_500, 2_500, 5_000, 9_500)
_TOOLS = (("read_file", "path"), ("run", "command"), ("search", "query"), ("edit_file", "path"))
_VERBS = ("Look at", "Find out what is wrong with", "Write a test for", "Explain", "Rename", "Speed up")


@cache
def _lines() -> tuple[str, ...]:
    text = ""
    for module in (argparse, random, tempfile):
        assert module.__file__ is not None
        text += Path(module.__file__).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line.strip())


def session(count: int, *, seed: int = 5, facts: Iterable[str] = ()) -> list[dict[str, object]]:
    """``count`` chat messages, system prompt not counted.

    Args:
        count: messages.
        seed: the same one gives the same messages; a longer session begins with a shorter one.
        facts: sentences, planted evenly: into requests, answers, arguments and results in turn.
    """
    rng = random.Random(seed)
    planned = list(facts)
    every = max(1, count // len(planned)) if planned else 0
    messages: list[dict[str, object]] = [{"role": "system", "content": SYSTEM}]
    open_call = ""
    for number in range(count):
        fact = planned[number // every] if every and number % every == every // 2 and number // every < len(planned) else ""
        if number % 20 == 0:
            messages.append({"role": "user", "content": _request(rng, number, fact)})
        elif open_call:
            content = _output(rng, number, fact)
            messages.append({"role": "tool", "tool_call_id": open_call, "content": content})
            open_call = ""
        elif number % 20 == 19:
            messages.append({"role": "assistant", "content": _answer(rng, number, fact)})
        else:
            open_call = f"call_{number:06d}"
            messages.append(_call(rng, number, open_call, fact))
    return messages


def _request(rng: random.Random, number: int, fact: str) -> str:
    text = f"{rng.choice(_VERBS)} part {number} of the program. It must still pass the tests in tests/test_{number % 97}.py."
    return f"{text} {fact}".rstrip()


def _answer(rng: random.Random, number: int, fact: str) -> str:
    noted = rng.choice(_lines()).strip()
    return f"Part {number} is done: the change is around `{noted}`, and the tests pass. {fact}".rstrip()


def _call(rng: random.Random, number: int, call_id: str, fact: str) -> dict[str, object]:
    name, key = rng.choice(_TOOLS)
    arguments: dict[str, object] = {key: f"src/module_{number % 211}.py", "line": rng.randrange(4_000)}
    if name == "edit_file":
        arguments["text"] = "\n".join(rng.choices(_lines(), k=rng.randrange(2, 30)))
    if fact:
        arguments["why"] = fact
    function = {"name": name, "arguments": orjson.dumps(arguments).decode()}
    said = f"Next I look at line {arguments['line']}." if rng.random() < 0.4 else None
    return {
        "role": "assistant",
        "content": said,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def _output(rng: random.Random, number: int, fact: str) -> str:
    size = int(rng.choice(_SIZES) * rng.uniform(0.7, 1.6))
    lines = [f"# output {number}"]
    length = 0
    source = _lines()
    while length < size:
        start = rng.randrange(len(source) - 12)
        block = source[start : start + 12]
        lines.append(f"{rng.randrange(9_999)}: {block[0]}")
        lines.extend(block[1:])
        length += sum(map(len, block)) + 18
    if fact:
        lines.insert(len(lines) // 2, f"# {fact}")
    return "\n".join(lines)


def chat_body(messages: list[dict[str, object]]) -> dict[str, object]:
    """A request body around the messages."""
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": f"The tool {name}.",
                "parameters": {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]},
            },
        }
        for name, key in _TOOLS
    ]
    return {"model": "gpt-5.1", "tools": tools, "messages": messages}


def planted(count: int, *, seed: int = 11) -> list[tuple[str, str]]:
    """(token, sentence) of so many facts; no token stands anywhere else."""
    rng = random.Random(seed)
    found: list[tuple[str, str]] = []
    for number in range(count):
        token = f"zq{rng.randrange(16**6):06x}{number:03d}"
        found.append((token, f"The access code of depot {number} is {token}."))
    return found
