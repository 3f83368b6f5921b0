"""The laws of the gateway's guard in every protocol, over random sessions; and that they are looked at."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.gateway_clients import CLIENTS
from tests.properties.gateway_laws import Account
from tests.properties.gateway_sessions import MOVES, WINDOWS, Plan, planned, run

from transom.jsontext import locate, raw_items, raw_object

laws = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, max_examples=4)
moves = st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 1 << 30)), min_size=2, max_size=12)


@pytest.mark.feature("G1", "G2")
@pytest.mark.parametrize("protocol", list(CLIENTS))
@settings(laws)
@given(window=st.sampled_from(WINDOWS), seed=st.integers(0, 1 << 30), moves=moves)
async def test_whatever_a_client_does_the_guard_keeps_its_laws(
    protocol: str, window: int, seed: int, moves: list[tuple[str, int]]
) -> None:
    account = Account()
    await run(Plan(protocol, window, seed, moves), account)
    assert account.said == []


def _with_items(body: bytes, change: Callable[[list[bytes]], list[bytes]]) -> bytes:
    place = locate(body, "messages")
    assert place is not None
    items = change(list(raw_items(raw_object(body)["messages"])))
    return body[: place[0]] + b"[" + b",".join(items) + b"]" + body[place[1] :]


def _without_a_result(items: list[bytes]) -> list[bytes]:
    at = next((index for index, item in enumerate(items) if json.loads(item)["role"] == "tool"), len(items))
    return items[:at] + items[at + 1 :]


def _without_users(items: list[bytes]) -> list[bytes]:
    return [item for item in items if json.loads(item)["role"] != "user"]


def _another_each_time(items: list[bytes]) -> list[bytes]:
    return [*items[:1], b'{"role":"assistant","content":"%d"}' % len(items), *items[1:]]


@pytest.mark.parametrize(
    ("spoil", "law"),
    [
        (lambda body: _with_items(body, _without_a_result), "refused for the gateway's sake"),
        (lambda body: _with_items(body, _without_a_result), "pairs split"),
        (lambda body: _with_items(body, _without_users), "newest words gone"),
        (lambda body: _with_items(body, _without_users), "not readable"),
        (lambda body: _with_items(body, lambda items: items * 20), "over the window"),
        (lambda body: _with_items(body, _another_each_time), "not stable"),
        (lambda body: body.replace(b"1.0", b"1", 1), "other bytes changed"),
    ],
    ids=["a result, refused", "a result", "the user", "what the user said", "twenty times", "another each time", "a number"],
)
async def test_what_is_broken_is_noticed(spoil: Callable[[bytes], bytes], law: str) -> None:
    account = Account()
    for seed in range(5, 20):
        await run(planned(seed, "openai"), account, spoil=spoil)
        if account.wrong[law]:
            return
    pytest.fail(f"{law}: {account.wrong}")


def _spelled_anew(body: bytes) -> bytes:
    place = locate(body, "input")
    assert place is not None
    items = [
        json.dumps(json.loads(item)).encode() if b'"reasoning"' in item else item
        for item in raw_items(raw_object(body)["input"])
    ]
    return body[: place[0]] + b"[" + b",".join(items) + b"]" + body[place[1] :]


async def test_reasoning_is_compared_byte_for_byte() -> None:
    account = Account()
    for seed in range(40):
        await run(planned(seed, "openai-responses"), account, spoil=_spelled_anew)
        if any("could not be verified" in line for line in account.said):
            return
    pytest.fail(f"{account.wrong}")


async def test_a_closing_that_another_window_ended_at_the_same_place_is_not_taken_for_this_ones() -> None:
    account = Account()
    moves = [("works on", 200901052), ("works", 225374225), ("asks for a title", 700179556), ("asks two at once", 146775428)]
    await run(Plan("openai", 36_000, 3, moves), account)
    assert account.said == []


async def test_of_several_closings_of_one_history_a_title_is_asked_for_with_the_one_sent_last() -> None:
    account = Account()
    moves = [("works", 625049417), ("drops the answer", 724232187), ("changes its prompt", 1062287183)]
    await run(Plan("openai", 8_000, 537157033, [*moves, ("works", 302439081), ("asks for a title", 43209168)]), account)
    assert account.said == []
