"""The laws of a compile with models in the chain that answer well, badly, or not at all, on random sessions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.engine_sessions import (
    STYLES,
    TARGETS,
    Session,
    Style,
    memory_store,
    prefix_breaks,
    room_without,
    run_session,
)
from tests.unit.summarizing.models import Model, answered, sections, within

from transom import Message, Store, anchored, chain, clear, digest, reset, summarize
from transom.engine.overflow.strategy import Strategy
from transom.messages import is_user_request
from transom.testing.generators import agent_sessions
from transom.testing.reachability import lost

laws = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
windows = st.sampled_from([3_000, 6_000, 12_000])
kinds = st.sampled_from(["good", "long", "quoting", "too long", "empty", "error", "raises", "echo", "nothing"])


def answer(kind: str, asked: Sequence[Message], call: int) -> object:
    shown = within("messages", asked[1].text)
    match kind:
        case "good":
            return answered(sections(f"Summary number {call} of {len(shown)} characters."))
        case "long":
            return answered(sections(" ".join(f"fact {n} of call {call}" for n in range(60))))
        case "quoting":
            return answered(sections(f"They said: {shown[-400:]}"))
        case "too long":
            return answered(shown + shown)
        case "empty":
            return ""
        case "error":
            return '{"error": "overloaded"}'
        case "echo":
            return asked[1].text
        case "nothing":
            return None
        case _:
            return ConnectionError("refused")


def scripted(kinds_: Sequence[str], window: int | None = None) -> Model:
    """Answers by the kinds in turn, again and again."""
    return Model(lambda asked, call: answer(kinds_[call % len(kinds_)], asked, call), window=window)


def strategies(model: Model, shape: str) -> Strategy:
    shapes: dict[str, Strategy] = {
        "summarize": summarize(model),
        "anchored": chain(anchored(model), reset()),
        "full": chain(clear(), summarize(model), digest(), reset()),
        "kept": chain(clear(), summarize(model, keep_turns=4), digest(), reset()),
        "split": chain(anchored(model, split=0.6), digest(), reset()),
    }
    return shapes[shape]


shapes = st.sampled_from(["summarize", "anchored", "full", "kept", "split"])


def fits(session: Session, window: int) -> None:
    for number, turn in enumerate(session.turns):
        if turn.payload is None:
            assert room_without(turn, window) <= 0, f"turn {number} was refused although it could fit: {turn.error}"
        else:
            meta = turn.payload.meta
            assert meta.tokens_after + meta.reserve <= window, f"turn {number} exceeds the window"


async def nothing_lost(session: Session, store: Store) -> None:
    turn = session.turns[-1]
    if turn.payload is not None:
        assert await lost(turn.payload.body, turn.history, store) == ([], [])
    report = await store.verify()
    assert report.ok, report


@pytest.mark.feature("O2", "O3", "O20", "O9")
@settings(laws, max_examples=40)
@given(
    agent_sessions(),
    st.sampled_from(TARGETS),
    st.sampled_from(STYLES),
    windows,
    shapes,
    st.lists(kinds, min_size=1, max_size=6),
)
async def test_whatever_a_model_answers_every_payload_fits_is_valid_keeps_its_prefix_and_loses_nothing(
    messages: tuple[Message, ...], target: str, style: Style, window: int, shape: str, answers: list[str]
) -> None:
    store, model = memory_store(), scripted(answers)
    overflow = strategies(model, shape)
    session = await run_session(messages, target=target, window=window, store=store, style=style, overflow=overflow)
    fits(session, window)
    wire = session.context.formats.get(target)
    for turn in session.turns:
        assert turn.payload is None or wire.validate(turn.payload.body) == []
    assert list(prefix_breaks(session)) == []
    await nothing_lost(session, store)
    for request in model.asked:
        assert sum(len(message.text) for message in request) <= window * 4


@pytest.mark.feature("O2", "O21")
@settings(laws, max_examples=40)
@given(agent_sessions(), st.sampled_from(TARGETS), windows, st.sampled_from(["summarize", "anchored", "full"]))
async def test_a_second_run_over_the_store_gives_the_bytes_of_the_first_and_asks_no_model(
    messages: tuple[Message, ...], target: str, window: int, shape: str
) -> None:
    store, first, second = memory_store(), scripted(["good"]), scripted(["long"])
    one = await run_session(messages, target=target, window=window, store=store, overflow=strategies(first, shape))
    two = await run_session(messages, target=target, window=window, store=store, overflow=strategies(second, shape))
    assert one.bodies == two.bodies
    assert second.asked == []


@pytest.mark.feature("O8", "O2")
@settings(laws, max_examples=30)
@given(agent_sessions(sizes=(60, 400, 1_500), thinking=False), windows, shapes, st.lists(kinds, min_size=1, max_size=6))
async def test_pinned_turns_and_the_newest_request_stay_word_for_word_beside_any_summary(
    messages: tuple[Message, ...], window: int, shape: str, answers: list[str]
) -> None:
    session = await run_session(messages, window=window, overflow=strategies(scripted(answers), shape))
    offloaded = any(moved.kind == "offload" for turn in session.turns if turn.payload for moved in turn.payload.meta.moved)
    for turn in session.turns:
        if turn.payload is None:
            continue
        newest = max(index for index, message in enumerate(turn.history) if is_user_request(message))
        body = turn.payload.json().decode()
        for index, message in enumerate(turn.history):
            if message.pinned or (index == newest and not offloaded):
                assert all(line in body for line in message.text.split("\n") if '"' not in line)
