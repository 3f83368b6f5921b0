"""Beside other people's libraries, which are installed for the run: what a turn costs at 20,000 messages.

The peer is @context-chef/core 4.2.1 on Node. It compiles the whole history each turn; of the configurations tried, its fastest
that keeps payloads within the window counts. Bodies are parsed before on both sides, payloads serialised on both.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

import orjson
from figures import HERE, Figure
from sessions import chat_body, session

from transom import Context, SQLiteBackend, Store
from transom.wire.registry import builtin_registry

NETWORK = PEERS = True
PACKAGE = "@context-chef/core@4.2.1"
COUNT = 20_000
WINDOW = 64_000
TURNS = 15
ROUNDS = 3


def measure() -> Iterator[Figure]:
    """Ours and theirs in turn, several rounds; medians of the rounds."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        yield Figure("peers", 0, "", note="left out: node and npm are needed")
        return
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as name:
        folder = Path(name)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", name, PACKAGE]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)
        shutil.copy(HERE / "peers" / "context_chef.mjs", folder)
        yield from _beside(folder)


def _beside(folder: Path) -> Iterator[Figure]:
    body = chat_body(session(COUNT + 2 * TURNS))
    source = folder / "body.json"
    size = source.write_bytes(orjson.dumps(body)) / 1e6
    whole: list[float] = []
    following: list[float] = []
    theirs: dict[str, list[tuple[float, int]]] = {}
    for number in range(ROUNDS):
        for configuration, (processor, _, written) in _peer(source).items():
            theirs.setdefault(configuration, []).append((processor, int(written)))
        whole.append(_whole(body))
        following.append(_following(body, folder / f"{number}.db"))
    for configuration, runs in theirs.items():
        note = f"{runs[0][1] / 1e6:.2f} MB written; {size:.1f} MB given; {PACKAGE}"
        yield Figure(f"peer: {configuration}"[:60], median(spent for spent, _ in runs), "ms", note=note)
    # A payload of a few hundred bytes is no conversation: without a count the peer keeps a summary and the last message.
    best = min(median(spent for spent, _ in runs) for runs in theirs.values() if runs[0][1] > 10_000)
    ours = median(whole)
    yield Figure(f"whole history loaded each turn, {COUNT:,} messages", ours, "ms", note=f"chars4; {ours / size:.2f} ms a MB")
    yield Figure("the same / the peer's fastest", ours / best, "x", at_most=1.2)
    yield Figure(
        f"next compile at {COUNT:,} messages", median(following), "ms", note="append, compile, serialise; heuristic count"
    )
    yield Figure("the peer's fastest / the same", best / median(following), "x", at_least=10)


def _peer(source: Path) -> Mapping[str, tuple[float, float, float]]:
    command = ["node", "context_chef.mjs", str(source), str(WINDOW), str(TURNS)]
    done = subprocess.run(command, cwd=source.parent, check=True, capture_output=True, text=True, timeout=300)
    found: Mapping[str, tuple[float, float, float]] = json.loads(done.stdout)
    return found


def _whole(body: Mapping[str, object]) -> float:
    elements = body["messages"]
    assert isinstance(elements, list)
    context = Context(window=WINDOW, tokenizer="chars4")
    spent = []
    for turn in range(TURNS + 1):
        given = {**body, "messages": elements[: len(elements) - 2 * (TURNS - turn)]}
        start = time.process_time()
        context.load(given, format="openai")
        context.compile_sync("openai").json()
        spent.append((time.process_time() - start) * 1000)
    # The first one is a cold load, which bench_compile publishes.
    return median(spent[1:])


def _following(body: Mapping[str, object], store: Path) -> float:
    elements = body["messages"]
    assert isinstance(elements, list)
    parser = builtin_registry().get("openai")
    context = Context(window=WINDOW, store=Store(SQLiteBackend(store)))
    context.load({**body, "messages": elements[: len(elements) - 2 * TURNS]}, format="openai")
    context.compile_sync("openai").json()
    spent = []
    for first in range(len(elements) - 2 * TURNS, len(elements), 2):
        more = parser.parse_items(elements[first : first + 2])
        start = time.process_time()
        context.append(*more)
        context.compile_sync("openai").json()
        spent.append((time.process_time() - start) * 1000)
    context.close()
    return median(spent)
