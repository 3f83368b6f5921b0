"""What belongs to one client: its working directory, its folders, its log level."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ListRootsResult, LoggingMessageNotificationParams, Root

from mcp import Client
from transom.mcp_server.server import build
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.toolbox.access.projects import FolderProjects
from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.families.memory import FAMILY as MEMORY
from transom.toolbox.families.memory import memory_services

from .conftest import Scene
from .test_listing import BOTH, LEGACY, MODERN, OLDER


def giving(*folders: Path | str) -> Any:
    async def answer(context: object) -> ListRootsResult:
        given = [folder if isinstance(folder, str) else folder.as_uri() for folder in folders]
        return ListRootsResult(roots=[Root(uri=uri) for uri in given])  # type: ignore[arg-type]

    return answer


async def placed(client: Client) -> dict[str, Any]:
    result = await client.call_tool("where", {})
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def test_each_client_has_a_working_directory_of_its_own(scene: Scene) -> None:
    async with Client(scene.face.server, mode=LEGACY) as one, Client(scene.face.server, mode=LEGACY) as other:
        await one.call_tool("go", {"directory": "inner"})
        here, there = await placed(one), await placed(other)
    assert here["cwd"] == str(scene.root / "inner")
    assert there["cwd"] == str(scene.root)
    assert here["session"] != there["session"]
    assert here["stateful"]
    assert there["stateful"]


async def test_without_sessions_nothing_is_kept_between_calls(scene: Scene) -> None:
    async with Client(scene.face.server, mode=MODERN) as client:
        await client.call_tool("go", {"directory": "inner"})
        assert await placed(client) == {
            "roots": [str(scene.root)],
            "cwd": str(scene.root),
            "session": None,
            "stateful": False,
        }


@BOTH
async def test_the_folders_of_a_client_replace_those_of_the_command_line(scene: Scene, mode: str, tmp_path: Path) -> None:
    other = tmp_path / "other folder"
    other.mkdir()
    async with Client(scene.face.server, mode=mode, list_roots_callback=giving(other)) as client:
        assert (await placed(client))["roots"] == [str(other)]
        assert (await placed(client))["cwd"] == str(other)


@BOTH
async def test_a_client_that_names_none_keeps_those_of_the_command_line(scene: Scene, mode: str) -> None:
    async with Client(scene.face.server, mode=mode, list_roots_callback=giving()) as client:
        assert (await placed(client))["roots"] == [str(scene.root)]


@BOTH
async def test_a_folder_that_is_not_there_is_named_and_left_out(
    scene: Scene, mode: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    gone = (tmp_path / "gone").as_uri()
    async with Client(scene.face.server, mode=mode, list_roots_callback=giving(gone, other)) as client:
        assert (await placed(client))["roots"] == [str(other)]
    assert gone in caplog.text


@OLDER
async def test_folders_are_asked_for_again_when_they_change(scene: Scene, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    given: list[Path] = [one]
    asked = 0

    async def answer(context: object) -> ListRootsResult:
        nonlocal asked
        asked += 1
        return ListRootsResult(roots=[Root(uri=folder.as_uri()) for folder in given])  # type: ignore[arg-type]

    async with Client(scene.face.server, mode=LEGACY, list_roots_callback=answer) as client:
        assert (await placed(client))["roots"] == [str(one)]
        assert (await placed(client))["roots"] == [str(one)]
        assert asked == 1
        for now, expected in (([other], [other]), ([], [scene.root])):
            given[:] = now
            await client.session.send_roots_list_changed()
            assert (await placed(client))["roots"] == [str(folder) for folder in expected]


async def test_calls_at_the_same_time_ask_once(scene: Scene, tmp_path: Path) -> None:
    asked = 0

    async def answer(context: object) -> ListRootsResult:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.05)
        return ListRootsResult(roots=[Root(uri=tmp_path.as_uri())])  # type: ignore[arg-type]

    async with Client(scene.face.server, mode=LEGACY, list_roots_callback=answer) as client:
        places = await asyncio.gather(*(placed(client) for _ in range(5)))
    assert asked == 1
    assert {tuple(place["roots"]) for place in places} == {(str(tmp_path),)}


@OLDER
async def test_log_records_reach_a_client_from_the_level_it_asked_for(scene: Scene) -> None:
    heard: list[str] = []

    async def log(params: LoggingMessageNotificationParams) -> None:
        heard.append(f"{params.level}: {params.data}")

    logger = logging.getLogger("transom.somewhere")
    async with Client(scene.face.server, mode=LEGACY, logging_callback=log) as client:
        await client.list_tools()
        logger.warning("a warning")
        await client.session.set_logging_level("error")
        logger.warning("another")
        logger.error("an error")
        logging.getLogger("elsewhere").error("of others")
        async with asyncio.timeout(5):
            while len(heard) < 2:
                await client.list_tools()
    assert heard == ["warning: a warning", "error: an error"]


@BOTH
async def test_what_is_remembered_follows_the_folders_of_the_client(mode: str, tmp_path: Path) -> None:
    folders = (tmp_path / "pier", tmp_path / "quay")
    for folder in folders:
        folder.mkdir()
    async with Store(MemoryBackend()) as store:
        workspace = Workspace([tmp_path])
        toolbox = Toolbox(
            [MEMORY],
            services={Store: store, FolderProjects: FolderProjects(store), **memory_services(store)},
            per_session=lambda: {Workspace: workspace.for_session()},
        )
        face = build(toolbox, store, version="1")
        for folder in folders:
            async with Client(face.server, mode=mode, list_roots_callback=giving(folder)) as client:
                await client.call_tool("remember", {"fact": f"seen from the {folder.name}"})
                recalled = str((await client.call_tool("recall", {})).content)
                assert [other.name for other in folders if f"from the {other.name}" in recalled] == [folder.name]
