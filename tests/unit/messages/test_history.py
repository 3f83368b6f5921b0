"""Each fault a history can have, and what becomes of it."""

from __future__ import annotations

import time

import pytest

from transom.messages import Call, History, Message, Repair, Result, Text, ensure_valid_history
from transom.vocabulary import ENGLISH

pytestmark = pytest.mark.feature("M3")

GO, NEXT = Message("user", "go"), Message("user", "next")


def calls(*ids: str) -> Message:
    return Message("assistant", tool_calls=[Call("f", f'{{"n":{n}}}', call) for n, call in enumerate(ids)])


def result(call: str, text: str) -> Message:
    return Message("tool", text, tool_call_id=call)


def mended(*messages: Message) -> tuple[list[tuple[str, str]], list[str], tuple[Repair, ...]]:
    valid, repairs = ensure_valid_history(messages)
    return [(message.role, message.text) for message in valid], [repair.kind for repair in repairs], repairs


def test_an_orphan_result_is_taken_out_and_stands_in_the_report() -> None:
    orphan = result("zz", "orphan words")
    shown, kinds, repairs = mended(GO, orphan, NEXT)
    assert shown == [("user", "go"), ("user", "next")]
    assert kinds == ["orphan_result"]
    assert repairs[0].index == 1
    assert repairs[0].removed is orphan


def test_of_two_results_for_one_call_the_first_stays() -> None:
    shown, kinds, _ = mended(GO, calls("a", "b"), result("a", "one"), result("a", "again"), result("b", "two"), NEXT)
    assert shown == [("user", "go"), ("assistant", ""), ("tool", "one"), ("tool", "two"), ("user", "next")]
    assert kinds == ["duplicate_result"]


def test_a_missing_result_gets_a_stand_in_that_says_so() -> None:
    shown, kinds, _ = mended(GO, calls("a", "b"), result("b", "two"), NEXT, Message("assistant", "ok"))
    assert shown[2:4] == [("tool", ENGLISH.mending.missing_result), ("tool", "two")]
    assert kinds == ["missing_result"]


def test_parallel_results_are_put_in_call_order() -> None:
    shown, kinds, _ = mended(GO, calls("a", "b", "c"), result("c", "3"), result("a", "1"), result("b", "2"), NEXT)
    assert [text for role, text in shown if role == "tool"] == ["1", "2", "3"]
    assert kinds == ["reordered_result"]


def test_what_the_user_typed_while_a_tool_ran_comes_after_its_result() -> None:
    shown, kinds, _ = mended(GO, calls("a"), Message("user", "hurry"), result("a", "late"))
    assert shown == [("user", "go"), ("assistant", ""), ("tool", "late"), ("user", "hurry")]
    assert kinds == ["reordered_result"]


def test_an_id_that_is_used_again_is_made_unique_on_both_sides() -> None:
    valid, repairs = ensure_valid_history([GO, calls("a"), result("a", "1"), calls("a"), result("a", "2"), NEXT])
    ids = [call.id for message in valid for call in message.tool_calls]
    assert len(set(ids)) == 2
    assert [message.tool_call_id for message in valid if message.results] == ids
    assert [repair.kind for repair in repairs] == ["renamed_id"]


def test_missing_ids_are_made_up_and_results_are_matched_by_order() -> None:
    valid, _ = ensure_valid_history([GO, calls("", ""), result("", "1"), result("", "2"), NEXT])
    ids = [call.id for message in valid for call in message.tool_calls]
    assert all(ids)
    assert len(set(ids)) == 2
    assert [(message.tool_call_id, message.text) for message in valid if message.results] == [(ids[0], "1"), (ids[1], "2")]


def test_results_without_ids_are_matched_by_the_name_of_their_tool() -> None:
    made = Message("assistant", tool_calls=[Call("f"), Call("g")])
    answers = Message("user", [Result((Text("from g"),), name="g"), Result((Text("from f"),), name="f")])
    history = History()
    history.extend([GO, made, answers])
    assert history.turns[1].ordinals[1] == (1, 0)


def test_a_history_that_begins_with_the_assistant_gets_an_opening() -> None:
    shown, kinds, _ = mended(Message("system", "rules"), Message("assistant", "hello"), NEXT)
    assert shown == [("system", "rules"), ("user", ENGLISH.mending.opening), ("assistant", "hello"), ("user", "next")]
    assert kinds == ["opening"]


def test_empty_messages_are_left_out() -> None:
    shown, kinds, _ = mended(GO, Message("assistant", ""), Message("user", None), NEXT)
    assert shown == [("user", "go"), ("user", "next")]
    assert kinds == ["empty_message", "empty_message"]


def test_the_last_turn_stays_open_until_its_calls_are_answered() -> None:
    history = History()
    history.extend([GO, calls("a", "b"), result("a", "one")])
    assert len(history.turns) == 1
    tail, repairs = history.tail()
    assert [message.text for message in tail[0].messages] == ["", "one", ENGLISH.mending.missing_result]
    assert [repair.kind for repair in repairs] == ["missing_result"]
    history.extend([result("b", "two")])
    assert [message.text for message in history.turns[1].messages] == ["", "one", "two"]
    assert history.tail() == ([], [])
    assert history.repairs == []


def test_text_beside_an_orphan_result_stays() -> None:
    mixed = Message("user", [Result((Text("old"),), call_id="zz"), Text("but this is new")])
    shown, kinds, repairs = mended(GO, mixed)
    assert shown == [("user", "go"), ("user", "but this is new")]
    assert kinds == ["orphan_result"]
    assert repairs[0].removed is mixed


@pytest.mark.parametrize("ids", [True, False], ids=["by id", "by order"])
def test_thousands_of_results_in_one_message_find_their_calls_in_linear_time(ids: bool) -> None:
    calls = tuple(Call("read", f'{{"n":{n}}}', f"call_{n}" if ids else "") for n in range(3_000))
    results = tuple(Result((Text(f"result {n}"),), call_id=call.id) for n, call in enumerate(calls))
    history = History()
    begun = time.process_time()
    history.extend([Message("user", "Do it."), Message.of("assistant", calls), Message.of("user", results)])
    # Growing with the cube it took minutes; as it should, it takes a tenth of a second.
    assert time.process_time() - begun < 3
    assert history.turns[1].ordinals == ((), tuple(range(3_000)))
