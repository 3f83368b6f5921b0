"""The MCP server over stdio beside the SDK's bare one with as many tools: start, list, a trivial call.

Servers are started and called in turn, so that a busy machine slows both. A start is in processor time: it waits for nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Self

from figures import HERE, Figure

STARTS = 9
CALLS = 400
ROUNDS = 5
VERSION = "2025-11-25"
GRAMMAR_BYTES = 90_000


def measure() -> Iterable[Figure]:
    """Start to ``tools/list`` answered, a list, and a call; then the schemas' size in the grammar profile."""
    with tempfile.TemporaryDirectory() as folder:
        ours = [sys.executable, "-m", "transom", "mcp", "--root", folder, "--store", f"{folder}/store.db"]
        with _Server(ours) as server:
            tools = server.listed()
        described = Path(folder) / "tools.json"
        described.write_text(json.dumps(tools), encoding="utf-8")
        bare = [sys.executable, str(HERE / "bare_mcp.py"), str(described)]
        yield from _starts(ours, bare, len(tools))
        yield from _calls(ours, bare)
        with _Server([*ours, "--enable", "all", "--schema", "grammar"]) as server:
            every = server.listed()
        size = len(json.dumps([tool["inputSchema"] for tool in every], separators=(",", ":")))
        yield Figure(
            "all schemas, grammar profile", size / 1000, "kB", at_most=GRAMMAR_BYTES / 1000, note=f"{len(every)} tools"
        )


def _starts(ours: Sequence[str], bare: Sequence[str], tools: int) -> Iterable[Figure]:
    times: dict[str, list[float]] = {"ours": [], "bare": []}
    walls: dict[str, list[float]] = {"ours": [], "bare": []}
    for _ in range(STARTS):
        for name, command in (("bare", bare), ("ours", ours)):
            begun = time.perf_counter()
            with _Server(command) as server:
                server.listed()
                walls[name].append((time.perf_counter() - begun) * 1000)
                times[name].append(server.processor())
    wall = f"wall {median(walls['ours']):.0f} and {median(walls['bare']):.0f} ms"
    yield from _beside("start to tools/list answered, processor", times, f"{tools} tools each; {wall}", at_most=1.25)


def _calls(ours: Sequence[str], bare: Sequence[str]) -> Iterable[Figure]:
    times: dict[str, list[float]] = {"ours": [], "bare": []}
    lists: dict[str, list[float]] = {"ours": [], "bare": []}
    with _Server(bare) as other, _Server(ours) as own:
        for server in (other, own):
            server.listed()
            server.called()
        for _ in range(ROUNDS):
            for name, server in (("bare", other), ("ours", own)):
                for _ in range(CALLS // ROUNDS):
                    times[name].append(server.called())
                for _ in range(4):
                    begun = time.perf_counter()
                    server.listed()
                    lists[name].append((time.perf_counter() - begun) * 1000)
    yield from _beside("trivial call over stdio, p50", times, f"{CALLS} calls each", at_most=1.3)
    yield Figure("tools/list again, p50", median(lists["ours"]), "ms", note=f"the bare server {median(lists['bare']):.1f} ms")


def _beside(what: str, times: dict[str, list[float]], note: str, *, at_most: float) -> Iterable[Figure]:
    own, other = median(times["ours"]), median(times["bare"])
    yield Figure(what, own, "ms", note=f"{note}; the bare server {other:.2f} ms")
    yield Figure(f"{what}, against the bare server", own / other, "x", at_most=at_most)


def _environment() -> dict[str, str]:
    """Ours, but with compiled modules kept: those of an installed package are there, and a checkout has to write its own."""
    return {**{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}, "PYTHONUTF8": "1"}


class _Server:
    """A server in a process, spoken to line by line: a client of the SDK's would cost more than what is measured."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        self._number = 0

    def __enter__(self) -> Self:
        client = {"name": "bench", "version": "1"}
        self._ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def processor(self) -> float:
        """Milliseconds of processor time so far. Linux only."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def listed(self) -> list[dict[str, object]]:
        return self._ask("tools/list", {})["tools"]  # type: ignore[no-any-return]

    def called(self) -> float:
        begun = time.perf_counter()
        self._ask("tools/call", {"name": "get_current_working_directory", "arguments": {}})
        return (time.perf_counter() - begun) * 1000

    def _ask(self, method: str, params: dict[str, object]) -> dict[str, object]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"the server ended with {self._process.wait()}")
            answer = json.loads(line)
            if answer.get("id") == self._number and "method" not in answer:
                return answer["result"]  # type: ignore[no-any-return]

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
