"""Contexts of callers without an event loop: what runs behind them, what is left when they are gone, who may interrupt them."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.engine.sessions import context_of, dialogue, elements

from transom import Context, MemoryBackend, Message, Store, chain, reset, summarize
from transom.engine.portal import Portal
from transom.errors import FormatError


def portals() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "transom-portal"]


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def gone(threads: list[threading.Thread]) -> bool:
    for thread in threads:
        thread.join(10)
    return not any(thread.is_alive() for thread in threads)


@pytest.fixture(autouse=True)
def _none_left() -> Iterator[None]:
    gc.collect()
    before = set(portals())
    yield
    gc.collect()
    assert gone([thread for thread in portals() if thread not in before])


@pytest.mark.parametrize("context_tool", [False, True])
def test_a_context_that_is_dropped_leaves_no_thread_and_no_open_file(context_tool: bool) -> None:
    store = Store(MemoryBackend())
    files = open_files()
    for _ in range(60):
        context = Context(window=4_000, store=store, context_tool=context_tool)
        context.append(Message("user", "hi"))
        context.compile_sync("openai")
    del context
    gc.collect()
    assert gone(portals())
    assert open_files() <= files


def test_a_context_whose_compile_failed_is_let_go_with_its_error() -> None:
    gc.disable()
    try:
        context = context_of([Message("user", "hi")])
        with pytest.raises(FormatError):
            context.compile_sync("nonsense")
        del context
        assert gone(portals()), "no cycle through the error holds it"
    finally:
        gc.enable()


def test_a_program_that_drops_thousands_of_contexts_ends_by_itself() -> None:
    code = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
from transom import *
store = Store(MemoryBackend())
for _ in range(400):
    context = Context(window=4_000, store=store)
    context.append(Message("user", "hi"))
    context.compile_sync("openai")
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_whoever_is_interrupted_while_waiting_leaves_no_work_behind() -> None:
    begun, ended = threading.Event(), threading.Event()
    portal = Portal()

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        portal.run(work())
    assert ended.is_set()
    portal.close()


def test_a_context_goes_on_after_an_interrupt() -> None:
    asked = threading.Event()

    async def slow(_: list[Message]) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    context = context_of(dialogue(30, 100), overflow=chain(summarize(slow, timeout=60), reset()), window=6_000)
    before = context.lineage

    def interrupt() -> None:
        asked.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        context.compile_sync("openai")
    assert context.lineage == before
    context.load([Message("user", "hi")])
    assert elements(context.compile_sync("openai")) == [{"role": "user", "content": "hi"}]
    context.close()


def test_an_exit_of_a_stray_task_ends_the_loop_and_the_portal_starts_anew() -> None:
    portal = Portal()

    async def leave() -> None:
        raise SystemExit

    async def stray() -> None:
        task = asyncio.create_task(leave())
        await asyncio.wait({task})

    with pytest.raises((asyncio.CancelledError, SystemExit)):
        portal.run(stray())
    assert gone(portals())

    async def seven() -> int:
        return 7

    assert portal.run(seven()) == 7
    portal.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_a_loop_of_its_own() -> None:
    context = context_of([Message("user", "hi")])
    expected = context.compile_sync("openai").json()
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(0 if context.compile_sync("openai").json() == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert context.compile_sync("openai").json() == expected
    context.close()
