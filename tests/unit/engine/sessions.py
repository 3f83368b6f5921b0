"""Conversations and doubles for the tests of the engine. The doubles are real objects of the protocols' shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from transom import Call, Context, MemoryBackend, Message, Payload, Store, Tool
from transom.engine.overflow.strategy import Outcome, Span
from transom.errors import StoreError
from transom.jsontext import loads
from transom.store.backend import Write
from transom.wire.format import Head

HEAD = Head(model="a-model", tools=(Tool("read_file", "Reads.", {"type": "object", "properties": {}}),))
FILLER = "the quick brown fox jumps over the lazy dog. "


def words(tokens: int) -> str:
    """Text of about so many tokens by ``chars4``."""
    return (FILLER * (tokens * 4 // len(FILLER) + 1))[: tokens * 4]


def round_of(number: int, tokens: int = 200, *, tool: str = "read_file", ask: str = "") -> list[Message]:
    """A call with its result, and, with ``ask``, a request before it."""
    call = f"call_{number}"
    messages = [
        Message("assistant", f"Step {number}.", tool_calls=[Call(tool, f'{{"path":"f{number}.py"}}', call)]),
        Message("tool", f"result {number}: {words(tokens)}", tool_call_id=call, name=tool),
    ]
    return [Message("user", ask), *messages] if ask else messages


def tool_loop(rounds: int, tokens: int = 200, *, ask: str = "Do the work.", tool: str = "read_file") -> list[Message]:
    """One request and a long loop of calls."""
    return [Message("user", ask), *(message for n in range(rounds) for message in round_of(n, tokens, tool=tool))]


def dialogue(rounds: int, tokens: int = 200) -> list[Message]:
    """Requests and answers in turn; the last message is a request."""
    messages = [
        message
        for n in range(rounds)
        for message in (Message("user", f"question {n}: {words(tokens)}"), Message("assistant", f"answer {n}: {words(tokens)}"))
    ]
    return [*messages, Message("user", "And now?")]


def context_of(messages: Iterable[Message] = (), *, window: int = 4_000, **more: object) -> Context:
    """A context that counts four characters a token and reports broken invariants."""
    context = Context(window=window, tokenizer="chars4", check=True, **more)  # type: ignore[arg-type]
    context.append(*messages)
    return context


def model_calls(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """What is new at each call an agent makes of its model."""
    start = 0
    for index in range(1, len(messages)):
        if messages[index].role == "assistant" and messages[index - 1].role != "assistant":
            yield messages[start:index]
            start = index
    yield messages[start:]


async def driven(context: Context, messages: Sequence[Message], target: str = "openai") -> list[Payload]:
    """Every payload of an agent that appends what is new."""
    payloads = []
    for fresh in model_calls(messages):
        context.append(*fresh)
        payloads.append(await context.compile(target))
    return payloads


def texts(payload: Payload) -> str:
    """The body as text in which words can be looked for."""
    return payload.json().decode()


def elements(payload: Payload, field: str = "messages") -> list[dict[str, object]]:
    """The conversation of a body."""
    value = payload.body[field]
    assert isinstance(value, list)
    return value


async def archived(store: Store, uri: str) -> list[dict[str, object]]:
    """The messages of an archive, everything that lies in it by reference put back."""
    found = [loads(line) for line in (await store.expand(uri)).splitlines() if line]
    return [line for line in found if isinstance(line, dict)]


class FailingBackend(MemoryBackend):
    """A backend that refuses to write while it is told to, to some namespaces or to all."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: tuple[str, ...] = ()

    async def batch(self, writes: Iterable[Write]) -> Sequence[bool]:
        pending = list(writes)
        if any(namespace in write.namespace for write in pending for namespace in self.refused):
            raise StoreError("the disk is full", hint="make room")
        return await super().batch(pending)


@dataclass
class Scripted:
    """A strategy of the protocol's shape that does what it is told."""

    outcome: object
    name: str = "scripted"
    applied: int = 0

    @property
    def fingerprint(self) -> str:
        return self.name

    async def apply(self, span: Span) -> Outcome:
        self.applied += 1
        made = self.outcome(span) if callable(self.outcome) else self.outcome
        if isinstance(made, Exception):
            raise made
        assert isinstance(made, Outcome)
        return made
