"""A random agent with everything switched on, and what each of its payloads is held to.

A session is drawn from a generator of random numbers: requests, parallel calls, pinned turns, facts written by the application
and by the model, texts read back, windows asked for, notices. It is run through one strategy to one target; what went wrong is
counted, and said in a line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.properties.engine_sessions import HEAD, sequence

from transom import Context, Message, chain, clear, digest, reset
from transom.engine.ledger.records import Item
from transom.engine.memory.hooks import MemorySettings
from transom.engine.overflow.guard import guard
from transom.engine.overflow.handoff import Handoff
from transom.engine.overflow.strategies import anchored, background, server, summarize
from transom.engine.overflow.strategy import Outcome, Span, Strategy
from transom.engine.payload import Payload
from transom.engine.snapshot import Snapshot
from transom.errors import WindowError
from transom.jsontext import dumps_text, loads
from transom.messages import Call, Result, Text
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.testing.generators import prose
from transom.testing.model import ScriptedModel
from transom.testing.reachability import lost
from transom.testing.script import Fault, Received, Step
from transom.wire.format import Request

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
WINDOWS = (4_000, 4_000, 6_000, 10_000)
SIZES = (12, 60, 60, 200, 400, 400, 1_500, 1_500, 4_000)
TOOL = "context"
_TEXT = prose(0, max(SIZES))

_CITED = re.compile(r"context://(?:vfs/[0-9a-f]{64}|archive/[0-9a-f]{32})")
"""Addresses of what left a window. Others may be examples in a definition, facts that were deleted, or cut off in a view."""


@dataclass(frozen=True)
class Shelf:
    """A strategy of an application's own: everything old goes, and the head says where it is."""

    @property
    def name(self) -> str:
        return "shelf"

    @property
    def fingerprint(self) -> str:
        return "shelf1"

    async def apply(self, span: Span) -> Outcome:
        leaving = span.leaving(span.cut)
        if not leaving:
            return Outcome()
        head = Item("head", text=f"{len(leaving)} messages are on the shelf at {span.archive_uri(span.cut)}")
        return Outcome(span.cut, (head, *span.kept(span.cut)), span.messages(span.cut), leaving, (), self.name)


def failing_model(rng: Random) -> ScriptedModel:
    """A summarizer that is out of order now and then, in every way it can be."""
    wrong = (
        Fault.refuses(500),
        Fault.nothing(),
        Fault.in_success("Error: the service is overloaded, try again later"),
        "<summary></summary>",
        "much too long " * 8_000,
    )
    outages = [rng.choice(wrong) if rng.random() < 0.25 else None for _ in range(16)]

    def step(received: Received) -> Step:
        outage = outages[received.number % len(outages)]
        said = f"The user asked for several things and they were done one after another, up to request {received.number}."
        return outage if outage is not None else f"<summary>## Done\n{said} Nothing is open.</summary>"

    return ScriptedModel(step, window=6_000)


STRATEGIES: dict[str, Callable[[Random], Strategy]] = {
    "clear": lambda _: chain(clear(), reset()),
    "digest": lambda _: chain(digest(), reset()),
    "reset": lambda _: reset(),
    "chain": lambda _: chain(clear(), digest(), reset()),
    "summarize": lambda rng: chain(summarize(failing_model(rng)), reset()),
    "anchored": lambda rng: chain(anchored(failing_model(rng)), digest(), reset()),
    "background": lambda rng: chain(background(summarize(failing_model(rng)), wait=5.0), digest(), reset()),
    "server": lambda _: server(fallback=chain(clear(), digest(), reset())),
    "shelf": lambda _: chain(Shelf(), reset()),
}


@dataclass
class Account:
    """What was counted over many sessions.

    Attributes:
        seen: how often something happened.
        wrong: how often a law was broken, by law.
        said: the first lines about it.
    """

    seen: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)

    def broken(self, law: str, detail: str) -> None:
        self.wrong[law] += 1
        if len(self.said) < 20:
            self.said.append(f"{law}: {detail}"[:600])


@dataclass
class Agent:
    """One session while it runs."""

    rng: Random
    target: str
    strategy: str
    account: Account
    said: list[Message] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    entries: list[str] = field(default_factory=list)
    window: int = 0
    number: int = 0
    last: Payload | None = None
    body: object = None
    sent: int = 0
    loads: bool = False
    made: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = self.rng
        self.window = rng.choice(WINDOWS)
        self.loads = rng.random() < 0.25
        self.number = rng.randrange(10_000) * 1_000
        self.store = Store(MemoryBackend())
        self.made = {
            "overflow": STRATEGIES[self.strategy](rng),
            "memory": MemorySettings(max_tokens=600, place=rng.choice(("prefix", "prefix", "tail"))),
            "handoff": Handoff(400) if rng.random() < 0.4 else None,
            "guard": guard(keep_last=rng.choice((0, 2, 6))) if rng.random() < 0.4 else None,
            "recall": rng.choice(("off", "on", "suggest")),
        }
        self.context = self.open()

    def open(self) -> Context:
        """A context as this or another process would make it."""
        context = Context(
            window=self.window, store=self.store, tokenizer="chars4", context_tool=True, session="laws", **self.made
        )
        return self.watched(context)

    def watched(self, context: Context) -> Context:
        context.head = HEAD
        context.system("Work with care.")
        context.on("compress_ended", lambda event: self.account.seen.update({"windows closed": int(event.strategy != "")}))
        return context

    def text(self) -> str:
        self.number += 1
        return f"#{self.number} {_TEXT[: self.rng.choice(SIZES)]}"

    def request(self) -> str:
        """What the user writes next; now and then a question about what was said before."""
        if not self.said or self.rng.random() < 0.5:
            return self.text()
        before = self.rng.randrange(self.number - min(self.number, 2 * len(self.said)), self.number + 1)
        self.number += 1
        return f"#{self.number} What came of #{before}, as I told you earlier?"

    # ── what the agent does ────────────────────────────────────────────────────────────────────────────────────────────
    async def run(self) -> None:
        for _ in range(self.rng.randint(1, 3)):
            await self.add(Message("user", self.request(), pinned=self.rng.random() < 0.15))
            await self.compile()
            for _ in range(self.rng.randint(0, 3)):
                await self.around()
                await self.step()
                await self.compile()
            await self.add(Message("assistant", self.text()))
        await self.add(Message("user", self.text()))
        await self.compile()
        await self.close()

    async def add(self, *messages: Message) -> None:
        self.said.extend(messages)
        if not self.loads:
            self.context.append(*messages)

    async def step(self) -> None:
        """The model calls one to three tools, one of them perhaps ours; all are answered."""
        rng = self.rng
        calls: list[Call] = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            self.number += 1
            ours = rng.random() < 0.3
            name = TOOL if ours else rng.choice(("read_file", "run"))
            arguments = self.asked() if ours else {"q": self.text()}
            calls.append(Call(name, dumps_text(arguments), f"c{self.number}"))
        pinned = rng.random() < 0.08
        before = [Text(self.text())] if rng.random() < 0.3 else []
        call = Message("assistant", [*before, *calls], pinned=pinned and rng.random() < 0.5)
        answers = [await self.answered(made, pinned=pinned) for made in calls]
        await self.add(call, *answers)

    async def answered(self, call: Call, *, pinned: bool) -> Message:
        text = await self.context.handle_tool(call) if call.name == TOOL else self.text()
        return Message("tool", [Result((Text(text),), call_id=call.id, name=call.name)], pinned=pinned)

    def asked(self) -> dict[str, object]:
        """A call of the context tool: something read back, something remembered, or nonsense."""
        rng = self.rng
        uris = sorted(self.last.meta.uris) if self.last is not None and hasattr(self.last.meta, "uris") else []
        moved = [moved.uri for moved in self.last.meta.moved] if self.last is not None else []
        kind = rng.randrange(5)
        if kind == 0 and (uris or moved):
            return {"command": "view", "path": rng.choice(uris or moved)}
        if kind <= 2:
            self.number += 1
            key, value = f"model-{rng.randrange(4)}", f"the model knows {self.number}"
            if key not in self.facts:
                self.facts[key] = value
                return {"command": "create", "path": f"memory/{key}", "file_text": value}
            old, self.facts[key] = self.facts[key], value
            return {"command": "str_replace", "path": f"memory/{key}", "old_str": old, "new_str": value}
        if kind == 3:
            return {"command": "search", "query": "parser port 8443"}
        return {"command": rng.choice(("view", "fly", "delete")), "path": rng.choice(("archive/none", "memory", "../x", ""))}

    async def around(self) -> None:
        """What the application does between two model calls."""
        rng, context = self.rng, self.context
        match rng.randrange(13):
            case 0 | 1:
                self.number += 1
                key, value = f"app-{rng.randrange(4)}", f"the application knows {self.number}"
                await context.memory.facts.set(key, value, importance=rng.random())
                self.facts[key] = value
            case 2 if self.facts:
                key = rng.choice(sorted(self.facts))
                await context.memory.facts.delete(key)
                del self.facts[key]
            case 3:
                self.number += 1
                self.entries.append(f"entry {self.number}")
                await context.memory.remember(self.entries[-1])
            case 4:
                context.request_new_context()
            case 5:
                context.announce(f"n{rng.randrange(2)}", f"notice {self.number}")
            case 6:
                context.state({"step": self.number}, place=rng.choice(("system", "last_user")))
            case 7:
                context.guardrail("Answer briefly.", answer="answer")
            case 8:
                self.number += 1
                context.sticky(f"passage {self.number}")
            case 10:
                await self.elsewhere()
            case 9 if self.last is not None:
                context.report_usage(int(self.last.meta.tokens_after * rng.uniform(0.7, 1.1)))
            case _:
                pass

    async def elsewhere(self) -> None:
        """The session goes on in another process: from a snapshot, in a branch, or from conversation and store alone."""
        match self.rng.randrange(3):
            case 0:
                taken = Snapshot.from_json(self.context.snapshot().to_json())
                self.context = self.open()
                self.context.restore(taken)
            case 1:
                self.context = self.watched(self.context.branch(session="laws"))
            case _:
                self.context = self.open()
                self.context.load(Request(head=HEAD, messages=tuple(self.said)))

    # ── what its payloads are held to ──────────────────────────────────────────────────────────────────────────────────
    async def compile(self) -> None:
        account = self.account
        if self.loads:
            self.context.load(Request(head=self.context.head, messages=tuple(self.said)))
        try:
            payload = await self.context.compile(self.target)
        except WindowError:
            # Pinned turns and the newest words may alone be more than a window holds.
            account.seen["refused"] += 1
            return
        account.seen["compiles"] += 1
        account.seen["passages recalled"] += int(payload.meta.recalled is not None and payload.meta.recalled.text != "")
        self.body = payload.body
        wire = self.context.formats.get(self.target)
        shown = wire.parse(self.body).messages
        everything = "\x00".join(text for message in shown for text in _texts(message))
        self._held(payload)
        self._pinned(everything)
        self._paired(shown)
        for key, value in self.facts.items():
            account.seen["facts looked for"] += 1
            if value not in everything:
                account.broken("facts written and not shown", f"{self.where()}: {key} = {value}")
        self.last, self.sent = payload, len(self.said)

    def where(self) -> str:
        return f"{self.strategy} → {self.target}, window {self.window}, {len(self.said)} messages"

    def _held(self, payload: Payload) -> None:
        meta, before = payload.meta, self.last
        if meta.tokens_after + meta.reserve > self.window:
            self.account.broken("payloads over their window", f"{self.where()}: {meta.tokens_after} + {meta.reserve}")
        if before is not None and before.meta.window_id == meta.window_id:
            old, new = sequence(before.json(), self.target), sequence(payload.json(), self.target)
            tail = before.meta.tail_bytes
            kept = old[: len(old) - tail].rstrip(b"]}") if tail else old
            self.account.seen["prefixes compared"] += 1
            if not new.startswith(kept):
                at = next((i for i, (a, b) in enumerate(zip(kept, new, strict=False)) if a != b), min(len(kept), len(new)))
                self.account.broken(
                    "prefixes broken", f"{self.where()}: {kept[at - 40 : at + 60]!r} / {new[at - 40 : at + 60]!r}"
                )

    def _pinned(self, everything: str) -> None:
        at = -1
        for message in self.said:
            if not message.pinned:
                continue
            self.account.seen["pinned messages looked for"] += 1
            for text in filter(None, _texts(message)):
                found = everything.find(text, at + 1)
                if found < 0:
                    self.account.broken("pinned turns lost", f"{self.where()}: {text[:80]!r}")
                    break
                at = found

    def _paired(self, shown: Sequence[Message]) -> None:
        assert isinstance(self.body, dict)
        violations = self.context.formats.get(self.target).validate(self.body)
        if violations:
            self.account.broken("payloads a provider would refuse", f"{self.where()}: {violations[0]}")
        waiting: list[str] = []
        for message in shown:
            results = [result.call_id for result in message.results]
            self.account.seen["pairs looked at"] += len(results)
            if any(call_id not in waiting for call_id in results) or (waiting and not results and message.role != "assistant"):
                self.account.broken("pairs split", f"{self.where()}: {results} while {waiting} wait")
                return
            waiting = [call_id for call_id in waiting if call_id not in results]
            waiting += [call.id for call in message.tool_calls]

    async def close(self) -> None:
        """At the end: everything said is still within reach, everything remembered is recalled, here and elsewhere."""
        account = self.account
        if self.last is not None:
            gone, dangling = await lost(self.body, self.said[: self.sent], self.store)
            account.seen["messages looked for"] += self.sent
            for item in gone:
                account.broken("texts lost", f"{self.where()}: {item.kind} of message {item.message}: {item.text[:80]!r}")
            for uri in filter(_CITED.fullmatch, dangling):
                account.broken("addresses that lead nowhere", f"{self.where()}: {uri}")
        for context in (self.context, self.open()):
            recalled = await context.memory.recall(limit=50)
            facts = {fact.key: fact.value for fact in recalled.facts}
            entries = {entry.content for entry in recalled.entries}
            account.seen["facts recalled"] += len(facts) + len(entries)
            if facts != self.facts or not set(self.entries) <= entries:
                account.broken(
                    "facts written and not recalled", f"{self.where()}: {self.facts} {self.entries} / {facts} {entries}"
                )
            for key, value in self.facts.items():
                text = await context.handle_tool((TOOL, {"command": "view", "path": f"memory/{key}"}))
                if value not in text:
                    account.broken("facts written and not recalled", f"{self.where()}: {key} = {value}, viewed {text[:80]!r}")
        report = await self.store.verify()
        if not report.ok:
            account.broken("stores that do not verify", f"{self.where()}: {report}")


def _texts(message: Message) -> Iterator[str]:
    """What a message says; arguments as the values they hold, however they are spelled."""
    for part in message.parts:
        match part:
            case Text() | Result():
                yield part.text
            case Call():
                value = loads(part.arguments)
                yield from map(str, value.values() if isinstance(value, dict) else (value,))
            case _:
                pass


LAWS = (
    "pinned turns lost",
    "pairs split",
    "facts written and not shown",
    "facts written and not recalled",
    "texts lost",
    "addresses that lead nowhere",
    "prefixes broken",
    "payloads over their window",
    "payloads a provider would refuse",
    "stores that do not verify",
)
PAIRS = tuple((strategy, target) for target in TARGETS for strategy in STRATEGIES)


async def session(seed: int, strategy: str, target: str, account: Account) -> None:
    """Run one random session."""
    account.seen["histories"] += 1
    await Agent(Random(seed), target, strategy, account).run()
