"""What memory, state and a guardrail cost a compile, against the same session without."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from figures import Figure
from sessions import chat_body, session

from transom import Context, Message, SQLiteBackend, Store
from transom.wire.registry import builtin_registry

WINDOW = 64_000
FACTS = 1_000
MESSAGES = 1_000
TURNS = 300


def measure() -> Iterable[Figure]:
    """Two sessions go on turn about, two messages a turn; one has everything switched on, and its state changes each turn."""
    elements = chat_body(session(MESSAGES + 2 * TURNS))["messages"]
    assert isinstance(elements, list)
    with tempfile.TemporaryDirectory(prefix="bench-additions-") as folder:
        yield from asyncio.run(_measured(Path(folder), elements))


async def _measured(folder: Path, elements: list[object]) -> list[Figure]:
    parser = builtin_registry().get("openai")
    plain = Context(window=WINDOW, store=Store(SQLiteBackend(folder / "plain.db")))
    rich = Context(window=WINDOW, store=Store(SQLiteBackend(folder / "rich.db")), memory=True)
    for number in range(FACTS):
        await rich.memory.facts.set(f"fact-{number:04}", f"this is what fact {number} says", importance=number / FACTS)
    rich.guardrail("Answer in JSON.", answer="answer")
    rich.state({"step": 0}, tag="work")
    for context in (plain, rich):
        context.append(*parser.parse_items(elements[: MESSAGES + 1]))
    start = time.process_time()
    await rich.compile("openai")
    first = (time.process_time() - start) * 1000
    await plain.compile("openai")
    spent: dict[int, list[float]] = {id(plain): [], id(rich): []}
    for turn in range(TURNS):
        more: tuple[Message, ...] = parser.parse_items(elements[MESSAGES + 1 + 2 * turn : MESSAGES + 3 + 2 * turn])
        for context in (plain, rich) if turn % 2 else (rich, plain):
            start = time.process_time()
            if context is rich:
                rich.state({"step": turn, "open": [f"file-{turn % 7}.py", f"file-{turn % 5}.py"]}, tag="work")
            context.append(*more)
            (await context.compile("openai")).json()
            spent[id(context)].append((time.process_time() - start) * 1000)
    changed = []
    for number in range(50):
        start = time.process_time()
        await rich.memory.facts.set(f"fact-{number:04}", f"this is what fact {number} says by now")
        (await rich.compile("openai")).json()
        changed.append((time.process_time() - start) * 1000)
    without, with_all = median(spent[id(plain)]), median(spent[id(rich)])
    for context in (plain, rich):
        await context.aclose()
    note = f"medians over {TURNS} turns: {with_all:.2f} and {without:.2f} ms; first compile with all {first:.1f} ms"
    return [
        Figure(f"compile with {FACTS:,} facts, state and guardrail / without", with_all / without, "x", at_most=1.3, note=note),
        Figure("a fact written, then a compile", median(changed), "ms", note="store and block included"),
    ]
