"""Strategies that decide nonsense or end the program, sessions that talk about addresses, stores named by odd paths."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from transom import Call, Context, FilesystemBackend, MemoryBackend, Message, Store
from transom.engine.ledger.edits import TurnEdit
from transom.engine.ledger.records import Item
from transom.engine.overflow.strategy import Outcome, Span
from transom.errors import StoreError

Decide = Callable[[Span], object]


class Odd:
    """A strategy that gives whatever a function gives."""

    name = "odd"
    fingerprint = "odd1"

    def __init__(self, decide: Decide) -> None:
        self.decide = decide

    async def apply(self, span: Span) -> Outcome:
        return self.decide(span)  # type: ignore[return-value]  # the very fault


def conversation(rounds: int, said: str = "") -> list[Message]:
    found = []
    for number in range(rounds):
        call = Call("read", "{}", f"c{number}")
        found += [
            Message("user", f"question {number} {said}" + " word" * 200),
            Message("assistant", [call]),
            Message("tool", f"result {number}\n" * 60, tool_call_id=call.id, name="read"),
            Message("assistant", f"answer {number} {said}"),
        ]
    return found


def _closed_by(span: Span, *items: Item, texts: object = (), strategy: object = "odd") -> Outcome:
    leaving = span.leaving(span.cut)
    shown = (*items, *span.kept(span.cut))
    return Outcome(span.cut, shown, span.messages(span.cut), leaving, texts, strategy)  # type: ignore[arg-type]


NONSENSE: dict[str, Decide] = {
    "no outcome": lambda span: "x",
    "a negative cut": lambda span: Outcome(cut=-3),
    "a head that is no text": lambda span: _closed_by(span, Item("head", text=None)),  # type: ignore[arg-type]
    "a name that is no text": lambda span: _closed_by(span, Item("head", text="h"), strategy=5),
    "texts that are none": lambda span: _closed_by(span, Item("head", text="h"), texts=(1,)),
    "edits that are none": lambda span: Outcome(
        span.cut,
        tuple(Item("edit", place=turn.place, edits=("x",)) for turn in span.turns[: span.cut]),  # type: ignore[arg-type]
    ),
    "turns twice": lambda span: Outcome(span.cut, tuple(Item("keep", place=turn.place) for turn in (*span.turns[:1],) * 2)),
    "turns out of order": lambda span: Outcome(
        span.cut,
        tuple(Item("edit", place=turn.place, edits=(TurnEdit(0, 0, "short"),)) for turn in reversed(span.turns[: span.cut])),
    ),
}


@pytest.mark.parametrize("fault", NONSENSE)
async def test_nonsense_from_a_strategy_is_named_and_never_recorded(fault: str) -> None:
    store, history = Store(MemoryBackend()), conversation(30)
    for end in range(40, len(history) + 1, 40):
        context = Context(window=8_000, store=store, overflow=Odd(NONSENSE[fault]))
        context.load(history[:end])
        payload = await context.compile("openai")
        assert payload.meta.tokens_after <= 8_000
    assert payload.meta.failure.startswith("odd: ")
    assert (await store.verify()).ok


@pytest.mark.parametrize("ending", [SystemExit, KeyboardInterrupt])
def test_an_exit_inside_a_synchronous_compile_reaches_its_caller(ending: type[BaseException]) -> None:
    def leave(_: Span) -> object:
        raise ending

    context = Context(window=8_000, overflow=Odd(leave))
    context.load(conversation(30))
    with pytest.raises(ending):
        context.compile_sync("openai")
    context.close()


async def test_a_session_that_talks_of_addresses_leaves_a_store_that_verifies() -> None:
    store = Store(MemoryBackend())
    context = Context(window=6_000, store=store)
    elsewhere = f"context://vfs/{'0' * 64}"
    closed = 0
    for end in range(4, 121, 4):
        context.load(conversation(30, f"see context://archive/a/b, {elsewhere} and must keep context://windows/x")[:end])
        closed += bool((await context.compile("openai")).meta.closed)
    report = await store.verify()
    assert closed > 1
    assert report.ok, report.missing
    assert elsewhere in dict(report.dangling)


async def test_a_text_that_only_a_head_names_is_missed_when_it_is_gone() -> None:
    store = Store(MemoryBackend())
    context = Context(window=8_000, store=store)
    for end in range(4, 121, 4):
        context.load(conversation(30)[:end])
        await context.compile("openai")
    uris = [uri async for uri in _cited_texts(store)]
    assert uris
    await store.delete("vfs", uris[0].removeprefix("context://vfs/"))
    assert uris[0] in dict((await store.verify()).missing)


async def _cited_texts(store: Store):  # type: ignore[no-untyped-def]
    async for path, _ in store.entries("vfs"):
        yield f"context://vfs/{path}"


async def test_a_window_closed_for_one_target_breaks_no_law_on_another() -> None:
    context = Context(window=8_000, check=True)
    broken: list[object] = []
    context.on("invariant_broken", broken.append)
    history = conversation(40)
    for number, end in enumerate(range(4, len(history) + 1, 4)):
        context.load(history[:end])
        await context.compile("anthropic" if number % 7 == 0 else "openai")
    assert context.lineage.current != "w1"
    assert not broken


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_store_that_is_no_regular_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = _transom("store", "ls", "--store", str(tmp_path / "pipe"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "no regular file" in done.stderr


def test_a_folder_whose_making_was_cut_short_is_a_store_again(tmp_path: Path) -> None:
    control = tmp_path / "store" / ".transom"

    async def use() -> bytes:
        async with Store(FilesystemBackend(tmp_path / "store")) as store:
            return await store.get(await store.put("vfs", "kept"))

    asyncio.run(use())
    (mark,) = [path for path in (tmp_path / "store").rglob("version") if path.is_file()]
    mark.write_bytes(b"")
    # Entries come after the mark: where some are, it was not the making that was cut short.
    with pytest.raises(StoreError, match="lost or empty"):
        asyncio.run(use())
    shutil.rmtree(tmp_path / "store" / "vfs")
    assert asyncio.run(use()) == b"kept", control
    mark.write_bytes(b"2\n")
    with pytest.raises(StoreError, match="newer release"):
        asyncio.run(use())


@pytest.mark.skipif(os.name != "posix", reason="closes descriptors by the shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_ends_in_a_status_and_no_traceback(closed: str) -> None:
    command = f'"{sys.executable}" -m transom validate - {closed}'
    done = subprocess.run(["sh", "-c", command], input="{}", capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def _transom(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "transom", *arguments], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("ending", [GeneratorExit, asyncio.CancelledError])
async def test_a_strategy_that_ends_itself_as_the_compile_would_be_ended_has_failed(ending: type[BaseException]) -> None:
    def leave(_: Span) -> object:
        raise ending

    context = Context(window=8_000, overflow=Odd(leave))
    context.load(conversation(30))
    payload = await context.compile("openai")
    assert payload.meta.failure == f"odd: it ended with {ending.__name__}"
    assert payload.meta.tokens_after <= 8_000


async def test_a_strategy_that_will_not_be_cancelled_is_given_up_in_time() -> None:
    released = asyncio.Event()

    class Stubborn(Odd):
        async def apply(self, span: Span) -> Outcome:
            while not released.is_set():
                try:
                    await released.wait()
                except asyncio.CancelledError:
                    continue
            return Outcome()

    context = Context(window=8_000, overflow=Stubborn(lambda _: None))
    context._runner.timeout = 0.01
    context.load(conversation(30))
    try:
        async with asyncio.timeout(30):
            payload = await context.compile("openai")
    finally:
        released.set()
    assert payload.meta.failure == "odd: it took too long"
    assert payload.meta.tokens_after <= 8_000
