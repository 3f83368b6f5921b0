"""Random sessions of clients through the gateway as it is served.

The client keeps its own history and sends all of it: it repeats requests, goes back and edits, drops answers, asks two things
at once, asks for titles, sums up its own history, changes tools and system prompt. Between turns the gateway may end and start
again over the same store, and the store may fail once. The upstream refuses what the real ones refuse.

``python -m tests.properties.gateway_sessions 2000`` runs as many sessions, and says what it saw.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tests.properties.gateway_behind import Behind, Failing, Spoil
from tests.properties.gateway_clients import CLIENTS, Client, Step
from tests.properties.gateway_laws import LAWS, Account, Laws, Sent

from transom import Store
from transom.jsontext import raw_items, raw_object

__all__ = ["MOVES", "WINDOWS", "Move", "Plan", "planned", "run", "shrunk"]

WINDOWS = (8_000, 12_000, 20_000, 36_000)
MOVES = (
    *("asks", "asks", "works", "works", "works", "works", "works", "works on", "works on"),
    *("repeats", "goes back", "edits its last", "drops the answer", "asks two at once", "repeats at once", "asks for a title"),
    *("sums up", "changes tools", "changes its prompt", "restarts", "store fails", "goes on after a stop"),
)
_GREAT = 6
"""Times its window that a text has which no window holds."""
_LINE = '{:05d} worker {} took job {} — “état”, 日本 \\ "quoted" \t{}\n'

Move = tuple[str, int]
"""What the client does next, and the number that the rest is drawn from."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A session.

    Attributes:
        protocol: the client's.
        window: tokens the upstream takes.
        seed: the client and the upstream are drawn from it.
        moves: what the client does.
    """

    protocol: str
    window: int
    seed: int
    moves: Sequence[Move]


def planned(seed: int, protocol: str = "") -> Plan:
    """The session of a number."""
    rng = Random(seed)
    chosen = protocol or rng.choice(tuple(CLIENTS))
    moves = [(rng.choice(MOVES), rng.randrange(1 << 30)) for _ in range(rng.randint(3, 24))]
    return Plan(chosen, rng.choice(WINDOWS), rng.randrange(1 << 30), moves)


@dataclass(slots=True)
class _Unit:
    """What the client sends or drops as a whole."""

    kind: str
    elements: list[bytes]
    text: str = ""


@dataclass
class _Session:
    """One client while it is at work."""

    plan: Plan
    account: Account
    spoil: Spoil | None = None
    units: list[_Unit] = field(default_factory=list)
    number: int = 0
    requests: int = 0

    def __post_init__(self) -> None:
        self.rng = rng = Random(self.plan.seed)
        self.client: Client = CLIENTS[self.plan.protocol](rng)
        self.model = "gemini-3-pro" if self.plan.protocol == "gemini" else "m"
        self.backend = Failing()
        ratio = rng.choice((1.0, 1.0, 0.8, 0.9, 1.1, 1.25))
        self.laws = Laws(self.client, self.plan.window, ratio, self.model, Store(self.backend), self.account)
        self.behind = Behind(self.laws, self.spoil)
        self.system = rng.choice(("", "You help.", "You help with care. " * 150))
        self.tools = self.offered([f"tool_{index}" for index in range(rng.choice((0, 3, 12)))])

    def offered(self, others: Sequence[str]) -> list[str]:
        """The tools that are called, and others."""
        called = [f"read{index}" for index in range(4)] if self.plan.protocol == "ollama" and not self.client.ids else []
        return ["read", *others, *called]

    async def run(self) -> None:
        async with self.behind.serving():
            self.say(Random(self.plan.seed))
            await self.ask()
            for kind, number in self.plan.moves:
                self.account.seen[f"moves: {kind}"] += 1
                await self.move(kind, Random(number))
            # Another process says the same.
            await self.behind.restart()
            await self.ask()
        self.account.seen["sessions"] += 1

    def text(self, rng: Random, sizes: Sequence[int] = ()) -> str:
        """Something said, that nobody said before."""
        self.number += 1
        size = rng.choice(sizes or (20, 20, 200, 1_500))
        if not size:
            return ""
        head = f"#{self.number} "
        lines = (_LINE.format(index, (index * self.number) % 7, index * 37 % 1009, self.number) for index in range(size // 50))
        return head + "".join(lines)

    def say(self, rng: Random, text: str = "") -> None:
        """A user's turn."""
        words = text or self.text(rng, (20, 20, 20, 200, 1_500, 1_500, self.plan.window // 3, self.plan.window * _GREAT))
        if len(words) > self.plan.window and rng.random() < 0.8:
            words = words[:400]
        image = rng.random() < 0.1
        self.units.append(_Unit("user", self.client.user(words, image=image), words))

    def work(self, rng: Random) -> None:
        """A step of the model's that calls tools, and their results."""
        self.number += 1
        window = self.plan.window
        sizes = (0, 20, 200, window // 8, window // 4, window // 2, window // 2, window)
        count = rng.choice((1, 1, 1, 2, 3, 4))
        results = [self.text(rng, sizes) for _ in range(count)]
        if rng.random() < 0.03:
            results[0] = self.text(rng, (window * _GREAT,))
        step = Step(
            self.number,
            self.text(rng) if rng.random() < 0.5 else "",
            self.text(rng) if rng.random() < 0.6 else "",
            results,
            custom=rng.random() < 0.2,
            extra=rng.choice((*[""] * 6, "<system-reminder>Go on.</system-reminder>", "Do that too.")),
        )
        typed = step.extra if self.plan.protocol == "anthropic" and not step.extra.startswith("<") else ""
        self.units.append(_Unit("step", self.client.worked(step), typed))

    def conclude(self, rng: Random) -> None:
        """What the model says at the end."""
        self.number += 1
        thinking = self.text(rng) if rng.random() < 0.5 else ""
        self.units.append(_Unit("said", self.client.said(Step(self.number, self.text(rng) or "Done.", thinking))))

    async def move(self, kind: str, rng: Random) -> None:
        match kind:
            case "asks":
                self.conclude(rng)
                self.say(rng)
            case "works":
                self.work(rng)
            case "works on":
                for _ in range(rng.randint(1, 3)):
                    self.work(rng)
                    await self.ask()
                self.conclude(rng)
                self.say(rng)
            case "repeats":
                pass
            case "goes back":
                places = [index for index, unit in enumerate(self.units) if unit.kind == "user"]
                del self.units[rng.choice(places) :]
                self.say(rng)
            case "edits its last":
                last = max(index for index, unit in enumerate(self.units) if unit.kind == "user")
                del self.units[last:]
                self.say(rng)
            case "drops the answer":
                if len(self.units) > 1:
                    self.units.pop()
                while self.units[-1].kind == "said":
                    self.units.pop()
            case "asks two at once":
                kept = list(self.units)
                self.work(rng)
                one, self.units = self.units, kept
                self.work(rng) if rng.random() < 0.5 else self.say(rng)
                await self.ask(one, list(self.units))
                return
            case "repeats at once":
                self.work(rng)
                await self.ask(list(self.units), list(self.units))
                return
            case "asks for a title":
                await self.side(rng)
                return
            case "sums up":
                text = self.text(rng, (1_500,))
                self.units = []
                self.say(rng, f"This session goes on from one before. {text}")
            case "changes tools":
                self.tools = self.offered([f"other_{index}" for index in range(rng.choice((0, 2, 20)))])
            case "changes its prompt":
                self.system = rng.choice(("Now be short.", "You help.", "You help with care. " * 150))
            case "restarts":
                await self.behind.restart()
            case "store fails":
                self.backend.fails = True
                self.work(rng)
            case "goes on after a stop":
                self.say(rng)
        await self.ask()

    async def side(self, rng: Random) -> None:
        first = self.units[0]
        elements = [*self.client.lead("Write a title.", []), *first.elements]
        if rng.random() < 0.5:
            elements = [*self.client.lead(self.system, []), *first.elements]
        body = self.client.body("Write a title." if rng.random() < 0.5 else self.system, [], elements, self.model)
        await self.asked_for([(body, first.text)])

    async def ask(self, *several: Sequence[_Unit]) -> None:
        """Send the history as it stands, or several at once."""
        bodies = []
        for units in several or (self.units,):
            elements = [*self.client.lead(self.system, self.tools), *(item for unit in units for item in unit.elements)]
            words = next(unit.text for unit in reversed(units) if unit.text)
            bodies.append((self.client.body(self.system, self.tools, elements, self.model), words))
        await self.asked_for(bodies)

    async def asked_for(self, bodies: Sequence[tuple[bytes, str]]) -> None:
        """Send requests, at once where they are several, and hold each to the laws."""
        numbers = [str(self.requests + index) for index in range(len(bodies))]
        self.requests += len(bodies)
        failing = self.backend.fails
        answers = await asyncio.gather(
            *(self.behind.post(body, number) for (body, _), number in zip(bodies, numbers, strict=True))
        )
        faulty = failing and not self.backend.fails
        self.backend.fails = False
        fresh = []
        for (body, words), number, (status, said) in zip(bodies, numbers, answers, strict=True):
            items = raw_items(raw_object(body)[self.client.conversation])
            went = self.behind.asked[number][-1]
            fresh.append(Sent(number, body, items, words, self.behind.exchange(number), went, status, said, faulty))
        await self.laws.hold(*fresh)


async def run(plan: Plan, account: Account, *, spoil: Spoil | None = None) -> None:
    """Run one session; with what is done to every request that the guard edited, so that the laws can be seen to notice."""
    await _Session(plan, account, spoil).run()


def shrunk(plan: Plan, law: str) -> Plan:
    """The plan with every move left out that the fault does not need."""
    moves = list(plan.moves)
    at = 0
    while at < len(moves):
        tried = Plan(plan.protocol, plan.window, plan.seed, [*moves[:at], *moves[at + 1 :]])
        account = Account()
        asyncio.run(run(tried, account))
        if account.wrong[law]:
            moves = list(tried.moves)
        else:
            at += 1
    return Plan(plan.protocol, plan.window, plan.seed, moves)


def main(count: int, first: int = 0, protocol: str = "") -> None:
    """Run sessions by hand."""
    account = Account()
    for seed in range(first, first + count):
        one = Account()
        asyncio.run(run(planned(seed, protocol), one))
        account.seen += one.seen
        account.wrong += one.wrong
        for line in {line.split(":")[0]: line for line in reversed(one.said)}.values():
            sys.stdout.write(f"seed {seed}: {line}\n")
    for name, number in sorted(account.seen.items()):
        sys.stdout.write(f"{number:9,} {name}\n")
    for law in LAWS:
        sys.stdout.write(f"{account.wrong[law]:9,} {law}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, "".join(sys.argv[3:4]))
