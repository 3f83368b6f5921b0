"""What a message costs, part by part."""

from __future__ import annotations

import base64
import logging

import pytest

from transom.messages import (
    Attachment,
    Call,
    Message,
    Opaque,
    Origin,
    RedactedThinking,
    Text,
    Thinking,
    Tool,
)
from transom.messages.parts import Part
from transom.tokens import Chars, Heuristic, Weights, bpe, weigh, weigh_batch, weigh_tools
from transom.tokens.weigh import PER_CALL, PER_MESSAGE, PER_RESULT, PER_TOOL, attachment_tokens

CHARS = Chars(image_tokens=1000)
PNG = base64.b64encode(b"\x89PNG" * 20_000).decode()


@pytest.mark.feature("K3")
def test_every_kind_of_content_adds_its_weight() -> None:
    parts: list[Part] = [
        Text("some words of the user"),
        Thinking("long thoughts about it", signature="c2lnbmF0dXJl" * 10),
        RedactedThinking("ZW5jcnlwdGVk" * 10),
        Call("run_command", '{"command": "ls -la /var/log"}', signature="dG9rZW4="),
        Attachment("image/png", data=PNG, filename="screen.png"),
        Attachment("application/pdf", data=PNG),
        Opaque("anthropic", "server_tool_use", {"name": "web_search", "input": {"query": "a question in words"}}),
    ]
    for tokenizer in (CHARS, Heuristic(), bpe("o200k")):
        weights = [weigh(Message("assistant", parts[: count + 1]), tokenizer) for count in range(len(parts))]
        assert weights == sorted(set(weights))


@pytest.mark.feature("K3")
def test_a_result_is_counted_with_its_text_and_its_images() -> None:
    plain = Message("tool", [Text("ok")], tool_call_id="1")
    with_text = Message("tool", [Text("ok" * 400)], tool_call_id="1")
    with_image = Message("tool", [Text("ok"), Attachment("image/png", data=PNG)], tool_call_id="1")
    assert weigh(plain, CHARS) == PER_MESSAGE + PER_RESULT + 1
    assert weigh(with_text, CHARS) == PER_MESSAGE + PER_RESULT + 200
    assert 1000 < weigh(with_image, CHARS) - weigh(plain, CHARS) < 1010


def test_an_image_costs_its_fixed_price_however_long_its_base64_is() -> None:
    small, large = (Message("user", [Attachment("image/png", data=PNG[:size])]) for size in (100, len(PNG)))
    assert weigh(small, CHARS) == weigh(large, CHARS) == PER_MESSAGE + 1000


def test_an_image_inside_an_item_nobody_knows_costs_no_more_than_an_image() -> None:
    by_address = Opaque("openai", "strange", {"image_url": {"url": f"data:image/png;base64,{PNG}"}})
    by_source = Opaque("anthropic", "strange", {"source": {"type": "base64", "media_type": "image/png", "data": PNG}})
    for item in (by_address, by_source):
        assert 1000 < weigh(Message("user", [item]), CHARS) < 1060


def test_encrypted_reasoning_in_an_unknown_item_is_a_token_for_four_characters() -> None:
    item = Opaque("openai-responses", "compaction", {"encrypted_content": "gAAAAABp" * 600})
    assert weigh(Message("assistant", [item]), Heuristic()) == pytest.approx(1200, abs=30)


def test_a_deeply_nested_unknown_item_is_weighed_without_recursion() -> None:
    value: object = "leaf"
    for _ in range(20_000):
        value = [value]
    assert weigh(Message("user", [Opaque("openai", "deep", value)]), CHARS) == PER_MESSAGE + 1


@pytest.mark.parametrize(
    "media_type, size, tokens",
    [
        ("image/webp", 10**7, 1000),
        ("text/plain", 4000, 2001),
        ("application/json", 4000, 2001),
        ("application/pdf", 20_000, 2500),
        ("application/pdf", 60_000, 7500),
        ("application/pdf", None, 2500),
        ("audio/wav", 400_000, 2000),
        ("video/mp4", 4_000_000, 11_000),
    ],
)
def test_a_file_is_estimated_by_its_type_and_size(media_type: str, size: int | None, tokens: int) -> None:
    assert attachment_tokens(media_type, size, 1000) == tokens


@pytest.mark.feature("K3")
def test_a_message_that_says_nothing_is_an_error_in_the_log_and_not_zero(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "transom.tokens"):
        assert weigh(Message("assistant", []), CHARS) == PER_MESSAGE
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "assistant" in caplog.text


def test_an_empty_tool_result_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    assert weigh(Message("tool", "", tool_call_id="1"), CHARS) > PER_MESSAGE
    assert caplog.records == []


def test_names_and_unknown_fields_count_and_cache_markers_do_not() -> None:
    bare = weigh(Message("user", "hello"), CHARS)
    assert weigh(Message("user", "hello", name="alice"), CHARS) > bare
    assert weigh(Message("user", "hello", extra={"annotations": ["some words that a model sees"]}), CHARS) > bare
    marked = [Text("hello", extra={"cache_control": {"type": "ephemeral"}})]
    assert weigh(Message("user", marked), CHARS) == bare


def test_an_edited_message_weighs_what_it_says_now() -> None:
    message = Message("user", [Text("long " * 1000), Text("short")])
    assert weigh(message.edit({0: Text("cut")}), CHARS) < weigh(message, CHARS) / 10


def test_a_batch_weighs_what_single_calls_weigh() -> None:
    messages = [
        Message("user", "hello"),
        Message("assistant", "", tool_calls=[Call("a", "{}"), Call("b", '{"x": 1}')]),
        Message("tool", "result", tool_call_id="1", name="a"),
        Message("assistant", []),
    ]
    for tokenizer in (CHARS, Heuristic(), bpe("cl100k")):
        assert weigh_batch(messages, tokenizer) == [weigh(message, tokenizer) for message in messages]
    assert weigh_batch([], CHARS) == []


@pytest.mark.feature("K3")
def test_tools_are_counted_with_their_schemas() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string", "description": "where to look"}}}
    plain = Tool("find", "Finds files.")
    native = Tool(
        "web_search", kind="native", origin=Origin("anthropic", b'{"type":"web_search_20250305","name":"web_search"}')
    )
    assert weigh_tools([], CHARS, preamble=346) == 0
    assert weigh_tools([plain], CHARS) == PER_TOOL + 1 + 3
    assert weigh_tools([plain], CHARS, preamble=346) == PER_TOOL + 4 + 346
    assert weigh_tools([Tool("find", "Finds files.", schema)], CHARS) > weigh_tools([plain], CHARS) + 15
    assert weigh_tools([native], CHARS) > PER_TOOL + 10
    assert weigh_tools([Tool("find", extra={"strict": True})], CHARS) > weigh_tools([Tool("find")], CHARS)


def test_calls_cost_their_name_their_arguments_and_their_wrapping() -> None:
    call = Message("assistant", tool_calls=[Call("read", '{"path": "a/b"}')])
    assert weigh(call, CHARS) == PER_MESSAGE + PER_CALL + 1 + 4


class Counting:
    """A tokenizer that says how often it was asked."""

    name = "counting"
    image_tokens = 10

    def __init__(self) -> None:
        self.asked = 0

    def count(self, text: str) -> int:
        self.asked += 1
        return len(text)

    def count_batch(self, texts: list[str] | tuple[str, ...] | object) -> list[int]:
        assert isinstance(texts, list | tuple)
        return [self.count(text) for text in texts]


@pytest.mark.feature("K4")
def test_the_same_content_is_never_counted_twice() -> None:
    weights, tokenizer = Weights(), Counting()
    first = weights.weigh(Message("user", "hello"), tokenizer)
    again = weights.weigh_all([Message("user", "hello"), Message("user", "new")], tokenizer)
    assert weights.weigh_all([Message("user", "new"), Message("user", "hello")], tokenizer) == again[::-1]
    assert (again[0], tokenizer.asked, len(weights)) == (first, 2, 2)


@pytest.mark.feature("K4")
def test_counts_of_one_tokenizer_are_not_those_of_another() -> None:
    weights, message = Weights(), Message("user", "hello hello hello " * 9)
    counts = {weights.weigh(message, tokenizer) for tokenizer in (Chars(), Heuristic(), Counting())}
    assert len(counts) == 3
    photo = Message("user", [Attachment("image/png", data=PNG)])
    assert weights.weigh(photo, Chars(image_tokens=5)) != weights.weigh(photo, Chars(image_tokens=6))


def test_the_cache_is_bounded_and_forgetting_changes_no_count() -> None:
    weights = Weights(limit=8)
    messages = [Message("user", f"message {number}") for number in range(50)]
    assert weights.weigh_all(messages, CHARS) == weigh_batch(messages, CHARS)
    assert len(weights) <= 8
    assert weights.weigh_all(messages, CHARS) == weigh_batch(messages, CHARS)
