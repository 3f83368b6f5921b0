from __future__ import annotations

import asyncio

import pytest

from transom import Message
from transom.errors import UpstreamError
from transom.testing.model import ScriptedModel
from transom.testing.script import Fault, Received, Step, says

ASKED = [Message("user", "Summarise.")]


async def test_it_answers_in_order_and_remembers_what_it_was_asked() -> None:
    model = ScriptedModel(["One.", says("Two.")], name="small", window=4_096)
    assert [await model(ASKED), await model(ASKED)] == ["One.", "Two."]
    assert [received.number for received in model.received] == [1, 2]
    assert model.received[0].last.text == "Summarise."
    assert (model.name, model.window) == ("small", 4_096)
    with pytest.raises(LookupError, match="no answer left for request 3"):
        await model(ASKED)


async def test_a_function_may_answer_by_what_it_is_asked() -> None:
    def answer(received: Received) -> Step:
        return f"{len(received.messages)} messages, tools {received.tools}"

    assert await ScriptedModel(answer)(ASKED) == "1 messages, tools ()"


async def test_it_fails_in_the_ways_that_models_fail() -> None:
    model = ScriptedModel(
        [Fault.refuses(503, "busy"), Fault.nothing(), Fault.in_success("Error: quota"), Fault.page(), Fault.hangs()]
    )
    with pytest.raises(UpstreamError, match="busy") as caught:
        await model(ASKED)
    assert caught.value.status == 503
    assert await model(ASKED) == ""
    assert await model(ASKED) == "Error: quota"
    with pytest.raises(UpstreamError, match="page"):
        await model(ASKED)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await model(ASKED)
