"""The server over HTTP: who is let in, what a session keeps, how it ends. Real sockets on loopback."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from mcp import Client
from transom.errors import UsageError
from transom.mcp_server.http import serve_http

from .conftest import Scene
from .test_listing import BOTH, LEGACY, MODERN
from .test_sessions import placed
from .test_stdio import command, posix_only

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@asynccontextmanager
async def served(scene: Scene, host: str = "127.0.0.1", token: str | None = None) -> AsyncIterator[str]:
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve_http(scene.face, host, 0, token=token, ready=url.set_result))
    try:
        yield await asyncio.wait_for(url, 20)
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=20)


async def asked(url: str, headers: Mapping[str, str], body: Mapping[str, Any] = HELLO) -> tuple[int, dict[str, str], bytes]:
    """One request with exactly these headers beside what every request has."""

    def ask() -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(url)
        assert parts.hostname is not None
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        try:
            connection.putrequest("POST", parts.path, skip_host=True)
            data = json.dumps(body).encode()
            usual = {
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "Content-Length": str(len(data)),
            }
            for name, value in (usual | dict(headers)).items():
                connection.putheader(name, value)
            connection.endheaders(data)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    return await asyncio.to_thread(ask)


def over_http(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command(folder, "--http", "127.0.0.1:0", "--json"), stderr=subprocess.PIPE)


def cases() -> list[Any]:
    file = Path(__file__).parents[2] / "cases" / "toolbox-transport.jsonl"
    read = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in read]


@pytest.mark.feature("Z10")
@pytest.mark.parametrize("case", cases())
async def test_the_shared_cases_of_the_transport(scene: Scene, case: Mapping[str, Any]) -> None:
    async with served(scene) as url:
        port = str(urlsplit(url).port)
        headers = {name: value.replace("{PORT}", port) for name, value in case["args"]["headers"].items()}
        status, _, _ = await asked(url, headers)
    assert status in case["expected"]["status"], case["why"]


@pytest.mark.feature("Z10")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost"}, 200),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "127.0.0.1@evil.example"}, 421),
        ({"Host": "127.0.0.1", "Origin": "http://localhost:3000"}, 200),
        ({"Host": "127.0.0.1", "Origin": "file://"}, 403),
        ({"Host": "127.0.0.1", "Origin": "http://127.0.0.1.evil.example"}, 403),
    ],
)
async def test_names_that_only_look_like_this_machine_are_refused(scene: Scene, headers: dict[str, str], status: int) -> None:
    async with served(scene) as url:
        assert (await asked(url, headers))[0] == status


@pytest.mark.feature("Z10")
async def test_a_page_elsewhere_can_neither_ask_first_nor_open_a_stream(scene: Scene) -> None:
    async with served(scene) as url, httpx2.AsyncClient() as client:
        for method in ("GET", "DELETE", "OPTIONS", "HEAD"):
            answer = await client.request(method, url, headers={"Origin": "https://evil.example"})
            assert answer.status_code == 403, method
            assert "access-control-allow-origin" not in answer.headers


@pytest.mark.feature("Z10")
@pytest.mark.parametrize(
    ("given", "status"),
    [
        (None, 401),
        ("Bearer s3cret", 200),
        ("bearer s3cret", 200),
        ("Bearer s3cre", 401),
        ("Basic s3cret", 401),
        ("Bearer", 401),
    ],
)
async def test_with_a_token_nobody_else_is_let_in(scene: Scene, given: str | None, status: int) -> None:
    async with served(scene, token="s3cret") as url:
        answer, headers, _ = await asked(url, {"Host": "localhost"} | ({"Authorization": given} if given else {}))
    assert answer == status
    assert (headers.get("www-authenticate") == "Bearer") is (status == 401)


@pytest.mark.feature("Z10")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
async def test_beyond_loopback_it_takes_a_token(scene: Scene, host: str) -> None:
    with pytest.raises(UsageError, match="token"):
        await serve_http(scene.face, host, 0)


async def test_a_port_that_is_taken_is_said(scene: Scene) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} is taken"):
            await serve_http(scene.face, "127.0.0.1", port)


@pytest.mark.feature("Z10")
async def test_on_every_address_it_is_called_by_the_one_it_was_reached_at(scene: Scene) -> None:
    async with served(scene, host="0.0.0.0", token="s3cret") as url:
        here = url.replace("0.0.0.0", "127.0.0.1")
        token = {"Authorization": "Bearer s3cret"}
        assert (await asked(here, token | {"Host": "127.0.0.1"}))[0] == 200
        assert (await asked(here, token | {"Host": "192.0.2.7"}))[0] == 421
        assert (await asked(here, {"Host": "127.0.0.1"}))[0] == 401


@BOTH
async def test_a_client_works_over_http_as_over_pipes(scene: Scene, mode: str) -> None:
    async with served(scene) as url, Client(url, mode=mode) as client:
        assert "echo" in [tool.name for tool in (await client.list_tools()).tools]
        heard: list[float] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append(progress)

        await client.call_tool("count", {"steps": 3}, progress_callback=hear)
        assert heard[-1] == 3
        assert (await client.call_tool("echo", {"text": "é"})).structured_content == {"said": "é"}


async def test_each_session_has_a_working_directory_of_its_own(scene: Scene) -> None:
    async with served(scene) as url, Client(url, mode=LEGACY) as one, Client(url, mode=LEGACY) as other:
        await one.call_tool("go", {"directory": "inner"})
        here, there = await placed(one), await placed(other)
    assert here["cwd"] == str(scene.root / "inner")
    assert there["cwd"] == str(scene.root)
    assert here["session"] != there["session"]


async def test_the_token_is_sent_by_clients_as_a_header(scene: Scene) -> None:
    async with (
        served(scene, token="s3cret") as url,
        httpx2.AsyncClient(headers={"Authorization": "Bearer s3cret"}) as web,
        Client(streamable_http_client(url, http_client=web), mode=LEGACY) as client,
    ):
        assert (await client.list_tools()).tools


@posix_only
async def test_asked_to_end_the_command_lets_a_call_come_to_its_end_and_ends_open_streams(tmp_path: Path) -> None:
    slow = {"python": "import time; time.sleep(1); print(6 * 7)", "timeout_seconds": 30}
    with over_http(tmp_path) as process:
        assert process.stderr is not None
        url = json.loads(process.stderr.readline())["url"]
        assert urlsplit(url).hostname == "127.0.0.1"
        async with Client(url, mode=LEGACY) as client, Client(url, mode=MODERN) as other:
            await client.list_tools()
            async with other.listen(tools_list_changed=True):
                call = asyncio.create_task(client.call_tool("run_python", slow))
                await other.list_tools()
                process.send_signal(signal.SIGTERM)
                result = await call
                assert await asyncio.to_thread(process.wait, 20) == 0
        assert process.stderr.read() == b""
    assert "42" in str(result.content[0])
