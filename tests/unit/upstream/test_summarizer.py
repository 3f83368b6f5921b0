from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from tests.unit.upstream.conftest import Paths, Raw

from transom import Call, Message
from transom.errors import InputError, UpstreamError
from transom.testing.provider import Fault, Received, Reply, ScriptedProvider
from transom.testing.script import Step
from transom.upstream import ChatModel

ASKED = [Message("system", "Summarise."), Message("user", "One. Two.")]


def choice(finish: object = "stop", **message: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}]}


def http(body: object) -> bytes:
    data = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data)


async def test_a_model_is_a_function_from_messages_to_text() -> None:
    with ScriptedProvider(["A summary."]) as provider:
        model = ChatModel(f"{provider.url}/v1", "small", max_tokens=300)
        assert await model(ASKED) == "A summary."
    assert provider.received[0].body == {
        "model": "small",
        "max_tokens": 300,
        "stream": False,
        "temperature": 0.0,
        "messages": [{"role": "system", "content": "Summarise."}, {"role": "user", "content": "One. Two."}],
    }


async def test_fields_that_only_some_servers_know_go_along() -> None:
    with ScriptedProvider(["Short."]) as provider:
        await ChatModel(provider.url, "m", fields={"reasoning_effort": "low", "stream": False, "top_k": 1})(ASKED)
    assert provider.received[0].body["reasoning_effort"] == "low"
    assert provider.received[0].body["top_k"] == 1


async def test_tool_calls_and_their_results_go_out_as_the_chat_format_has_them() -> None:
    history = [
        Message("user", "Read it."),
        Message("assistant", tool_calls=[Call("read", '{"path":"a"}', id="c1")]),
        Message("tool", "text of a", tool_call_id="c1"),
        Message("user", "Summarise what was said."),
    ]
    with ScriptedProvider(["It was read."]) as provider:
        assert await ChatModel(provider.url, "m")(history) == "It was read."
    assert provider.received[0].messages[1].tool_calls[0].name == "read"


async def test_the_usage_that_the_server_counted_comes_along() -> None:
    with ScriptedProvider([Reply("Short.", input_tokens=70, output_tokens=3)]) as provider:
        completion = await ChatModel(provider.url, "small").ask(ASKED)
    assert (completion.text, completion.model) == ("Short.", "small")
    assert (completion.input_tokens, completion.output_tokens) == (70, 3)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Reply("half a summ", finish="length"), "cut off before its answer was complete"),
        (Reply("", finish="content_filter"), "a content filter"),
        (Reply("   \n "), "no text"),
        (Fault.in_success("CUDA error: out of memory"), "CUDA error"),
        (Fault.page(), "a web page"),
        (Fault.garbage(), "without a choice"),
        (Fault.nothing(), "and nothing"),
        (Fault.refuses(500), "answered 500"),
    ],
    ids=str,
)
async def test_what_is_no_whole_answer_is_an_error_and_never_a_text(step: Step, said: str) -> None:
    with ScriptedProvider([step]) as provider, pytest.raises(UpstreamError, match=said):
        await ChatModel(provider.url, "m")(ASKED)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"choices": []}, "without a choice"),
        ({"choices": None}, "without a choice"),
        ([], "without a choice"),
        ("All is well.", "without a choice"),
        ({"choices": [{"finish_reason": "stop"}]}, "without a message"),
        ({"choices": [{"error": {"message": "provider down", "code": 502}, "message": {"content": ""}}]}, "provider down"),
        (choice("error", content="half"), "failed in the middle"),
        (choice("tool_calls", content=None, tool_calls=[]), "called a tool"),
        (choice(content=None), "no text"),
        (choice(content=17), "no text"),
        (choice(content=None, refusal="I cannot help with that."), "refused: I cannot help"),
        (choice(content="<think>what shall I say, let me"), "unfinished reasoning"),
        (choice(content="<think>all thought</think>"), "no text"),
    ],
)
async def test_answers_of_other_shapes_are_refused(raw_server: Raw, answer: object, said: str) -> None:
    with pytest.raises(UpstreamError, match=said):
        await ChatModel(raw_server(http(answer)), "m")(ASKED)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (choice(content="<think>hm</think>\n\nDone."), "Done."),
        (choice(content="<thinking>hm</thinking>Done."), "Done."),
        (choice(content="In HTML, <think> is no tag. <think>x</think>"), "In HTML, <think> is no tag. <think>x</think>"),
        (choice(None, content="Done."), "Done."),
        (choice("eos", content=[{"type": "text", "text": "Do"}, {"type": "text", "text": "ne."}, {"type": "x"}]), "Done."),
        (choice(content="Done.", reasoning_content="hm", refusal=None), "Done."),
        ({**choice(content="Done."), "error": None, "usage": None}, "Done."),
        ({**choice(content="Done."), "usage": {"prompt_tokens": "many", "completion_tokens": -1}}, "Done."),
    ],
)
async def test_what_hosts_spell_otherwise_is_understood(raw_server: Raw, answer: object, text: str) -> None:
    assert await ChatModel(raw_server(http(answer)), "m")(ASKED) == text


async def test_a_model_that_wants_the_other_name_of_the_limit_gets_it() -> None:
    def reasoning(received: Received) -> Step:
        if "max_tokens" in received.body:
            said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            return Fault.refuses(400, said)
        return "Thought about."

    with ScriptedProvider(reasoning) as provider:
        model = ChatModel(provider.url, "m", temperature=None, max_tokens=9)
        assert await model(ASKED) == "Thought about."
        assert await model(ASKED) == "Thought about."
    limits = [{key for key in received.body if "tokens" in key} for received in provider.received]
    assert limits == [{"max_tokens"}, {"max_completion_tokens"}, {"max_completion_tokens"}]
    assert "temperature" not in provider.received[-1].body


async def test_a_request_that_the_server_had_cut_is_no_ground_for_a_summary() -> None:
    long = [Message("user", "word " * 8_000)]
    counts = {"Of the end.": 2_048, "Of all.": 8_000, "Not counted.": 0}
    with ScriptedProvider([Reply(text, input_tokens=count) for text, count in counts.items()]) as provider:
        model = ChatModel(provider.url, "m")
        with pytest.raises(UpstreamError, match=r"read 2,048 of about .* tokens: it cut the request"):
            await model(long)
        assert await model(long) == "Of all."
        assert await model(long) == "Not counted."


async def test_the_window_is_learnt_once_where_it_is_not_given(host: Paths) -> None:
    url = host({"/v1/models": {"data": [{"id": "m", "max_model_len": 8_192}]}})
    model = ChatModel(url, "m")
    assert await model.learn_window() == 8_192
    assert model.window == 8_192
    given = ChatModel(url, "m", window=4_096)
    assert await given.learn_window() == 4_096


async def test_no_more_is_asked_for_than_the_window_leaves() -> None:
    with ScriptedProvider(["Short."] * 3, window=2_000) as provider:
        model = ChatModel(provider.url, "m", window=2_000)
        await model(ASKED)
        await model([Message("user", "word " * 1_200)])
        await model([Message("user", "word " * 1_500)])
        with pytest.raises(UpstreamError, match="maximum context length"):
            await model([Message("user", "word " * 2_500)])
    asked = [received.body["max_tokens"] for received in provider.received]
    tokens = [received.tokens for received in provider.received]
    assert asked == [2_000 - tokens[0], 2_000 - tokens[1], 64]


def test_what_tells_it_from_others_is_not_where_it_runs_and_it_shows_no_key() -> None:
    model = ChatModel("http://host:1/v1", "small", key="secret")
    assert model.fingerprint == ChatModel("http://other/v1", "small").fingerprint
    assert model.fingerprint != ChatModel("http://host:1/v1", "large").fingerprint
    assert model.fingerprint != ChatModel("http://host:1/v1", "small", fields={"seed": 1}).fingerprint
    assert repr(model) == "ChatModel('http://host:1/v1', 'small')"
    assert "secret" not in str(vars(model)) + repr(model)


@pytest.mark.parametrize("wrong", [{"max_tokens": 0}, {"timeout": 0}, {"connect_timeout": -1}, {"window": 0}])
def test_numbers_that_make_no_sense_are_refused(wrong: Mapping[str, int]) -> None:
    with pytest.raises(InputError, match="above 0"):
        ChatModel("http://host", "m", **wrong)  # type: ignore[arg-type]  # the point
