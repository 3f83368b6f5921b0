"""The laws of a compile, on random sessions that outgrow small windows, in every style of calling and on every target."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.engine_sessions import (
    STYLES,
    TARGETS,
    Session,
    Style,
    calls_of,
    memory_store,
    prefix_breaks,
    room_without,
    run_session,
)

from transom import Message
from transom.jsontext import loads
from transom.messages import is_user_request
from transom.store.store import Store
from transom.testing.generators import agent_sessions
from transom.testing.reachability import lost

Messages = tuple[Message, ...]
sessions = agent_sessions()
targets = st.sampled_from(TARGETS)
styles = st.sampled_from(STYLES)
windows = st.sampled_from([2_000, 3_000, 6_000])
laws = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


def fits(session: Session, window: int) -> None:
    for number, turn in enumerate(session.turns):
        if turn.payload is None:
            assert room_without(turn, window) <= 0, f"turn {number} was refused although it could fit: {turn.error}"
        else:
            meta = turn.payload.meta
            assert meta.tokens_after + meta.reserve <= window, f"turn {number} exceeds the window"


async def nothing_lost(session: Session, store: Store) -> None:
    for turn in session.turns[-1:]:
        if turn.payload is not None:
            gone, dangling = await lost(turn.payload.body, turn.history, store)
            assert gone == []
            assert dangling == []


@pytest.mark.feature("O5", "O6", "L9", "M15", "S16")
@settings(laws, max_examples=60)
@given(sessions, targets, styles, windows)
async def test_every_payload_fits_is_valid_keeps_its_prefix_and_loses_nothing(
    messages: Messages, target: str, style: Style, window: int
) -> None:
    store = memory_store()
    session = await run_session(messages, target=target, window=window, store=store, style=style)
    fits(session, window)
    wire = session.context.formats.get(target)
    for turn in session.turns:
        assert turn.payload is None or wire.validate(turn.payload.body) == []
    assert list(prefix_breaks(session)) == []
    await nothing_lost(session, store)
    report = await store.verify()
    assert report.ok, report


@pytest.mark.feature("L3", "L9")
@settings(laws, max_examples=25)
@given(sessions, targets, windows, st.lists(st.integers(0, 60), max_size=12))
async def test_text_at_the_tail_and_compiles_in_the_middle_of_a_turn_break_no_law(
    messages: Messages, target: str, window: int, places: list[int]
) -> None:
    stops = sorted({place % len(messages) + 1 for place in places} | {len(messages)})
    store = memory_store()
    one = await run_session(messages, target=target, window=window, store=store, stops=stops, tail="Now it is\nturn")
    fits(one, window)
    assert list(prefix_breaks(one)) == []
    await nothing_lost(one, store)
    again = await run_session(messages, target=target, window=window, store=store, stops=stops, tail="Now it is\nturn")
    assert one.bodies == again.bodies


@pytest.mark.feature("L9")
@settings(laws, max_examples=15)
@given(agent_sessions(sizes=(12, 60, 400)), targets)
async def test_without_volatile_text_nothing_of_a_settled_history_is_called_volatile(messages: Messages, target: str) -> None:
    places = [stop for stop in calls_of(messages) if messages[stop - 1].role != "assistant"]
    session = await run_session(messages, target=target, window=50_000, stops=places)
    for turn in session.turns:
        assert turn.payload is not None
        assert turn.payload.meta.tail_bytes == 0
        assert turn.payload.meta.window_id == "w1"


@pytest.mark.feature("O8")
@settings(laws, max_examples=40)
@given(agent_sessions(sizes=(60, 400, 1_500), thinking=False), st.sampled_from(["openai", "anthropic"]), windows)
async def test_pinned_turns_and_the_newest_request_survive_verbatim_in_order_and_pairs_stay_whole(
    messages: Messages, target: str, window: int
) -> None:
    session = await run_session(messages, target=target, window=window)
    for turn in session.turns:
        if turn.payload is None:
            continue
        offloaded = any(
            moved.kind == "offload" for other in session.turns if other.payload for moved in other.payload.meta.moved
        )
        newest = max(index for index, message in enumerate(turn.history) if is_user_request(message))
        kept = [message for index, message in enumerate(turn.history) if message.pinned or (index == newest and not offloaded)]
        wire = session.context.formats.get(target)
        shown = wire.parse(turn.payload.json()).messages
        everything = "\x00".join(text for message in shown for text in _texts(message))
        at = -1
        for message in kept:
            for text in _texts(message):
                at = everything.find(text, at + 1)
                assert at >= 0, f"{text[:60]!r} is not shown, or not in order"
        open_calls: list[str] = []
        for message in shown:
            open_calls += [call.id for call in message.tool_calls]
            for result in message.results:
                open_calls.remove(result.call_id)
        assert open_calls == []


def _texts(message: Message) -> list[str]:
    own = [message.text] if message.text else []
    return own + [str(loads(call.arguments)) for call in message.tool_calls]
