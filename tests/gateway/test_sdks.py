"""The official SDKs through the gateway: a task that no window holds, and requests that are none of the gateway's business."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from anthropic import Anthropic
from google import genai
from google.genai.types import GenerateContentConfig, HttpOptions
from openai import OpenAI
from tests.gateway.conftest import Serve
from tests.gateway.relay import Passed, Relay
from tests.gateway.task import DONE, STEPS, WINDOW, Script, missing, readable, result

from transom.testing.provider import ScriptedProvider, calls, says

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"step": {"type": "integer"}}, "required": ["step"]}
ASK = "Read all twelve parts, one after the other."
Read = Callable[[int], str]


def chat(url: str, read: Read, *, stream: bool) -> str:
    client = OpenAI(base_url=f"{url}/v1", api_key="key", max_retries=0)
    tools: Any = [{"type": "function", "function": {"name": "read_part", "description": "Reads.", "parameters": SCHEMA}}]
    messages: list[Any] = [{"role": "system", "content": "You read."}, {"role": "user", "content": ASK}]
    while True:
        if stream:
            with client.chat.completions.stream(model="m", messages=messages, tools=tools) as events:
                answer: Any = events.get_final_completion().choices[0].message
        else:
            answer = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(answer.model_dump(exclude_none=True, exclude={"parsed"}))
        for call in messages[-1].get("tool_calls") or ():
            call["function"].pop("parsed_arguments", None)
        if not answer.tool_calls:
            return str(answer.content)
        for call in answer.tool_calls:
            text = read(json.loads(call.function.arguments)["step"])
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


def responses(url: str, read: Read, *, stream: bool) -> str:
    client = OpenAI(base_url=f"{url}/v1", api_key="key", max_retries=0)
    tools: Any = [{"type": "function", "name": "read_part", "description": "Reads.", "parameters": SCHEMA, "strict": False}]
    items: list[Any] = [{"role": "user", "content": ASK}]
    while True:
        if stream:
            with client.responses.stream(model="m", input=items, tools=tools, store=False) as events:
                answer: Any = events.get_final_response()
        else:
            answer = client.responses.create(model="m", input=items, tools=tools, store=False)
        asked = [item for item in answer.output if item.type == "function_call"]
        items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in answer.output]
        if not asked:
            return str(answer.output_text)
        for call in asked:
            text = read(json.loads(call.arguments)["step"])
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": text})


def messages(url: str, read: Read, *, stream: bool) -> str:
    client = Anthropic(base_url=url, api_key="key", max_retries=0)
    tools: Any = [{"name": "read_part", "description": "Reads.", "input_schema": SCHEMA}]
    turns: list[Any] = [{"role": "user", "content": ASK}]
    while True:
        if stream:
            with client.messages.stream(model="m", max_tokens=1024, system="You read.", messages=turns, tools=tools) as events:
                answer: Any = events.get_final_message()
        else:
            answer = client.messages.create(model="m", max_tokens=1024, system="You read.", messages=turns, tools=tools)
        turns.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in answer.content]})
        asked = [block for block in answer.content if block.type == "tool_use"]
        if not asked:
            return str(answer.content[0].text)
        done = [{"type": "tool_result", "tool_use_id": call.id, "content": read(call.input["step"])} for call in asked]
        turns.append({"role": "user", "content": done})


def gemini(url: str, read: Read, *, stream: bool) -> str:
    client = genai.Client(api_key="key", http_options=HttpOptions(base_url=url))
    tools: Any = [{"function_declarations": [{"name": "read_part", "description": "Reads.", "parameters_json_schema": SCHEMA}]}]
    config = GenerateContentConfig(system_instruction="You read.", tools=tools)
    contents: list[Any] = [{"role": "user", "parts": [{"text": ASK}]}]
    with client:
        while True:
            if stream:
                pieces: list[Any] = list(client.models.generate_content_stream(model="m", contents=contents, config=config))
            else:
                pieces = [client.models.generate_content(model="m", contents=contents, config=config)]
            parts = [
                part
                for piece in pieces
                for part in (piece.candidates[0].content.parts or ())
                if part.function_call is not None or part.text
            ]
            contents.append({"role": "model", "parts": [part.model_dump(exclude_none=True) for part in parts]})
            asked = [part.function_call for part in parts if part.function_call is not None]
            if not asked:
                return "".join(part.text for part in parts)
            done = [
                {"function_response": {"name": call.name, "response": {"output": read(call.args["step"])}}} for call in asked
            ]
            contents.append({"role": "user", "parts": done})


CLIENTS = [chat, responses, messages, gemini]


@contextmanager
def relayed(serve: Serve, upstream: str, *options: str) -> Iterator[tuple[Relay, Any]]:
    served = serve(upstream, *options)
    with Relay(served.url) as relay:
        yield relay, served


def key_of(passed: Passed) -> dict[str, str]:
    return {name: value for name, value in passed.headers.items() if name in {"authorization", "x-api-key", "x-goog-api-key"}}


@pytest.mark.feature("G1", "G2")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
async def test_a_task_that_no_window_holds_is_finished_and_nothing_of_it_is_lost(
    client: Callable[..., str], stream: bool, serve: Serve
) -> None:
    script = Script("read_part", lambda step: {"step": step})
    with (
        ScriptedProvider(script, window=WINDOW) as provider,
        relayed(serve, provider.url, "--window", str(WINDOW)) as (
            relay,
            served,
        ),
    ):
        assert client(relay.url, result, stream=stream) == DONE
        assert provider.refusals == []
        assert script.step == STEPS
        posted = relay.posted()
        assert len(posted) == STEPS + 1
        last = provider.received[-1].data.decode()
    assert missing(posted[-1].body.decode()) == []
    assert missing(last), "nothing left, so that nothing was shown"
    assert missing(last, await readable(served.store, key_of(posted[-1]))) == []


@pytest.mark.feature("G1")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_what_fits_goes_on_as_the_very_bytes_that_came(client: Callable[..., str], stream: bool, serve: Serve) -> None:
    script = [calls("read_part", step=1), says("Read.")]
    with ScriptedProvider(script) as provider, relayed(serve, provider.url, "--window", str(WINDOW)) as (relay, _):
        assert client(relay.url, lambda step: f"part {step}: é \U0001f600 1.0 1e5", stream=stream) == "Read."
        came = [each.body for each in relay.posted()]
        went = [each.data for each in provider.received]
    if client is chat and stream:
        # Usage is asked for where the client did not, and taken out of the answer again.
        went = [data.removesuffix(b',"stream_options":{"include_usage":true}}') + b"}" for data in went]
    assert went == came
