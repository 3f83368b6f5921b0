"""Which result answers which call, and the ids that calls are given."""

from __future__ import annotations

import pytest

from transom.messages import Call, Message, Result, Text
from transom.wire.pairing import link_turn, pair


def turn(calls: list[Call], results: list[Result]) -> tuple[Message, ...]:
    return (Message("assistant", tool_calls=calls), Message("tool", list(results)))


def joined(messages: tuple[Message, ...]) -> list[int | None]:
    pairing = pair(messages)
    return [None if pairing.calls[1, index] is None else pairing.order[1, index] for index in range(len(messages[1].parts))]


@pytest.mark.feature("M12")
def test_results_find_their_calls_by_id_in_any_order() -> None:
    calls = [Call("f", id="a"), Call("g", id="b")]
    assert joined(turn(calls, [Result(call_id="b"), Result(call_id="a"), Result(call_id="c"), Result(call_id="a")])) == [
        1,
        0,
        None,
        None,
    ]


@pytest.mark.feature("M12")
def test_without_ids_names_and_order_decide() -> None:
    calls = [Call("f"), Call("g"), Call("f")]
    assert joined(turn(calls, [Result(name="f"), Result(name="g"), Result(name="f"), Result(name="f")])) == [0, 1, 2, None]
    assert joined(turn(calls, [Result(), Result(), Result()])) == [0, 1, 2]
    assert joined(turn([Call("f", id="a"), Call("g")], [Result(), Result()])) == [1, 0]


def test_ids_in_a_conversation_are_given_from_what_came_before_only() -> None:
    taken: set[str] = set()
    first = link_turn(turn([Call("f"), Call("f", id="x")], [Result(), Result(call_id="x")]), taken)
    again = link_turn(turn([Call("f"), Call("f", id="x")], [Result(), Result(call_id="x")]), taken)
    ids = [call.id for message in (*first, *again) for call in message.tool_calls]
    assert ids[1] == "x"
    assert len(set(ids)) == 4
    answers = [result.call_id for message in (*first, *again) for result in message.results]
    assert answers == ids
    assert link_turn(turn([Call("f"), Call("f", id="x")], [Result(), Result(call_id="x")]), set()) == first


def test_a_turn_with_nothing_to_change_is_returned_as_it_is() -> None:
    messages = turn([Call("f", id="a")], [Result((Text("x"),), call_id="a")])
    assert all(now is then for now, then in zip(link_turn(messages, set()), messages, strict=True))
