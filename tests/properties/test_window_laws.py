"""The laws with everything that happens to a window switched on.

Work in the background of any latency, windows asked for at any time, the word before a closing, the guard's thresholds, a
provider that keeps its own window.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.engine_sessions import (
    STYLES,
    TARGETS,
    Session,
    Style,
    context_for,
    memory_store,
    prefix_breaks,
    room_without,
    run_session,
)

from transom import Context, Handoff, Message, background, chain, clear, digest, guard, reset, server
from transom.engine.events import CompileStarted
from transom.engine.ledger.records import Item
from transom.engine.overflow.strategy import Outcome, Span, Strategy
from transom.store.store import Store
from transom.testing.generators import agent_sessions
from transom.testing.reachability import lost

Messages = tuple[Message, ...]
laws = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
targets = st.sampled_from(TARGETS)
styles: st.SearchStrategy[Style] = st.sampled_from(STYLES)
sessions = st.one_of(agent_sessions(), agent_sessions(max_requests=12, max_steps=8, sizes=(60, 400, 900), pinned=False))
windows = st.sampled_from([3_000, 4_000, 6_000, 10_000])


@dataclass
class Model:
    """A strategy that takes so many compiles to decide, and sometimes fails. Its clock is the count of compiles, not time."""

    latencies: Sequence[int]
    failing: Sequence[bool]
    name: str = "model"
    compiles: int = 0
    applied: int = 0
    over: bool = False
    waiting: list[tuple[int, threading.Event, threading.Thread]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def fingerprint(self) -> str:
        return self.name

    async def apply(self, span: Span) -> Outcome:
        with self.lock:
            number = self.applied
            self.applied += 1
            free = threading.Event()
            latency = self.latencies[number % len(self.latencies)]
            if latency == 0 or self.over:
                free.set()
            self.waiting.append((self.compiles + latency, free, threading.current_thread()))
        assert free.wait(60)
        if self.failing[number % len(self.failing)]:
            raise RuntimeError("the model is down")
        cut = span.cut
        head = Item("head", text=f"Summary {number}. All of it: {span.archive_uri(cut)}")
        return Outcome(cut, (head, *span.kept(cut)), span.messages(cut), span.leaving(cut), (), self.name)

    def compile_started(self, *, last: bool = False) -> None:
        """One more compile: what is due by now decides before it goes on. After the last one all is, begun or not."""
        with self.lock:
            self.compiles += 1
            self.over = last
            due = [entry for entry in self.waiting if last or entry[0] <= self.compiles]
            self.waiting = [entry for entry in self.waiting if entry not in due]
        for _, free, _ in due:
            free.set()
        for _, _, thread in due:
            if thread is not threading.current_thread() and thread.name == "transom-background":
                thread.join(60)


def fits(session: Session, window: int, said: int) -> None:
    for number, turn in enumerate(session.turns):
        if turn.payload is None:
            assert room_without(turn, window) <= said, f"turn {number} was refused although it could fit: {turn.error}"
        else:
            meta = turn.payload.meta
            assert meta.tokens_after + meta.reserve <= window, f"turn {number} exceeds the window"


async def holds(session: Session, window: int, store: Store, said: int = 0) -> None:
    fits(session, window, said)
    wire = session.context.formats.get(session.target)
    for turn in session.turns:
        assert turn.payload is None or wire.validate(turn.payload.body) == []
    assert list(prefix_breaks(session)) == []
    last = session.turns[-1]
    if last.payload is not None:
        gone, dangling = await lost(last.payload.body, last.history, store)
        assert gone == []
        assert dangling == []
    report = await store.verify()
    assert report.ok, report


@pytest.fixture
def no_threads_left() -> Iterator[None]:
    """Nothing is under way once a test has ended."""
    yield
    for thread in threading.enumerate():
        if thread.name == "transom-background":
            thread.join(60)
            assert not thread.is_alive()


@pytest.mark.feature("O7")
@pytest.mark.usefixtures("no_threads_left")
@settings(laws, max_examples=40)
@given(
    sessions,
    targets,
    styles,
    windows,
    st.lists(st.integers(0, 6), min_size=1, max_size=5),
    st.lists(st.booleans(), min_size=1, max_size=3),
    st.booleans(),
)
async def test_with_a_model_of_any_latency_in_the_background_nothing_is_lost_and_everything_fits(
    messages: Messages, target: str, style: Style, window: int, latencies: list[int], failing: list[bool], alone: bool
) -> None:
    model = Model(latencies, failing)
    slow = background(model, wait=0)
    strategy: Strategy = slow if alone else chain(clear(), slow, digest(), reset())
    store = memory_store()

    def make(room: int, kept: Store) -> Context:
        context = context_for(room, kept, strategy)
        context.on(CompileStarted, lambda event: model.compile_started())
        return context

    try:
        session = await run_session(messages, target=target, window=window, store=store, style=style, make=make)
        await holds(session, window, store)
    finally:
        model.compile_started(last=True)


@pytest.mark.feature("O12", "O13", "O17")
@settings(laws, max_examples=40)
@given(
    sessions,
    targets,
    styles,
    windows,
    st.sets(st.integers(0, 30), max_size=8),
    st.sampled_from([None, 500, 1_500]),
    st.sampled_from([None, (0.5, 0.6), (0.75, 0.9)]),
    st.booleans(),
)
async def test_windows_asked_for_notices_and_thresholds_break_no_law(
    messages: Messages,
    target: str,
    style: Style,
    window: int,
    asked: set[int],
    band: int | None,
    shares: tuple[float, float] | None,
    managed: bool,
) -> None:
    store = memory_store()

    def make(room: int, kept: Store) -> Context:
        inner = chain(clear(), digest(), reset())
        handoff = Handoff(band) if band is not None else None
        chosen = guard(warn=shares[0], compress=shares[1]) if shares is not None else None
        overflow = server(fallback=inner) if managed else inner
        context = context_for(room, kept, overflow, handoff=handoff, guard=chosen)
        started = iter(range(10_000))

        def ask(event: CompileStarted) -> None:
            if next(started) in asked:
                context.request_new_context()

        context.on(CompileStarted, ask)
        return context

    session = await run_session(messages, target=target, window=window, store=store, style=style, make=make)
    await holds(session, window, store, said=70)
    told = [turn.payload.meta for turn in session.turns if turn.payload is not None and turn.payload.meta.handoff]
    assert len(told) == len({meta.window_id for meta in told})
    again = await run_session(messages, target=target, window=window, store=memory_store(), style=style, make=make)
    assert again.bodies == session.bodies
    if not asked:
        # A request finds less to set aside where its window is known already.
        repeated = await run_session(messages, target=target, window=window, store=store, style=style, make=make)
        assert repeated.bodies == session.bodies
