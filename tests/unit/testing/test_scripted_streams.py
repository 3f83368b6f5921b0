"""The scripted provider streams as real ones do: their own SDKs put the answer together again."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import errors as genai_errors
from google.genai import types
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionStreamOptionsParam, ChatCompletionToolUnionParam

from transom import Call
from transom.testing.provider import Fault, Reply, ScriptedProvider

READ: dict[str, object] = {"type": "object", "properties": {"path": {"type": "string"}}}
CHAT_TOOLS: list[ChatCompletionToolUnionParam] = [{"type": "function", "function": {"name": "read", "parameters": READ}}]
ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Hi"}]
WORDS = "Überall liest man davon, und hier ist ein Satz, der in mehrere Stücke geschnitten wird. 你好"
PATH = "a folder with a long name/ein Ordner/文件.py"
SCRIPT = [
    Reply(
        WORDS,
        (Call("read", f'{{"path": "{PATH}"}}'), Call("read", "{}")),
        thinking="Hm, it is about a file, so it should be read.",
        input_tokens=77,
        output_tokens=7,
    )
]


def openai_client(provider: ScriptedProvider) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0)


def anthropic_client(provider: ScriptedProvider) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=provider.url, api_key="none", max_retries=0)


def gemini_client(provider: ScriptedProvider) -> genai.Client:
    return genai.Client(api_key="none", http_options=types.HttpOptions(base_url=provider.url))


def test_chat_completions_stream() -> None:
    usage: ChatCompletionStreamOptionsParam = {"include_usage": True}
    with (
        ScriptedProvider(SCRIPT) as provider,
        openai_client(provider) as client,
        client.chat.completions.stream(model="m", messages=ASKED, tools=CHAT_TOOLS, stream_options=usage) as stream,
    ):
        deltas = sum(event.type == "content.delta" for event in stream)
        answer = stream.get_final_completion()
    assert deltas > 2
    assert answer.choices[0].message.content == WORDS
    assert answer.choices[0].finish_reason == "tool_calls"
    assert answer.choices[0].message.tool_calls is not None
    assert [call.id for call in answer.choices[0].message.tool_calls] == ["call_1", "call_2"]
    assert PATH in answer.choices[0].message.tool_calls[0].function.arguments
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (77, 7)


def test_chat_completions_tell_no_usage_unasked() -> None:
    with ScriptedProvider(["Hi."]) as provider, openai_client(provider) as client:
        chunks = list(client.chat.completions.create(model="m", messages=ASKED, stream=True))
    assert all(chunk.usage is None and chunk.choices for chunk in chunks)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Hi."


def test_responses_stream() -> None:
    with ScriptedProvider(SCRIPT) as provider, openai_client(provider) as client:
        tools: list[openai.types.responses.ToolParam] = [
            {"type": "function", "name": "read", "parameters": READ, "strict": False}
        ]
        with client.responses.stream(model="m", input="Hi", tools=tools) as stream:
            events = list(stream)
            answer = stream.get_final_response()
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == WORDS
    assert answer.output_text == WORDS
    assert [item.type for item in answer.output] == ["reasoning", "message", "function_call", "function_call"]
    assert answer.usage is not None
    assert answer.usage.input_tokens == 77


def test_a_tool_of_free_text_that_stands_in_the_conversation_is_called() -> None:
    inner: list[dict[str, object]] = [{"type": "custom", "name": "exec"}]
    spaces: list[dict[str, object]] = [{"type": "namespace", "name": "functions", "description": "", "tools": inner}]
    items: Any = [{"type": "additional_tools", "role": "developer", "tools": spaces}, {"role": "user", "content": "Hi"}]
    script = [Reply(calls=(Call("exec", f"text({WORDS!r})", kind="custom"),))]
    with ScriptedProvider(script) as provider, openai_client(provider) as client:
        with client.responses.stream(model="m", input=items) as stream:
            pieces = [event.delta for event in stream if event.type == "response.custom_tool_call_input.delta"]
            (called,) = stream.get_final_response().output
        assert provider.received[0].tools == ("exec",)
    assert len(pieces) > 2
    assert called.type == "custom_tool_call"
    assert (called.name, called.input) == ("exec", f"text({WORDS!r})")
    assert "".join(pieces) == called.input


def test_messages_stream() -> None:
    with (
        ScriptedProvider(SCRIPT) as provider,
        anthropic_client(provider) as client,
        client.messages.stream(
            model="m",
            max_tokens=100,
            messages=[{"role": "user", "content": "Hi"}],
            tools=[{"name": "read", "input_schema": {"type": "object"}}],
        ) as stream,
    ):
        spoken = "".join(stream.text_stream)
        answer = stream.get_final_message()
    assert spoken == WORDS
    thought, text, first, second = answer.content
    assert thought.type == "thinking"
    assert (thought.thinking, thought.signature) == (SCRIPT[0].thinking, "signed-1")
    assert text.type == "text"
    assert first.type == second.type == "tool_use"
    assert (first.input, second.input) == ({"path": PATH}, {})
    assert answer.stop_reason == "tool_use"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (77, 7)


def test_gemini_streams() -> None:
    with ScriptedProvider(SCRIPT) as provider, gemini_client(provider) as client:
        declared = types.FunctionDeclaration(name="read", parameters_json_schema=READ)
        config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
        chunks = list(client.models.generate_content_stream(model="m", contents="Hi", config=config))
    parts = [
        part
        for chunk in chunks
        for candidate in chunk.candidates or []
        if candidate.content is not None
        for part in candidate.content.parts or []
    ]
    assert "".join(part.text or "" for part in parts if not part.thought) == WORDS
    assert "".join(part.text or "" for part in parts if part.thought) == SCRIPT[0].thinking
    assert [part.function_call.args for part in parts if part.function_call is not None] == [{"path": PATH}, {}]
    assert chunks[-1].usage_metadata is not None
    assert chunks[-1].usage_metadata.candidates_token_count == 7


def test_an_error_may_come_in_the_middle_of_a_stream() -> None:
    with ScriptedProvider([Fault.in_success("the engine is gone")] * 4) as provider:
        with openai_client(provider) as client:
            with pytest.raises(openai.APIError, match="the engine is gone"):
                list(client.chat.completions.create(model="m", messages=ASKED, stream=True))
            (event,) = client.responses.create(model="m", input="Hi", stream=True)
            assert event.type == "error"
            assert event.message == "the engine is gone"
        with anthropic_client(provider) as other, pytest.raises(anthropic.APIError, match="the engine is gone"):
            list(other.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}], stream=True))
        with gemini_client(provider) as third, pytest.raises(genai_errors.APIError, match="the engine is gone"):
            list(third.models.generate_content_stream(model="m", contents="Hi"))


def test_a_stream_may_break_off_or_hold_nothing() -> None:
    with ScriptedProvider([Fault.breaks_off(), Fault.nothing()]) as provider, openai_client(provider) as client:
        with pytest.raises(openai.APIConnectionError):
            list(client.chat.completions.create(model="m", messages=ASKED, stream=True))
        assert list(client.chat.completions.create(model="m", messages=ASKED, stream=True)) == []


def test_ollama_streams_lines_unless_it_is_told_otherwise() -> None:
    tools = [{"type": "function", "function": {"name": "read", "parameters": READ}}]
    asked = {"model": "m", "messages": ASKED, "tools": tools}
    with ScriptedProvider([*SCRIPT, *SCRIPT]) as provider:
        streamed = [json.loads(line) for line in posted(provider, "/api/chat", asked).splitlines()]
        whole = json.loads(posted(provider, "/api/chat", {**asked, "stream": False}))
    assert [line["done"] for line in streamed] == [False] * (len(streamed) - 1) + [True]
    said = [line["message"] for line in streamed]
    assert "".join(message["content"] for message in said) == whole["message"]["content"] == WORDS
    assert "".join(message.get("thinking", "") for message in said) == whole["message"]["thinking"] == SCRIPT[0].thinking
    for made in ([call for message in said for call in message.get("tool_calls", ())], whole["message"]["tool_calls"]):
        assert [call["function"]["arguments"] for call in made] == [{"path": PATH}, {}]
    assert streamed[-1]["done_reason"] == whole["done_reason"] == "stop"
    assert (streamed[-1]["prompt_eval_count"], whole["eval_count"]) == (77, 7)


def test_ollama_is_told_of_a_failure_in_a_line() -> None:
    with ScriptedProvider([Fault.in_success("it failed")]) as provider:
        assert json.loads(posted(provider, "/api/chat", {"model": "m", "messages": ASKED})) == {"error": "it failed"}


def posted(provider: ScriptedProvider, path: str, body: object) -> str:
    with urllib.request.urlopen(f"{provider.url}{path}", json.dumps(body).encode(), timeout=10) as answer:
        return str(answer.read().decode())
