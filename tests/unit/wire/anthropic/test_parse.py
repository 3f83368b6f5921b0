"""How Anthropic Messages are read."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pytest

from transom.errors import FormatError
from transom.messages import Attachment, Call, Message, Opaque, RedactedThinking, Result, Text, Thinking, ToolChoice
from transom.wire.anthropic import Anthropic

FORMAT = Anthropic()


def read(*blocks: Mapping[str, object], role: str = "user") -> Message:
    (message,) = FORMAT.parse_items([{"role": role, "content": list(blocks)}])
    return message


@pytest.mark.feature("M6")
def test_every_known_block_becomes_the_part_of_its_kind_in_document_order() -> None:
    message = read(
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "enc"},
        {"type": "text", "text": "hi"},
        {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"b": 1, "a": [2]}},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        role="assistant",
    )
    assert message.role == "assistant"
    assert message.parts == (
        Thinking("hm", "sig"),
        RedactedThinking("enc"),
        Text("hi"),
        Call("bash", '{"b":1,"a":[2]}', "toolu_1"),
        Opaque("anthropic", "server_tool_use", {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
    )


@pytest.mark.feature("M6")
def test_arguments_keep_the_exact_bytes_of_the_request() -> None:
    call = b'{"input": {"n" : 1.0, "e": 1e5},"type":"tool_use","id":"a","name":"f"}'
    body = b'{"messages":[{"role":"assistant","content":[{"type":"text","text":"x"},' + call + b"]}]}"
    (message,) = FORMAT.parse(body).messages
    assert message.tool_calls[0].arguments == '{"n" : 1.0, "e": 1e5}'


@pytest.mark.feature("M6")
def test_a_user_message_of_results_alone_has_role_tool_and_one_with_words_stays_the_users() -> None:
    result = {"type": "tool_result", "tool_use_id": "a", "content": "out", "is_error": True}
    assert read(result).role == "tool"
    assert read(result).results == (Result((Text("out"),), "a", is_error=True),)
    mixed = read(result, {"type": "text", "text": "go on"})
    assert mixed.role == "user"
    assert [type(part) for part in mixed.parts] == [Result, Text]


@pytest.mark.feature("M6")
def test_result_content_may_be_blocks_with_pictures() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}}
    message = read({"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "see"}, picture]})
    assert message.results[0].content == (Text("see"), Attachment("image/png", data="iVBOR"))


@pytest.mark.feature("M6")
def test_files_are_read_from_every_kind_of_source() -> None:
    sources: list[tuple[str, dict[str, object], Attachment]] = [
        ("image", {"type": "url", "url": "https://x/y.png"}, Attachment("image/*", url="https://x/y.png")),
        ("document", {"type": "url", "url": "https://x/y"}, Attachment("application/pdf", url="https://x/y")),
        ("document", {"type": "file", "file_id": "file_1"}, Attachment("application/octet-stream", url="file_1")),
        (
            "document",
            {"type": "text", "media_type": "text/plain", "data": "é"},
            Attachment("text/plain", data=base64.b64encode("é".encode()).decode()),
        ),
    ]
    for kind, source, expected in sources:
        assert read({"type": kind, "source": source}).parts == (expected,)
    titled = read({"type": "document", "title": "a.pdf", "source": sources[1][1], "citations": {"enabled": True}})
    assert titled.attachments[0].filename == "a.pdf"
    assert titled.attachments[0].extra == {"citations": {"enabled": True}}
    of_blocks = read({"type": "document", "source": {"type": "content", "content": "x"}})
    assert isinstance(of_blocks.parts[0], Opaque)


@pytest.mark.feature("M6")
def test_a_compaction_block_is_kept_verbatim_and_pinned() -> None:
    block = {"type": "compaction", "content": "summary", "encrypted_content": "abc"}
    message = read(block, {"type": "text", "text": "go"}, role="assistant")
    assert message.pinned
    assert message.parts[0] == Opaque("anthropic", "compaction", block)


@pytest.mark.feature("M6")
def test_cache_control_on_a_block_or_inside_a_result_is_a_breakpoint() -> None:
    marker = {"cache_control": {"type": "ephemeral"}}
    assert read({"type": "text", "text": "x", **marker}).cache_breakpoint
    assert read(
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x", **marker}]}
    ).cache_breakpoint
    assert not read({"type": "text", "text": "x"}).cache_breakpoint


@pytest.mark.feature("M9")
def test_a_system_message_inside_the_conversation_is_positional_and_the_field_is_not() -> None:
    request = FORMAT.parse(
        {"system": "be good", "messages": [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}]}
    )
    first, _, last = request.messages
    assert (first.role, first.positional, first.text) == ("system", False, "be good")
    assert (last.role, last.positional, last.text) == ("system", True, "b")


def test_the_head_is_read_into_neutral_terms() -> None:
    head = FORMAT.parse(
        {
            "model": "claude-x",
            "max_tokens": 9,
            "temperature": 0.5,
            "stop_sequences": ["END"],
            "metadata": {"user_id": "u"},
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {"type": "object"}}},
            "thinking": {"type": "adaptive"},
            "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
            "tools": [
                {"name": "f", "input_schema": {"type": "object"}, "strict": True},
                {"type": "bash_20250124", "name": "bash"},
            ],
            "messages": [],
        }
    ).head
    assert (head.model, head.max_output_tokens) == ("claude-x", 9)
    assert head.params == {
        "temperature": 0.5,
        "stop": ["END"],
        "user": "u",
        "reasoning_effort": "low",
        "json_schema": {"schema": {"type": "object"}},
    }
    assert head.tool_choice == ToolChoice("required", parallel=False)
    assert [(tool.name, tool.kind) for tool in head.tools] == [("f", "function"), ("bash", "native")]
    assert head.unshared == ("thinking",)


def test_errors_name_the_element() -> None:
    with pytest.raises(FormatError, match=r"messages\[1\]"):
        FORMAT.parse({"messages": [{"role": "user", "content": "x"}, {"role": "robot", "content": "x"}]})
    with pytest.raises(FormatError, match=r"messages\[0\]\.content\[1\]"):
        FORMAT.parse({"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}, "y"]}]})


@pytest.mark.parametrize(
    "body, expected",
    [
        ({"model": "claude-x", "messages": [{"role": "user", "content": "x"}]}, True),
        ({"system": "s", "messages": [{"role": "user", "content": "x"}]}, True),
        ([{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}], True),
        ({"messages": [], "tools": [{"name": "f", "input_schema": {}}]}, True),
        ({"messages": [{"role": "user", "content": "x"}]}, False),
        ({"system": "s", "messages": [{"role": "tool", "content": "x"}]}, False),
        ({"model": "claude-x", "messages": [], "tools": [{"type": "function", "function": {}}]}, False),
        ({"contents": []}, False),
        ("text", False),
    ],
)
def test_detection_wants_something_that_only_this_format_says(body: object, expected: bool) -> None:
    assert FORMAT.detect(body) is expected
