"""Real sessions read back through the context tool: every word that was said is on some page, and every page fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.engine.retrieval.desks import Desk, body_of, joined

from transom import Context, reset
from transom.messages import Result, Text
from transom.wire.transcripts.loading import load

SESSIONS = (
    "claude-code-after-compact.jsonl",
    "gemini-cli-assistants.json",
    "mini-swe-agent-django-15629.traj.json",
    "openai-chat-taubench-airline.json",
    "openhands-multi-swe.jsonl",
    "swe-agent-marshmallow-1867.traj",
)
_ADDRESS = re.compile(r"context://(?:archive|vfs)/[0-9a-f]+")


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@pytest.mark.feature("R2", "R5")
@pytest.mark.parametrize("name", SESSIONS)
async def test_every_word_of_a_real_session_is_on_some_page(transcripts: Path, name: str) -> None:
    conversation = load((transcripts / name).read_bytes(), name=name).conversations[0]
    messages = [message for segment in conversation.segments for message in segment.messages]
    context = Context(window=8_000, overflow=reset(), prune=False)
    context.append(*messages)
    payload = await context.compile("openai")
    desk = Desk(context.store)
    shown = "\n".join(strings(payload.body))
    waiting, seen = _ADDRESS.findall(shown), set[str]()
    assert waiting
    while waiting:
        uri = waiting.pop()
        if uri not in seen:
            seen.add(uri)
            pages = await desk.pages("view", uri)
            text = joined(pages) if "/vfs/" in uri else body_of(pages)
            shown += "\n" + text
            waiting += _ADDRESS.findall(text)
    for message in context.messages:
        for part in message.parts:
            said = part.text if isinstance(part, Text | Result) else ""
            assert said.rstrip("\n") in shown
