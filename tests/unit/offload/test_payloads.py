"""Oversized tool results are shortened when first seen, and nothing else is."""

from __future__ import annotations

import hashlib

import pytest

from transom.engine.offload.excerpts import is_excerpt
from transom.engine.offload.payloads import PruneSettings, prune
from transom.messages import Attachment, Call, Message, Opaque, Result, Text, Thinking

SETTINGS = PruneSettings()
LONG = "".join(f"{number:05d} a line of output that a tool wrote\n" for number in range(1000))
IMAGE = Attachment("image/png", data="iVBORw0KGgo=")


def result_of(*content: Text | Attachment | Opaque, name: str = "") -> Message:
    return Message("tool", [Result(content, call_id="call_1", name=name)])


@pytest.mark.feature("S8")
def test_a_long_result_is_shortened_and_the_whole_of_it_handed_over_to_be_stored() -> None:
    message, report = prune(result_of(Text(LONG)), tool_names=["read_file"], settings=SETTINGS)
    shown = message.results[0].text
    assert shown.startswith(LONG[:2048])
    assert shown.endswith(LONG[-512:])
    (pruned,) = report
    assert pruned.text == LONG
    assert pruned.uri == "context://vfs/" + hashlib.sha256(LONG.encode()).hexdigest()
    assert pruned.uri in shown
    assert (pruned.tool, pruned.part, pruned.shown, pruned.size) == ("read_file", 0, shown, len(LONG))
    assert (len(report), report.bytes_saved, report.locators) == (1, len(LONG) - len(shown.encode()), (pruned.uri,))
    assert report.skipped == ()


@pytest.mark.feature("S8")
def test_exactly_the_threshold_in_bytes_stays_and_one_more_does_not() -> None:
    for unit in ("x", "é", "漢"):
        width = len(unit.encode())
        fits = unit * (16_384 // width)
        assert prune(result_of(Text(fits)), settings=SETTINGS)[0].results[0].text == fits
        over = fits + "x" * (16_385 - len(fits.encode()))
        assert is_excerpt(prune(result_of(Text(over)), settings=SETTINGS)[0].results[0].text)


@pytest.mark.feature("S8")
@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_only_tool_results_are_pruned_however_long_the_rest_is(role: str) -> None:
    assert role in {"user", "assistant", "system"}
    message = {
        "user": Message("user", LONG),
        "assistant": Message("assistant", LONG, thinking=LONG, tool_calls=[Call("write", f'{{"content": "{"x" * 20_000}"}}')]),
        "system": Message("system", LONG),
    }[role]
    same, report = prune(message, settings=SETTINGS)
    assert same is message
    assert len(report) == 0


@pytest.mark.feature("S8")
def test_a_result_inside_a_user_message_is_pruned_and_the_words_beside_it_stay() -> None:
    original = Message("user", [Text(LONG), Result((Text(LONG), IMAGE), call_id="a"), Result((Text("short"),), call_id="b")])
    message, report = prune(original, tool_names=["one", "two"], settings=SETTINGS)
    assert message.parts[0] is original.parts[0]
    assert message.parts[2] is original.parts[2]
    shortened = message.parts[1]
    assert isinstance(shortened, Result)
    assert shortened.content[1] is IMAGE
    assert [text.tool for text in report] == ["one"]


@pytest.mark.feature("S8")
def test_pruning_twice_is_pruning_once() -> None:
    once, _ = prune(result_of(Text(LONG)), settings=SETTINGS)
    again, report = prune(once, settings=SETTINGS)
    assert again is once
    assert len(report) == 0
    low = PruneSettings(threshold=100)
    same, report = prune(once, settings=low)
    assert same is once
    assert [skip.reason for skip in report.skipped] == ["excerpt already"]


def test_an_edit_names_the_result_alone_so_that_the_rest_keeps_its_bytes() -> None:
    message, _ = prune(Message("user", [Text("words"), Result((Text(LONG),), call_id="a")]), settings=SETTINGS)
    assert [index for index, _ in message.edits] == [1]


@pytest.mark.feature("S8")
@pytest.mark.parametrize("name", ["context", "transom_context"])
def test_what_was_retrieved_is_not_compressed_again_in_an_endless_loop(name: str) -> None:
    by_pairing, report = prune(result_of(Text(LONG)), tool_names=[name], settings=SETTINGS)
    assert by_pairing.results[0].text == LONG
    assert [(skip.reason, skip.size) for skip in report.skipped] == [("exempt tool", len(LONG))]
    assert prune(result_of(Text(LONG), name=name), settings=SETTINGS)[0].results[0].text == LONG
    others = PruneSettings(threshold=100, exempt=frozenset({"read_plan"}))
    assert prune(result_of(Text(LONG), name=name), settings=others)[0].results[0].text == LONG


def test_a_result_in_many_pieces_is_shortened_largest_first_until_it_is_small_enough() -> None:
    pieces = [Text(f"{index}\n" + LONG[: 5000 + 100 * index]) for index in range(4)]
    message, report = prune(result_of(*pieces), settings=SETTINGS)
    content = message.results[0].content
    assert content[:2] == (pieces[0], pieces[1])
    assert [is_excerpt(item.text) for item in content if isinstance(item, Text)] == [False, False, True, True]
    assert [text.text for text in report] == [pieces[3].text, pieces[2].text]


def test_a_text_that_would_not_get_shorter_is_reported_as_skipped() -> None:
    settings = PruneSettings(threshold=10, head=50, tail=50)
    message, report = prune(result_of(Text("just a few words")), settings=settings)
    assert message.results[0].text == "just a few words"
    assert [skip.reason for skip in report.skipped] == ["nothing saved"]


def test_grep_output_is_cut_and_never_rewritten() -> None:
    output = "".join(f"src/module_{n}.py:{n}:    raise_error_if({n} != {n + 1})\n" for n in range(1000))
    shown = prune(result_of(Text(output)), tool_names=["grep"], settings=SETTINGS)[0].results[0].text
    for line in shown.splitlines():
        assert line.startswith("[… ") or line + "\n" in output


def test_every_elision_is_marked_in_place_with_line_ranges_and_an_address() -> None:
    shown = prune(result_of(Text(LONG)), settings=SETTINGS)[0].results[0].text
    marks = [line for line in shown.splitlines() if line.startswith("[… ")]
    assert len(marks) == 1
    assert marks[0].startswith("[… lines 51-")
    assert "context://vfs/" in marks[0]


def test_opaque_items_and_thinking_are_none_of_its_business() -> None:
    opaque = Opaque("anthropic", "search_result", {"text": LONG})
    message = Message("user", [Result((opaque,), call_id="a"), Thinking(LONG)])
    assert prune(message, settings=SETTINGS)[0] is message


def test_lone_surrogates_are_stored_under_the_digest_of_their_bytes() -> None:
    text = "\ud83d" * 10_000
    _, report = prune(result_of(Text(text)), settings=SETTINGS)
    assert report.locators == ("context://vfs/" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),)
