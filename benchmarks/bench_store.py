"""What the default store costs: puts that survive a kill, puts the disk has confirmed, questions over many records.

Texts are made from a fixed seed: a vocabulary of 30,000 words with the frequencies of natural language, an identifier and a
number in each record. A put that is not synced survives the end of its process (the operating system has it), not that of
the machine; it waits for no disk, so its rate is one of processor time. Synced puts are timed by the clock on the wall.
"""

from __future__ import annotations

import asyncio
import random
import string
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

from figures import Figure

from transom.store import Store, Write
from transom.store.backends.sqlite import SQLiteBackend

COMMON = "the a of to and in is that for it was on with as be at by this have from or had not are but what all were when we"


class Texts:
    """Records and questions, the same ones every time."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        words = ["".join(self._random.choices(string.ascii_lowercase, k=self._random.randint(3, 10))) for _ in range(30_000)]
        self.words = [*COMMON.split(), *words]
        weights = [1 / (rank + 2) for rank in range(len(self.words))]
        total = 0.0
        self._sums = [total := total + weight for weight in weights]

    def record(self, size: int, number: int) -> str:
        """About ``size`` characters."""
        mark = f"item_{number:06d}.cfg-{number % 97} "
        return (mark + " ".join(self._random.choices(self.words, cum_weights=self._sums, k=size // 6 + 8)))[:size]

    def question(self) -> str:
        """A question in plain words: mostly common ones, a few that tell something."""
        telling = self._random.sample(self.words[300:], 2)
        plain = self._random.sample(self.words[:60], 5)
        parts = plain[:3] + telling[:1] + plain[3:] + telling[1:]
        return " ".join(parts) + "?"


async def puts(directory: Path, count: int = 3000) -> list[Figure]:
    texts = Texts()
    records = [texts.record(4096, number) for number in range(count)]
    rows = []
    backend = SQLiteBackend(directory / "puts.db")
    async with Store(backend) as store:
        await store.put("notes", "warm", path="warm")
        wall, start = time.perf_counter(), time.process_time()
        for number, record in enumerate(records):
            await store.put("notes", record, path=f"{number}")
        written = time.process_time()
        await backend.flush()
        indexed = time.process_time()
        note = f"{count / (time.perf_counter() - wall):,.0f} by the clock on the wall"
        rows.append(Figure("4 KB puts", count / (written - start), "1/s"))
        rows.append(Figure("4 KB puts, indexing included", count / (indexed - start), "1/s", at_least=3000, note=note))
        start = time.perf_counter()
        for number, record in enumerate(records[: count // 5]):
            await store.put("notes", record, path=f"synced/{number}", sync=True)
        rows.append(Figure("4 KB puts, synced each", count // 5 / (time.perf_counter() - start), "1/s"))
    return rows


async def fill(store: Store, texts: Texts, count: int) -> None:
    for start in range(0, count, 1000):
        writes = [
            Write("notes", f"{number:06d}", (record := texts.record(1024, number)).encode(), text=record)
            for number in range(start, min(count, start + 1000))
        ]
        await store.commit(writes)


async def search(directory: Path, count: int = 100_000, questions: int = 200) -> list[Figure]:
    texts = Texts()
    backend = SQLiteBackend(directory / "search.db")
    async with Store(backend) as store:
        await fill(store, texts, count)
        await store.reconcile()
        await store.search("warm up")
        taken, walls = [], []
        for _ in range(questions):
            question = texts.question()
            wall, start = time.perf_counter(), time.process_time()
            await store.search(question)
            taken.append((time.process_time() - start) * 1000)
            walls.append((time.perf_counter() - wall) * 1000)
        exact = asked = 0
        for number in range(0, count, max(1, count // 50)):
            asked += 1
            hits = await store.search(f"where is item_{number:06d}.cfg-{number % 97} set?", limit=5)
            exact += bool(hits) and hits[0].uri.endswith(f"{number:06d}")
    p95 = quantiles(taken, n=20)[-1]
    note = f"processor time; {quantiles(walls, n=20)[-1]:.1f} ms by the clock on the wall"
    return [
        Figure(f"search, {count:,} records of 1 KB, p50", median(taken), "ms"),
        Figure(f"search, {count:,} records of 1 KB, p95", p95, "ms", at_most=30, note=note),
        Figure("identifiers found first", exact / asked, "of 1", at_least=1),
    ]


def measure() -> Iterator[Figure]:
    """All figures. Puts run five times, and the median of each row counts."""
    with tempfile.TemporaryDirectory(prefix="bench-store-") as name:
        rounds = [asyncio.run(puts(Path(name) / str(number))) for number in range(5)]
        for rows in zip(*rounds, strict=True):
            yield sorted(rows, key=lambda figure: figure.value)[2]
        yield from asyncio.run(search(Path(name)))
