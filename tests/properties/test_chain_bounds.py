"""A chain that passes over a step because of what the step says it can reach decides as one that tries every step."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom import Context, Message, TransomError, chain, clear, digest, reset
from transom.engine.overflow.strategies.clear import Clear
from transom.engine.overflow.strategy import Outcome, Span
from transom.testing.generators import agent_sessions


@dataclass(frozen=True, slots=True)
class Unbounded:
    """``clear``, without saying beforehand how little it could leave. Notes where that would have been too much."""

    step: Clear
    said: list[tuple[int, int]]

    @property
    def name(self) -> str:
        return self.step.name

    @property
    def fingerprint(self) -> str:
        return self.step.fingerprint

    async def apply(self, span: Span) -> Outcome:
        outcome = await self.step.apply(span)
        if outcome.changed:
            self.said.append((self.step.least_after(span), span.total_after(outcome)))
        return outcome


@pytest.mark.feature("O6")
@settings(max_examples=40)
@given(agent_sessions(max_requests=8, max_steps=8, sizes=(12, 60, 400)), st.sampled_from([1_250, 1_700, 4_000]), st.booleans())
def test_a_step_that_cannot_help_changes_nothing_when_left_out(messages: tuple[Message, ...], window: int, short: bool) -> None:
    said: list[tuple[int, int]] = []
    rest = () if short else (digest(), reset())
    payloads = []
    for first in (clear(), Unbounded(clear(), said)):
        context = Context(window=window, overflow=chain(first, *rest), tokenizer="chars4")
        context.append(*messages)
        try:
            payloads.append(context.compile_sync("openai").json())
        except TransomError as error:
            payloads.append(str(error).encode())
    assert payloads[0] == payloads[1]
    assert all(least <= after for least, after in said)
