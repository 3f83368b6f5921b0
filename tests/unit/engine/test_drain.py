"""A change of a conversation's context waits for the calls in flight, and is put off when they take too long."""

from __future__ import annotations

import asyncio

import pytest

from transom.engine.offload.drain import Drain

pytestmark = pytest.mark.feature("S13")


async def test_nothing_in_flight_is_nothing_to_wait_for() -> None:
    drain = Drain()
    assert await drain.settled("a")
    with drain.call("b"):
        assert await drain.settled("a")
        assert drain.running("b") == 1
    assert drain.running("b") == 0


async def test_it_waits_until_the_last_call_has_ended() -> None:
    drain = Drain()
    with drain.call("a"):
        with drain.call("a"):
            waiting = asyncio.ensure_future(drain.settled("a"))
            await asyncio.sleep(0)
        assert not waiting.done()
    assert await waiting


async def test_what_takes_too_long_puts_the_change_off_and_is_logged_loudly(caplog: pytest.LogCaptureFixture) -> None:
    drain = Drain(longest=0.05)
    with drain.call("a"):
        assert not await drain.settled("a")
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert "1 tool calls still run" in record.getMessage()
