"""A compile is a function of content: the same bytes on a fresh store, on a filled one, from a cold start, in any style."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.engine_sessions import (
    HEAD,
    STYLES,
    TARGETS,
    Style,
    calls_of,
    context_for,
    memory_store,
    run_session,
)

from transom import Message
from transom.errors import WindowError
from transom.messages import Text
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.testing.generators import agent_sessions
from transom.testing.reachability import lost
from transom.wire.format import Request

Messages = tuple[Message, ...]
sessions = agent_sessions(max_requests=5)
targets = st.sampled_from(TARGETS)
windows = st.sampled_from([2_000, 3_000, 6_000])
laws = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


async def cold(messages: Messages, store: Store, window: int, target: str) -> bytes:
    context = context_for(window, store)
    context.load(Request(head=HEAD, messages=messages))
    try:
        return (await context.compile(target)).json()
    except WindowError:
        return b""


@pytest.mark.feature("O21")
@settings(laws, max_examples=30)
@given(sessions, targets, windows, st.sampled_from(STYLES))
async def test_a_run_gives_the_same_bytes_on_a_fresh_store_and_on_the_one_it_filled(
    messages: Messages, target: str, window: int, style: Style
) -> None:
    store = memory_store()
    first = await run_session(messages, target=target, window=window, store=store, style=style)
    again = await run_session(messages, target=target, window=window, store=store, style=style)
    fresh = await run_session(messages, target=target, window=window, style=style)
    assert first.bodies == again.bodies
    assert first.bodies == fresh.bodies


@pytest.mark.feature("O21")
@settings(laws, max_examples=20)
@given(sessions, targets, windows)
async def test_appending_loading_and_a_cold_start_at_every_turn_give_the_same_bytes(
    messages: Messages, target: str, window: int
) -> None:
    store = memory_store()
    warm = await run_session(messages, target=target, window=window, store=store)
    loaded = await run_session(messages, target=target, window=window, style="load")
    assert warm.bodies == loaded.bodies
    assert warm.bodies == [await cold(turn.history, store, window, target) for turn in warm.turns]


@pytest.mark.feature("O21")
@settings(laws, max_examples=15)
@given(sessions, targets, windows)
async def test_two_windows_in_one_store_do_not_touch_each_other(messages: Messages, target: str, window: int) -> None:
    alone = await run_session(messages, target=target, window=window)
    store = memory_store()
    larger = await run_session(messages, target=target, window=window + 1_000, store=store)
    assert alone.bodies == (await run_session(messages, target=target, window=window, store=store)).bodies
    assert larger.bodies == (await run_session(messages, target=target, window=window + 1_000, store=store)).bodies


@pytest.mark.feature("O21", "S16")
@settings(laws, max_examples=25)
@given(sessions, targets, windows, st.integers(0, 40), st.booleans())
async def test_a_branch_or_an_edit_shows_its_own_words_and_loses_none_of_them(
    messages: Messages, target: str, window: int, place: int, edit: bool
) -> None:
    users = [index for index, message in enumerate(messages) if message.role == "user"]
    at = users[place % len(users)]
    changed = Message("user", [Text("Something else was asked here: only this branch knows it.")])
    other = (*messages[:at], changed, *(messages[at + 1 :] if edit else ()))
    store = memory_store()
    first = await run_session(messages, target=target, window=window, store=store)
    branch = await run_session(other, target=target, window=window, store=store)
    again = await run_session(other, target=target, window=window, store=store)
    assert branch.bodies == again.bodies
    for session in (first, branch):
        for turn in session.turns[-1:]:
            if turn.payload is not None:
                gone, dangling = await lost(turn.payload.body, turn.history, store)
                assert gone == []
                assert dangling == []
    assert (await run_session(messages, target=target, window=window, store=store)).bodies == first.bodies
    # What a window of one history shows is never taken from the other, save what both have.
    own = {text.text for message in messages[at:] for text in message.parts if isinstance(text, Text) and len(text.text) > 20}
    foreign = own - {text.text for message in other for text in message.parts if isinstance(text, Text)}
    for body in branch.bodies:
        assert [text for text in foreign if text.encode() in body] == []


@pytest.mark.feature("S2")
@settings(laws, max_examples=15)
@given(sessions, windows)
async def test_two_scopes_of_one_backend_never_see_each_other(messages: Messages, window: int) -> None:
    backend = MemoryBackend()
    ann, bob = Store(backend, scope="ann"), Store(backend, scope="bob")
    first = await run_session(messages, window=window, store=ann)
    for namespace in ("vfs", "archive", "windows"):
        assert await bob.list(namespace) == []
    assert await bob.search("parser test reads file") == []
    for path in await ann.list("archive"):
        assert not await bob.exists(f"context://archive/{path}")
    stored = {name: await ann.list(name) for name in ("vfs", "archive", "windows")}
    second = await run_session(messages, window=window, store=bob)
    assert first.bodies == second.bodies
    assert stored == {name: await ann.list(name) for name in ("vfs", "archive", "windows")}
    assert [turn.payload.meta.closed for turn in first.turns if turn.payload] == [
        turn.payload.meta.closed for turn in second.turns if turn.payload
    ], "bob's windows were closed by bob, not found"


@pytest.mark.feature("O14")
@settings(laws, max_examples=20)
@given(sessions, windows)
async def test_the_lineage_moves_by_one_when_a_window_closes_and_at_no_other_time(messages: Messages, window: int) -> None:
    session = await run_session(messages, window=window)
    current = 1
    for turn in session.turns:
        if turn.payload is None:
            return
        lineage = turn.payload.meta.lineage
        number = int(lineage.current.removeprefix("w"))
        assert lineage.first == "w1"
        assert lineage.previous == (None if number == 1 else f"w{number - 1}")
        assert (number > current) == bool(turn.payload.meta.closed)
        current = number
    assert calls_of(messages)
