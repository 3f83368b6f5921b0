"""Whether anything is lost: facts planted in a long session, everything a window moved read back, every address resolved."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from figures import Figure
from sessions import chat_body, planted, session
from turns import TARGETS, Account, conversations, read_back, run_turns, source

from transom import Context, Payload, SQLiteBackend, Store, TransomError
from transom.store.uri import format_uri, mentions
from transom.testing.reachability import Lost, lost
from transom.wire.registry import builtin_registry

COUNT = 20_000
FACTS = 250
WINDOW = 32_000
STEP = 8
"""Messages between two compiles of the long session."""
SMALL = 16_000


def measure() -> Iterable[Figure]:
    """The long session first, then the recorded ones."""
    yield from asyncio.run(_facts())
    yield from asyncio.run(_moved())


async def _facts() -> list[Figure]:
    facts = planted(FACTS)
    request = builtin_registry().get("openai").parse(chat_body(session(COUNT, facts=[sentence for _, sentence in facts])))
    cited: set[str] = set()
    closings = 0
    start = time.process_time()
    with tempfile.TemporaryDirectory(prefix="bench-facts-") as folder:
        async with Store(SQLiteBackend(Path(folder) / "facts.db")) as store:
            context = Context(window=WINDOW, store=store)
            context.head = request.head
            messages = request.messages
            for first in range(0, len(messages), STEP):
                context.append(*messages[first : first + STEP])
                payload = await context.compile("openai")
                closings += bool(payload.meta.closed)
                if payload.meta.moved:
                    cited.update(format_uri(*address) for address in mentions(payload.json().decode("utf-8", "surrogatepass")))
            shown = payload.json().decode("utf-8", "surrogatepass")
            in_payload = sum(token in shown for token, _ in facts)
            reached = 0
            for token, _ in facts:
                reached += token in shown or await _reached(store, token)
            dangling = sum([not await store.exists(uri) for uri in cited])
            report = await store.verify()
    faults = len(report.missing) + len(report.damaged)
    spent = time.process_time() - start
    note = (
        f"{COUNT:,} messages, {WINDOW:,} window, {closings} closings, SQLite; {in_payload} in the last payload; {spent:.0f} s"
    )
    return [
        Figure(
            f"facts in the payload or found by search + get, of {FACTS}", 100 * reached / FACTS, "%", at_least=100, note=note
        ),
        Figure("silent losses", FACTS - reached, "", at_most=0),
        Figure("addresses ever shown that lead nowhere", dangling, "", at_most=0, note=f"of {len(cited):,}"),
        Figure("faults found by verifying its store", faults, "", at_most=0, note=f"{report.entries:,} entries"),
    ]


async def _reached(store: Store, token: str) -> bool:
    """As a model would: search for the one word it knows, read what the hits point to."""
    for hit in await store.search(token, limit=5):
        try:
            if token.encode() in await store.expand(hit.uri):
                return True
        except TransomError:
            continue
    return False


async def _moved() -> list[Figure]:
    good = moved = gone = dangling = said = 0
    account = Account()
    for target in TARGETS:
        for talk in conversations():
            context, account.removed = Context(window=SMALL), set()
            payloads: list[Payload] = []
            last = await run_turns(talk, context, target, "appended", account, payloads)
            some, all_of_it = await read_back(context.store, payloads, (*talk.messages, *context.messages))
            good, moved = good + some, moved + all_of_it
            if last is not None:
                given = talk.messages[: talk.calls[-1]]
                more = (*last.meta.archives, *account.removed)
                losses, nowhere = await lost(last.body, given, context.store, more=more)
                losses = [one for one in losses if not _shown_otherwise(one, last)]
                gone, dangling, said = gone + len(losses), dangling + len(nowhere), said + len(given)
    note = f"of {moved:,} moved out of {SMALL:,} windows: {source()}, four targets, {account.closings} closings"
    return [
        Figure("moved content read back through its address", 100 * good / max(moved, 1), "%", at_least=100, note=note),
        Figure(
            "texts, calls, results and files no longer to be had", gone, "", at_most=0, note=f"of {said:,} messages, 4 targets"
        ),
        Figure("addresses in payloads and archives that lead nowhere", dangling, "", at_most=0),
    ]


def _shown_otherwise(one: Lost, payload: Payload) -> bool:
    """A file in the payload in the other alphabet of base64, which Gemini's own clients write."""
    return one.kind == "file" and one.text.translate(str.maketrans("+/", "-_")).encode() in payload.json()
