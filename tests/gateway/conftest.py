"""The gateway as a user runs it: ``transom serve``, a process of its own, between a client and a provider."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

STARTING = 30.0


@dataclass(slots=True)
class Served:
    """A gateway that runs.

    Attributes:
        url: its address.
        told: what it said when it was ready.
        store: the path of its store.
        process: it.
        noted: what it said on stderr; ``listening`` takes it in.
    """

    url: str
    told: dict[str, Any]
    store: Path
    process: subprocess.Popen[str]
    noted: list[str] = field(default_factory=list)
    listening: threading.Thread = field(default_factory=threading.Thread)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=10) as answer:
            return json.load(answer)


class Serve(Protocol):
    def __call__(self, upstream: str, *options: str) -> Served: ...


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """``serve(url, "--window", "36000")`` starts one; it is asked to end when the test is over, and must."""
    running: list[Served] = []

    def start(upstream: str, *options: str) -> Served:
        store = tmp_path / "gateway.db"
        command = [sys.executable, "-m", "transom", "serve", "--upstream", upstream, "--port", "0", "--json"]
        process = subprocess.Popen(
            [*command, "--store", str(store), *options],
            cwd=tmp_path,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            pytest.fail(process.communicate()[1])
        told = json.loads(line)
        served = Served(told["url"], told, store, process)
        assert process.stderr is not None
        served.listening = threading.Thread(target=lambda: served.noted.extend(process.stderr or ()), daemon=True)
        served.listening.start()
        running.append(served)
        return served

    yield start
    for served in running:
        served.process.terminate()
        assert served.process.wait(STARTING) == 0, served.noted
        served.listening.join()
        for pipe in (served.process.stdout, served.process.stderr):
            assert pipe is not None
            pipe.close()
