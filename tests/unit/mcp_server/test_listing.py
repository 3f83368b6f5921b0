"""What a client is shown of the tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from mcp.client.subscriptions import ToolsListChanged
from mcp_types import Implementation, ServerNotification, ToolListChangedNotification

from mcp import Client
from transom.jsontext import dumps
from transom.mcp_server.server import build
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.toolbox.box import Toolbox
from transom.toolbox.toggles import Toggles

from .conftest import Scene

LEGACY, MODERN = "legacy", "2026-07-28"
OLDER = pytest.mark.filterwarnings("ignore:.* as of 2026-07-28")
"""For messages that the stateless revision has no more: the SDK warns its client of them."""
BOTH = pytest.mark.parametrize("mode", [LEGACY, MODERN])


@BOTH
async def test_every_tool_has_a_title_a_description_and_all_four_annotations(scene: Scene, mode: str) -> None:
    async with Client(scene.face.server, mode=mode) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["echo", "count", "wipe", "break", "where", "go", "explore_tools", "execute_tool"]
    for tool in tools:
        hints = tool.annotations
        assert tool.title, tool.name
        assert tool.description, tool.name
        assert hints is not None
        assert None not in {
            hints.title, hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint,
        }  # fmt: skip


async def test_a_tool_that_only_reads_says_that_it_destroys_nothing(scene: Scene) -> None:
    async with Client(scene.face.server) as client:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    echo, wipe = tools["echo"], tools["wipe"]
    assert echo is not None
    assert wipe is not None
    assert (echo.read_only_hint, echo.destructive_hint, echo.idempotent_hint, echo.open_world_hint) == (
        True,
        False,
        True,
        False,
    )
    assert (wipe.read_only_hint, wipe.destructive_hint) == (False, True)


async def test_the_list_has_the_same_bytes_every_time_and_fits_one_page(scene: Scene) -> None:
    async with Client(scene.face.server) as client:
        first, second = await client.list_tools(), await client.list_tools()
    assert first.next_cursor is None
    assert first.model_dump_json() == second.model_dump_json()
    assert dumps(scene.face.tools.shown()) == dumps(scene.face.tools.shown())


async def test_the_server_says_who_it_is_and_what_it_can(scene: Scene) -> None:
    async with Client(scene.face.server, mode=LEGACY) as client:
        can = client.server_capabilities
        assert client.server_info == Implementation(name="transom", title="Transom", version="1.2.3")
        assert client.instructions
        assert can.tools is not None
        assert can.tools.list_changed
        assert can.resources is not None
        assert can.resources.subscribe
        assert can.prompts is not None
        assert can.completions is not None
        assert can.logging is not None


async def test_clients_are_told_when_a_toggle_changes_the_list(scene: Scene) -> None:
    told = asyncio.Event()

    async def heard(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            told.set()

    async with Client(scene.face.server, mode=LEGACY, message_handler=heard) as client:
        before = [tool.name for tool in (await client.list_tools()).tools]
        scene.toolbox.toggles.switch("hide", on=True)
        async with asyncio.timeout(5):
            await told.wait()
        after = [tool.name for tool in (await client.list_tools()).tools]
    assert "hide" not in before
    assert "hide" in after


async def test_on_the_stateless_revision_those_who_listen_are_told(scene: Scene) -> None:
    async with Client(scene.face.server, mode=MODERN) as client, client.listen(tools_list_changed=True) as stream:
        scene.toolbox.toggles.switch("hide", on=True)
        async with asyncio.timeout(5):
            event = await anext(aiter(stream))
    assert event == ToolsListChanged()


async def test_a_switch_thrown_in_another_thread_is_told_as_well(scene: Scene) -> None:
    told = asyncio.Event()

    async def heard(message: ServerNotification | object) -> None:
        if isinstance(message, ToolListChangedNotification):
            told.set()

    async with Client(scene.face.server, mode=LEGACY, message_handler=heard) as client:
        await client.list_tools()
        await asyncio.to_thread(scene.toolbox.toggles.switch, "echo", on=False)
        async with asyncio.timeout(5):
            await told.wait()
        assert "echo" not in [tool.name for tool in (await client.list_tools()).tools]


async def test_in_discovery_mode_two_tools_are_the_whole_list_and_reach_the_others(make: Callable[..., Scene]) -> None:
    scene = make(discovery=True)
    async with Client(scene.face.server) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["explore_tools", "execute_tool"]
        found = await client.call_tool("explore_tools", {"tool_name": "echo"})
        assert found.structured_content is not None
        assert found.structured_content["name"] == "echo"
        done = await client.call_tool("execute_tool", {"tool_name": "echo", "arguments": {"text": "hello"}})
    assert done.structured_content == {"said": "hello"}


async def test_a_client_that_can_take_few_tools_is_shown_the_most_needed(make: Callable[..., Scene]) -> None:
    scene = make(most=2)
    async with Client(scene.face.server) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["explore_tools", "execute_tool"]


async def test_a_profile_shapes_the_schemas_and_what_calls_mean_stays(make: Callable[..., Scene]) -> None:
    scene = make(profile="openai-strict")
    async with Client(scene.face.server) as client:
        tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        assert sorted(tools["count"]["required"]) == ["seconds", "steps"]
        assert tools["count"]["additionalProperties"] is False
        counted = await client.call_tool("count", {"seconds": None, "steps": None})
    assert counted.content[0].text == "counted"  # type: ignore[union-attr]
    assert scene.face.tools.report().profile == "openai-strict"


async def test_what_a_model_is_told_is_true_of_the_list_it_is_shown() -> None:
    async def told(toggles: Toggles, **options: object) -> str:
        async with Store(MemoryBackend()) as store:
            toolbox = Toolbox(toggles=toggles, services={Store: store})
            face = build(toolbox, store, version="1", **options)  # type: ignore[arg-type]
            async with Client(face.server) as client:
                return client.instructions or ""

    usual = await told(Toggles())
    assert "paths" in usual
    assert "explore_tools" in usual
    assert "the context tool reads" in usual
    assert "paths" not in await told(Toggles(disable=["files"]))
    assert "explore_tools" not in await told(Toggles(disable=["discovery"]))
    assert "context" not in await told(Toggles(disable=["memory"]))
    assert "called with execute_tool" in await told(Toggles(), discovery=True)


@pytest.mark.parametrize("most", [2, 5, 15, 25])
def test_a_short_list_keeps_what_reaches_the_rest_and_what_is_needed_every_day(most: int) -> None:
    listed = {tool.name for tool in Toolbox().listed(most=most)}
    assert len(listed) == most
    assert listed >= {"explore_tools", "execute_tool"}
    if most >= 15:
        assert listed >= {"read_file", "save_file", "replace_text_in_file", "ripgrep", "run_python", "remember", "recall"}
