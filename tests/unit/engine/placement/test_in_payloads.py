"""Whatever is said of now costs no cache: over any session, on every target, only a closing moves the prefix."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.sessions import HEAD, round_of, words

from transom import Context, Message, Payload, Temporal, chain, clear, reset
from transom.jsontext import dumps
from transom.messages import Call

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
STEPS = st.lists(
    st.sampled_from(
        ["round", "ask", "answer", "state", "system state", "guardrail", "prefill", "clear", "announce", "retract", "tail"]
    ),
    min_size=4,
    max_size=30,
)


def minutes() -> Iterator[datetime]:
    moment = datetime(2026, 2, 28, 23, 50, tzinfo=UTC)
    while True:
        yield moment
        moment += timedelta(minutes=1)


def step(context: Context, kind: str, number: int) -> None:
    """One thing that an agent does between two compiles."""
    match kind:
        case "round":
            context.append(*round_of(number, 120))
        case "ask":
            context.append(Message("user", f"question {number}: {words(60)}"))
        case "answer":
            context.append(Message("assistant", f"answer {number}: {words(60)}"), Message("user", f"go on {number}"))
        case "state":
            context.state({"step": number, "open": {"a", "b", "c"}})
        case "system state":
            context.state({"step": number}, place="system")
        case "guardrail":
            context.guardrail(f"Rule {number}.", answer="final")
        case "prefill":
            context.guardrail(f"Rule {number}.", prefill="<final>")
        case "clear":
            context.guardrail()
            context.state(None)
        case "announce":
            context.announce(f"id {number % 3}", f"notice {number}", channel=("auto", "system", "tail")[number % 3])
        case "retract":
            context.retract(f"id {number % 3}")
        case "tail":
            context.tail(f"tail {number}")


def session(steps: list[str], target: str) -> list[Payload]:
    """The payloads of a session, one after each step."""
    ticking = minutes()
    context = Context(
        window=4_000,
        tokenizer="chars4",
        overflow=chain(clear(), reset()),
        check=True,
        temporal=Temporal(clock=lambda: next(ticking)),
    )
    broken: list[object] = []
    context.on("invariant_broken", broken.append)
    context.head = HEAD
    context.system("Be brief.")
    context.append(Message("user", "Begin."))
    payloads = [context.compile_sync(target)]
    for number, kind in enumerate(steps):
        step(context, kind, number)
        payloads.append(context.compile_sync(target))
    assert broken == []
    context.close()
    return payloads


@pytest.mark.feature("L2", "L5", "L6", "L10", "X6")
@pytest.mark.parametrize("target", TARGETS)
@given(steps=STEPS)
@settings(max_examples=40, deadline=None)
def test_what_is_said_of_now_moves_no_prefix(target: str, steps: list[str]) -> None:
    payloads = session(steps, target)
    for before, payload in pairwise(payloads):
        meta = payload.meta
        assert meta.prefix.held == meta.prefix_bytes
        assert meta.prefix.due == before.sequence.stable
        assert meta.prefix.broken == (meta.prefix_bytes < min(before.sequence.stable, payload.sequence.length))
        assert not meta.prefix.broken or meta.closed, meta.prefix


@given(steps=STEPS, target=st.sampled_from(TARGETS))
@settings(max_examples=30, deadline=None)
def test_a_session_gives_the_same_bytes_again(steps: list[str], target: str) -> None:
    assert [payload.json() for payload in session(steps, target)] == [payload.json() for payload in session(steps, target)]


@pytest.mark.feature("L6")
@pytest.mark.parametrize("target", TARGETS)
def test_everything_stands_behind_what_was_said_in_the_fixed_order(target: str) -> None:
    context = Context(window=8_000, temporal=Temporal("prominent", "en", lambda: datetime(2026, 3, 5, 14, 7, tzinfo=UTC)))
    context.append(
        Message("user", "first words"),
        Message("assistant", "calling", tool_calls=[Call("read_file", "{}", "call_1")]),
        Message("tool", "the result", tool_call_id="call_1", name="read_file"),
    )
    context.tail("own tail")
    context.announce("a", "announced first", channel="tail")
    context.announce("b", "announced second", channel="tail")
    context.guardrail("obey")
    context.state({"now": 1})
    said = context.compile_sync(target).json().decode()
    order = ["first words", "the result", "<now>1</now>", "obey", "announced first", "announced second", "TODAY IS", "own tail"]
    places = [said.index(dumps(text).decode()[1:-1]) for text in order]
    assert places == sorted(places)
    context.close()


def test_keys_of_state_in_another_order_are_the_same_payload() -> None:
    keys = [f"key {number}" for number in range(20)]
    bodies = set()
    for seed in range(3):
        random.Random(seed).shuffle(keys)
        context = Context(window=8_000)
        context.append(Message("user", "hello"))
        context.state({"nested": [dict.fromkeys(keys, 1)], **dict.fromkeys(keys, 2)})
        bodies.add(context.compile_sync("openai").json())
        context.close()
    assert len(bodies) == 1
