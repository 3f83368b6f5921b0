"""The laws of a session with everything switched on, for every strategy on every target; and that they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.agent_laws import LAWS, PAIRS, STRATEGIES, TARGETS, Account, Agent, session

from transom import Message

laws = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, max_examples=8)


@pytest.mark.feature("O8", "S9", "S10", "L9")
@pytest.mark.parametrize(("strategy", "target"), PAIRS)
@settings(laws)
@given(st.integers(0, 2**32))
async def test_nothing_pinned_or_remembered_is_lost_and_no_pair_is_split(strategy: str, target: str, seed: int) -> None:
    account = Account()
    await session(seed, strategy, target, account)
    assert account.said == []


def _without_pinned(messages: Sequence[Message]) -> Sequence[Message]:
    return [message for message in messages if not message.pinned]


def _without_results(messages: Sequence[Message]) -> Sequence[Message]:
    return [message for message in messages if not message.results]


def _without_system(messages: Sequence[Message]) -> Sequence[Message]:
    return [message for message in messages if message.role != "system"]


def _only_the_newest(messages: Sequence[Message]) -> Sequence[Message]:
    return messages[-1:] if messages[-1].role == "user" else messages


@pytest.mark.unstable_prefix("a function in a slot takes something away, so that the account can notice it")
@pytest.mark.parametrize(
    ("take_away", "law"),
    [
        (_without_pinned, "pinned turns lost"),
        (_without_results, "payloads a provider would refuse"),
        (_without_system, "facts written and not shown"),
        (_only_the_newest, "texts lost"),
        (_only_the_newest, "prefixes broken"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_is_taken_away_is_noticed(take_away: Callable[[Sequence[Message]], Sequence[Message]], law: str) -> None:
    account = Account()
    for seed in range(40):
        agent = Agent(Random(seed), "openai", "digest", account)
        agent.context.use("before-adapt", take_away)
        await agent.run()
    assert account.wrong[law] > 0


async def test_a_fact_that_is_gone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    account = Account()
    agent = Agent(Random(1), "openai", "reset", account)
    await agent.context.memory.facts.set("app-9", "the application knows 9")
    agent.facts["app-9"] = "the application knows 10"
    await agent.run()
    assert account.wrong["facts written and not recalled"] > 0
    assert set(account.wrong) <= set(LAWS)


def test_all_strategies_and_targets_are_covered() -> None:
    assert len(PAIRS) == len(STRATEGIES) * len(TARGETS)
    assert len(set(PAIRS)) == len(PAIRS)
