"""What we write for OpenAI fits the request types of OpenAI's own SDK."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from transom.jsontext import loads
from transom.messages import Message, Tool
from transom.testing.generators import TOOL_NAMES, chat_bodies, conversations, responses_bodies
from transom.wire import transcripts
from transom.wire.convert import convert_request, render_request
from transom.wire.format import Head, Request
from transom.wire.openai_chat import OpenAIChat
from transom.wire.openai_responses import OpenAIResponses
from transom.wire.report import Report

CHAT, RESPONSES = OpenAIChat(), OpenAIResponses()
TYPES: Mapping[str, TypeAdapter[Any]] = {
    "openai": TypeAdapter(CompletionCreateParamsNonStreaming),
    "openai-responses": TypeAdapter(ResponseCreateParamsNonStreaming),
}
few = settings(max_examples=40, deadline=None)


def check(name: str, payload: bytes) -> None:
    """Validates, and walks the result: pydantic checks the elements of an ``Iterable`` only when they are taken out."""
    body = loads(payload)
    assert isinstance(body, dict)
    _walk(TYPES[name].validate_python({key: value for key, value in body.items() if key != "stream"}, strict=True))


def _walk(value: object) -> None:
    if isinstance(value, Mapping):
        for item in value.values():
            _walk(item)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in value:
            _walk(item)


def test_the_check_looks_inside() -> None:
    bad = b'{"model":"m","messages":[{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":5}]}]}'
    with pytest.raises(ValueError, match="text"):
        check("openai", bad)


@pytest.mark.feature("M4", "M5")
@few
@given(conversations())
def test_conversations_made_by_hand_fit(messages: tuple[Message, ...]) -> None:
    tools = tuple(Tool(name, "does it", {"type": "object", "properties": {}}) for name in TOOL_NAMES)
    request = Request(head=Head(model="m", tools=tools, params={"temperature": 1.0, "stop": ["x"]}), messages=messages)
    for format_ in (CHAT, RESPONSES):
        check(format_.name, render_request(request, format_, None, Report()))


@pytest.mark.feature("M4", "M5", "M12")
@few
@given(chat_bodies(), responses_bodies())
def test_what_is_converted_between_the_two_fits(chat: dict[str, object], response: dict[str, object]) -> None:
    check("openai-responses", convert_request(CHAT.parse(chat), RESPONSES, None, Report()))
    check("openai", convert_request(RESPONSES.parse(response), CHAT, None, Report()))


@pytest.mark.feature("M12", "M15")
@pytest.mark.parametrize("format_", [CHAT, RESPONSES], ids=["openai", "openai-responses"])
def test_real_sessions_fit(transcripts_folder: Path, format_: OpenAIChat | OpenAIResponses) -> None:
    for file in sorted(transcripts_folder.iterdir()):
        if file.suffix == ".md":
            continue
        for conversation in transcripts.load(file.read_bytes(), name=file.name).conversations:
            for segment in conversation.segments:
                if any(message.origin and message.origin.format == format_.name for message in segment.messages):
                    # What came from this format goes out as it came, whatever it was: Codex leaves out ids the types require.
                    continue
                head = Head(model="m", tools=segment.head.tools)
                payload = convert_request(Request(head=head, messages=segment.messages), format_, None, Report())
                check(format_.name, payload)


@pytest.fixture(name="transcripts_folder")
def _transcripts_folder(transcripts: Path) -> Path:
    return transcripts
