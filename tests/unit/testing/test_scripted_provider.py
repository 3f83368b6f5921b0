"""The scripted provider answers as real ones do: their own SDKs read it, and what they refuse is refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import anthropic
import openai
import pytest
from google import genai
from google.genai import errors as genai_errors
from google.genai import types
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam

from transom import Call
from transom.testing.provider import Fault, Received, Reply, ScriptedProvider, calls, says
from transom.testing.script import Step

READ: dict[str, object] = {"type": "object", "properties": {"path": {"type": "string"}}}
CHAT_TOOLS: list[ChatCompletionToolUnionParam] = [{"type": "function", "function": {"name": "read", "parameters": READ}}]
ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Hi"}]


def openai_client(provider: ScriptedProvider, retries: int = 0) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=retries)


def anthropic_client(provider: ScriptedProvider) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=provider.url, api_key="none", max_retries=0)


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    script: list[Step] = [
        says("Hello."),
        Reply("Reading.", (Call("read", '{"path": "ä.py"}'),)),
        Fault.refuses(400, "no such thing"),
    ]
    with ScriptedProvider(script, window=500) as started:
        yield started


def test_the_openai_sdk_chats_with_it(provider: ScriptedProvider) -> None:
    with openai_client(provider) as client:

        def ask(text: str) -> openai.types.chat.ChatCompletion:
            return client.chat.completions.create(
                model="m",
                messages=[{"role": "user", "content": text}],
                tools=CHAT_TOOLS,
            )

        first, second = ask("Hi"), ask("Read it")
        with pytest.raises(openai.BadRequestError, match="no such thing"):
            ask("Hi")
        with pytest.raises(openai.BadRequestError, match="maximum context length is 500 tokens"):
            ask("word " * 1_000)
    assert first.choices[0].message.content == "Hello."
    assert first.choices[0].finish_reason == "stop"
    assert first.usage is not None
    assert first.usage.prompt_tokens == provider.received[0].tokens > 10
    assert second.choices[0].finish_reason == "tool_calls"
    assert second.choices[0].message.tool_calls is not None
    call = second.choices[0].message.tool_calls[0]
    assert isinstance(call, openai.types.chat.ChatCompletionMessageFunctionToolCall)
    assert (call.id, call.function.arguments) == ("call_1", '{"path": "ä.py"}')


def test_the_openai_sdk_takes_responses_from_it(provider: ScriptedProvider) -> None:
    with openai_client(provider) as client:

        def ask(text: str) -> openai.types.responses.Response:
            return client.responses.create(
                model="m",
                input=text,
                tools=[{"type": "function", "name": "read", "parameters": READ, "strict": False}],
            )

        first, second = ask("Hi"), ask("Read it")
        with pytest.raises(openai.BadRequestError, match="no such thing"):
            ask("Hi")
        with pytest.raises(openai.BadRequestError, match="exceeds the context window") as caught:
            ask("word " * 1_000)
    assert caught.value.code == "context_length_exceeded"
    assert first.output_text == "Hello."
    assert first.usage is not None
    assert first.usage.input_tokens > 10
    assert second.output_text == "Reading."
    call = second.output[1]
    assert call.type == "function_call"
    assert (call.call_id, call.name, call.arguments) == ("call_1", "read", '{"path": "ä.py"}')


def test_the_anthropic_sdk_talks_to_it(provider: ScriptedProvider) -> None:
    with anthropic_client(provider) as client:

        def ask(text: str) -> anthropic.types.Message:
            return client.messages.create(
                model="m",
                max_tokens=100,
                messages=[{"role": "user", "content": text}],
                tools=[{"name": "read", "input_schema": {"type": "object"}}],
            )

        first, second = ask("Hi"), ask("Read it")
        with pytest.raises(anthropic.BadRequestError, match="no such thing"):
            ask("Hi")
        with pytest.raises(anthropic.BadRequestError, match=r"prompt is too long: \d+ tokens > 500 maximum"):
            ask("word " * 1_000)
    assert first.content[0].type == "text"
    assert first.content[0].text == "Hello."
    assert (first.stop_reason, second.stop_reason) == ("end_turn", "tool_use")
    assert first.usage.input_tokens > 10
    call = second.content[1]
    assert call.type == "tool_use"
    assert (call.id, call.input) == ("call_1", {"path": "ä.py"})


def test_the_gemini_sdk_generates_from_it(provider: ScriptedProvider) -> None:
    with genai.Client(api_key="none", http_options=types.HttpOptions(base_url=provider.url)) as client:

        def ask(text: str) -> types.GenerateContentResponse:
            declared = types.FunctionDeclaration(name="read", parameters_json_schema=READ)
            tools = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
            return client.models.generate_content(model="gemini-m", contents=text, config=tools)

        first, second = ask("Hi"), ask("Read it")
        with pytest.raises(genai_errors.ClientError, match="no such thing"):
            ask("Hi")
        with pytest.raises(genai_errors.ClientError, match="exceeds the maximum number of tokens allowed"):
            ask("word " * 1_000)
    assert first.text == "Hello."
    assert first.usage_metadata is not None
    assert first.usage_metadata.prompt_token_count == provider.received[0].tokens
    assert second.function_calls is not None
    assert (second.function_calls[0].name, second.function_calls[0].args) == ("read", {"path": "ä.py"})


def test_reasoning_stands_where_each_format_has_it() -> None:
    def think(received: Received) -> Step:
        return Reply("So.", thinking="Hm.")

    with ScriptedProvider(think) as provider, openai_client(provider) as client:
        assert client.responses.create(model="m", input="Hi").output[0].type == "reasoning"
        with anthropic_client(provider) as other:
            answer = other.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
            assert answer.content[0].type == "thinking"


@pytest.mark.parametrize(("finish", "reason"), [("length", "max_tokens"), ("content_filter", "refusal")])
def test_an_answer_may_be_cut_off_or_withheld(finish: str, reason: str) -> None:
    with ScriptedProvider([Reply("ha", finish=finish)]) as provider, anthropic_client(provider) as client:  # type: ignore[arg-type]  # parametrised
        answer = client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
    assert answer.stop_reason == reason


def test_what_a_provider_refuses_is_refused_in_its_words() -> None:
    orphan: anthropic.types.MessageParam = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}],
    }
    with (
        ScriptedProvider(["never said"]) as provider,
        anthropic_client(provider) as client,
        pytest.raises(anthropic.BadRequestError, match="must define tools"),
    ):
        client.messages.create(model="m", max_tokens=9, messages=[orphan])
    assert len(provider.refusals) == 1
    assert provider.received == []


def test_a_lenient_provider_answers_anything_it_can_read() -> None:
    with ScriptedProvider(["Fine."], strict=False) as provider, openai_client(provider) as client:
        orphan = {"role": "tool", "tool_call_id": "c1", "content": "x"}
        answer = client.chat.completions.create(model="m", messages=[orphan])  # type: ignore[list-item]  # the point
    assert answer.choices[0].message.content == "Fine."


def test_a_script_that_has_ended_and_one_that_calls_what_is_not_there_say_so() -> None:
    with ScriptedProvider([calls("read", path="a")]) as provider, openai_client(provider) as client:
        for said in ("calls 'read', which the request does not offer", "no answer left for request 2"):
            with pytest.raises(openai.BadRequestError, match=said):
                client.chat.completions.create(model="m", messages=ASKED)


@pytest.mark.parametrize("path", ["/v1/embeddings", "/"])
def test_an_endpoint_that_is_not_spoken_is_not_found(path: str) -> None:
    with ScriptedProvider() as provider, openai.OpenAI(base_url=provider.url, api_key="none", max_retries=0) as client:
        with pytest.raises(openai.NotFoundError, match="Invalid URL"):
            client.post(path, cast_to=object, body={})
        with pytest.raises(openai.NotFoundError, match="Invalid URL"):
            client.get(path, cast_to=object)


def test_a_refusal_may_ask_to_wait_and_the_sdk_does() -> None:
    with (
        ScriptedProvider([Fault.refuses(429, "slow down", retry_after=0.01), "Now."]) as provider,
        openai_client(provider, retries=1) as client,
    ):
        answer = client.chat.completions.create(model="m", messages=ASKED)
    assert answer.choices[0].message.content == "Now."


def test_a_client_that_waits_is_let_go_when_the_provider_closes() -> None:
    failed: list[Exception] = []
    arrived = threading.Event()

    def hang(received: Received) -> Step:
        arrived.set()
        return Fault.hangs()

    with ScriptedProvider(hang) as provider:
        client = openai_client(provider)

        def ask() -> None:
            try:
                client.chat.completions.create(model="m", messages=ASKED)
            except openai.APIConnectionError as error:
                failed.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        assert arrived.wait(10)
    asking.join(10)
    client.close()
    assert not asking.is_alive()
    assert len(failed) == 1


def test_closing_twice_is_closing_once_and_no_thread_is_left() -> None:
    before = threading.active_count()
    provider = ScriptedProvider(["Hi"]).start()
    with openai_client(provider) as client:
        client.chat.completions.create(model="m", messages=ASKED)
        provider.close()
        provider.close()
    assert threading.active_count() == before
