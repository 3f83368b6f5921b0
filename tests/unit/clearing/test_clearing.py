"""What an old message looks like once its results and reasoning have left."""

from __future__ import annotations

import time

import pytest

from transom.engine.offload.payloads import PruneSettings, prune
from transom.engine.overflow.clearing import ClearSettings, clear_message, clearing, without_think_tags
from transom.messages import Attachment, Call, Message, Opaque, RedactedThinking, Result, Text, Thinking
from transom.store.blobs import blob_uri

SETTINGS = ClearSettings()
LONG = "a line of output\n" * 100


def tool_message(text: str = LONG, **marks: bool) -> Message:
    return Message("tool", text, tool_call_id="c1", pinned=marks.get("pinned", False))


@pytest.mark.feature("O16")
def test_a_result_gives_way_to_one_line_that_names_tool_size_and_address() -> None:
    cleared = clearing(tool_message(), tool_names=["run"], settings=SETTINGS)
    assert cleared is not None
    assert cleared.message.text == f"[… result of run cleared: {len(LONG)} bytes. Whole text: {blob_uri(LONG)} …]"
    assert [(text.text, text.uri, text.tool) for text in cleared.texts] == [(LONG, blob_uri(LONG), "run")]
    assert cleared.message.results[0].call_id == "c1"
    nameless = clear_message(tool_message(), settings=SETTINGS)
    assert nameless is not None
    assert nameless.text.startswith("[… tool result cleared: ")


@pytest.mark.feature("O16")
def test_short_kept_and_exempt_results_stay() -> None:
    assert clear_message(tool_message("ok"), settings=SETTINGS) is None
    assert clear_message(tool_message(), tool_names=["run"], settings=SETTINGS, keep={0}) is None
    assert clear_message(tool_message(), tool_names=["run"], settings=ClearSettings.of(exempt=["run"])) is None
    assert clear_message(tool_message(), tool_names=["context"], settings=ClearSettings.of(exempt=["run"])) is None
    assert clear_message(tool_message(), settings=ClearSettings.of(results=False)) is None


@pytest.mark.feature("O16")
def test_a_filter_says_which_tools_are_cleared() -> None:
    both = Message("user", [Result((Text(LONG),), call_id="a"), Result((Text(LONG),), call_id="b")])
    for wanted in (["grep"], lambda name: str(name).startswith("gr")):
        message = clear_message(both, tool_names=["grep", "read"], settings=ClearSettings.of(tools=wanted))
        assert message is not None
        assert [result.text == LONG for result in message.results] == [False, True]


@pytest.mark.feature("O16")
def test_pinned_messages_and_signed_reasoning_are_immune() -> None:
    assert clear_message(tool_message(pinned=True), settings=SETTINGS) is None
    signed = Thinking("deep thoughts", signature="c2ln")
    sealed = RedactedThinking("ZGF0YQ==")
    message = Message("assistant", [Thinking("loose thoughts"), signed, sealed, Text("The answer.")])
    cleared = clear_message(message, settings=SETTINGS)
    assert cleared is not None
    assert cleared.parts == message.parts[1:]
    assert clear_message(message, settings=ClearSettings.of(thinking=False)) is None


@pytest.mark.feature("O16")
def test_reasoning_that_led_to_calls_stays_with_them() -> None:
    assert clear_message(Message("assistant", [Thinking("loose thoughts"), Call("run", "{}")]), settings=SETTINGS) is None


def test_a_message_is_never_left_without_parts() -> None:
    assert clear_message(Message("assistant", [Thinking("only this")]), settings=SETTINGS) is None
    assert clear_message(Message("assistant", "<think>only this</think>"), settings=SETTINGS) is None


@pytest.mark.feature("O16")
def test_think_passages_leave_an_answer() -> None:
    message = Message("assistant", "<think>\nLet me see.\n</think>\n\nThe answer is 4.")
    cleared = clear_message(message, settings=SETTINGS)
    assert cleared is not None
    assert cleared.text == "The answer is 4."
    assert clear_message(message, settings=ClearSettings.of(think_tags=False)) is None
    assert clear_message(Message("user", message.text), settings=SETTINGS) is None


@pytest.mark.parametrize(
    "text, left",
    [
        ("<think>a</think>b", "b"),
        ("<think>a</think><think>b</think> c", "c"),
        ("one\n<thinking>a\nb</thinking>\ntwo", "one\ntwo"),
        ("  <think>a</think> b", "  b"),
        ("a tag such as `<think>x</think>` is text", "a tag such as `<think>x</think>` is text"),
        ("<think>never ends", "<think>never ends"),
        ("no tags", "no tags"),
        ("</think> alone", "</think> alone"),
    ],
)
def test_a_think_tag_counts_where_it_begins_a_line_and_ends(text: str, left: str) -> None:
    assert without_think_tags(text) == left


@pytest.mark.parametrize(
    "text", ["x<think>" * 200_000, "<think>" * 200_000, "\n<think>a</think>" * 100_000, "<think>" + " " * 10**6]
)
def test_hostile_tags_take_linear_time(text: str) -> None:
    started = time.perf_counter()
    without_think_tags(text)
    assert time.perf_counter() - started < 2


def test_clearing_twice_is_clearing_once() -> None:
    once = clear_message(tool_message(), tool_names=["run"], settings=SETTINGS)
    assert once is not None
    assert clear_message(once, tool_names=["run"], settings=ClearSettings.of(min_bytes=1)) is None


def test_a_pruned_result_cites_the_whole_text_and_not_its_excerpt() -> None:
    whole = LONG * 100
    pruned, _ = prune(tool_message(whole), settings=PruneSettings())
    cleared = clearing(pruned, tool_names=["run"], settings=SETTINGS)
    assert cleared is not None
    assert blob_uri(whole) in cleared.message.text
    assert f"{len(whole)} bytes" in cleared.message.text
    assert cleared.texts == ()


def test_files_of_a_cleared_result_leave_with_it_each_under_its_address() -> None:
    photo = Attachment("image/png", data="iVBORw0KGgo=")
    message = Message("tool", [Result((Text("screen"), photo), call_id="a")])
    cleared = clearing(message, tool_names=["screenshot"], settings=SETTINGS)
    assert cleared is not None
    assert "image/png" in cleared.message.text
    assert [text.text for text in cleared.texts] == ["screen", "iVBORw0KGgo="]
    assert all(text.uri in cleared.message.text for text in cleared.texts)


def test_a_result_with_something_only_its_provider_understands_stays() -> None:
    for item in (Opaque("anthropic", "search_result", {}), Attachment("image/png", url="https://example.com/a.png")):
        assert clear_message(Message("tool", [Result((Text(LONG), item), call_id="a")]), settings=SETTINGS) is None


def test_settings_that_clear_differently_have_different_fingerprints() -> None:
    variants = [
        ClearSettings.of(),
        ClearSettings.of(tools=["a"]),
        ClearSettings.of(tools=["a", "b"]),
        ClearSettings.of(exempt=["a"]),
        ClearSettings.of(min_bytes=1),
        ClearSettings.of(thinking=False),
        ClearSettings.of(tools=str.islower),
    ]
    assert len({settings.fingerprint for settings in variants}) == len(variants)
    assert ClearSettings.of(tools=["b", "a"]).fingerprint == ClearSettings.of(tools=["a", "b"]).fingerprint
