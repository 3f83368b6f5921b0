"""Calls: results, failures, consent, progress, cancellation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, ElicitRequestParams, ElicitResult, TextContent

from mcp import Client

from .conftest import Scene
from .test_listing import BOTH, LEGACY, MODERN


def said(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def answering(action: str, content: dict[str, Any] | None, asked: list[str]) -> Any:
    async def answer(_: object, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=action, content=content)  # type: ignore[arg-type]

    return answer


@BOTH
async def test_a_result_is_text_for_the_model_and_data_beside_it(scene: Scene, mode: str) -> None:
    async with Client(scene.face.server, mode=mode) as client:
        result = await client.call_tool("echo", {"text": "hello"})
    assert said(result) == "hello"
    assert result.structured_content == {"said": "hello"}
    assert not result.is_error


@BOTH
async def test_who_reads_the_data_alone_misses_nothing(scene: Scene, mode: str) -> None:
    async with Client(scene.face.server, mode=mode) as client:
        for name, arguments in (("explore_tools", {"query": "say"}), ("echo", {"wrong": 1}), ("echo", {"text": "once"})):
            result = await client.call_tool(name, arguments)
            assert result.structured_content is not None
            assert said(result) in result.structured_content.values(), name
    assert result.structured_content == {"said": "once"}, "nothing is said twice"


@BOTH
async def test_a_failure_is_a_result_with_its_symbol_beside_it(scene: Scene, mode: str) -> None:
    async with Client(scene.face.server, mode=mode) as client:
        result = await client.call_tool("hide", {})
    assert result.is_error
    assert result.meta is not None
    assert result.meta["transom/error"] == "disabled"
    assert "--enable" in said(result)


@BOTH
@pytest.mark.parametrize("arguments", [{}, {"text": 1, "limit": 5}, {"text": ["no"]}])
async def test_bad_arguments_are_a_result_that_says_what_is_right(scene: Scene, mode: str, arguments: dict[str, Any]) -> None:
    async with Client(scene.face.server, mode=mode) as client:
        result = await client.call_tool("echo", arguments)
    assert result.is_error
    assert result.meta is not None
    assert result.meta["transom/error"] == "invalid_input"
    assert "text" in said(result)


@BOTH
async def test_an_unknown_tool_is_an_error_of_the_protocol(scene: Scene, mode: str) -> None:
    async with Client(scene.face.server, mode=mode) as client:
        with pytest.raises(MCPError, match="no tool ech") as raised:
            await client.call_tool("ech", {})
    assert raised.value.error.code == INVALID_PARAMS


async def test_an_unknown_tool_behind_execute_tool_is_a_result(scene: Scene) -> None:
    async with Client(scene.face.server) as client:
        result = await client.call_tool("execute_tool", {"tool_name": "ech"})
    assert result.is_error
    assert result.meta is not None
    assert result.meta["transom/error"] == "unknown_tool"


async def test_a_tool_that_breaks_says_so_and_nothing_of_its_inside(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    async with Client(scene.face.server) as client:
        result = await client.call_tool("break", {})
    assert result.is_error
    assert "secret detail" not in said(result)
    assert "secret detail" in caplog.text


@BOTH
async def test_the_user_is_asked_before_what_cannot_be_undone(scene: Scene, mode: str) -> None:
    asked: list[str] = []
    yes = answering("accept", {"confirm": True}, asked)
    async with Client(scene.face.server, mode=mode, elicitation_callback=yes) as client:
        result = await client.call_tool("wipe", {})
    assert said(result) == "wiped"
    assert scene.notes.wiped == 1
    assert len(asked) == 1
    assert "wipe" in asked[0]


@BOTH
@pytest.mark.parametrize(
    ("action", "content"), [("decline", None), ("cancel", None), ("accept", {"confirm": False}), ("accept", None)]
)
async def test_all_but_a_yes_is_a_no(scene: Scene, mode: str, action: str, content: dict[str, Any] | None) -> None:
    no = answering(action, content, [])
    async with Client(scene.face.server, mode=mode, elicitation_callback=no) as client:
        result = await client.call_tool("wipe", {})
    assert result.is_error
    assert result.meta is not None
    assert result.meta["transom/error"] == "confirm_required"
    assert scene.notes.wiped == 0


@BOTH
async def test_where_nobody_can_be_asked_the_argument_does_it(scene: Scene, mode: str) -> None:
    async with Client(scene.face.server, mode=mode) as client:
        refused = await client.call_tool("wipe", {})
        done = await client.call_tool("wipe", {"confirm": True})
    assert refused.is_error
    assert '"confirm": true' in said(refused)
    assert said(done) == "wiped"


async def test_on_the_stateless_revision_an_answer_to_another_question_is_none(scene: Scene) -> None:
    yes = ElicitResult(action="accept", content={"confirm": True})
    never = answering("decline", None, [])
    async with Client(scene.face.server, mode=MODERN, elicitation_callback=never) as client:
        result = await client.call_tool("wipe", {}, input_responses={"confirm-0000000000000000": yes})
    assert isinstance(result, CallToolResult)
    assert result.is_error
    assert scene.notes.wiped == 0


@BOTH
async def test_progress_comes_to_those_who_asked_for_it_in_order(scene: Scene, mode: str) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with Client(scene.face.server, mode=mode) as client:
        await client.call_tool("count", {"steps": 50}, progress_callback=hear)
        with_token = list(heard)
        result = await client.call_tool("count", {"steps": 50})
    assert said(result) == "counted"
    assert [heard[0], heard[-1]] == [(1, 50, "step 1"), (50, 50, "step 50")]
    assert [done for done, _, _ in heard] == sorted({done for done, _, _ in heard})
    assert len(heard) <= 4, "a few a second, not one a step"
    assert heard == with_token, "nothing without a token"


@BOTH
async def test_a_call_that_is_called_off_ends_its_work(scene: Scene, mode: str) -> None:
    async with Client(scene.face.server, mode=mode) as client:
        call = asyncio.create_task(client.call_tool("count", {"seconds": 30}))
        async with asyncio.timeout(10):
            assert await asyncio.to_thread(scene.notes.started.wait, 10)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await asyncio.to_thread(scene.notes.called_off.wait, 10)
            assert said(await client.call_tool("echo", {"text": "still here"})) == "still here"


async def test_calls_run_beside_one_another(scene: Scene) -> None:
    async with Client(scene.face.server, mode=LEGACY) as client, asyncio.timeout(10):
        slow = asyncio.create_task(client.call_tool("count", {"seconds": 1}))
        assert said(await client.call_tool("echo", {"text": "meanwhile"})) == "meanwhile"
        assert not slow.done()
        await slow
