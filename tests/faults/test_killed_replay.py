"""``kill -9`` during a replay, at any point: the store verifies clean, a second run gives the bytes of an undisturbed one."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from transom import SQLiteBackend, Store

SESSION = Path(__file__).parents[2] / "examples" / "demo-session.json"

CHILD = """
import asyncio, hashlib, sys
from pathlib import Path
from transom import Context, SQLiteBackend, Store
from transom.wire.transcripts import load

async def main(session, path):
    segment = load(Path(session).read_bytes(), None).conversations[0].segments[0]
    async with Store(SQLiteBackend(path)) as store:
        context = Context(window=12_000, store=store)
        context.head = segment.head
        given = 0
        for call in segment.calls:
            context.append(*segment.messages[given : call.at])
            given = call.at
            payload = await context.compile("openai")
            print(hashlib.sha256(payload.json()).hexdigest(), payload.meta.window_id, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def _run(store: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-c", CHILD, str(SESSION), str(store)], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def _run_until_killed(store: Path, lines: int) -> Sequence[str]:
    """Run, and kill as soon as that many payloads were printed (the next compile is under way by then)."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(SESSION), str(store)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    seen = [child.stdout.readline().strip() for _ in range(lines)]
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    return seen


def _verified(path: Path) -> tuple[Sequence[object], Sequence[object]]:
    async def verify() -> tuple[Sequence[object], Sequence[object]]:
        async with Store(SQLiteBackend(path)) as store:
            report = await store.verify()
            return report.missing, report.damaged

    return asyncio.run(verify())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return _run(tmp_path_factory.mktemp("undisturbed") / "store.db")


@pytest.mark.feature("S16")
@pytest.mark.feature("O11")
@pytest.mark.feature("O21")
def test_a_replay_killed_anywhere_leaves_a_clean_store_and_repeats_its_bytes(tmp_path: Path, undisturbed: list[str]) -> None:
    closings = [
        index for index in range(1, len(undisturbed)) if undisturbed[index].split()[1] != undisturbed[index - 1].split()[1]
    ]
    assert len(closings) >= 4
    # Right before, at and behind closings, and far from any.
    points = sorted({1, closings[0], closings[0] + 1, closings[1] - 1, closings[2], closings[3] + 1, len(undisturbed) - 1})
    store = tmp_path / "store.db"
    for lines in points:
        seen = _run_until_killed(store, lines)
        assert list(seen) == undisturbed[:lines]
        assert _verified(store) == ((), ())
    assert _run(store) == undisturbed
    assert _verified(store) == ((), ())


@pytest.mark.feature("O21")
@pytest.mark.feature("S3")
def test_two_replays_at_once_over_one_store_give_the_bytes_of_one_alone(tmp_path: Path, undisturbed: list[str]) -> None:
    store = tmp_path / "store.db"
    command = [sys.executable, "-c", CHILD, str(SESSION), str(store)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    started = time.monotonic()
    printed = [child.communicate()[0].splitlines() for child in both]
    assert printed == [undisturbed, undisturbed], f"after {time.monotonic() - started:.0f} s"
    assert _verified(store) == ((), ())


@pytest.mark.feature("O21")
def test_the_bytes_do_not_depend_on_the_order_of_sets_in_a_process(tmp_path: Path, undisturbed: list[str]) -> None:
    command = [sys.executable, "-c", CHILD, str(SESSION), str(tmp_path / "store.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "4711"})
    assert done.stdout.splitlines() == undisturbed
