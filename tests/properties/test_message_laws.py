"""Laws of messages: digests, turns and valid histories, over random conversations."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.errors import JSONError
from transom.jsontext import dumps_text, loads
from transom.messages import (
    Call,
    History,
    Message,
    Part,
    Result,
    Text,
    Thinking,
    bytes_digest,
    ensure_valid_history,
    group_turns,
    leading_system,
    meaning_digest,
)
from transom.messages.digest import ROOT, link
from transom.testing.generators import conversations


def _rest(messages: Sequence[Message]) -> Sequence[Message]:
    return messages[leading_system(messages) :]


def _prefix(messages: Sequence[Message]) -> list[bytes]:
    history = History()
    history.extend(_rest(messages))
    tail, _ = history.tail()
    return [*history.prefix, *history.chain(tail)]


def _retold(part: Part, names: dict[str, str]) -> Part:
    """The same part as a client might send it a turn later: other ids, other key order, other markers."""
    if isinstance(part, Call):
        try:
            value = loads(part.arguments)
            spelled = dumps_text(dict(reversed(value.items()))) if isinstance(value, dict) else part.arguments
        except JSONError:
            spelled = part.arguments
        return replace(part, id=names.setdefault(part.id, f"other-{len(names)}"), arguments=spelled)
    if isinstance(part, Result):
        return replace(part, call_id=names.setdefault(part.call_id, f"other-{len(names)}"), extra={"cache_control": {}})
    if isinstance(part, Text):
        return replace(part, extra={"cache_control": {"type": "ephemeral"}})
    return part


@pytest.mark.feature("O21")
@given(conversations())
@settings(max_examples=30)
def test_meaning_leaves_out_ids_key_order_markers_reasoning_and_the_system_prompt(messages: Sequence[Message]) -> None:
    names: dict[str, str] = {}
    retold = [Message("system", "Another prompt."), Message("assistant", [Thinking("Let me see.")])][:1]
    for message in _rest(messages):
        parts: list[Part] = [_retold(part, names) for part in message.parts if not isinstance(part, Thinking)]
        if message.role == "assistant" and parts:
            parts.insert(0, Thinking("Quite other thoughts.", signature="xyz"))
        retold.append(
            Message.of(message.role, tuple(parts), name=message.name, pinned=message.pinned, positional=message.positional)
        )
    assert _prefix(retold)[-1] == _prefix(messages)[-1]


@pytest.mark.feature("O21")
@given(conversations(), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_meaning_covers_every_text_and_its_place(messages: Sequence[Message], dice: random.Random) -> None:
    rest = list(_rest(messages))
    places = [
        (i, j) for i, message in enumerate(rest) for j, part in enumerate(message.parts) if isinstance(part, Text) and part.text
    ]
    if not places:
        return
    index, place = dice.choice(places)
    part = rest[index].parts[place]
    assert isinstance(part, Text)
    changed = [*rest[:index], rest[index].edit({place: Text(part.text + "!")}), *rest[index + 1 :]]
    assert _prefix(changed)[-1] != _prefix(rest)[-1]
    common = sum(1 for a, b in zip(_prefix(changed), _prefix(rest), strict=False) if a == b)
    assert common >= 1


@pytest.mark.feature("O21")
def test_a_message_that_only_reasons_is_no_link_and_pins_and_names_are_part_of_the_meaning() -> None:
    user = Message("user", "hi")
    assert meaning_digest(Message("assistant", [Thinking("hm")])) is None
    assert link(ROOT, Message("assistant", [Thinking("hm")])) == ROOT
    digests = {
        meaning_digest(message)
        for message in (
            user,
            Message("user", "hi", name="ann"),
            Message("user", "hi", pinned=True),
            Message("system", "hi", positional=True),
            Message("assistant", "hi"),
        )
    }
    assert len(digests) == 5
    assert link(ROOT, Message("tool", "x"), (0,)) != link(ROOT, Message("tool", "x"), (1,))


@pytest.mark.feature("K4")
@given(conversations())
@settings(max_examples=30)
def test_the_bytes_digest_covers_ids_and_markers_too(messages: Sequence[Message]) -> None:
    for message in messages:
        assert bytes_digest(message) != bytes_digest(message.replace(cache_breakpoint=not message.cache_breakpoint))
        for place, part in enumerate(message.parts):
            if isinstance(part, Call):
                assert bytes_digest(message.edit({place: replace(part, id=part.id + "x")})) != bytes_digest(message)


@pytest.mark.feature("M3")
@given(conversations())
@settings(max_examples=30)
def test_a_valid_conversation_comes_back_as_it_is(messages: Sequence[Message]) -> None:
    valid, repairs = ensure_valid_history(messages)
    assert repairs == ()
    assert valid == tuple(messages)


@st.composite
def broken_conversations(draw: st.DrawFn) -> list[Message]:
    """A valid conversation with messages dropped, doubled and swapped."""
    messages = list(draw(conversations()))
    for _ in range(draw(st.integers(1, 4))):
        if len(messages) < 2:
            break
        place = draw(st.integers(0, len(messages) - 2))
        match draw(st.sampled_from(["drop", "double", "swap", "empty"])):
            case "drop":
                del messages[place]
            case "double":
                messages.insert(place, messages[place])
            case "swap":
                messages[place], messages[place + 1] = messages[place + 1], messages[place]
            case _:
                messages.insert(place, Message("assistant", ""))
    return messages


def _pairs_hold(messages: Sequence[Message]) -> bool:
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if message.role == "assistant":
            if any(call.id in seen or not call.id for call in message.tool_calls):
                return False
            seen.update(call.id for call in message.tool_calls)
            waiting.extend(call.id for call in message.tool_calls)
        elif message.results:
            for result in message.results:
                if result.call_id not in waiting:
                    return False
                waiting.remove(result.call_id)
        elif waiting:
            return False
    return not waiting


@pytest.mark.feature("M3")
@given(broken_conversations())
@settings(max_examples=40)
def test_what_repair_makes_is_valid_repair_of_it_changes_nothing_and_nothing_vanishes_unsaid(messages: list[Message]) -> None:
    valid, repairs = ensure_valid_history(messages)
    rest = [message for message in valid if message.role != "system"]
    assert not rest or rest[0].role == "user"
    assert _pairs_hold([message for message in valid if message.role != "system"])
    assert ensure_valid_history(valid) == (valid, ())
    shown = [message.text for message in valid]
    removed = [repair.removed.text for repair in repairs if repair.removed is not None]
    for message in messages:
        if message.text:
            assert message.text in shown or message.text in removed or any(message.text in text for text in (*shown, *removed))


@pytest.mark.feature("M3")
@pytest.mark.feature("L9")
@given(broken_conversations())
@settings(max_examples=40)
def test_what_is_settled_never_changes_when_more_is_appended(messages: list[Message]) -> None:
    rest = _rest(messages)
    whole = History()
    whole.extend(rest)
    for cut in range(len(rest) + 1):
        part = History()
        part.extend(rest[:cut])
        count = len(part.turns)
        assert part.turns == whole.turns[:count]
        assert part.prefix == whole.prefix[: count + 1]


@pytest.mark.feature("M2")
@given(broken_conversations())
@settings(max_examples=40)
def test_turns_cover_a_conversation_without_gaps_and_no_pair_is_split_in_a_valid_one(messages: list[Message]) -> None:
    for sequence in (messages, list(ensure_valid_history(messages)[0])):
        turns = group_turns(sequence)
        assert [index for turn in turns for index in turn] == list(range(len(sequence)))
        assert all(a.stop == b.start for a, b in pairwise(turns))
    valid = ensure_valid_history(messages)[0]
    for turn in group_turns(valid):
        assert _pairs_hold([message for message in valid[turn.start : turn.stop] if message.role != "system"])


@pytest.mark.feature("M1")
@given(conversations(), st.data())
@settings(max_examples=30)
def test_edits_compose_and_remember_the_parts_they_came_from(messages: Sequence[Message], data: st.DataObject) -> None:
    message = data.draw(st.sampled_from(list(messages)))
    if not message.parts:
        return
    expected: list[Part | None] = list(message.parts)
    edited = message
    for _ in range(data.draw(st.integers(1, 3))):
        alive = [index for index, part in enumerate(expected) if part is not None]
        if not alive:
            break
        place = data.draw(st.integers(0, len(alive) - 1))
        new = data.draw(st.sampled_from([None, Text("edited")]))
        expected[alive[place]] = new
        edited = edited.edit({place: new})
    assert edited.parts == tuple(part for part in expected if part is not None)
    assert edited.origin is message.origin
    for index, part in edited.edits:
        assert expected[index] == part
