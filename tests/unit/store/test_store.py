"""The store over every backend: namespaces, addresses, scopes, commits, eviction, upkeep."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

import pytest

from transom.errors import CapabilityError, InputError, IntegrityError, NotFoundError, StoreError, URIError
from transom.jsontext import EMPTY, dumps
from transom.store import Store, Write
from transom.store.archive import archive_lines
from transom.store.backend import StorageBackend, StoredEntry
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.memory import MemoryBackend
from transom.store.backends.sqlite import SQLiteBackend
from transom.store.blobs import blob_digest, blob_uri, blob_write


class PlainBackend:
    """The four methods and nothing else, as somebody's first backend would have them."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], StoredEntry] = {}
        self.written: list[str] = []
        self.failing = ""

    async def read(self, namespace: str, path: str) -> StoredEntry | None:
        return self.items.get((namespace, path))

    async def write(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> None:
        if path == self.failing:
            raise OSError(28, "No space left on device")
        self.written.append(path)
        self.items[namespace, path] = StoredEntry(data, meta)

    async def delete(self, namespace: str, path: str) -> bool:
        return self.items.pop((namespace, path), None) is not None

    async def list(self, namespace: str, prefix: str = "") -> Sequence[str]:
        return sorted(path for where, path in self.items if where == namespace and path.startswith(prefix))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


OPENERS: dict[str, Callable[[Path, Clock], StorageBackend]] = {
    "plain": lambda directory, clock: PlainBackend(),
    "memory": lambda directory, clock: MemoryBackend(clock=clock),
    "filesystem": lambda directory, clock: FilesystemBackend(directory / "files"),
    "sqlite": lambda directory, clock: SQLiteBackend(directory / "store.db", clock=clock),
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=OPENERS)
async def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[Store]:
    async with Store(OPENERS[request.param](tmp_path, clock), clock=clock) as opened:
        yield opened


@pytest.mark.feature("S1")
def test_four_methods_are_a_backend() -> None:
    assert isinstance(PlainBackend(), StorageBackend)


@pytest.mark.feature("S2")
async def test_what_is_put_is_got_by_its_address(store: Store) -> None:
    uri = await store.put("notes", "Größe: 5", path="maße/a b", meta={"n": 1})
    assert uri == "context://notes/ma%C3%9Fe/a%20b"
    assert await store.get(uri) == "Größe: 5".encode()
    assert await store.read("notes", "maße/a b") == StoredEntry("Größe: 5".encode(), {"n": 1})
    assert await store.exists(uri)
    assert not await store.exists("context://notes/ma")
    assert await store.delete("notes", "maße/a b")
    assert not await store.exists(uri)


@pytest.mark.feature("S2")
async def test_a_put_without_a_path_is_called_after_its_content(store: Store) -> None:
    assert await store.put("vfs", "text") == blob_uri(b"text") == await store.put("vfs", b"text")
    assert await store.put("notes", b"\xff") == "context://notes/" + blob_digest(b"\xff")


@pytest.mark.feature("S2")
async def test_a_miss_says_what_to_do_and_that_asking_again_is_no_use(store: Store) -> None:
    with pytest.raises(NotFoundError, match="asking again will not help"):
        await store.get("context://archive/gone")


@pytest.mark.feature("S2")
async def test_entries_come_in_key_order_one_by_one_and_all_at_once(store: Store) -> None:
    for path in ("b", "a/2", "a/1", "é"):
        await store.put("plans", path, path=path)
    assert [path async for path, _ in store.entries("plans")] == ["a/1", "a/2", "b", "é"]
    assert list(await store.read_all("plans", "a/")) == ["a/1", "a/2"]
    assert await store.list("plans", "a") == ["a/1", "a/2"]
    assert [(stat.path, stat.size) for stat in await store.stats("plans", "b")] == [("b", 1)]


@pytest.mark.feature("S2")
async def test_appending_works_on_every_backend(store: Store) -> None:
    notes = store.namespace("notes")
    assert await notes.append("log", "one quokka\n") == "context://notes/log"
    await notes.append("log", "two\n", {"lines": 2})
    assert await notes.read("log") == StoredEntry(b"one quokka\ntwo\n", {"lines": 2})
    assert [hit.uri for hit in await notes.search("quokka")] == ["context://notes/log"]
    with pytest.raises(URIError, match="addressed by its content"):
        await store.append("vfs", blob_digest(b""), b"x")


@pytest.mark.feature("S2", "S5")
async def test_nothing_crosses_scopes(store: Store) -> None:
    other = store.scoped("someone else")
    await store.put("notes", "my wombat", path="a")
    await other.put("notes", "their wombat", path="a")
    assert await store.get("context://notes/a") == b"my wombat"
    assert await other.get("context://notes/a") == b"their wombat"
    assert [hit.snippet for hit in await store.search("wombat")] == ["my wombat"]
    assert [hit.snippet for hit in await other.search("wombat")] == ["their wombat"]
    assert (await store.verify()).entries == 1
    await store.delete("notes", "a")
    assert await other.exists("context://notes/a")


@pytest.mark.feature("S6")
async def test_a_commit_stores_blobs_once_and_says_what_was_new(store: Store) -> None:
    first = [blob_write("a text"), Write("windows", "w", b"{}", if_absent=True)]
    assert await store.commit(first) == [True, True]
    assert await store.commit([*first, Write("notes", "n", b"x")]) == [False, False, True]
    assert await store.commit([]) == []


@pytest.mark.feature("S6")
async def test_bytes_that_are_not_what_their_address_says_are_refused(store: Store) -> None:
    with pytest.raises(IntegrityError):
        await store.commit([Write("vfs", blob_digest(b"one"), b"two")])
    with pytest.raises(IntegrityError):
        await store.put("vfs", b"two", path=blob_digest(b"one"))
    with pytest.raises(URIError, match="SHA-256"):
        await store.put("vfs", b"x", path="my/file")
    assert await store.list("vfs") == []


@pytest.mark.feature("S6", "S16")
async def test_damage_is_found_by_get_by_commit_and_by_verify(store: Store) -> None:
    uri = await store.put("vfs", "the truth")
    await store.backend.write("vfs", blob_digest("the truth"), b"a lie")
    with pytest.raises(IntegrityError, match="store verify"):
        await store.get(uri)
    with pytest.raises(IntegrityError):
        await store.commit([blob_write("the truth")])
    with pytest.raises(IntegrityError):
        await store.put("vfs", "the truth")
    report = await store.verify()
    assert (report.ok, report.damaged, report.digests) == (False, (uri,), 1)


@pytest.mark.feature("S16")
async def test_verify_follows_every_address_that_records_and_archives_cite(store: Store) -> None:
    blobs, lines = archive_lines([dumps({"role": "tool", "content": "long output " * 500})])
    await store.commit([*blobs, Write("archive", "w1", lines)])
    quoted = f"all of it: context://archive/w1. Somebody wrote: see context://archive/elsewhere and context://vfs/{'1' * 64}."
    await store.put("windows", dumps({"archive": "context://archive/w1", "items": [{"text": quoted}]}), path="r1")
    await store.put("notes", f"I once saw context://vfs/{'0' * 64} and context://vfs/short")
    report = await store.verify()
    assert report.ok
    assert (report.entries, report.cited) == (4, 5)
    talk = ["context://archive/elsewhere", f"context://vfs/{'0' * 64}", f"context://vfs/{'1' * 64}"]
    assert [uri for uri, _ in report.dangling] == talk, "what a record quotes is no promise of the record"
    await store.delete("vfs", blobs[0].path)
    await store.delete("archive", "w1")
    assert list((await store.verify()).missing) == [("context://archive/w1", "context://windows/r1")]


@pytest.mark.feature("S16")
async def test_an_archive_whose_text_is_gone_is_missed(store: Store) -> None:
    blobs, lines = archive_lines([dumps({"content": "long output " * 500})])
    await store.commit([*blobs, Write("archive", "w1", lines)])
    assert await store.expand("context://archive/w1") == dumps({"content": "long output " * 500}) + b"\n"
    await store.delete("vfs", blobs[0].path)
    assert (await store.verify()).missing == ((f"context://vfs/{blobs[0].path}", "context://archive/w1"),)


@pytest.mark.feature("S16")
async def test_only_blobs_that_nothing_cites_are_collected(store: Store) -> None:
    cited = await store.put("vfs", "cited")
    loose = await store.put("vfs", "loose")
    await store.put("notes", f"see {cited}")
    assert (await store.gc(min_age=0, dry_run=True)).removed == (loose,)
    assert await store.exists(loose)
    report = await store.gc(min_age=0)
    assert (report.removed, report.kept) == ((loose,), 1)
    assert await store.exists(cited)


@pytest.mark.feature("S16")
async def test_a_blob_that_a_session_stores_again_is_young_again(tmp_path: Path, clock: Clock) -> None:
    for name in ("memory", "sqlite"):
        async with Store(OPENERS[name](tmp_path, clock), clock=clock) as store:
            uri = await store.put("vfs", "old")
            clock.now += 5000
            await store.commit([blob_write("old")])
            assert (await store.gc()).removed == ()
            clock.now += 5000
            assert (await store.gc()).removed == (uri,)


async def test_a_search_for_what_is_no_text_is_an_input_error(store: Store) -> None:
    with pytest.raises(InputError, match="a search for None"):
        await store.search(None)  # type: ignore[arg-type]


@pytest.mark.feature("S14")
async def test_search_names_the_archive_its_line_and_the_text_as_it_was(store: Store) -> None:
    raws = [
        dumps({"role": "user", "content": "first"}),
        dumps({"role": "tool", "content": 'error:\n\t"disk full" on /dev/sda1'}),
    ]
    _, lines = archive_lines(raws)
    await store.commit([Write("archive", "w1", lines)])
    (hit,) = await store.search("/dev/sda1")
    assert (hit.uri, hit.line, hit.snippet) == ("context://archive/w1", 2, 'error:\n\t"disk full" on /dev/sda1')
    assert await store.search("first", ("notes",)) == []
    assert await store.search("   ") == []
    with pytest.raises(URIError):
        await store.search("x", ("nope",))


@pytest.mark.feature("S14")
async def test_text_kept_out_of_the_index_is_not_found_where_there_is_an_index(tmp_path: Path) -> None:
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        await store.put("notes", "hidden numbat", index=False)
        await store.put("notes", b"\x89PNG", text="a picture of a numbat")
        assert [hit.snippet for hit in await store.search("numbat")] == ["a picture of a numbat"]


@pytest.mark.feature("S1")
async def test_without_batch_a_commit_writes_in_the_order_given_and_stops_at_the_first_failure() -> None:
    backend = PlainBackend()
    store = Store(backend)
    backend.failing = "w1"
    with pytest.raises(StoreError, match="PlainBackend failed"):
        await store.commit([blob_write("content"), Write("archive", "w1", b""), Write("windows", "cites w1", b"")])
    assert backend.written == [blob_digest("content")]


@pytest.mark.feature("S1")
async def test_a_missing_capability_is_a_named_error() -> None:
    store = Store(PlainBackend())
    with pytest.raises(CapabilityError, match="PlainBackend has no put_if_absent"):
        await store.put_if_absent("windows", "a", b"")
    store.eviction("notes", max_count=1)
    with pytest.raises(CapabilityError, match="no access index"):
        await store.cleanup()


@pytest.mark.feature("S2")
@pytest.mark.parametrize("name", ["memory", "sqlite"])
async def test_eviction_takes_the_least_recently_used_and_only_when_asked(name: str, tmp_path: Path, clock: Clock) -> None:
    async with Store(OPENERS[name](tmp_path, clock), clock=clock) as store:
        for path in ("a", "b", "c", "d"):
            await store.put("rag", "x" * 10, path=path)
        store.eviction("rag", max_count=2)
        await store.read("rag", "a")
        assert await store.list("rag") == ["a", "b", "c", "d"]
        report = await store.cleanup()
        assert report.removed == ("context://rag/b", "context://rag/c")
        assert report.bytes == 20
        store.eviction("rag", max_bytes=15)
        assert (await store.cleanup()).removed == ("context://rag/d",)
        clock.now += 100
        store.eviction("rag", max_age=50)
        assert (await store.cleanup()).removed == ("context://rag/a",)
        store.eviction("rag")
        assert (await store.cleanup()).removed == ()


@pytest.mark.feature("S2")
@pytest.mark.parametrize("name", ["memory", "sqlite", "filesystem"])
async def test_what_is_cited_is_evicted_only_by_force(name: str, tmp_path: Path, clock: Clock) -> None:
    async with Store(OPENERS[name](tmp_path, clock), clock=clock) as store:
        uri = await store.put("vfs", "cited")
        await store.put("windows", dumps({"cites": uri}), path="w")
        store.eviction("vfs", max_count=0)
        assert (await store.cleanup()).kept == (uri,)
        assert (await store.cleanup(force=True)).removed == (uri,)


@pytest.mark.feature("S2")
async def test_counted_reads_survive_a_restart(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "store.db"
    async with Store(SQLiteBackend(path, clock=clock), clock=clock) as store:
        uri = await store.put("notes", "x", path="a")
        for _ in range(3):
            await store.get(uri)
    async with Store(SQLiteBackend(path, clock=clock), clock=clock) as store:
        assert (await store.stats("notes"))[0].uses == 3
        assert await store.reconcile() == {"indexed": 1}
        assert await store.reconcile() == {"indexed": 0}


@pytest.mark.feature("S3")
async def test_a_closed_store_is_one_file_that_may_be_copied(tmp_path: Path) -> None:
    async with Store(SQLiteBackend(tmp_path / "home" / "store.db")) as store:
        await store.put("notes", "quokka", path="a")
        await store.search("quokka")
        await store.get("context://notes/a")
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["store.db"]
    backend = SQLiteBackend(tmp_path / "home" / "store.db")
    await backend.snapshot(tmp_path / "copy.db")
    await backend.close()
    async with Store(SQLiteBackend(tmp_path / "copy.db", create=False)) as store:
        assert [hit.uri for hit in await store.search("quokka")] == ["context://notes/a"]


@pytest.mark.feature("S2", "S3")
async def test_an_export_is_a_store_of_plain_files(store: Store, tmp_path: Path) -> None:
    blobs, lines = archive_lines([dumps({"content": "long output " * 500})])
    await store.commit([*blobs, Write("archive", "w1", lines, {"n": 1})])
    await store.put("notes", "hello", path="Plans/today.md")
    async with Store(FilesystemBackend(tmp_path / "export")) as target:
        assert await store.export(target) == 3
        assert await target.expand("context://archive/w1") == await store.expand("context://archive/w1")
        assert (await target.verify()).ok
    files = {path.name: path for path in (tmp_path / "export" / "notes").rglob("*") if path.is_file()}
    assert [path.read_text() for path in files.values()] == ["hello"]
    assert next(iter(files)) == "today.md"


@pytest.mark.parametrize("path", ["agent.db", Path("agent.db")])
def test_a_path_in_place_of_a_backend_is_refused_with_the_line_to_write(path: str | Path) -> None:
    with pytest.raises(InputError, match=re.escape("write Store(SQLiteBackend('agent.db'))")):
        Store(path)  # type: ignore[arg-type]
