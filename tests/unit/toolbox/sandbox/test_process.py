"""The runner: whatever a program does, the call comes back with its status, and nothing of it stays."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.toolbox.sandbox.conftest import until

from transom.toolbox.sandbox import Ended, Limits, child_environment, run_process
from transom.toolbox.sandbox.output import Keeper

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells and signals")
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


SLEEPER = "import subprocess, sys; started = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', '{mark}'])"


async def run(code: str, tmp_path: Path, *, stdin: bytes | None = None, **limits: float) -> Ended:
    chosen = Limits(**{"seconds": 20.0, **limits})  # type: ignore[arg-type]
    environment = child_environment(os.environ)
    return await run_process(
        [sys.executable, "-I", "-c", code], cwd=tmp_path, environment=environment, limits=chosen, stdin=stdin
    )


def alive(mark: str) -> list[str]:
    """Processes whose command line holds a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:
                continue
    return found


async def test_the_exit_status_and_both_streams_are_told(tmp_path: Path) -> None:
    ended = await run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", tmp_path)
    assert (ended.exit_code, ended.stdout.text().split(), ended.stderr.text().split()) == (3, ["out"], ["err"])


@posix
async def test_a_signal_is_told_as_shells_tell_it(tmp_path: Path) -> None:
    ended = await run("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", tmp_path)
    assert ended.exit_code == 128 + signal.SIGTERM


async def test_standard_input_is_empty_unless_given(tmp_path: Path) -> None:
    read = "import sys; print(len(sys.stdin.read()))"
    assert (await run(read, tmp_path)).stdout.text().strip() == "0"
    assert (await run(read, tmp_path, stdin=b"x" * 300_000)).stdout.text().strip() == "300000"


async def test_a_child_sees_the_environment_it_is_given_and_no_more(tmp_path: Path) -> None:
    environment = child_environment({"PATH": os.environ["PATH"], "SECRET_TOKEN": "c4n4ry", "LC_ALL": "C.UTF-8"}, {"EXTRA": "1"})
    assert "SECRET_TOKEN" not in environment
    ended = await run_process(
        [sys.executable, "-c", "import os; print(sorted(os.environ))"],
        cwd=tmp_path,
        environment=environment,
        limits=Limits(seconds=20),
    )
    assert "c4n4ry" not in ended.stdout.text()
    assert "EXTRA" in ended.stdout.text()
    assert "LC_ALL" in ended.stdout.text()


async def test_a_program_that_does_not_exist_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no-such-program"):
        await run_process(["no-such-program"], cwd=tmp_path, environment={}, limits=Limits())


@linux
async def test_the_time_limit_ends_everything_the_program_started(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-time"
    code = f"""
import subprocess, sys, os, signal
for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "{mark}"])
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "{mark}"], start_new_session=True)
print("started", flush=True)
while True: pass
"""
    started = time.monotonic()
    ended = await run(code, tmp_path, seconds=1.0)
    assert ended.killed == "time"
    assert time.monotonic() - started < 5
    assert ended.stdout.text() == "started\n"
    assert alive(mark) == []


@linux
async def test_grandchildren_that_keep_the_pipes_open_do_not_keep_the_call(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-pipes"
    code = f"{SLEEPER.format(mark=mark)}; print('done')"
    started = time.monotonic()
    ended = await run(code, tmp_path)
    assert (ended.exit_code, ended.stdout.text(), ended.killed) == (0, "done\n", None)
    assert time.monotonic() - started < 5
    assert alive(mark) == []


@linux
async def test_a_cancelled_call_leaves_nothing_running(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-cancel"
    ready = tmp_path / "ready"
    code = f"{SLEEPER.format(mark=mark)}; open('ready', 'w').close(); started.wait()"
    call = asyncio.create_task(run(code, tmp_path))
    await until(ready)
    assert alive(mark)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert alive(mark) == []


async def test_more_output_than_is_kept_is_read_and_counted(tmp_path: Path) -> None:
    ended = await run("import sys; sys.stdout.write('a' + 'x' * 30_000_000 + 'z')", tmp_path, output=1000)
    stdout = ended.stdout
    assert ended.exit_code == 0
    assert len(stdout.head) + len(stdout.tail) == 1000
    assert stdout.omitted == 30_000_002 - 1000
    assert stdout.text("|").startswith("ax")
    assert stdout.text("|").endswith("xz")


@linux
async def test_memory_is_bounded_over_all_processes_together(tmp_path: Path) -> None:
    code = """
import mmap, os, time
for _ in range(4):
    if os.fork() == 0:
        held = mmap.mmap(-1, 60 << 20)
        for at in range(0, len(held), 4096): held[at] = 1
        break
time.sleep(60)
"""
    ended = await run(code, tmp_path, memory=150 << 20)
    assert ended.killed == "memory"


@linux
async def test_the_number_of_processes_is_bounded(tmp_path: Path) -> None:
    code = "import os, time\nfor _ in range(30):\n    if os.fork() == 0: break\ntime.sleep(60)"
    assert (await run(code, tmp_path, processes=10)).killed == "processes"


@given(st.lists(st.binary(max_size=300), max_size=30), st.integers(4, 400))
def test_what_is_kept_is_the_beginning_and_the_end_and_the_rest_is_counted(pieces: list[bytes], limit: int) -> None:
    keeper = Keeper(limit)
    for piece in pieces:
        keeper.take(piece)
    whole, output = b"".join(pieces), keeper.output()
    assert len(output.head) + len(output.tail) + output.omitted == len(whole)
    assert len(output.head) + len(output.tail) <= limit
    assert whole.startswith(output.head)
    assert whole.endswith(output.tail)
    assert bool(output.omitted) == (len(whole) > limit)


@given(st.text(min_size=1, max_size=400), st.integers(8, 100))
def test_a_cut_goes_through_no_character(text: str, limit: int) -> None:
    keeper = Keeper(limit)
    keeper.take(text.encode())
    assert "\ufffd" not in keeper.output().text("").replace("\ufffd", "" if "\ufffd" in text else "\ufffd")
