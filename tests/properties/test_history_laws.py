"""A history made valid: what was valid stays, what was not is mended and reported, and nothing settled ever moves again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.messages import (
    Call,
    History,
    Message,
    Result,
    Text,
    ensure_valid_history,
    group_turns,
    leading_system,
)
from transom.testing.generators import conversations, words

Messages = tuple[Message, ...]
some = settings(deadline=None, max_examples=80)
IDS = ["", "a", "b", "c"]


@st.composite
def wild_messages(draw: st.DrawFn) -> Messages:
    """Anything a client may send: results without calls, calls without results, ids missing or used twice, empty messages."""
    return tuple(draw(st.lists(_wild(), max_size=12)))


@st.composite
def _wild(draw: st.DrawFn) -> Message:
    kind = draw(st.sampled_from(["user", "assistant", "calls", "tool", "results", "mixed", "system", "empty"]))
    ids = st.sampled_from(IDS)
    match kind:
        case "user" | "assistant":
            return Message(kind, draw(words()), pinned=draw(st.booleans()))
        case "calls":
            calls = draw(st.lists(st.builds(Call, st.sampled_from(["f", "g"]), st.just("{}"), ids), min_size=1, max_size=3))
            return Message("assistant", draw(st.lists(words().map(Text), max_size=1)), tool_calls=calls)
        case "tool":
            return Message("tool", [_result(draw, ids)])
        case "results":
            return Message("user", [_result(draw, ids) for _ in range(draw(st.integers(1, 3)))])
        case "mixed":
            return Message("user", [_result(draw, ids), Text(draw(words()))])
        case "system":
            return Message("system", draw(words()), positional=draw(st.booleans()))
        case _:
            return Message(draw(st.sampled_from(["user", "assistant"])), draw(st.sampled_from([None, ""])))


def _result(draw: st.DrawFn, ids: st.SearchStrategy[str]) -> Result:
    name = draw(st.sampled_from(["", "f", "g"]))
    return Result((Text(draw(words())),), call_id=draw(ids), name=name)


def is_valid(messages: Messages) -> None:
    """What every provider insists on."""
    rest = messages[leading_system(messages) :]
    first = next((message for message in rest if message.role != "system"), None)
    assert first is None or first.role == "user"
    seen: set[str] = set()
    waiting: list[str] = []
    for message in rest:
        if message.role == "assistant":
            # A run of assistant messages is one turn: its results stand behind the whole of it.
            assert message.parts
            for call in message.tool_calls:
                assert call.id
                assert call.id not in seen
                seen.add(call.id)
                waiting.append(call.id)
            continue
        assert not waiting or message.results, "something stands between a call and its results"
        if message.results:
            answered = [result.call_id for result in message.results]
            assert waiting[0] in answered, "messages of results stand in call order"
            for call_id in answered:
                waiting.remove(call_id)
    assert waiting == []


@pytest.mark.feature("M3")
@some
@given(conversations())
def test_a_valid_conversation_comes_back_as_it_is(messages: Messages) -> None:
    valid, repairs = ensure_valid_history(messages)
    assert repairs == ()
    assert len(valid) == len(messages)
    assert all(one is two for one, two in zip(valid, messages, strict=True))


@pytest.mark.feature("M3")
@some
@given(wild_messages())
def test_anything_becomes_valid_and_a_second_time_changes_nothing(messages: Messages) -> None:
    valid, _ = ensure_valid_history(messages)
    is_valid(valid)
    again, repairs = ensure_valid_history(valid)
    assert again == valid
    assert repairs == ()


@pytest.mark.feature("M3")
@some
@given(wild_messages())
def test_what_is_taken_out_stands_whole_in_the_report(messages: Messages) -> None:
    valid, repairs = ensure_valid_history(messages)
    kept = [part for message in valid for part in message.parts]
    removed = [part for repair in repairs if repair.removed is not None for part in repair.removed.parts]
    said = {_words(part) for part in (*kept, *removed)}
    for message in messages:
        for part in message.parts:
            assert _words(part) in said
    assert all(repair.detail for repair in repairs)
    for repair in repairs:
        assert 0 <= repair.index < len(messages)


def _words(part: object) -> str:
    return part.text if isinstance(part, Text | Result) else part.arguments if isinstance(part, Call) else repr(part)


@pytest.mark.feature("M3")
@some
@given(wild_messages())
def test_calls_and_results_are_paired_with_what_they_were_paired_with(messages: Messages) -> None:
    rest = messages[leading_system(messages) :]
    history = History()
    history.extend(rest)
    tail, _ = history.tail()
    for turn in (*history.turns, *tail):
        calls = [call for message in turn.messages for call in message.tool_calls]
        answers = [
            (result, ordinal)
            for message, ordinals in zip(turn.messages, turn.ordinals, strict=True)
            for result, ordinal in zip(message.results, ordinals, strict=True)
        ]
        assert sorted(ordinal for _, ordinal in answers) == list(range(len(calls)))
        for result, ordinal in answers:
            assert not result.call_id or not calls[ordinal].id or result.call_id == calls[ordinal].id
        linked = [call.id for message in turn.linked for call in message.tool_calls]
        assert [result.call_id for message in turn.linked for result in message.results] == [
            linked[ordinal] for _, ordinal in answers
        ]


@pytest.mark.feature("M3")
@some
@given(wild_messages(), st.lists(st.integers(0, 12), max_size=4))
def test_piece_by_piece_gives_what_the_whole_gives_and_settled_turns_never_change(messages: Messages, cuts: list[int]) -> None:
    rest = messages[leading_system(messages) :]
    whole = History()
    whole.extend(rest)
    pieces = History()
    at = 0
    for cut in [*sorted(cuts), len(rest)]:
        before, places = list(pieces.turns), list(pieces.prefix)
        pieces.extend(rest[at:cut])
        at = max(at, cut)
        pieces.tail()
        assert pieces.turns[: len(before)] == before
        assert pieces.prefix[: len(places)] == places
    assert pieces.turns == whole.turns
    assert pieces.prefix == whole.prefix
    assert pieces.arrivals == whole.arrivals
    assert pieces.tail() == whole.tail()
    assert pieces.repairs == whole.repairs


@pytest.mark.feature("M2")
@some
@given(conversations() | wild_messages())
def test_turns_cover_a_conversation_without_gaps_and_split_no_pair(messages: Messages) -> None:
    valid, _ = ensure_valid_history(messages)
    for conversation in (messages, valid):
        turns = group_turns(conversation)
        assert [index for turn in turns for index in turn] == list(range(len(conversation)))
        assert all(turn for turn in turns)
    for turn in group_turns(valid):
        calls = [call.id for index in turn for call in valid[index].tool_calls]
        assert sorted(calls) == sorted(result.call_id for index in turn for result in valid[index].results)


@pytest.mark.feature("M2", "M3")
@some
@given(wild_messages())
def test_the_turns_of_a_valid_history_are_those_that_grouping_finds(messages: Messages) -> None:
    valid, _ = ensure_valid_history(messages)
    rest = valid[leading_system(valid) :]
    history = History()
    history.extend(rest)
    tail, _ = history.tail()
    assert [len(turn.messages) for turn in (*history.turns, *tail)] == [len(turn) for turn in group_turns(rest)]
