"""Session files made up for the tests of replay, and a replay that keeps every payload."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from transom import Context, Payload, Store, chain, clear, digest, reset
from transom.engine.overflow.strategy import Strategy
from transom.replay import Replay, replay
from transom.store.backends.memory import MemoryBackend
from transom.wire.transcripts import Transcript, load

TOOL = {
    "type": "function",
    "function": {"name": "run", "description": "Runs.", "parameters": {"type": "object", "properties": {}}},
}


def chat_messages(rounds: int, size: int = 1_500, *, name: str = "a") -> list[dict[str, object]]:
    """An agent at work: a request every five rounds, a call and its result in each."""
    messages: list[dict[str, object]] = [{"role": "system", "content": "You are careful."}]
    for number in range(rounds):
        if number % 5 == 0:
            messages.append({"role": "user", "content": f"{name}: please do part {number // 5}."})
        call = {"id": f"{name}{number}", "type": "function", "function": {"name": "run", "arguments": f'{{"n":{number}}}'}}
        messages.append({"role": "assistant", "content": f"Step {number}.", "tool_calls": [call]})
        result = f"{name} result {number}\n" + f"line of output {number}\n" * (size // 20)
        messages.append({"role": "tool", "tool_call_id": f"{name}{number}", "content": result})
    return messages


def chat_body(rounds: int, size: int = 1_500, **fields: object) -> bytes:
    """A Chat Completions request body that holds the whole session."""
    body = {"model": "gpt-4.1", "tools": [TOOL], **fields, "messages": chat_messages(rounds, size)}
    return json.dumps(body).encode()


def chat_lines(*rounds: int) -> bytes:
    """Several conversations, one a line."""
    lines = [json.dumps(chat_messages(count, name=f"run{number}x")) for number, count in enumerate(rounds)]
    return "\n".join(lines).encode()


class Recording(Context):
    """A context that keeps what it compiled."""

    kept: list[Payload]

    async def compile(self, target: str | None = None, *, cancelled: Callable[[], bool] | None = None) -> Payload:
        """Compile and keep."""
        payload = await super().compile(target, cancelled=cancelled)
        self.kept.append(payload)
        return payload


@dataclass
class Recorded:
    """A replay and its payloads, segment by segment."""

    outcome: Replay
    store: Store
    contexts: list[Recording] = field(default_factory=list)

    @property
    def turns(self) -> list[dict[str, object]]:
        """The turns as the replay tells them."""
        return self.outcome.turns

    @property
    def payloads(self) -> list[Payload]:
        """In the order of the turns that have one."""
        return [payload for context in self.contexts for payload in context.kept]


async def recorded(
    data: bytes,
    *,
    target: str = "openai",
    window: int = 6_000,
    prune: bool = True,
    strategy: Strategy | None = None,
    format: str | None = None,  # noqa: A002
) -> Recorded:
    """Replay a file, keeping every payload."""
    transcript: Transcript = load(data, format, name="session")
    store = Store(MemoryBackend())
    contexts: list[Recording] = []

    def make_context(name: str) -> Context:
        context = Recording(
            window=window,
            store=store,
            overflow=strategy or chain(clear(), digest(), reset()),
            tokenizer="chars4",
            prune=prune,
        )
        context.kept = []
        contexts.append(context)
        return context

    async def checkpoint() -> None:
        return None

    outcome = await replay(
        transcript,
        make_context,
        target=target,
        window=window,
        strategy="clear → digest → reset",
        counter="chars4",
        progress=lambda steps: None,
        checkpoint=checkpoint,
    )
    return Recorded(outcome, store, contexts)
