"""What a compile costs: the first, the next, the whole history loaded each turn, and how each grows with the history."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from statistics import mean, median

import orjson
from figures import Figure
from sessions import chat_body, session

from transom import Context, Message, SQLiteBackend, Store
from transom.wire.registry import builtin_registry

WINDOW = 64_000
TURNS = 200
SIZES = (1_000, 20_000)


def measure() -> Iterable[Figure]:
    """Loads and first compiles, then the next turn at either length, turn about, in this one process."""
    body = chat_body(session(max(SIZES) + 2 * TURNS))
    elements = body["messages"]
    assert isinstance(elements, list)
    with tempfile.TemporaryDirectory(prefix="bench-compile-") as folder:
        running: dict[int, Context] = {}
        costs: dict[int, float] = {}
        for count in (SIZES[0], SIZES[1] // 2, SIZES[1]):
            context = Context(window=WINDOW, store=Store(SQLiteBackend(Path(folder) / f"{count}.db")))
            costs[count] = yield from _cold(context, {**body, "messages": elements[: count + 1]}, count)
            running[count] = context
        twice = costs[SIZES[1]] / costs[SIZES[1] // 2]
        note = "cold load and first compile; twice the history"
        yield Figure(f"cold: {SIZES[1]:,} / {SIZES[1] // 2:,} messages", twice, "x", at_most=2.6, note=note)
        running.pop(SIZES[1] // 2).close()
        yield from _next(running, elements)
        for context in running.values():
            context.close()
    yield from _whole(body, elements)


def _cold(context: Context, body: Mapping[str, object], count: int) -> Generator[Figure, None, float]:
    text = orjson.dumps(body)
    start, wall = time.process_time(), time.perf_counter()
    context.load(text, format="openai")
    loaded = time.process_time()
    payload = context.compile_sync("openai")
    payload.json()
    done = time.process_time()
    took = time.perf_counter() - wall
    note = f"closes a window over nearly all of {len(text) / 1e6:.1f} MB; load and compile in {took:.2f} s of wall time"
    yield Figure(f"cold load, {count:,} messages", (loaded - start) * 1000, "ms")
    yield Figure(f"first compile, {count:,} messages", (done - loaded) * 1000, "ms", note=note)
    return done - start


def _next(running: Mapping[int, Context], elements: list[object]) -> Iterable[Figure]:
    """Two messages more, compile, serialise. Lengths take turns, so that both meet the same machine."""
    parser = builtin_registry().get("openai")
    spent: dict[int, list[float]] = {count: [] for count in running}
    added: dict[int, list[float]] = {count: [] for count in running}
    closed = dict.fromkeys(running, 0)
    for turn in range(TURNS):
        for count, context in running.items():
            first = count + 1 + 2 * turn
            more: tuple[Message, ...] = parser.parse_items(elements[first : first + 2])
            start = time.process_time()
            context.append(*more)
            added[count].append((time.process_time() - start) * 1000)
            payload = context.compile_sync("openai")
            payload.json()
            spent[count].append((time.process_time() - start) * 1000)
            closed[count] += bool(payload.meta.closed)
    for count in running:
        note = (
            f"mean {mean(spent[count]):.2f} ms with {closed[count]} closings; the append itself {median(added[count]):.3f} ms"
        )
        yield Figure(f"next compile at {count:,} messages", median(spent[count]), "ms", note=note)
    ratio = median(spent[SIZES[1]]) / median(spent[SIZES[0]])
    yield Figure(f"next compile, at {SIZES[1]:,} / at {SIZES[0]:,}", ratio, "x", at_most=1.5)


def _whole(body: Mapping[str, object], elements: list[object]) -> Iterable[Figure]:
    """The whole history handed over each turn, as parsed JSON, two messages longer than the turn before."""
    for count in SIZES:
        context = Context(window=WINDOW, tokenizer="chars4")
        spent: list[float] = []
        size = len(orjson.dumps(elements[: count + 1])) / 1e6
        for turn in range(16):
            given = {**body, "messages": elements[: count + 1 + 2 * turn]}
            start = time.process_time()
            context.load(given, format="openai")
            context.compile_sync("openai").json()
            spent.append((time.process_time() - start) * 1000)
        took = median(spent[1:])
        yield Figure(f"whole history loaded each turn, {count:,} messages", took, "ms", note=f"{size:.1f} MB, parsed before")
        yield Figure("the same per MB", took / size, "ms/MB")
