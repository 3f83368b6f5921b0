"""The command over stdin and stdout, as clients start it: real processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.cli.app import run
from transom.mcp_server.framing import Refusal, framed

HELLO: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM to send")


def command(folder: Path, *options: str) -> list[str]:
    root = folder / "work"
    root.mkdir(exist_ok=True)
    return [sys.executable, "-m", "transom", "mcp", "--root", str(root), "--store", str(folder / "store.db"), *options]


def lines(*messages: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def call(number: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@contextmanager
def started(folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(command(folder, *options), stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            yield process
        finally:
            process.kill()


def tell(process: subprocess.Popen[bytes], *messages: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(lines(*messages))
    process.stdin.flush()


def hear(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    heard = json.loads(process.stdout.readline())
    assert isinstance(heard, dict)
    return heard


def test_requests_that_are_piped_in_are_all_answered_before_it_ends(tmp_path: Path) -> None:
    asked = [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, call(2, "get_plan", {}), call(3, "explore_tools", {})]
    done = subprocess.run(command(tmp_path), input=lines(*HELLO, *asked), capture_output=True, timeout=60, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert sorted(answer["id"] for answer in answers) == [0, 1, 2, 3]
    assert all("result" in answer for answer in answers)
    assert done.stderr == b""


@posix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_end_it_ends_well_while_its_client_still_listens(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path) as process:
        tell(process, *HELLO)
        assert hear(process)["result"]["serverInfo"]["name"] == "transom"
        process.send_signal(number)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def say(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


DEEP = 1_200
NOT_MESSAGES: list[tuple[bytes, int, object]] = [
    (b"no json", -32700, None),
    (b"[" * 100_000, -32700, None),
    (b'{"jsonrpc":"2.0","id":4,"method":"\xff\xfe"}', -32700, 4),
    (b"null", -32600, None),
    (b"[]", -32600, None),
    (b'[{"jsonrpc":"2.0","id":4,"method":"ping"}]', -32600, None),
    (b"{}", -32600, None),
    (b'{"id":4,"method":"ping"}', -32600, 4),
    (b'{"jsonrpc":"1.0","id":"four","method":"ping"}', -32600, "four"),
    (b'{"jsonrpc":"2.0","id":4}', -32600, 4),
    (b'{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4),
    (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":"x"}', -32600, 4),
    (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":["x"]}', -32602, 4),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":{"id":4},"method":"ping"}', -32600, None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 1.5),
    (b'{"jsonrpc":"2.0","method":"ping","params":{"id":5,"x":"\\ud800"},"id":[4]}', -32600, None),
    (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":' + b"[" * DEEP + b"]" * DEEP + b"}}", -32600, 4),
]


@pytest.mark.parametrize(("line", "code", "name"), NOT_MESSAGES, ids=lambda value: repr(value)[:40])
def test_what_is_no_message_is_answered_as_json_rpc_says(line: bytes, code: int, name: object) -> None:
    refusal = framed(line)
    assert isinstance(refusal, Refusal)
    answer = json.loads(refusal.line())
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", name, code)
    assert answer["error"]["message"]


@given(st.binary(max_size=60) | st.text(alphabet='[]{}",:\\id0truen ', max_size=40).map(str.encode))
def test_whatever_a_line_is_it_is_a_message_or_is_answered(line: bytes) -> None:
    made = framed(b'{"jsonrpc":"2.0","id":' + line)
    assert made is not None
    if isinstance(made, Refusal):
        assert set(json.loads(made.line())) == {"jsonrpc", "id", "error"}


def test_an_id_of_any_length_is_given_back_as_it_came() -> None:
    name = b"9" * 5_000
    refusal = framed(b'{"jsonrpc":"2.0","id":' + name + b',"method":"ping"}')
    assert isinstance(refusal, Refusal)
    assert f'"id":{name.decode()},' in refusal.line()


def test_broken_answers_and_notifications_are_not_answered() -> None:
    assert framed(b'{"jsonrpc":"2.0","id":4,"result":5}') is None
    assert framed(b'{"jsonrpc":"2.0","id":null,"error":{}}') is None
    assert not isinstance(framed(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"id":4}}'), Refusal)


def test_nothing_that_is_sent_stops_it_or_goes_without_an_answer(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        tell(process, *HELLO)
        hear(process)
        for line, code, name in NOT_MESSAGES:
            say(process, line)
            answer = hear(process)
            assert (answer["id"], answer["error"]["code"]) == (name, code)
        say(process, b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
        assert hear(process) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_half_a_character_reaches_the_tool_and_what_it_says_comes_back(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        tell(process, *HELLO)
        hear(process)
        tell(process, call(1, "save_file", {"file_name": "a.txt", "content": "x\ud83dy"}))
        assert "U+D83D" in hear(process)["result"]["content"][0]["text"]
        tell(process, call(2, "read_file", {"file_name": "a.txt", "limit": "\ud800"}))
        assert hear(process)["result"]["_meta"]["transom/error"] == "invalid_input"
        tell(process, {"jsonrpc": "2.0", "id": "\ud800", "method": "ping"})
        assert hear(process) == {"jsonrpc": "2.0", "id": "\ud800", "result": {}}


def test_it_ends_at_once_after_a_request_that_it_refused(tmp_path: Path) -> None:
    asked = b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":"x"}\n{"id":6,"method":"ping"}\n'
    with started(tmp_path) as process:
        tell(process, *HELLO)
        hear(process)
        begun = time.monotonic()
        process.communicate(asked, timeout=20)
        assert process.returncode == 0
        assert time.monotonic() - begun < 4


def test_half_a_character_in_an_answer_does_not_stop_it(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        (tmp_path / "work" / "half.json").write_text('{"a": "\\ud800"}')
        tell(process, *HELLO)
        hear(process)
        tell(process, call(1, "json_query", {"file_path": "half.json", "query": "."}))
        assert hear(process)["result"]["structuredContent"]["value"] == {"a": "\\ud800"}
        tell(process, {"jsonrpc": "2.0", "id": 2, "method": "ping"})
        assert hear(process) == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_a_message_of_many_megabytes_passes_both_ways(tmp_path: Path) -> None:
    name = "x" * 3_000_000
    with started(tmp_path) as process:
        tell(process, *HELLO)
        hear(process)
        tell(process, call(1, name, {}))
        assert name in hear(process)["error"]["message"]


def test_what_a_profile_weakens_is_said_beside_the_protocol(tmp_path: Path) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    options = ("--schema", "grammar", "--json")
    done = subprocess.run(
        command(tmp_path, *options), input=lines(*HELLO, listing), capture_output=True, timeout=60, check=False
    )
    notes = [json.loads(line) for line in done.stderr.splitlines()]
    assert notes
    assert all(set(note) == {"where", "change", "detail"} for note in notes)
    tools = json.loads(done.stdout.splitlines()[-1])["result"]["tools"]
    assert not [tool["name"] for tool in tools if "maxLength" in json.dumps(tool["inputSchema"])]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--http-token", "x"), "--http HOST:PORT"),
        (("--http", "8000"), "HOST:PORT"),
        (("--http", "0.0.0.0:0"), "--http-token"),
        (("--http", "127.0.0.1:0", "--http-token", ""), "empty"),
        (("--enable", "nothing"), "no tool"),
    ],
)
def test_options_that_make_no_sense_are_one_line(
    tmp_path: Path, options: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command(tmp_path, *options)[3:]]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert told in line


def children(process: subprocess.Popen[bytes]) -> set[int]:
    """Every process below one, as Linux tells."""
    found: set[int] = set()
    waiting = [process.pid]
    while waiting:
        for listing in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            below = {int(word) for word in listing.read_text(encoding="ascii").split()}
            waiting += below - found
            found |= below
    return found


def until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether something comes true in time: there is nothing to be told it by."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        threading.Event().wait(0.02)
    return True


ENDLESS = "import time\nwhile True: time.sleep(1)"
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="children are counted in /proc")


@linux_only
def test_a_call_that_is_called_off_leaves_no_process_and_gets_no_answer(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        tell(process, *HELLO)
        hear(process)
        tell(process, call(1, "run_python", {"python": ENDLESS, "timeout_seconds": 50}))
        assert until(lambda: bool(children(process)))
        tell(process, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        assert until(lambda: not children(process))
        tell(process, {"jsonrpc": "2.0", "id": 2, "method": "ping"})
        assert hear(process) == {"jsonrpc": "2.0", "id": 2, "result": {}}


@linux_only
def test_asked_to_end_it_leaves_nothing_running(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        tell(process, *HELLO)
        hear(process)
        tell(process, call(1, "run_python", {"python": ENDLESS, "timeout_seconds": 50}))
        assert until(lambda: bool(children(process)))
        left = children(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))


def test_what_a_tool_prints_does_not_get_into_the_protocol(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(PRINTING, encoding="utf-8")
    asked = [call(1, "chat", {}), {"jsonrpc": "2.0", "id": 2, "method": "ping"}]
    done = subprocess.run([sys.executable, script], input=lines(*HELLO, *asked), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(line)["id"] for line in done.stdout.splitlines()) == [0, 1, 2]
    assert sorted(done.stderr.split()) == [b"child", b"printed"]


PRINTING = '''
import asyncio, subprocess, sys

from transom.mcp_server.server import build
from transom.mcp_server.stdio import serve_stdio
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.toolbox.box import Toolbox
from transom.toolbox.tool import Family, Result, ToolContext, tool


@tool(family="talk", title="Chat", visible=True)
def chat(context: ToolContext) -> Result:
    """Print, and let a child print and read."""
    print("printed")
    subprocess.run([sys.executable, "-c", "import sys; print('child' + sys.stdin.read(), flush=True)"], check=True)
    return Result(text="done")


async def main() -> None:
    async with Store(MemoryBackend()) as store:
        toolbox = Toolbox([Family(name="talk", title="Talk", tools=(chat,))], services={Store: store})
        await serve_stdio(build(toolbox, store, version="1"))


asyncio.run(main())
'''
