"""What we write for Anthropic is a request by the official SDK's own types, and breaks none of the provider's rules we know."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from anthropic.types import MessageParam
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from transom.messages import Message, Tool
from transom.testing.generators import chat_bodies, conversations, responses_bodies
from transom.wire.anthropic import Anthropic
from transom.wire.convert import convert_request, render_request
from transom.wire.format import Head, RenderOptions, Request
from transom.wire.openai_chat import OpenAIChat
from transom.wire.openai_responses import OpenAIResponses
from transom.wire.report import Report
from transom.wire.transcripts import load

FORMAT = Anthropic()
REQUEST: TypeAdapter[object] = TypeAdapter(MessageCreateParamsNonStreaming | MessageCreateParamsStreaming)
ENTRY: TypeAdapter[object] = TypeAdapter(MessageParam)
TOOLS = tuple(Tool(name, parameters={"type": "object"}) for name in ("read_file", "run", "search-web", "f", "get_weather"))


def drained(value: object) -> object:
    """The SDK declares lists as iterables, which pydantic checks only while they are read: read everything."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True)
    if isinstance(value, Mapping):
        return {key: drained(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [drained(item) for item in value]
    return value


def assert_typed(adapter: TypeAdapter[object], value: object) -> None:
    """Valid, and with no field that the types do not know (pydantic leaves those out)."""
    assert drained(adapter.validate_python(value)) == value


def assert_request(payload: bytes) -> None:
    body = json.loads(payload)
    # White space at the end of a begun answer is the writer's own: it is named, never cut off.
    broken = [violation for violation in FORMAT.validate(body) if violation.rule != "anthropic.prefill-white-space"]
    assert [violation.message for violation in broken] == []
    assert_typed(REQUEST, {"model": "m", "max_tokens": 1, **body})


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(conversations(), st.sampled_from(["drop", "text"]))
@pytest.mark.feature("M6", "M12", "M15")
def test_conversations_made_by_hand(messages: tuple[Message, ...], thinking: str) -> None:
    request = Request(head=Head(model="m", tools=TOOLS), messages=messages)
    options = RenderOptions(thinking="text" if thinking == "text" else "drop")
    assert_request(convert_request(request, FORMAT, options, Report()))


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(chat_bodies())
@pytest.mark.feature("M12")
def test_chat_requests(body: dict[str, object]) -> None:
    body.pop("model", None)
    assert_request(convert_request(OpenAIChat().parse(body), FORMAT, None, Report()))


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(responses_bodies())
@pytest.mark.feature("M12")
def test_responses_requests(body: dict[str, object]) -> None:
    body.pop("model", None)
    assume(body["input"])
    assert_request(convert_request(OpenAIResponses().parse(body), FORMAT, None, Report()))


@pytest.mark.feature("M6")
def test_a_recorded_request_of_this_format(transcripts: Path) -> None:
    body = json.loads((transcripts / "anthropic-messages-web-search.json").read_bytes())
    payload = render_request(FORMAT.parse(body), FORMAT, RenderOptions(), Report())
    assert_typed(REQUEST, json.loads(payload) | {"stream": False})


@pytest.mark.feature("M12")
def test_every_recorded_session(transcripts: Path) -> None:
    seen = 0
    for path in sorted(transcripts.iterdir()):
        if path.suffix == ".md":
            continue
        transcript = load(path.read_bytes())
        for conversation in transcript.conversations:
            for segment in conversation.segments:
                request = Request(head=segment.head, messages=segment.messages)
                body = json.loads(convert_request(request, FORMAT, RenderOptions(), Report()))
                for entry in body["messages"]:
                    assert_typed(ENTRY, entry)
                    seen += 1
    assert seen > 1000
