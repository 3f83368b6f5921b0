"""What a prefix cache can serve of a session that passes the gateway, against the same session sent directly, by protocol.

The client is an agent that sends its whole history with each request. Both ways end at a scripted provider, and what arrives
there is compared with what arrived before it: tools, system prompt and messages, in the order that providers cache them in.
"""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Iterable, Iterator, Sequence

from bench_gateway import running
from figures import Figure
from turns import TARGETS, Conversation, generated

from transom import Context
from transom.testing.provider import ScriptedProvider, says
from transom.testing.script import Received
from transom.tokens.heuristic import Heuristic

MESSAGES = 160
ROOMY, TIGHT = 1_000_000, 32_000
PATHS = {
    "openai": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "ollama": "/api/chat",
}


def measure() -> Iterable[Figure]:
    """Each protocol, with a window that all fits, then with one that closes several times."""
    talk = generated(MESSAGES)
    for target in (*TARGETS, "ollama"):
        sent = list(asyncio.run(_bodies(talk, target)))
        with ScriptedProvider(lambda _: says("Done.")) as provider:
            direct = _share(_arrived(provider, provider.url, target, sent))
            with running("own", str(_port(provider)), str(ROOMY)) as own:
                through = _share(_arrived(provider, f"http://127.0.0.1:{own.port}", target, sent))
            with running("own", str(_port(provider)), str(TIGHT)) as own:
                closed = _share(_arrived(provider, f"http://127.0.0.1:{own.port}", target, sent))
        note = f"{len(sent)} requests; direct {direct:.3f}, through {through:.3f}; with a window of {TIGHT:,}: {closed:.3f}"
        yield Figure(
            f"share a prefix cache can serve, through ÷ direct, {target}", through / direct, "", at_least=0.98, note=note
        )


async def _bodies(talk: Conversation, target: str) -> list[bytes]:
    """The request of each turn as a client of that protocol writes it."""
    bodies = []
    for at in talk.calls:
        context = Context(window=10 * ROOMY, prune=False)
        context.head = talk.head
        context.append(*talk.messages[:at])
        bodies.append((await context.compile(target)).json())
    return bodies


def _arrived(provider: ScriptedProvider, url: str, target: str, bodies: Sequence[bytes]) -> list[Received]:
    known = len(provider.received)
    for body in bodies:
        request = urllib.request.Request(url + PATHS[target], body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()
    return provider.received[known:]


def _share(received: Sequence[Received]) -> float:
    count = Heuristic().count
    before: list[bytes] = []
    served = asked = 0
    for each in received:
        now = list(_cached_in_order(each))
        same = next((index for index, (one, two) in enumerate(zip(before, now, strict=False)) if one != two), len(before))
        served += sum(count(piece.decode()) for piece in now[:same])
        asked += sum(count(piece.decode()) for piece in now)
        before = now
    return served / asked


def _cached_in_order(received: Received) -> Iterator[bytes]:
    for part in (*received.request.head.tools, *received.request.messages):
        if part.origin is not None:
            yield part.origin.raw


def _port(provider: ScriptedProvider) -> int:
    return int(provider.url.rpartition(":")[2])
