"""What the guard learns from answers: how a model counts, and windows that nobody speaks of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom import Context, Store
from transom.gateway.calibrations import Calibrations
from transom.gateway.endpoint import endpoint
from transom.gateway.exchange import Exchange, Reported
from transom.gateway.guard import Guard
from transom.gateway.overflows import weight
from transom.gateway.upstreams import Upstream
from transom.gateway.windows import Windows
from transom.store.backends.memory import MemoryBackend
from transom.tokens.heuristic import Heuristic
from transom.wire.registry import builtin_registry

# Nothing listens there: windows are known from settings and answers only.
NOWHERE = "http://127.0.0.1:9"


class Parts:
    """A guard as it is served, over one store."""

    def __init__(self, window: int | None, store: Store | None = None) -> None:
        self.store = store or Store(MemoryBackend())
        self.upstream = Upstream(name="nowhere", url=NOWHERE, window=window)
        self.windows = Windows(self.store, patience=2.0)
        self.guard = Guard(
            lambda scope, size: Context(window=size, store=self.store, prune=False, usage_preference="feed-first"),
            self.windows,
            builtin_registry(),
            calibrations=Calibrations(self.store),
        )

    async def asked(
        self, messages: list[dict[str, Any]], *, dry: bool = False, path: str = "/v1/chat/completions", **fields: object
    ) -> Exchange:
        exchange = Exchange(
            id="1",
            method="POST",
            path=path,
            query="",
            headers=(),
            endpoint=endpoint("POST", path, {}),
            upstream=self.upstream,
            body=json.dumps({"model": "m", **fields, "messages": messages}).encode(),
            dry=dry,
        )
        await self.guard.before(exchange)
        return exchange

    async def answered(self, exchange: Exchange, tokens: int) -> Exchange:
        exchange.reported = Reported(input_tokens=tokens, output_tokens=5)
        await self.guard.after(exchange)
        return exchange


def talk(turns: int, name: str = "a") -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": f"You help {name}."}]
    for number in range(turns):
        messages += [
            {"role": "user", "content": f"Part {number}: " + "words and numbers " * 80},
            {"role": "assistant", "content": f"Part {number} is fine."},
        ]
    return [*messages, {"role": "user", "content": "And now?"}]


def weighed(exchange: Exchange) -> int:
    """What a model counts that counts as we do."""
    return Heuristic().count(exchange.sent.decode())


@pytest.mark.feature("K5")
async def test_what_one_conversation_learns_holds_for_the_next_with_that_model_and_over_a_restart() -> None:
    first = Parts(64_000)
    exchange = await first.asked(talk(10))
    before = exchange.tokens_after or 0
    await first.answered(exchange, before * 2)
    other = await first.asked(talk(10, "b"))
    assert other.tokens_after == pytest.approx(before * 2, rel=0.01)
    again = await Parts(64_000, first.store).asked(talk(10, "c"))
    assert again.tokens_after == pytest.approx(before * 2, rel=0.01)


async def test_a_drop_nobody_speaks_of_is_noticed_and_names_a_window() -> None:
    parts = Parts(None)
    exchange = await parts.asked(talk(40))
    assert exchange.decisions[0].action == "observed"
    await parts.answered(exchange, 4_096)
    assert [decision.action for decision in exchange.decisions] == ["observed", "noticed"]
    again = await parts.asked(talk(41))
    assert again.window is None, "a single count may be a slip"
    await parts.answered(again, 4_096)
    following = await parts.asked(talk(42))
    assert following.window == 4_096
    assert following.decisions[0].action == "closed"
    assert (following.tokens_after or 0) < 4_096
    await parts.windows.aclose()


async def test_a_drop_teaches_nothing_about_how_the_model_counts() -> None:
    parts = Parts(64_000)
    for number in range(10, 14):
        exchange = await parts.asked(talk(number))
        await parts.answered(exchange, exchange.tokens_after or 0)
    exchange = await parts.asked(talk(40))
    await parts.answered(exchange, (exchange.tokens_after or 0) // 3)
    assert exchange.decisions[-1].action == "noticed"
    assert (await Calibrations(parts.store).of(parts.upstream, "m")).ratio == pytest.approx(1.0, rel=0.01)
    await parts.windows.aclose()


async def test_a_provider_that_counts_less_than_was_sent_cut_nothing() -> None:
    """Anthropic leaves out the reasoning of earlier turns by itself, and would refuse what is too long."""
    parts = Parts(64_000)
    parts.upstream = Upstream(name="cloud", url="https://api.anthropic.com", window=64_000)
    exchange = await parts.asked(talk(40))
    await parts.answered(exchange, (exchange.tokens_after or 0) // 3)
    assert [decision.action for decision in exchange.decisions] == ["passed"]
    assert (await parts.windows.of(parts.upstream, "m"))[0] == 64_000


async def test_what_was_not_sent_as_it_was_compiled_teaches_nothing() -> None:
    parts = Parts(8_000)
    exchange = await parts.asked(talk(40), dry=True)
    assert exchange.decisions[0].action == "closed"
    await parts.answered(exchange, exchange.tokens_before or 0)
    assert len(await Calibrations(parts.store).of(parts.upstream, "m")) == 0


async def test_an_error_that_names_more_than_the_setting_does_not_widen_it() -> None:
    parts = Parts(8_000)
    exchange = await parts.asked(talk(20))
    assert await parts.guard.overflowed(exchange, 20_000, 16_000)
    assert exchange.window == 8_000
    assert (exchange.tokens_after or 0) < 8_000
    await parts.windows.aclose()


@settings(max_examples=15)
@given(
    counts=st.floats(0.6, 2.0),
    slip=st.one_of(st.floats(4, 40), st.floats(0.02, 0.2)),
    honest=st.integers(0, 3),
    is_local=st.booleans(),
)
async def test_a_count_that_slips_once_changes_nothing(counts: float, slip: float, honest: int, is_local: bool) -> None:
    """Neither for its own conversation nor for the next; and what is learned later is as exact as ever."""
    parts = Parts(64_000)
    if not is_local:
        parts.upstream = Upstream(name="cloud", url="https://api.anthropic.com", window=64_000)

    async def answered(exchange: Exchange, factor: float = 1.0) -> None:
        await parts.answered(exchange, int(weight_of(exchange) * factor))

    def weight_of(exchange: Exchange) -> int:
        return int(Heuristic().count(exchange.sent.decode()) * counts)

    for turns in range(10, 10 + honest):
        await answered(await parts.asked(talk(turns)))
    slipped = await parts.asked(talk(15))
    await answered(slipped, slip)
    for name in "abcd":
        exchange = await parts.asked(talk(16, name))
        assert exchange.window == 64_000
        assert exchange.decisions[0].action == "passed"
        assert 1 / 2.5 <= (exchange.tokens_after or 0) / weight_of(exchange) <= 2.5
        await answered(exchange)
    last = await parts.asked(talk(40, "e"))
    assert last.tokens_after == pytest.approx(weight_of(last), rel=0.03)
    await parts.windows.aclose()


@pytest.mark.parametrize("counts", [0.7, 1.0, 1.4], ids=["fewer than we think", "as we think", "more than we think"])
async def test_a_refusal_without_numbers_teaches_a_window_to_go_by(counts: float) -> None:
    """It is closed and asked once more; what follows stays within it and is not refused again."""
    parts, takes, refused = Parts(None), 12_000, 0
    for turns in range(4, 92, 8):
        exchange = await parts.asked(talk(turns))
        if weight(exchange) * counts > takes:
            refused += 1
            assert await parts.guard.overflowed(exchange, None, None)
            assert exchange.decisions[-1].action == "retried"
            assert weight(exchange) * counts <= takes
        await parts.answered(exchange, int(weight(exchange) * counts))
    assert refused == 1
    tokens, source = await parts.windows.of(parts.upstream, "m")
    assert source == "an error"
    assert tokens is not None
    assert takes / counts / 2 < tokens < takes / counts
    parts.windows.learn(parts.upstream, "m", takes)
    assert await parts.windows.of(parts.upstream, "m") == (takes, "an error"), "a number replaces it"
    await parts.windows.aclose()


async def test_only_what_is_surely_too_long_teaches_a_window_to_go_by() -> None:
    parts = Parts(None)
    for turns, certain in ((40, False), (4, True)):
        exchange = await parts.asked(talk(turns))
        assert not await parts.guard.overflowed(exchange, None, None, certain=certain)
        assert not exchange.edited
        assert await parts.windows.of(parts.upstream, "m") == (None, "")
    exchange = await parts.asked(talk(40))
    assert await parts.guard.overflowed(exchange, 9_000, None)
    assert await parts.windows.of(parts.upstream, "m") == (6_000, "an error"), "the server's own count goes before ours"
    await parts.windows.aclose()


@pytest.mark.feature("K7")
async def test_a_window_closes_in_the_middle_of_a_tool_loop() -> None:
    parts = Parts(8_000)
    messages: list[dict[str, Any]] = [*talk(4), {"role": "assistant", "content": "I will look."}]
    messages.append({"role": "user", "content": "Read all of it."})
    actions = []
    for number in range(20):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": f'{{"n": {number}}}'}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"part {number}: " + "words and numbers " * 100},
        ]
        exchange = await parts.asked(messages)
        actions.append(exchange.decisions[0].action)
        sent = json.loads(exchange.sent)["messages"]
        # Behind a cut it may stand at the end of what stands for the rest: roles take turns.
        assert any(each["role"] == "user" and each["content"].endswith("Read all of it.") for each in sent)
        assert sent[-2:] == messages[-2:]
        assert (exchange.tokens_after or 0) < 8_000
        await parts.answered(exchange, exchange.tokens_after or 0)
    assert actions[0] == "passed"
    assert "closed" in actions
    assert actions.count("closed") < 6, "rarely, and deep"


@pytest.mark.parametrize("factor", [0.9, 1.25, 1.6])
@pytest.mark.parametrize("restarted", [False, True], ids=["in one process", "after a restart"])
async def test_a_message_written_anew_after_a_closing_leaves_what_was_closed_as_it_is(factor: float, restarted: bool) -> None:
    parts = Parts(16_000)
    for turns in range(10, 14):
        exchange = await parts.asked(talk(turns, "other")[:-2])
        await parts.answered(exchange, int(weighed(exchange) * 1.05))
    closed = await parts.asked(talk(38)[:-2])
    assert closed.decisions[0].action == "closed"
    await parts.answered(closed, int(weighed(closed) * factor))
    for turns in range(10, 14):
        exchange = await parts.asked(talk(turns, "other")[:-2])
        await parts.answered(exchange, int(weighed(exchange) * factor))
    if restarted:
        parts = Parts(16_000, parts.store)
    anew = talk(38)[:-2]
    anew[-1]["content"] = "Or rather: " + anew[-1]["content"]
    edited = await parts.asked(anew)
    assert edited.sent.startswith(closed.sent[: closed.sent.rindex(b'"role')])
    await parts.windows.aclose()


@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.parametrize("heavier", [1.2, 1.5, 2.5])
async def test_a_message_that_weighs_more_than_the_rest_did_fits_at_the_second_try(heavier: float, is_told: bool) -> None:
    """Digits have half the characters a token that words have: what twenty answers taught does not hold for them."""
    window = 16_000
    parts = Parts(window)
    for number in range(1, 21):
        exchange = await parts.asked(talk(number))
        await parts.answered(exchange, exchange.tokens_after or 0)

    def counted(sent: bytes) -> int:
        plain = Heuristic().count(sent.decode())
        digits = Heuristic().count("".join(part for part in sent.decode().split() if part[:1].isdigit()))
        return int(plain + (heavier - 1) * digits)

    table = [*talk(20)[:-1], {"role": "user", "content": " ".join(f"{row * 7919 % 100_000}.{row}," for row in range(12_000))}]
    for _ in range(3):
        exchange = await parts.asked(table)
        if (read := counted(exchange.sent)) > window:
            assert await parts.guard.overflowed(exchange, read if is_told else None, window)
            read = counted(exchange.sent)
        if is_told or heavier < 1.5:
            assert read <= window, [(each.action, each.reason) for each in exchange.decisions]
        await parts.answered(exchange, read)
