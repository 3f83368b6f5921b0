"""Recall by itself: how often what is put beside a question holds its answer, and how often a message is left in peace.

Everything runs through ``Context``: a session is held under a small window until most of it has left, and each question then
becomes the newest message of a branch of it. Two sets are asked: working sessions, in which each thing is told once
(``errands``), and conversations of two people made so that words alone mislead (``conversations``, the set of
``bench_search``). What must stay silent are a hundred messages of small talk, pastes, and questions about other things. The
thresholds were set on the first seed; the second was only ever measured.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conversations import conversations
from errands import ORDINARY, errands
from figures import Figure
from smalltalk import PASTES, SMALL_TALK, UNRELATED

from transom import Context, Message
from transom.jsontext import loads

BUDGET = 1_000
WINDOW = 6_000
SEEDS = {"tuning": (11, 0), "held out": (23, 1)}


@dataclass(slots=True)
class Tally:
    """What was asked, put beside and held, by kind; milliseconds of the phase, and tokens."""

    asked: Counter[str] = field(default_factory=Counter)
    put: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)
    took: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    def share(self, *kinds: str) -> float:
        """The share of questions of these kinds whose answer stands beside them."""
        return sum(self.held[kind] for kind in kinds) / max(1, sum(self.asked[kind] for kind in kinds))

    def note(self) -> str:
        """Shares by kind."""
        return ", ".join(f"{kind} {self.held[kind]}/{self.asked[kind]}" for kind in sorted(self.asked))


def said(value: object) -> Iterator[str]:
    """Every text in a body."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from said(item)


async def held(messages: Sequence[Message]) -> Context:
    """A session after all of this was said; a compile every few messages, as an application would make them."""
    context = Context(window=WINDOW, recall="on")
    for start in range(0, len(messages), 6):
        context.append(*messages[start : start + 6])
        await context.compile()
    return context


async def ask(context: Context, text: str, tally: Tally, kind: str, answers: Sequence[str]) -> None:
    """One question to a branch of the session."""
    branch = context.branch()
    branch.append(Message("user", text))
    first = await branch.compile()
    found = first.meta.recalled
    shown = found.text if found is not None else ""
    tally.asked[kind] += 1
    tally.put[kind] += bool(shown)
    tally.held[kind] += any(answer in shown for answer in answers)
    if shown:
        assert found is not None
        assert found.tokens <= BUDGET, text
        tally.tokens.append(found.tokens)


async def timed(context: Context, texts: Sequence[str], tally: Tally) -> None:
    """The same session is asked one thing after the other, so that what is taken in once is taken in once."""
    branch = context.branch()
    for text in texts:
        branch.append(Message("user", text))
        begun = time.process_time()
        payload = await branch.compile()
        spent = (time.process_time() - begun) * 1000
        if payload.meta.recalled is not None:
            tally.took.append(min(spent, payload.meta.timings["recall"]))
        branch.append(Message("assistant", "I see."))


def two_people(seed: int, half: int) -> Iterator[tuple[list[Message], list[tuple[str, str, list[str]]]]]:
    """Conversations as messages, with kind, question and the texts that answer it."""
    for conversation in conversations(seed, half=half):
        messages = []
        for line, _ in conversation.lines():
            value = loads(line)
            assert isinstance(value, dict)
            name = f"{value['name']}: " if "name" in value else ""
            messages.append(Message(value["role"], f"{name}{value['content']}"))
        asked = [
            (each.kind, each.text, [conversation.turns[at].text for at in each.evidence]) for each in conversation.questions
        ]
        yield messages, asked


def working(seed: int) -> Iterator[tuple[list[Message], list[tuple[str, str, list[str]]]]]:
    """Working sessions, likewise."""
    for errand in errands(seed):
        yield list(errand.messages), [(each.kind, each.text, [each.answer]) for each in errand.questions]


async def measured(sessions: Iterator[tuple[list[Message], list[tuple[str, str, list[str]]]]]) -> Tally:
    """Everything asked of every session."""
    tally = Tally()
    for messages, asked in sessions:
        context = await held(messages)
        window = "\n".join(said((await context.compile()).body))
        for kind, text, answers in asked:
            if not any(answer in window for answer in answers):
                await ask(context, text, tally, kind, answers)
        for kind, texts in (("small talk", SMALL_TALK), ("paste", PASTES), ("unrelated", UNRELATED), ("ordinary", ORDINARY)):
            for text in texts:
                await ask(context, text, tally, kind, ())
        await timed(context, [text for _, text, _ in asked[:40]], tally)
        await context.aclose()
    return tally


def measure() -> Iterator[Figure]:
    """All figures."""
    for name, (seed, half) in SEEDS.items():
        work, talk = asyncio.run(measured(working(seed))), asyncio.run(measured(two_people(seed, half)))
        both = Tally(work.asked + talk.asked, work.put + talk.put, work.held + talk.held)
        kinds = {kind for kind in both.asked if kind not in {"small talk", "paste", "unrelated", "ordinary"}}
        yield Figure(f"answer put beside the question, {name}", both.share(*kinds), "of 1", at_least=0.6, note=both.note())
        strict = both.share(*(kinds - {"repeated"}))
        yield Figure(f"the same, without repeated words, {name}", strict, "of 1", at_least=0.6)
        yield Figure(f"the same, working sessions, {name}", work.share(*(kinds & work.asked.keys())), "of 1")
        yield Figure(f"the same, two people, {name}", talk.share(*((kinds & talk.asked.keys()) - {"repeated"})), "of 1")
        sessions = both.asked["small talk"] / len(SMALL_TALK)
        for kind, most in (("small talk", 2), ("paste", None), ("unrelated", None), ("ordinary", None)):
            rate = 100 * both.put[kind] / max(1, both.asked[kind])
            yield Figure(
                f"put beside 100 messages of {kind}, {name}", rate, "of 100", at_most=most, note=f"{sessions:.0f} sessions"
            )
        took = sorted(work.took + talk.took)
        yield Figure(
            f"recall of a new message, p95, {name}",
            took[int(len(took) * 0.95)],
            "ms",
            note=f"median {took[len(took) // 2]:.1f}",
        )
        tokens = work.tokens + talk.tokens
        yield Figure(f"tokens beside a message, mean, {name}", sum(tokens) / max(1, len(tokens)), "tokens", at_most=BUDGET)
