"""The official clients talk to a provider through the gateway as they would without it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from anthropic import Anthropic
from google.genai import Client
from google.genai.types import HttpOptions
from openai import OpenAI
from openai.types.shared_params import FunctionDefinition
from tests.unit.gateway.serving import serving

from transom.gateway.app import build_app
from transom.gateway.upstreams import Routes, Upstream
from transom.testing.provider import Fault, ScriptedProvider, calls, says


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    with ScriptedProvider([says("Hello there."), calls("read_file", path="a.py"), says("Done.")]) as found:
        yield found


@pytest.fixture
def gateway(provider: ScriptedProvider) -> Iterator[str]:
    with serving(build_app(Routes([Upstream(name="scripted", url=provider.url)]))) as url:
        yield url


def _tool() -> FunctionDefinition:
    parameters: dict[str, object] = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {"name": "read_file", "description": "Read a file.", "parameters": parameters}


def test_openai_chat_answers_whole_and_streamed(gateway: str, provider: ScriptedProvider) -> None:
    with OpenAI(base_url=f"{gateway}/v1", api_key="none", max_retries=0) as client:
        whole = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
        assert whole.choices[0].message.content == "Hello there."
        stream = client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "Read it"}],
            tools=[{"type": "function", "function": _tool()}],
            stream=True,
        )
        chunks = list(stream)
    arguments = "".join(
        call.function.arguments or ""
        for chunk in chunks
        for call in chunk.choices[0].delta.tool_calls or ()
        if call.function is not None
    )
    assert json.loads(arguments) == {"path": "a.py"}
    assert all(chunk.choices for chunk in chunks), "usage that the client did not ask for is kept from it"
    assert provider.received[1].body["stream_options"] == {"include_usage": True}


def test_openai_responses_streamed(gateway: str) -> None:
    with OpenAI(base_url=f"{gateway}/v1", api_key="none", max_retries=0) as client:
        events = list(client.responses.create(model="m", input="Hi", stream=True))
    assert events[0].type == "response.created"
    assert events[-1].type == "response.completed"


def test_anthropic_answers_whole_and_streamed(gateway: str) -> None:
    with Anthropic(base_url=gateway, api_key="none", max_retries=0) as client:
        whole = client.messages.create(model="m", max_tokens=50, messages=[{"role": "user", "content": "Hi"}])
        assert whole.content[0].type == "text"
        with client.messages.stream(
            model="m",
            max_tokens=50,
            messages=[{"role": "user", "content": "Hi"}],
            tools=[{"name": "read_file", "input_schema": {"type": "object"}}],
        ) as stream:
            message = stream.get_final_message()
    assert message.stop_reason == "tool_use"
    assert message.usage.input_tokens > 0


def test_a_prefix_in_the_base_url_chooses_the_upstream(provider: ScriptedProvider) -> None:
    routes = Routes([Upstream(name="other", url="http://127.0.0.1:9"), Upstream(name="mine", url=provider.url)])
    with (
        serving(build_app(routes)) as url,
        Anthropic(base_url=f"{url}/mine", api_key="none", max_retries=0) as client,
    ):
        whole = client.messages.create(model="m", max_tokens=50, messages=[{"role": "user", "content": "Hi"}])
    assert whole.content[0].type == "text"
    assert provider.received[0].path == "/v1/messages"


def test_a_refusal_reaches_the_client_as_the_upstream_gave_it() -> None:
    with (
        ScriptedProvider([Fault.refuses(429, "slow down", retry_after=7)]) as provider,
        serving(build_app(Routes([Upstream(name="scripted", url=provider.url)]))) as url,
        OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
    ):
        answer = client.chat.completions.with_raw_response.create
        with pytest.raises(Exception, match="slow down") as caught:
            answer(model="m", messages=[{"role": "user", "content": "Hi"}])
    assert caught.value.status_code == 429  # type: ignore[attr-defined]
    assert caught.value.response.headers["retry-after"] == "7"  # type: ignore[attr-defined]


def test_gemini_answers_whole_and_streamed(gateway: str) -> None:
    with Client(api_key="none", http_options=HttpOptions(base_url=gateway)) as client:
        assert client.models.generate_content(model="m", contents="Hi").text == "Hello there."
