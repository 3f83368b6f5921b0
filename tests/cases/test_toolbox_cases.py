"""Every toolbox case whose tool is here, called as ``transom tools call`` calls it.

The cases that are judged without a tool stand beside what judges them: ``tests/unit/safety``. Those of a transport need a
server: ``tests/unit/mcp_server``.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cases.toolbox_case import Case, Place, cases, check, missing

from transom.cli.app import run
from transom.safety.commands import judge

AREAS = ("edit", "path", "read", "regex", "convert", "archive", "secrets", "command", "sandbox")


def called(
    case: Case, place: Place, capfd: pytest.CaptureFixture[str], tool: str = "", args: Any = None
) -> tuple[Any, float, int]:
    """The envelope, the milliseconds and the bytes of one call."""
    sent = json.dumps(place.filled(case.args) if args is None else args)
    begun = time.monotonic()
    run(["tools", "call", tool or case.tool, sent, "--root", str(place.root), "--enable", "all", "--json"])
    took = (time.monotonic() - begun) * 1000
    out = capfd.readouterr().out
    return json.loads(out), took, len(out.encode())


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRANSOM_STORE", str(tmp_path / "store.db"))
    base = tmp_path / "base"
    base.mkdir()
    return base


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in cases(*AREAS) if "race" not in case.requires])
def test_a_call_ends_as_the_case_says(
    case: Case, surroundings: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if reason := missing(case):
        pytest.skip(reason)
    with listening() as (port, connections):
        place = Place(surroundings, case, port)
        if case.danger and case.area == "command":
            assert not judge(place.filled(case.args["command"])).allowed
            return
        for name, value in place.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(place.root)
        before = children()
        envelope, took, size = called(case, place, capfd)
        check(case, place, envelope, took, size)
        if case.expected.get("next_call_ok"):
            after, _, _ = called(case, place, capfd, "list_directory", {"path": "."})
            assert after["ok"], after
        if case.expected.get("no_children"):
            assert children() <= before, children()
        if case.expected.get("never_connect"):
            assert not connections


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in cases("path") if "race" in case.requires])
def test_no_answer_shows_what_a_link_swapped_in_leads_to(
    case: Case, surroundings: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    place = Place(surroundings, case)
    monkeypatch.chdir(place.root)
    with swapping(place):
        for _ in range(60):
            envelope, took, size = called(case, place, capfd)
            check(case, place, envelope, took, size)


@contextmanager
def listening() -> Iterator[tuple[int, list[str]]]:
    """A port of loopback that writes down who connects."""
    heard: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, (host, _) = server.accept()
                except OSError:
                    return
                heard.append(host)
                connection.close()

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)


@contextmanager
def swapping(place: Place) -> Iterator[None]:
    """A second process that swaps a folder for a link and back for as long as it is watched."""
    race = place.case.setup["race"]
    folder, link = race["a"].removeprefix("dir:"), race["b"].removeprefix("symlink:")
    program = """
import os, sys
path, folder, link = sys.argv[1:]
while os.getppid() != 1:
    os.rename(folder, path)
    os.rename(path, folder)
    os.symlink(link, path)
    os.unlink(path)
"""
    process = subprocess.Popen([sys.executable, "-c", program, str(place.base / race["path"]), str(place.base / folder), link])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def children() -> set[str]:
    """The processes started from here that still run."""
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return set(listed.read_text().split()) if listed.exists() else set()
