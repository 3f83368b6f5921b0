"""The backend of plain files: recognisable names, one owner, no links, nothing outside the directory."""

from __future__ import annotations

import asyncio
import fcntl
import stat
from pathlib import Path

import pytest
from hypothesis import given

from transom.errors import NotFoundError, StoreError
from transom.store import Store, Write
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.blobs import blob_digest, blob_write
from transom.store.filenames import decode_names, encode_path
from transom.testing.store_conformance import AWKWARD_PATHS

from .test_uri import paths


@pytest.mark.feature("S3", "S5")
@given(paths)
def test_names_are_valid_on_every_file_system_and_reversible(path: str) -> None:
    names = encode_path(path)
    assert decode_names(names) == path
    for name in names:
        assert len(name.encode()) <= 255
        assert name not in {".", ".."}
        assert not set(name) & set('<>:"|?*/\\')
        assert name[-1] not in ". "


@pytest.mark.feature("S3")
def test_no_two_paths_share_a_name_where_case_is_ignored() -> None:
    spelt = ["/".join(encode_path(path)).casefold() for path in AWKWARD_PATHS]
    assert len(set(spelt)) == len(AWKWARD_PATHS)


@pytest.mark.feature("S3")
def test_plain_paths_look_like_themselves() -> None:
    assert encode_path("plans/today.md") == ["plans.d", "today.md"]
    assert encode_path("日本語 メモ.txt") == ["日本語 メモ.txt"]


@pytest.mark.feature("S6")
async def test_a_payload_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    async with Store(FilesystemBackend(tmp_path / "s")) as store:
        await store.commit([blob_write("secret")])
        await store.put("notes", "x", path="a/b", meta={"m": 1})
    for path in (tmp_path / "s").rglob("*"):
        mode = stat.S_IMODE(path.lstat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.feature("S6", "S5")
@pytest.mark.parametrize(
    "link", ["vfs", "notes/a.d", "notes/a.d/b", "notes/file", ".store/meta", ".store/aside", ".store/lock"]
)
async def test_links_are_refused_on_every_segment(tmp_path: Path, link: str) -> None:
    root, outside = tmp_path / "s", tmp_path / "outside"
    async with Store(FilesystemBackend(root)) as store:
        await store.put("notes", "x", path="other")
    outside.mkdir()
    (outside / "b").write_text("foreign")
    place = root / link
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        for inner in sorted(place.rglob("*"), reverse=True):
            inner.unlink() if inner.is_file() else inner.rmdir()
        place.rmdir()
    place.unlink(missing_ok=True)
    target = outside / "b" if link.endswith(("/b", "/file", "/lock")) else outside
    place.symlink_to(target)
    async with Store(FilesystemBackend(root)) as store:
        writes = [
            blob_write("data"),
            Write("notes", "a/b/c", b"x"),
            Write("notes", "a/b", b"x"),
            Write("notes", "file", b"", {"m": 1}),
        ]
        with pytest.raises(StoreError, match="follows no links") as caught:
            await store.commit(writes)
        assert caught.value.hint
    assert (outside / "b").read_text() == "foreign"
    assert sorted(path.name for path in outside.rglob("*")) == ["b"]


@pytest.mark.feature("S6")
async def test_a_link_in_place_of_an_entry_is_not_read(tmp_path: Path) -> None:
    backend = FilesystemBackend(tmp_path / "s")
    await backend.write("notes", "a", b"x")
    (tmp_path / "secret").write_text("secret")
    path = backend.physical_path("notes", "a")
    assert path is not None
    assert path.read_bytes() == b"x"
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    with pytest.raises(StoreError, match="follows no links"):
        await backend.read("notes", "a")
    assert list(await backend.list("notes")) == []


@pytest.mark.feature("S3")
async def test_a_directory_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("mine")
    with pytest.raises(StoreError, match="not a store"):
        await FilesystemBackend(tmp_path).write("notes", "a", b"x")
    with pytest.raises(StoreError, match="no directory"):
        await FilesystemBackend(tmp_path / "README").write("notes", "a", b"x")
    with pytest.raises(NotFoundError, match="there is no store"):
        await FilesystemBackend(tmp_path / "gone", create=False).read("notes", "a")
    assert await FilesystemBackend(tmp_path / "new").read("notes", "a") is None
    assert not (tmp_path / "new").exists()


@pytest.mark.feature("S2", "S6")
async def test_what_a_killed_writer_left_aside_is_swept(tmp_path: Path) -> None:
    backend = FilesystemBackend(tmp_path / "s")
    await backend.batch([Write("notes", "a", b"1"), Write("notes", "b", b"2")])
    (tmp_path / "s" / ".store" / "aside" / "left").write_bytes(b"half")
    async with Store(backend) as store:
        assert await store.reconcile() == {"swept": 1}
        assert await store.list("notes") == ["a", "b"]


@pytest.mark.feature("S6")
async def test_identical_bytes_are_one_file(tmp_path: Path) -> None:
    backend = FilesystemBackend(tmp_path / "s")
    async with Store(backend) as store:
        await store.put("vfs", "same")
        path = backend.physical_path("vfs", blob_digest("same"))
        assert path is not None
        before = path.stat().st_ino
        await store.put("vfs", "same")
        assert path.stat().st_ino == before


@pytest.mark.feature("S6")
async def test_those_of_one_process_queue_up_and_never_take_each_other_for_another_process(tmp_path: Path) -> None:
    writers = [FilesystemBackend(tmp_path / "s", busy_timeout=0.0) for _ in range(3)]
    await writers[0].write("notes", "made", b"")
    turns = [writer.append("notes", "a", b"x") for _ in range(20) for writer in writers]
    elsewhere = asyncio.to_thread(lambda: asyncio.run(_append(tmp_path / "s", 20)))
    await asyncio.gather(*turns, elsewhere)
    entry = await writers[0].read("notes", "a")
    assert entry is not None
    assert entry.data == b"x" * 80


async def _append(root: Path, times: int) -> None:
    backend = FilesystemBackend(root, busy_timeout=0.0)
    await asyncio.gather(*(backend.append("notes", "a", b"x") for _ in range(times)))


@pytest.mark.feature("S6")
async def test_another_process_is_named_where_it_really_holds_the_lock(tmp_path: Path) -> None:
    backend = FilesystemBackend(tmp_path / "s", busy_timeout=0.05)
    await backend.write("notes", "a", b"x")
    with (tmp_path / "s/.store/lock").open("wb") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        told = await asyncio.gather(*(backend.write("notes", f"{n}", b"x") for n in range(8)), return_exceptions=True)
    assert all("locked by another process" in str(error) for error in told)
    await backend.write("notes", "b", b"x")
