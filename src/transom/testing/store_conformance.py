"""What every storage backend must do, as checks that any test runner can run.

Knows the contract only, no backend and no test framework. Each check is an async function of a ``Case``; it raises
``AssertionError`` or returns. A capability that the backend lacks is skipped over. With pytest::

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    async def test_my_backend(check, tmp_path):
        await check(Case(my_factory, tmp_path))

The factory must be a function at the top of a module: checks with several processes import it again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, IntegrityError
from ..store.backend import (
    AccessIndex,
    Append,
    Batch,
    Close,
    Namespaces,
    PutIfAbsent,
    ReadAll,
    Recover,
    Search,
    StorageBackend,
    StoredEntry,
    Write,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["AWKWARD_PATHS", "CHECKS", "REFUSED_PATHS", "Case", "Check"]

AWKWARD_PATHS = (
    *(
        "a",
        "a/b",
        "a/b/c",
        "A",
        "a/B",
        "a.d",
        "a.d/b",
        "a.D",
        "x%2Fy",
        "%41",
        "%",
        "100%",
        "a b",
        " a",
        "a ",
        "a.",
        "..a",
        "...",
        ".a",
    ),
    *(
        "con",
        "CON.txt",
        "nul/x",
        "aux",
        "com1.log",
        "q\"uo'te",
        "a:b",
        "a*b?",
        "<a>|b",
        "~",
        "-",
        "--help",
        "$HOME",
        "a;b",
        "*",
    ),
    *(
        "ünï/cödé",
        "u\u0308",
        "\u00fc",
        "ß",
        "SS",
        "ﬁ",
        "日本語/メモ",
        "数据库",
        "한국어",
        "עברית",
        "🙂/🙃",
        "e\u0301",
        "\u00e9",
        "K",
        "\u212a",
    ),
    *("n" * 255, "ю" * 127, "%" * 200, "A" * 240, "/".join(["deep"] * 60), "x" * 200 + ".d", "😀" * 63),
)
REFUSED_PATHS = (
    *(
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/..",
        "../a",
        "a/./b",
        "a/../b",
        "a\\b",
        "\\",
        "a\x00b",
        "a\nb",
        "\x1f",
        "a\x7f",
    ),
    *("\x85", "\ud800", "n" * 256, "/".join(["deep"] * 300)),
)
REFUSED_NAMESPACES = ("", ".", "..", "a/b", "Notes", "a b", "a\\b", "notes@", "../notes", "a\x00")
NASTY_BYTES = (
    *(b"", b"\x00", b"\xff\xfe", b"\r\n\r\n", b"\n", bytes(range(256)), b"a" * 100_000, "🙂\u2028é".encode(), b"\xed\xa0\x80"),
    b'{"not": "parsed"',
)


@dataclass(frozen=True, slots=True)
class Case:
    """One backend under test.

    Attributes:
        factory: opens the backend on a directory of its own; a function at the top of a module.
        directory: an empty directory.
        persistent: whether what one backend wrote is there for the next on the same directory, in another process too.
    """

    factory: Callable[[Path], StorageBackend]
    directory: Path
    persistent: bool = True

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[StorageBackend]:
        """The backend, closed afterwards."""
        backend = self.factory(self.directory)
        try:
            yield backend
        finally:
            if isinstance(backend, Close):
                await backend.close()


Check = Callable[[Case], Awaitable[None]]


async def nothing_is_there_at_first(case: Case) -> None:
    """Reading, listing and deleting what is not there is no error."""
    async with case.opened() as backend:
        assert await backend.read("notes", "a") is None
        assert list(await backend.list("notes")) == []
        assert await backend.delete("notes", "a") is False


async def bytes_come_back_exactly(case: Case) -> None:
    """Any bytes, with meta values of any JSON kind."""
    meta = {"n": 1, "f": 1.5, "text": "é\ud800\n", "list": [None, True], "nested": {"deep": "ß"}, "big": 2**70}
    chance = random.Random(5)  # noqa: S311 - a fixed sequence
    blobs = [*NASTY_BYTES, *(chance.randbytes(chance.randrange(20_000)) for _ in range(8))]
    async with case.opened() as backend:
        for number, data in enumerate(blobs):
            await backend.write("notes", f"{number}", data, meta if number % 2 else {})
        for number, data in enumerate(blobs):
            entry = await backend.read("notes", f"{number}")
            assert entry == StoredEntry(data, meta if number % 2 else {}), number


async def writing_again_replaces_bytes_and_meta(case: Case) -> None:
    """Nothing of the old entry shines through."""
    async with case.opened() as backend:
        await backend.write("notes", "a", b"long old content", {"old": 1})
        await backend.write("notes", "a", b"new")
        assert await backend.read("notes", "a") == StoredEntry(b"new", {})
        await backend.write("notes", "a", b"", {"new": 2})
        assert await backend.read("notes", "a") == StoredEntry(b"", {"new": 2})


async def every_valid_path_is_an_entry_of_its_own(case: Case) -> None:
    """Case, accents, escapes, reserved names, a path and a path below it: all different, all listed as they were given."""
    async with case.opened() as backend:
        for path in AWKWARD_PATHS:
            await backend.write("notes", path, path.encode(), {"path": path})
        assert list(await backend.list("notes")) == sorted(AWKWARD_PATHS)
        for path in AWKWARD_PATHS:
            assert await backend.read("notes", path) == StoredEntry(path.encode(), {"path": path}), path
        for index, path in enumerate(AWKWARD_PATHS):
            assert await backend.delete("notes", path) is True
            assert list(await backend.list("notes")) == sorted(AWKWARD_PATHS[index + 1 :]), path


async def invalid_names_are_refused_by_every_method(case: Case) -> None:
    """A backend does not rely on the store to have checked."""
    async with case.opened() as backend:
        for namespace, path in [*(("notes", path) for path in REFUSED_PATHS), *((name, "a") for name in REFUSED_NAMESPACES)]:
            calls: list[Awaitable[object]] = [
                backend.read(namespace, path),
                backend.write(namespace, path, b"x"),
                backend.delete(namespace, path),
            ]
            if isinstance(backend, Append):
                calls.append(backend.append(namespace, path, b"x"))
            if isinstance(backend, PutIfAbsent):
                calls.append(backend.put_if_absent(namespace, path, b"x"))
            if isinstance(backend, Batch):
                calls.append(backend.batch([Write("notes", "fine", b"x"), Write(namespace, path, b"x")]))
            if namespace != "notes":
                calls.append(backend.list(namespace))
            for call in calls:
                try:
                    await call
                except InputError:
                    continue
                raise AssertionError(f"{namespace!r} {path!r} was taken")
        assert list(await backend.list("notes")) == []


async def listings_are_sorted_by_code_point_and_start_with_the_prefix(case: Case) -> None:
    """Nested paths included, whatever the order of writing."""
    paths = ["b", "a/2", "a/10", "a", "ab", "B", "é", "a/x/y", "\U0001f642", "\uffee"]
    async with case.opened() as backend:
        for path in paths:
            await backend.write("notes", path, b"x")
        await backend.write("memory", "a", b"other")
        assert list(await backend.list("notes")) == sorted(paths)
        for prefix in ("a", "a/", "a/1", "é", "\uffee", "c", "a/x/"):
            assert list(await backend.list("notes", prefix)) == sorted(path for path in paths if path.startswith(prefix)), (
                prefix
            )
        if isinstance(backend, ReadAll):
            assert list(await backend.read_all("notes", "a")) == sorted(path for path in paths if path.startswith("a"))
            assert dict(await backend.read_all("memory")) == {"a": StoredEntry(b"other")}


async def scopes_are_namespaces_of_their_own(case: Case) -> None:
    """A namespace with a scope shares nothing with the one without or with another scope."""
    async with case.opened() as backend:
        for namespace in ("notes", "notes@a", "notes@a.b", "notes@%41"):
            await backend.write(namespace, "x", namespace.encode())
        for namespace in ("notes", "notes@a", "notes@a.b", "notes@%41"):
            assert list(await backend.list(namespace)) == ["x"]
            assert await backend.read(namespace, "x") == StoredEntry(namespace.encode())
        if isinstance(backend, Namespaces):
            assert list(await backend.namespaces()) == ["notes", "notes@%41", "notes@a", "notes@a.b"]


async def a_batch_says_for_each_write_whether_it_stored(case: Case) -> None:
    """``if_absent`` leaves what is there; the last of two writes to a path wins."""
    async with case.opened() as backend:
        if not isinstance(backend, Batch):
            return
        assert list(await backend.batch([])) == []
        await backend.write("notes", "there", b"old")
        writes = [
            Write("notes", "there", b"new", if_absent=True),
            Write("notes", "fresh", b"1", if_absent=True),
            Write("notes", "fresh", b"2", if_absent=True),
            Write("memory", "twice", b"1"),
            Write("memory", "twice", b"2", {"m": 1}),
        ]
        assert list(await backend.batch(writes)) == [False, True, False, True, True]
        assert await backend.read("notes", "there") == StoredEntry(b"old")
        assert await backend.read("notes", "fresh") == StoredEntry(b"1")
        assert await backend.read("memory", "twice") == StoredEntry(b"2", {"m": 1})


async def a_batch_that_fails_stores_nothing(case: Case) -> None:
    """Also one whose writes cannot be had to the end."""

    def broken() -> Iterator[Write]:
        yield Write("notes", "a", b"x")
        raise ZeroDivisionError

    async with case.opened() as backend:
        if not isinstance(backend, Batch):
            return
        with suppress(InputError):
            await backend.batch([Write("notes", "a", b"x"), Write("notes", "../b", b"x"), Write("notes", "c", b"x")])
        with suppress(ZeroDivisionError):
            await backend.batch(broken())
        assert list(await backend.list("notes")) == []


async def put_if_absent_gives_what_was_there_first(case: Case) -> None:
    """And stores nothing then."""
    async with case.opened() as backend:
        if not isinstance(backend, PutIfAbsent):
            return
        assert await backend.put_if_absent("windows", "a", b"1", {"n": 1}) is None
        assert await backend.put_if_absent("windows", "a", b"2") == StoredEntry(b"1", {"n": 1})
        assert await backend.read("windows", "a") == StoredEntry(b"1", {"n": 1})


async def appending_adds_at_the_end(case: Case) -> None:
    """An entry is made if needed; the meta values are those of the last call."""
    async with case.opened() as backend:
        if not isinstance(backend, Append):
            return
        await backend.append("flights", "a", b"1\n", {"n": 1})
        await backend.append("flights", "a", b"", {"n": 2})
        await backend.append("flights", "a", b"\xff2\n", {"n": 3})
        assert await backend.read("flights", "a") == StoredEntry(b"1\n\xff2\n", {"n": 3})
        if isinstance(backend, Search):
            await backend.append("notes", "log", b"first quokka\n", text="first quokka")
            await backend.append("notes", "log", b"then numbat\n", text="then numbat")
            for word in ("quokka", "numbat"):
                assert [hit.path for hit in await backend.search(word, namespaces=["notes"])] == ["log"]


async def what_was_changed_from_outside_is_never_taken_for_what_was_written(case: Case) -> None:
    """Ten bytes overwritten in the files of a backend: it says so, or does not claim that it ``checked``.

    Skipped over where no file holds the bytes as they are.
    """
    text = b"the quick brown fox jumps over the lazy dog, line by line\n" * 20
    mark = b"a mark that stands in no other entry"
    async with case.opened() as backend:
        await backend.write("archive", "a", text + mark + text, {"n": 1})
        await backend.write("archive@anna", "b", b"whole", {"n": 2})
        if isinstance(backend, Append):
            await backend.append("notes", "c", text)
            await backend.append("notes", "c", mark + text, {"n": 3})
    changed = False
    for file in case.directory.rglob("*"):
        if file.is_file() and (data := file.read_bytes()).count(mark):
            file.write_bytes(data.replace(mark, b"0123456789" + mark[10:]))
            changed = True
    async with case.opened() as backend:
        for namespace, path in (("archive", "a"), ("notes", "c")) if changed else ():
            try:
                entry = await backend.read(namespace, path)
            except IntegrityError:
                continue
            assert entry is None or not entry.checked, f"the damaged {namespace}/{path} was given out as checked"
        if case.persistent:
            assert await backend.read("archive@anna", "b") == StoredEntry(b"whole", {"n": 2})


async def search_finds_words_phrases_identifiers_and_dense_scripts(case: Case) -> None:
    """In the text given, not in the bytes; ranked; with a snippet of the original text."""
    texts = {
        "en": "The deployment failed because port 5433 was already taken by another_service.v2-7.",
        "de": "Die Datenbank für Müller läuft nicht.",
        "zh": "数据库连接失败，请检查配置文件。",
        "ja": "データベースに接続できません",
        "ko": "데이터베이스 연결 실패",
        "path": "edited src/transom/store/backend.py and C:\\Users\\x",
        "filler": "nothing of interest here, only more words about nothing",
    }
    asked = {
        "port": "en",
        "which port was taken?": "en",
        "5433": "en",
        "another_service.v2-7": "en",
        '"already taken"': "en",
        "MULLER": "de",
        "连接": "zh",
        "库": "zh",
        "配置文件": "zh",
        "接続": "ja",
        "연결": "ko",
        "src/transom/store/backend.py": "path",
        "backend.py": "path",
        "eployment": "en",
    }
    async with case.opened() as backend:
        if not isinstance(backend, Search):
            return
        for path, text in texts.items():
            await backend.write("notes", path, b"\x00bytes", text=text)
        await backend.write("notes", "unseen", b"port 5433 Datenbank")
        for query, path in asked.items():
            hits = await backend.search(query, namespaces=["notes"])
            assert hits, query
            assert hits[0].path == path, query
            assert hits[0].snippet.strip("…") in texts[path], query
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        for query in (
            "",
            " ",
            '"',
            "AND OR NOT",
            "a* ^b -c {d}",
            "NEAR(x y)",
            "\x00",
            "🙂",
            "'; DROP TABLE",
            "x" * 5000,
            "col:x",
        ):
            await backend.search(query, namespaces=["notes"])
        assert len(await backend.search("nothing words port", limit=1)) == 1
        assert list(await backend.search("zebra")) == []


async def search_sees_the_present_only(case: Case) -> None:
    """What was replaced or removed is not found, nor what another namespace holds."""
    async with case.opened() as backend:
        if not isinstance(backend, Search):
            return
        await backend.write("notes", "a", b"1", text="walrus")
        assert [hit.path for hit in await backend.search("walrus")] == ["a"]
        await backend.write("notes", "a", b"2", text="penguin")
        assert list(await backend.search("walrus")) == []
        await backend.write("notes@other", "a", b"2", text="penguin")
        assert [hit.namespace for hit in await backend.search("penguin", namespaces=["notes", "memory"])] == ["notes"]
        assert [hit.namespace for hit in await backend.search("penguin", namespaces=["notes@other"])] == ["notes@other"]
        await backend.delete("notes", "a")
        assert [hit.namespace for hit in await backend.search("penguin")] == ["notes@other"]
        await backend.write("notes@other", "a", b"3")
        assert list(await backend.search("penguin")) == []


async def search_tells_the_line_of_an_entry_with_several_texts(case: Case) -> None:
    """Lines count from 1."""
    async with case.opened() as backend:
        if not isinstance(backend, Search):
            return
        await backend.write("archive", "w1", b"...", text=("alpha beta", "", "gamma"))
        hits = await backend.search("gamma")
        assert [(hit.path, hit.meta.get("line"), hit.snippet) for hit in hits] == [("w1", 3, "gamma")]
        assert [hit.meta.get("line") for hit in await backend.search("alpha")] == [1]


async def the_access_index_counts_and_survives(case: Case) -> None:
    """Sizes and uses, in key order; unknown entries are skipped."""
    async with case.opened() as backend:
        if not isinstance(backend, AccessIndex):
            return
        await backend.write("notes", "b", b"12345")
        await backend.write("notes", "a", b"")
        created = (await backend.stats("notes"))[0].created
        await backend.touch({("notes", "b"): (created + 50, 2), ("notes", "gone"): (1.0, 1), ("vfs", "x"): (1.0, 1)})
        await backend.touch({("notes", "b"): (created + 40, 1)})
        found = await backend.stats("notes")
        assert [(stat.path, stat.size, stat.uses) for stat in found] == [("a", 0, 0), ("b", 5, 3)]
        assert found[1].accessed == created + 50
        assert [stat.path for stat in await backend.stats("notes", "b")] == ["b"]


async def one_backend_serves_many_tasks_at_once(case: Case) -> None:
    """Concurrent writers and readers see whole entries."""
    async with case.opened() as backend:

        async def work(number: int) -> None:
            await backend.write("notes", f"{number}", b"%d" % number * 1000, {"n": number}, text=f"number{number}")
            entry = await backend.read("notes", f"{number}")
            assert entry == StoredEntry(b"%d" % number * 1000, {"n": number})

        await asyncio.gather(*(work(number) for number in range(100)))
        assert len(await backend.list("notes")) == 100


async def one_backend_serves_several_event_loops(case: Case) -> None:
    """In a row and in threads at the same time: nothing is tied to the loop of the first call."""
    backend = case.factory(case.directory)

    async def work(name: str) -> None:
        for number in range(20):
            await backend.write("notes", f"{name}/{number}", name.encode())
            assert await backend.read("notes", f"{name}/{number}") == StoredEntry(name.encode())

    def run(name: str) -> None:
        asyncio.run(work(name))

    await asyncio.to_thread(run, "first")
    await asyncio.to_thread(run, "second")
    await asyncio.gather(*(asyncio.to_thread(run, f"thread{number}") for number in range(4)))
    assert len(await backend.list("notes")) == 120
    if isinstance(backend, Close):
        await backend.close()


async def closing_and_recovering_lose_nothing(case: Case) -> None:
    """A closed backend opens itself again; one opened anew finds everything, indexed too."""
    backend = case.factory(case.directory)
    await backend.write("notes", "a", b"1", {"m": 1}, text="ocelot")
    if isinstance(backend, Close):
        await backend.close()
        await backend.close()
    assert await backend.read("notes", "a") == StoredEntry(b"1", {"m": 1})
    if isinstance(backend, Recover):
        await backend.recover()
    if isinstance(backend, Close):
        await backend.close()
    if not case.persistent:
        return
    async with case.opened() as again:
        assert await again.read("notes", "a") == StoredEntry(b"1", {"m": 1})
        if isinstance(again, Search):
            assert [hit.path for hit in await again.search("ocelot")] == ["a"]


async def two_processes_agree_on_who_was_first(case: Case) -> None:
    """``put_if_absent`` of the same keys from two processes: each key has one winner, and both know who."""
    async with case.opened() as backend:
        if not case.persistent or not isinstance(backend, PutIfAbsent):
            return
        await backend.write("notes", "warm", b"")
    spawn = get_context("spawn")
    pairs = [spawn.Pipe() for _ in range(2)]
    processes = [
        spawn.Process(target=_race, args=(case.factory, case.directory, name, there), daemon=True)
        for name, (_, there) in zip((b"one", b"two"), pairs, strict=True)
    ]
    for process in processes:
        process.start()
    for here, _ in pairs:
        await asyncio.to_thread(here.recv)
    for here, _ in pairs:
        here.send("go")
    claims: list[dict[str, bytes]] = [await asyncio.to_thread(here.recv) for here, _ in pairs]
    for process in processes:
        await asyncio.to_thread(process.join)
    assert claims[0] == claims[1]
    async with case.opened() as backend:
        for path, winner in claims[0].items():
            assert await backend.read("windows", path) == StoredEntry(winner)


def _race(factory: Callable[[Path], StorageBackend], directory: Path, name: bytes, pipe: Connection) -> None:
    async def race() -> dict[str, bytes]:
        backend = factory(directory)
        assert isinstance(backend, PutIfAbsent)
        pipe.send("ready")
        pipe.recv()
        winners = {}
        for number in range(100):
            there = await backend.put_if_absent("windows", f"{number}", name)
            winners[f"{number}"] = there.data if there else name
        if isinstance(backend, Close):
            await backend.close()
        return winners

    pipe.send(asyncio.run(race()))


async def a_killed_process_leaves_whole_batches(case: Case) -> None:
    """``kill -9`` at any point: every batch is there whole or not at all, and all that were reported are there."""
    if not case.persistent:
        return
    async with case.opened() as backend:
        if not isinstance(backend, Batch):
            return
        await backend.write("notes", "warm", b"")
    spawn = get_context("spawn")
    reported = -1
    for attempt in range(3):
        here, there = spawn.Pipe()
        process = spawn.Process(target=_fill, args=(case.factory, case.directory, reported + 1, there), daemon=True)
        process.start()
        there.close()
        for _ in range(3 + 5 * attempt):
            reported = await asyncio.to_thread(here.recv)
        process.kill()
        await asyncio.to_thread(process.join)
        with suppress(EOFError):
            while here.poll():
                reported = here.recv()
        async with case.opened() as backend:
            found: dict[int, int] = {}
            for path in await backend.list("archive"):
                number = int(path.split("/")[0])
                found[number] = found.get(number, 0) + 1
                entry = await backend.read("archive", path)
                assert entry == StoredEntry(b"%d" % number * 500, {"n": number})
            assert set(found.values()) <= {5}, "a torn batch"
            assert set(range(reported + 1)) <= set(found), "a reported batch is lost"


def _fill(factory: Callable[[Path], StorageBackend], directory: Path, number: int, pipe: Connection) -> None:
    async def fill() -> None:
        backend = factory(directory)
        assert isinstance(backend, Batch)
        for batch in range(number, number + 10_000):
            data = b"%d" % batch * 500
            await backend.batch(
                [Write("archive", f"{batch}/{part}", data, {"n": batch}, text=f"t{batch}") for part in range(5)]
            )
            pipe.send(batch)

    asyncio.run(fill())


CHECKS: tuple[Check, ...] = (
    nothing_is_there_at_first,
    bytes_come_back_exactly,
    writing_again_replaces_bytes_and_meta,
    every_valid_path_is_an_entry_of_its_own,
    invalid_names_are_refused_by_every_method,
    listings_are_sorted_by_code_point_and_start_with_the_prefix,
    scopes_are_namespaces_of_their_own,
    a_batch_says_for_each_write_whether_it_stored,
    a_batch_that_fails_stores_nothing,
    put_if_absent_gives_what_was_there_first,
    appending_adds_at_the_end,
    what_was_changed_from_outside_is_never_taken_for_what_was_written,
    search_finds_words_phrases_identifiers_and_dense_scripts,
    search_sees_the_present_only,
    search_tells_the_line_of_an_entry_with_several_texts,
    the_access_index_counts_and_survives,
    one_backend_serves_many_tasks_at_once,
    one_backend_serves_several_event_loops,
    closing_and_recovering_lose_nothing,
    two_processes_agree_on_who_was_first,
    a_killed_process_leaves_whole_batches,
)
