"""What was changed behind the store's back: found by verify, never given out."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transom.errors import IntegrityError, StoreError
from transom.runtime import open_store
from transom.store import Store, Write
from transom.store.archive import archive_lines
from transom.store.backend import StoredEntry
from transom.store.blobs import blob_digest, blob_write
from transom.store.uri import NAMESPACES

TRUTH = b'{"role":"user","content":"The port is 5433."}\n'
NAMED = sorted(set(NAMESPACES) - {"vfs"})
LIE = b'{"role":"user","content":"The port is 6666."}\n'


@pytest.fixture(params=["store.db", "plain/"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"{tmp_path}/{request.param}"


def overwrite(place: str, old: bytes, new: bytes) -> int:
    """Exchange bytes in the files of a closed store; how many of them hold the old ones."""
    found = 0
    files = [path for path in Path(place).rglob("*") if path.is_file()] if place.endswith("/") else [Path(place)]
    for path in files:
        data = path.read_bytes()
        if old in data:
            path.write_bytes(data.replace(old, new))
            found += 1
    return found


def without_seals(place: str) -> None:
    """As an earlier release would have left it."""
    if place.endswith("/"):
        (Path(place) / ".store/sealed").unlink()
        for path in (Path(place) / ".store/meta").rglob("*"):
            if path.is_file():
                path.unlink()
    else:
        with closing(sqlite3.connect(place)) as connection, connection:
            connection.execute("UPDATE entries SET meta = NULL")
            connection.execute("DROP TABLE sealed")


@pytest.mark.feature("S16")
@pytest.mark.parametrize("scope", ["default", "anna"])
async def test_an_entry_that_was_overwritten_is_found_and_never_given_out(place: str, scope: str) -> None:
    async with open_store(place, scope=scope) as store:
        for namespace in NAMED:
            await store.commit([Write(namespace, "folder/a", TRUTH, {"n": 1}), Write(namespace, "b", b"fine")])
    assert overwrite(place, b"5433", b"6666")
    async with open_store(place, scope=scope) as store:
        report = await store.verify()
        assert (report.ok, sorted(report.damaged)) == (False, [f"context://{namespace}/folder/a" for namespace in NAMED])
        assert (report.digests, report.unchecked) == (2 * len(NAMED), 0)
        for namespace in NAMED:
            for reading in (
                store.get(f"context://{namespace}/folder/a"),
                store.expand(f"context://{namespace}/folder/a"),
                store.read(namespace, "folder/a"),
                store.read_all(namespace),
                store.append(namespace, "folder/a", b"more"),
            ):
                with pytest.raises(IntegrityError, match=rf"context://{namespace}/folder/a is damaged.*restore the store"):
                    await reading
            assert await store.get(f"context://{namespace}/b") == b"fine"


@pytest.mark.feature("S16")
async def test_no_search_shows_what_was_overwritten(place: str) -> None:
    async with open_store(place) as store:
        await store.put("notes", "The harbour pilot drinks 5433 cups of tea.", path="a")
        await store.put("notes", "The harbour pilot sleeps.", path="b")
        assert len(await store.search("harbour pilot")) == 2
    overwrite(place, b"5433", b"6666")
    async with open_store(place) as store:
        hits = await store.search("harbour pilot")
        assert [hit.uri for hit in hits] == ["context://notes/b"]


@pytest.mark.feature("S16")
async def test_values_kept_beside_the_bytes_are_covered_too(place: str) -> None:
    async with open_store(place) as store:
        await store.put("memory", "double", path="quotes", meta={"description": "as ever"})
        await store.commit([blob_write("a text", meta={"name": "as ever"})])
        assert (await store.verify()).ok
    assert overwrite(place, b"as ever", b"NEVER! ") >= 1
    async with open_store(place) as store:
        assert set((await store.verify()).damaged) == {
            "context://memory/quotes",
            f"context://vfs/{blob_digest('a text')}",
        }


@pytest.mark.feature("S16")
@pytest.mark.parametrize("folder", ["archive", ".store/meta/archive"])
async def test_every_single_byte_of_a_plain_file_counts(tmp_path: Path, folder: str) -> None:
    file = tmp_path / folder / "a"
    async with open_store(f"{tmp_path}/") as store:
        await store.put("archive", TRUTH, path="a", meta={"n": 1})
        data = file.read_bytes()
        changed = [data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :] for at in range(len(data))]
        for number, damaged in enumerate([*changed, *(data[:cut] for cut in range(len(data)))]):
            file.write_bytes(damaged)
            with pytest.raises(IntegrityError):
                raise AssertionError(f"{number}: {await store.read('archive', 'a')}")
        file.write_bytes(data)
        assert (await store.verify()).ok


@pytest.mark.feature("S16")
async def test_an_entry_in_the_place_of_another_is_found(tmp_path: Path) -> None:
    async with open_store(f"{tmp_path}/") as store:
        await store.put("archive", TRUTH, path="a")
        await store.put("archive", LIE, path="b")
        for folder in (tmp_path / "archive", tmp_path / ".store/meta/archive"):
            (folder / "b").replace(folder / "a")
        assert (await store.verify()).damaged == ("context://archive/a",)


@pytest.mark.feature("S16")
async def test_a_store_of_an_earlier_release_is_read_and_verify_says_what_it_cannot_check(place: str) -> None:
    async with open_store(place) as store:
        await store.put("archive", TRUTH, path="a", meta={"n": 1})
        await store.put("notes", "n", path="n")
        await store.put("vfs", "text")
    without_seals(place)
    async with open_store(place) as store:
        report = await store.verify()
        assert (report.ok, report.entries, report.digests, report.unchecked) == (True, 3, 1, 2)
        assert await store.get("context://archive/a") == TRUTH
        await store.put("notes", "n", path="n")
        assert (await store.verify()).unchecked == 1
    overwrite(place, b"text", b"TEXT")
    async with open_store(place) as store:
        assert (await store.verify()).damaged == (f"context://vfs/{blob_digest('text')}",)


@pytest.mark.feature("S16")
async def test_nothing_is_collected_while_nobody_knows_what_a_damaged_entry_cites(place: str) -> None:
    blobs, lines = archive_lines([b'{"content":"' + b"x" * 5000 + b'"}'])
    async with open_store(place) as store:
        await store.commit([*blobs, Write("archive", "a", lines)])
    overwrite(place, b"$ref", b"%ref")
    async with open_store(place) as store:
        with pytest.raises(IntegrityError, match="context://archive/a"):
            await store.gc(min_age=0)
        assert len(await store.list("vfs")) == 1


@pytest.mark.feature("S16")
async def test_an_export_copies_what_is_whole_and_names_the_rest(place: str, tmp_path: Path) -> None:
    async with open_store(place) as store:
        await store.put("archive", TRUTH, path="a")
        await store.put("notes", "n", path="n", meta={"n": 1})
    overwrite(place, b"5433", b"6666")
    async with open_store(place) as store, open_store(f"{tmp_path}/copy/") as copy:
        with pytest.raises(IntegrityError, match=r"1 entries were copied.*context://archive/a"):
            await store.export(copy)
        assert (await copy.verify()).ok
        assert await copy.list("notes") == ["n"]


@pytest.mark.feature("S16")
async def test_an_archive_that_is_closed_again_mends_a_damaged_one(place: str) -> None:
    write = Write("archive", "span", TRUTH, {"messages": 1}, if_absent=True)
    async with open_store(place) as store:
        assert await store.commit([write]) == [True]
    overwrite(place, b"5433", b"6666")
    async with open_store(place) as store:
        assert await store.commit([write]) == [False]
        assert await store.read("archive", "span") == StoredEntry(TRUTH, {"messages": 1})
        assert (await store.verify()).ok


@pytest.mark.feature("S16")
async def test_an_entry_that_an_index_has_lost_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with open_store(path) as store:
        await store.put("notes", TRUTH, path="kept")
        await store.put("notes", LIE, path="somewhere")
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entries_address'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    at = data.index(b"notessomewhere", (page - 1) * size)
    data[at : at + 5] = b"nutes"
    path.write_bytes(data)
    async with open_store(path) as store:
        assert await store.list("notes") == ["kept"]
        report = await store.verify()
        assert not report.ok
        assert report.faults


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.feature("S16")
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200), meta=st.dictionaries(st.text(), _JSON, max_size=4))
async def test_whatever_is_kept_comes_back_whole_and_checked(
    open_stores: list[Store], data: bytes, meta: dict[str, object]
) -> None:
    for store in open_stores:
        await store.put("notes", data, path="a", meta=meta)
        entry = await store.read("notes", "a")
        assert entry is not None
        assert (entry.data, entry.meta, entry.checked) == (data, meta, True)


@pytest.fixture
async def open_stores(tmp_path: Path) -> AsyncIterator[list[Store]]:
    async with open_store(tmp_path / "store.db") as database, open_store(f"{tmp_path}/plain/") as files:
        yield [database, files]


@pytest.mark.feature("S16")
@pytest.mark.parametrize(
    "journal",
    [b"", b"x", b"{}", b"[]", b'{"moves":5}', b'{"moves":[],"gone":[[".."]]}', b'{"moves":[[["..","a"],["b"]]],"gone":[]}'],
)
async def test_a_damaged_journal_is_removed_where_nothing_waits_for_it_and_else_named(tmp_path: Path, journal: bytes) -> None:
    async with open_store(f"{tmp_path}/") as store:
        await store.commit([Write("notes", "a", b"1"), Write("notes", "b", b"2")])
    (tmp_path / ".store/journal").write_bytes(journal)
    async with open_store(f"{tmp_path}/") as store:
        assert await store.list("notes") == ["a", "b"]
        assert not (tmp_path / ".store/journal").exists()
        (tmp_path / ".store/journal").write_bytes(journal)
        (tmp_path / ".store/aside/half").write_bytes(b"of it")
        for work in (store.list("notes"), store.get("context://notes/a"), store.put("notes", "c", path="c"), store.verify()):
            with pytest.raises(IntegrityError, match=r"\.store/journal is damaged.*move that file away"):
                await work


@pytest.mark.feature("S16")
@pytest.mark.parametrize("uses", [b"", b"x", b'{"a":5}', b"[]", b'{"notes/a":[1]}'])
async def test_uses_that_cannot_be_read_are_not_known(tmp_path: Path, uses: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async with open_store(f"{tmp_path}/") as store:
        await store.put("notes", "n", path="a")
        await store.put("vfs", "nobody cites it")
        (tmp_path / ".store/uses.json").write_bytes(uses)
        assert (await store.gc(dry_run=True, min_age=3600)).kept == 1
        assert [stat.uses for stat in await store.stats("notes")] == [0]
        assert "uses.json cannot be read" in caplog.text
        await store.get("context://notes/a")
        await store.flush_uses()
        assert [stat.uses for stat in await store.stats("notes")] == [1]


@pytest.mark.feature("S16")
@pytest.mark.parametrize("mark", [None, b"", b"\n", b"x"])
async def test_a_folder_of_entries_without_its_mark_never_passes_for_an_empty_store(tmp_path: Path, mark: bytes | None) -> None:
    version = tmp_path / "s/.store/version"
    async with open_store(f"{tmp_path}/s/", scope="anna") as store:
        await store.put("notes", "n", path="a")
    version.unlink()
    if mark is not None:
        version.write_bytes(mark)
    async with open_store(f"{tmp_path}/s/") as store, open_store(f"{tmp_path}/copy/") as copy:
        for work in (
            store.verify(),
            store.export(copy),
            store.scopes(),
            store.get("context://notes/a"),
            store.put("notes", "b", path="b"),
            store.reconcile(),
        ):
            with pytest.raises(IntegrityError, match=r"\.store/version is (lost or empty|damaged).*transom store verify"):
                await work
        version.write_text("1")
        assert await store.scoped("anna").get("context://notes/a") == b"n"


@pytest.mark.feature("S16")
@pytest.mark.parametrize("mark", [None, b""])
async def test_a_store_that_was_only_begun_is_made(tmp_path: Path, mark: bytes | None) -> None:
    (tmp_path / ".store").mkdir()
    if mark is not None:
        (tmp_path / ".store/version").write_bytes(mark)
    async with open_store(f"{tmp_path}/") as store:
        assert await store.list("notes") == []
        await store.put("notes", "n", path="a")
    async with open_store(f"{tmp_path}/") as store:
        assert await store.list("notes") == ["a"]


@pytest.mark.feature("S16")
async def test_a_store_that_lost_its_folder_of_seals_is_told_how_to_get_it_back(tmp_path: Path) -> None:
    async with open_store(f"{tmp_path}/") as store:
        await store.put("notes", "n", path="a")
    shutil.rmtree(tmp_path / ".store")
    async with open_store(f"{tmp_path}/") as store:
        with pytest.raises(StoreError, match=r"not a store.*\.store back from a copy"):
            await store.verify()


def _kept(place: str, change: Callable[[bytes], bytes]) -> None:
    """Change what stands beside the entry ``notes/a`` of a closed store."""
    if place.endswith("/"):
        file = Path(place) / ".store/meta/notes/a"
        file.write_bytes(change(file.read_bytes()))
        return
    with closing(sqlite3.connect(place)) as connection, connection:
        (old,) = connection.execute("SELECT CAST(meta AS BLOB) FROM entries WHERE path = 'a'").fetchone()
        connection.execute("UPDATE entries SET meta = CAST(? AS TEXT) WHERE path = 'a'", (change(old),))


LOST: dict[str, Callable[[bytes], bytes]] = {
    "space": lambda kept: b" " + kept,
    "newline": lambda kept: b"\n" + kept,
    "mark": lambda kept: b"\xef\xbb\xbf" + kept,
    "space after": lambda kept: kept[:1] + b" " + kept[1:],
    "upper": bytes.upper,
    "key with one more": lambda kept: kept.replace(b"transom", b"xtransom"),
    "key with one fewer": lambda kept: kept.replace(b"transom", b"tansom"),
    "key inside": lambda kept: kept.replace(b"transom.seal", b"tran_som.seal"),
    "key second": lambda kept: b'{"n":2,' + kept[1:],
    "number": lambda _: b"5",
    "list": lambda _: b"[]",
    "null": lambda _: b"null",
    "nothing": lambda _: b"{}",
    "spaced": lambda _: b'{"n": 1}',
}


@pytest.mark.feature("S16")
@pytest.mark.parametrize("change", LOST.values(), ids=LOST)
@pytest.mark.parametrize("meta", [{}, {"n": 1}])
async def test_a_seal_is_not_lost_by_what_is_put_into_it(
    place: str, change: Callable[[bytes], bytes], meta: dict[str, object]
) -> None:
    async with open_store(place) as store:
        await store.put("notes", "whole", path="a", meta=meta)
    _kept(place, change)
    async with open_store(place) as store:
        with pytest.raises(IntegrityError):
            await store.read("notes", "a")
        assert (await store.verify()).damaged == ("context://notes/a",)


@pytest.mark.feature("S16")
async def test_a_file_that_is_gone_while_its_seal_remains_is_missed(tmp_path: Path) -> None:
    async with open_store(f"{tmp_path}/") as store:
        await store.put("notes", "n", path="folder/a")
        await store.put("notes", "n", path="kept")
        await store.delete("notes", "kept")
        assert (await store.verify()).ok
        (tmp_path / "notes/folder.d/a").unlink()
        report = await store.verify()
        assert not report.ok
        assert ["notes/folder.d/a" in said for said in report.faults] == [True]


@pytest.mark.feature("S16")
async def test_a_new_entry_whose_writer_was_killed_before_its_bytes_were_in_place_is_no_damage(tmp_path: Path) -> None:
    async with open_store(f"{tmp_path}/") as store:
        await store.put("notes", "n", path="a")
        (tmp_path / "notes/a").rename(tmp_path / ".store/aside/cut")
        assert (await store.verify()).ok
        await store.reconcile()
        assert not list((tmp_path / ".store/meta").rglob("a"))
        assert (await store.verify()).ok


@pytest.mark.feature("S16")
async def test_in_a_store_that_was_sealed_from_its_start_a_missing_seal_is_damage(place: str) -> None:
    async with open_store(place) as store:
        await store.put("archive", TRUTH, path="a")
        await store.put("vfs", "called after itself")
    if place.endswith("/"):
        shutil.rmtree(Path(place) / ".store/meta")
        (Path(place) / "archive/a").write_bytes(LIE)
    else:
        with closing(sqlite3.connect(place)) as connection, connection:
            connection.execute("UPDATE entries SET meta = NULL, data = ? WHERE namespace = 'archive'", (LIE,))
    async with open_store(place) as store:
        assert (await store.verify()).damaged == ("context://archive/a",)
        for work in (store.get("context://archive/a"), store.read_all("archive"), store.append("archive", "a", b"more")):
            with pytest.raises(IntegrityError):
                await work
