"""How much of the evidence one answer of a search holds, in long conversations of two people.

The conversations and the questions are made from a seed (``conversations``); what is measured is the share of the marked turns
whose whole text stands in an answer of at most 1,200 tokens. Beside the store's own search stands BM25 as anybody would write
it, over single messages and over windows of three, its hits shown with the messages beside them in the same form and budget.
"""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from bench_store import Texts
from conversations import Conversation, Question, conversations, words
from figures import Figure

from transom.engine.retrieval.finding import find
from transom.engine.retrieval.host import Host
from transom.jsontext import dumps
from transom.store import Store, Write
from transom.store.archive import archive_texts
from transom.store.backends.sqlite import SQLiteBackend
from transom.store.search import SearchHit
from transom.store.showing import passages
from transom.tokens import Heuristic

BUDGET = 1_200
SPAN = 80
"""Messages an archive holds, about what a window of 8,000 tokens closes over."""
SEEDS = {"tuning": (11, 0), "held out": (23, 1)}
COUNT = Heuristic().count

Answer = Callable[[str], str]


@dataclass(slots=True)
class Tally:
    """Marked turns, and those that were in the answer, by kind of question."""

    marked: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)

    def share(self, kind: str = "") -> float:
        """The share that was found, of all kinds or of one."""
        of = [kind] if kind else [kind for kind in self.marked if kind != "repeated"]
        return sum(self.found[each] for each in of) / max(1, sum(self.marked[each] for each in of))


class Plain:
    """BM25 (k1 1.2, b 0.75) over messages or windows of them, as it is usually written."""

    def __init__(self, texts: Sequence[str], width: int = 1) -> None:
        self.texts = texts
        reach = width // 2
        self._bags = [Counter(words(" ".join(texts[max(0, at - reach) : at + reach + 1]))) for at in range(len(texts))]
        self._sizes = [sum(bag.values()) for bag in self._bags]
        self._mean = sum(self._sizes) / max(1, len(self._sizes))
        self._spread = Counter(word for bag in self._bags for word in bag)

    def ranked(self, query: str) -> list[int]:
        """Messages by score."""
        scores = dict.fromkeys(range(len(self._bags)), 0.0)
        for word in {*words(query)}:
            idf = math.log(1 + (len(self._bags) - self._spread[word] + 0.5) / (self._spread[word] + 0.5))
            for at, bag in enumerate(self._bags):
                if word in bag:
                    scores[at] += idf * bag[word] * 2.2 / (bag[word] + 1.2 * (0.25 + 0.75 * self._sizes[at] / self._mean))
        return sorted((at for at in scores if scores[at] > 0), key=lambda at: (-scores[at], at))

    def answer(self, query: str) -> str:
        """The hits, each with the message before and after it, until the budget is spent; addresses cost nothing here."""
        shown = ""
        seen: set[int] = set()
        for hit in self.ranked(query):
            around = [at for at in (hit - 1, hit, hit + 1) if 0 <= at < len(self.texts) and at not in seen]
            passage = "\n".join(f"[{at + 1}] {self.texts[at]}" for at in around)
            if COUNT(f"{shown}\n\n{passage}") > BUDGET:
                break
            shown = f"{shown}\n\n{passage}"
            seen |= set(around)
        return shown


def tally(questions: Sequence[Question], turns: Sequence[str], answer: Answer) -> Tally:
    """Ask everything."""
    result = Tally()
    for question in questions:
        shown = answer(question.text)
        assert COUNT(shown) <= BUDGET, question.text
        for at in question.evidence:
            result.marked[question.kind] += 1
            result.found[question.kind] += turns[at] in shown
    return result


async def fill(store: Store, conversation: Conversation) -> None:
    """What a window that closes every ``SPAN`` messages would have left in the store."""
    lines = [line for line, _ in conversation.lines()]
    for start in range(0, len(lines), SPAN):
        data = b"\n".join([*lines[start : start + SPAN], b""])
        await store.put("archive", data, path=f"{start:032x}", text=archive_texts(data))


def measured(seed: int, half: int, taken: list[float]) -> dict[str, Tally]:
    """Everything that is compared, over all conversations of a seed; ``taken`` gets what each search took, in milliseconds."""
    results: dict[str, Tally] = {}

    def add(name: str, found: Tally) -> None:
        total = results.setdefault(name, Tally())
        total.marked += found.marked
        total.found += found.found

    for conversation in conversations(seed, half=half):
        texts = [archive_texts(line)[0] for line, _ in conversation.lines()]
        turns = [turn.text for turn in conversation.turns]
        for name, width in (("BM25, messages", 1), ("BM25, windows of three", 3)):
            add(name, tally(conversation.questions, turns, Plain(texts, width).answer))
        with tempfile.TemporaryDirectory(prefix="bench-search-") as folder, asyncio.Runner() as runner:
            store = Store(SQLiteBackend(Path(folder) / "store.db"))
            host = Host(store=store, count=COUNT, budget=BUDGET)
            runner.run(fill(store, conversation))
            runner.run(store.search("warm up"))

            async def search(query: str, store: Store = store) -> list[SearchHit]:
                start = time.process_time()
                hits = await store.search(query)
                taken.append((time.process_time() - start) * 1000)
                return hits

            async def command(query: str, store: Store = store) -> str:
                return await passages(store, query, await search(query), budget=BUDGET, count=COUNT)

            async def tool(query: str, host: Host = host) -> str:
                return await find(host, query, None, 0)

            add("transom store search", tally(conversation.questions, turns, lambda query: runner.run(command(query))))
            add("the context tool", tally(conversation.questions, turns, lambda query: runner.run(tool(query))))
            runner.run(store.close())
    return results


async def archived(folder: Path, count: int = 100_000, asked: int = 120) -> list[float]:
    """Milliseconds of questions over so many archived messages of 300 characters; a third name a speaker, a third a month."""
    texts = Texts()
    taken = []
    async with Store(SQLiteBackend(folder / "many.db")) as store:
        for start in range(0, count, 10 * SPAN):
            writes = []
            for first in range(start, min(count, start + 10 * SPAN), SPAN):
                lines = [
                    dumps({"role": "user", "name": ("Ann", "Ben")[number % 2], "content": texts.record(300, number)})
                    for number in range(first, first + SPAN)
                ]
                data = b"\n".join([*lines, b""])
                writes.append(Write("archive", f"{first:08}", data, text=archive_texts(data)))
            await store.commit(writes)
        await store.reconcile()
        await store.search("warm up")
        for number in range(asked):
            plain = texts.question()
            question = (plain, f"What did Ann say about {plain}", f"{plain} in May 2024")[number % 3]
            start_time = time.process_time()
            await store.search(question)
            taken.append((time.process_time() - start_time) * 1000)
    return taken


def measure() -> Iterator[Figure]:
    """All figures."""
    taken: list[float] = []
    for name, (seed, half) in SEEDS.items():
        results = measured(seed, half, taken)
        plain = results["BM25, messages"].share()
        for way, found in results.items():
            kinds = ", ".join(f"{kind} {found.share(kind):.2f}" for kind in sorted(found.marked))
            yield Figure(f"evidence shown, {name}: {way}", found.share(), "of 1", note=kinds)
        for way in ("transom store search", "the context tool"):
            gain = 100 * (results[way].share() - plain)
            yield Figure(f"over BM25 per message, {name}: {way}", gain, "pts", at_least=8)
    yield Figure("search in a long conversation, p50", median(taken), "ms")
    yield Figure("search in a long conversation, p95", quantiles(taken, n=20)[-1], "ms", at_most=60, note="processor time")
    with tempfile.TemporaryDirectory(prefix="bench-search-") as folder:
        many = asyncio.run(archived(Path(folder)))
    yield Figure("search, 100,000 archived messages, p50", median(many), "ms")
    yield Figure("search, 100,000 archived messages, p95", quantiles(many, n=20)[-1], "ms", at_most=60, note="processor time")
