"""A store that is read-only, full, locked, damaged or killed: a clear error with the way out, and nothing lost."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from transom.errors import NotFoundError, StoreError
from transom.store import Store, Write
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.sqlite import SQLiteBackend
from transom.store.backends.sqlite.schema import APPLICATION_ID, VERSION
from transom.store.blobs import blob_write

pytestmark = pytest.mark.feature("S3")


async def filled(path: Path) -> Store:
    store = Store(SQLiteBackend(path))
    for number in range(20):
        await store.put("notes", f"entry {number} " + "x" * 2000, path=f"{number}")
    await store.close()
    return store


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Files of this process cannot grow beyond ``size``: what a full disk looks like without being root."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def unprivileged(code: str, *arguments: object) -> str:
    """Run Python code, from the line DROP on as a user whom file modes bind (root is bound by none); what it printed."""
    if os.geteuid() == 0:
        code = code.replace("DROP", "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534)")
    done = python(code.replace("DROP", ""), *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


READ_ONLY = """
import asyncio, sys
from pathlib import Path
from transom.errors import StoreError
from transom.store import Store
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.sqlite import SQLiteBackend
DROP
async def main():
    path = Path(sys.argv[1])
    async with Store(SQLiteBackend(path) if path.is_file() else FilesystemBackend(path)) as store:
        print((await store.get("context://notes/7"))[:7].decode())
        print(len(await store.search("entry")))
        try:
            await store.put("notes", "x")
        except StoreError as error:
            print(error.message, "|", error.hint)
asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["sqlite", "filesystem"])
def test_a_read_only_store_can_be_read_and_says_that_it_is_read_only(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    path = home / "store"

    async def fill() -> None:
        async with Store(SQLiteBackend(path) if kind == "sqlite" else FilesystemBackend(path)) as store:
            for number in range(10):
                await store.put("notes", f"entry {number}", path=f"{number}")
            await store.search("entry")

    asyncio.run(fill())
    for outer in (tmp_path, *tmp_path.parents):
        if outer.name.startswith(("test", "pytest", "popen")):
            outer.chmod(0o755)
    everything = [*home.rglob("*"), home]
    for found in everything:
        found.chmod(0o555 if found.is_dir() else 0o444)
    try:
        said = unprivileged(READ_ONLY, path).splitlines()
    finally:
        for found in reversed(everything):
            found.chmod(0o700)
    assert said[:2] == ["entry 7", "10"]
    assert "read-only" in said[2]
    assert "writable" in said[2]


@pytest.mark.parametrize("kind", ["sqlite", "filesystem"])
async def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "store"
    store = Store(SQLiteBackend(path) if kind == "sqlite" else FilesystemBackend(path))
    await store.put("notes", "small", path="before")
    with file_size_limit(100_000):
        with pytest.raises(StoreError) as caught:
            await store.commit([Write("notes", "half", b"x"), blob_write("y" * 400_000)])
        assert caught.value.hint
        assert await store.get("context://notes/before") == b"small"
        assert not await store.exists("context://notes/half")
    assert await store.commit([Write("notes", "half", b"x"), blob_write("y" * 400_000)]) == [True, True]
    assert (await store.verify()).ok
    await store.close()


async def test_a_store_locked_by_another_process_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await filled(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    async with Store(SQLiteBackend(path, busy_timeout=0.1)) as store:
        assert (await store.get("context://notes/3")).startswith(b"entry 3")
        for attempt in (store.put("notes", "x"), store.commit([Write("notes", "y", b"")])):
            with pytest.raises(StoreError, match="locked by another process") as caught:
                await attempt
            assert "nothing was written" in caught.value.hint
        waiting = asyncio.create_task(Store(SQLiteBackend(path, busy_timeout=30)).put("notes", "patient", path="p"))
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
        other.close()
        await waiting
        assert await store.get("context://notes/p") == b"patient"


def test_processes_may_make_one_store_at_the_same_moment(tmp_path: Path) -> None:
    code = """
    import asyncio, sys
    from transom.store import Store
    from transom.store.backends.sqlite import SQLiteBackend
    async def main():
        async with Store(SQLiteBackend(sys.argv[1])) as store:
            await store.put("notes", "x", path=sys.argv[2])
    print("ready", flush=True)
    sys.stdin.readline()
    asyncio.run(main())
    """
    running = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "store.db"), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(6)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in running:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said


def test_two_processes_may_write_one_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    code = """
    import asyncio, sys
    from transom.store import Store
    from transom.store.backends.sqlite import SQLiteBackend
    async def main():
        async with Store(SQLiteBackend(sys.argv[1])) as store:
            for number in range(200):
                await store.put("notes", f"{sys.argv[2]} {number}", path=f"{sys.argv[2]}/{number}", sync=number % 20 == 0)
    asyncio.run(main())
    """
    running = [
        subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), str(path), name], stderr=subprocess.PIPE)
        for name in "ab"
    ]
    for process in running:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said

    async def look() -> None:
        async with Store(SQLiteBackend(path)) as store:
            assert len(await store.list("notes")) == 400
            assert (await store.search('"b 199"'))[0].uri == "context://notes/b/199"

    asyncio.run(look())


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda path: path.write_bytes(b"no database at all, just text" * 100), "not a store"),
        (lambda path: path.write_bytes(path.read_bytes()[:4096] + os.urandom(path.stat().st_size - 4096)), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 3]), "damaged"),
        (lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000), "not a store|damaged"),
    ],
    ids=["text", "overwritten", "truncated", "header only"],
)
async def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, damage: object, said: str) -> None:
    path = tmp_path / "store.db"
    await filled(path)
    assert callable(damage)
    damage(path)
    async with Store(SQLiteBackend(path)) as store:
        with pytest.raises(StoreError, match=said) as caught:
            await asyncio.gather(store.verify(), store.search("entry"))
        assert caught.value.hint
        assert not isinstance(caught.value, sqlite3.Error)


async def test_another_programs_database_and_a_newer_store_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(StoreError, match="not a store"):
        await Store(SQLiteBackend(path)).put("notes", "x")
    newer = tmp_path / "newer.db"
    await filled(newer)
    with sqlite3.connect(newer) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(StoreError, match="newer release"):
        await Store(SQLiteBackend(newer)).put("notes", "x")
    with sqlite3.connect(path) as other:
        assert [row[0] for row in other.execute("SELECT name FROM sqlite_master")] == ["theirs"]
    other.close()
    assert int.from_bytes(b"TRNS", "big") == APPLICATION_ID


async def test_opening_for_reading_makes_no_store(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "store.db"
    store = Store(SQLiteBackend(path, create=False))
    for attempt in (store.get("context://notes/a"), store.search("x"), store.put("notes", "x"), store.list("notes")):
        with pytest.raises(NotFoundError, match="there is no store"):
            await attempt
    await store.close()
    assert not path.parent.exists()


@pytest.mark.parametrize("place", ["directory", "below a file", "unreachable"])
async def test_a_place_where_no_store_can_be_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("x")
    path = {"directory": tmp_path, "below a file": tmp_path / "file" / "store.db", "unreachable": Path("/proc/no/store.db")}[
        place
    ]
    with pytest.raises(StoreError) as caught:
        await Store(SQLiteBackend(path)).put("notes", "x")
    assert caught.value.hint


KILLED = """
import asyncio, sys
from transom.store import Store, Write
from transom.store.backends.sqlite import SQLiteBackend
from transom.store.blobs import blob_uri, blob_write
async def main():
    store = Store(SQLiteBackend(sys.argv[1]))
    for number in range(100_000):
        text = f"wallaby {number} " * 300
        await store.put("notes", f"put {number}", path=f"{number}")
        await store.commit([blob_write(text), Write("windows", f"{number}", ('"' + blob_uri(text) + '"').encode())])
        print(number, flush=True)
asyncio.run(main())
"""


@pytest.mark.feature("S16")
@pytest.mark.parametrize("rounds", [1, 7, 40])
def test_a_killed_writer_loses_nothing_that_it_was_told_is_stored(tmp_path: Path, rounds: int) -> None:
    path = tmp_path / "store.db"
    with subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        last = [int(process.stdout.readline()) for _ in range(rounds)][-1]
        process.send_signal(signal.SIGKILL)
        last = max([last, *map(int, process.stdout.read().split())])

    async def look() -> None:
        async with Store(SQLiteBackend(path)) as store:
            assert (await store.verify()).ok
            for number in range(last + 1):
                assert await store.get(f"context://notes/{number}") == f"put {number}".encode()
                assert (await store.search(f'"wallaby {number} wallaby"', limit=1))[0].uri.startswith("context://vfs/")
                assert await store.exists(f"context://windows/{number}")

    asyncio.run(look())


def test_a_forked_child_opens_the_store_anew(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    code = """
    import asyncio, os, sys
    from transom.store import Store
    from transom.store.backends.sqlite import SQLiteBackend
    store = Store(SQLiteBackend(sys.argv[1]))
    async def put(name):
        await store.put("notes", name, path=name)
        await store.put("notes", name, path=name + "/synced", sync=True)
        return await store.get(f"context://notes/{name}")
    print(asyncio.run(put("parent")))
    child = os.fork()
    print(asyncio.run(put("after" if child else "child")), flush=True)
    if child:
        os.waitpid(child, 0)
        print(sorted(asyncio.run(store.list("notes"))))
    """
    done = python(code, path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].count("synced") == 3

    async def look() -> None:
        async with Store(SQLiteBackend(path)) as store:
            assert (await store.verify()).entries == 6

    asyncio.run(look())


async def test_one_callers_fault_is_no_others(tmp_path: Path) -> None:
    """Writes that are waiting share a transaction; one that cannot be stored does not take the others with it."""
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        many = [store.commit([Write("notes", f"{number}", b"x", {"n": number})]) for number in range(30)]
        bad = store.commit([Write("notes", "bad", b"x", {"n": object()})])
        results = await asyncio.gather(*many[:15], bad, *many[15:], return_exceptions=True)
        assert sum(isinstance(result, BaseException) for result in results) == 1
        assert len(await store.list("notes")) == 30
