"""What we write for Gemini is a request by the official SDK's own types, and breaks none of the provider's rules we know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from google.genai import types
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from transom.messages import Message, Tool
from transom.testing.generators import chat_bodies, conversations, responses_bodies
from transom.wire.convert import convert_request, render_request
from transom.wire.format import Format, Head, RenderOptions, Request
from transom.wire.gemini import Gemini
from transom.wire.openai_chat import OpenAIChat
from transom.wire.openai_responses import OpenAIResponses
from transom.wire.report import Report
from transom.wire.transcripts import load

FORMAT = Gemini()
TOOLS = tuple(Tool(name, parameters={"type": "object"}) for name in ("read_file", "run", "search-web", "f", "get_weather"))
FIELDS: Mapping[str, type[BaseModel]] = {
    "systemInstruction": types.Content,
    "toolConfig": types.ToolConfig,
    "generationConfig": types.GenerationConfig,
}
"""Every field that we write ourselves, and its type. The SDK's models refuse fields they do not know."""


def assert_typed(body: dict[str, object]) -> None:
    assert set(body) <= {*FIELDS, "tools", "contents"}
    for field, model in FIELDS.items():
        if field in body:
            model.model_validate_json(json.dumps(body[field]))
    tools, contents = body.get("tools", []), body["contents"]
    assert isinstance(tools, list)
    assert isinstance(contents, list)
    for tool in tools:
        types.Tool.model_validate_json(json.dumps(tool))
    for content in contents:
        types.Content.model_validate_json(json.dumps(content))


def assert_request(payload: bytes) -> None:
    body = json.loads(payload)
    assert [violation.message for violation in FORMAT.validate(body)] == []
    assert_typed(body)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(conversations(), st.sampled_from(["drop", "text"]))
@pytest.mark.feature("M7", "M12", "M15")
def test_conversations_made_by_hand(messages: tuple[Message, ...], thinking: str) -> None:
    request = Request(head=Head(tools=TOOLS), messages=messages)
    options = RenderOptions(thinking="text" if thinking == "text" else "drop")
    assert_request(convert_request(request, FORMAT, options, Report()))


SOURCES: list[tuple[Format, st.SearchStrategy[dict[str, object]]]] = [
    (OpenAIChat(), chat_bodies()),
    (OpenAIResponses(), responses_bodies()),
]


@pytest.mark.parametrize("source, bodies", SOURCES, ids=["openai", "openai-responses"])
@pytest.mark.feature("M12")
def test_requests_of_other_formats(source: Format, bodies: st.SearchStrategy[dict[str, object]]) -> None:
    @settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
    @given(bodies)
    def check(body: dict[str, object]) -> None:
        assume(body[source.conversation])
        assert_request(convert_request(source.parse(body), FORMAT, None, Report()))

    check()


@pytest.mark.feature("M7")
def test_a_recorded_request_of_this_format(transcripts: Path) -> None:
    body = json.loads((transcripts / "gemini-contents-image.json").read_bytes())
    assert_typed(json.loads(render_request(FORMAT.parse(body), FORMAT, RenderOptions(), Report())))


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
                for content in body["contents"]:
                    types.Content.model_validate_json(json.dumps(content))
                    seen += 1
    assert seen > 1000
