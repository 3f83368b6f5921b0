"""Backups as tools: what goes in, what comes back, and what an archive from elsewhere may not do."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.toolbox.access.intents import Intents
from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.backup import FAMILY
from transom.toolbox.tool import Envelope

NOW = 1_700_000_000.0
FOLDER = ".ai_toolbox_backups"
posix = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and pipes of POSIX")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class Box:
    """The tools for backups over a folder."""

    def __init__(self, root: Path, *, clock: Callable[[], float] = lambda: NOW, cwd: str | None = None) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        self.workspace = Workspace([root], cwd=cwd, intents=Intents(root.parent / "intents"))
        self._box = Toolbox((FAMILY,), services={Workspace: self.workspace}, clock=clock)

    async def call(self, tool: str, **arguments: object) -> Envelope:
        return await self._box.call(tool, arguments, Caller(session="s"))

    async def ok(self, tool: str, **arguments: object) -> Envelope:
        answer = await self.call(tool, confirm=True, **arguments) if tool != "list_backups" else await self.call(tool)
        assert answer.ok, answer.text
        return answer

    async def made(self, **arguments: object) -> str:
        return str((await self.ok("create_backup", **arguments)).data["backupFile"])

    def tree(self) -> dict[str, bytes]:
        """Every file but backups, by path."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and not path.is_symlink() and FOLDER not in path.parts
        }

    def members(self, name: str) -> list[str]:
        with zipfile.ZipFile(self.root / FOLDER / name) as archive:
            return archive.namelist()

    def put(self, files: dict[str, bytes]) -> None:
        for name, data in files.items():
            place = self.root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)

    def foreign(self, name: str, *members: tuple[str | zipfile.ZipInfo, bytes]) -> None:
        (self.root / FOLDER).mkdir(exist_ok=True)
        with zipfile.ZipFile(self.root / FOLDER / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, data in members:
                archive.writestr(member, data)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path / "ws")


async def test_what_was_backed_up_comes_back_byte_for_byte_and_the_rest_stays(box: Box) -> None:
    box.put({"a.txt": b"one\r\n", "src/b.bin": bytes(range(256)), "src/deep/c.txt": b"", "gone.txt": b"g"})
    before = box.tree()
    name = await box.made(label="before the move")
    assert name == "backup-20231114-221320-before-the-move.zip"
    box.put({"a.txt": b"changed", "new.txt": b"stays"})
    (box.root / "gone.txt").unlink()
    (box.root / "src" / "deep" / "c.txt").unlink()
    (box.root / "src" / "deep").rmdir()
    dry = await box.call("restore_backup", backupFile=name, dry_run=True)
    assert dry.data == {"changed": ["a.txt"], "new": ["gone.txt", "src/deep/c.txt"], "same": 1, "dry_run": True}
    assert (box.root / "a.txt").read_bytes() == b"changed"
    restored = await box.ok("restore_backup", backupFile=name)
    assert {**restored.data, "dry_run": True} == dry.data
    assert box.tree() == {**before, "new.txt": b"stays"}
    assert "were the same" not in (await box.ok("restore_backup", backupFile=name)).text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_backup", {}),
        ("restore_backup", {"backupFile": "x.zip"}),
        ("delete_backup", {"backupFile": "x.zip"}),
        ("cleanup_backups", {}),
    ],
)
async def test_nothing_happens_without_consent(box: Box, tool: str, arguments: dict[str, object]) -> None:
    box.put({"a.txt": b"x"})
    box.foreign("x.zip", ("a.txt", b"y"))
    answer = await box.call(tool, **arguments)
    assert (answer.ok, answer.error) == (False, "confirm_required")
    assert (box.root / "a.txt").read_bytes() == b"x"
    assert names_in(box.root / FOLDER) == ["x.zip"]


@posix
async def test_links_pipes_version_control_and_excluded_names_stay_out_and_are_told(box: Box, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_bytes(b"secret")
    box.put(
        {
            "a.txt": b"a",
            "b.log": b"l",
            ".git/config": b"g",
            ".vscode/settings.json": b"{}",
            "node_modules/x/i.js": b"x",
            "docs/draft.md": b"d",
        }
    )
    (box.root / "link.txt").symlink_to("../secret.txt")
    (box.root / "folder").symlink_to(tmp_path)
    os.mkfifo(box.root / "pipe")
    answer = await box.ok("create_backup", exclude=["*.log", "docs/draft.md"])
    assert box.members(str(answer.data["backupFile"])) == ["a.txt"]
    left = answer.data["left_out"]
    assert left == {
        "excluded": ["b.log", "node_modules", "docs/draft.md"],
        "link": ["folder", "link.txt"],
        "special": ["pipe"],
        "protected": [".git", ".vscode"],
    }
    assert "2 links (folder, link.txt)" in answer.text


@posix
async def test_a_backup_keeps_permission_bits_and_is_for_its_owner_alone(box: Box) -> None:
    box.put({"run.sh": b"#!/bin/sh\n"})
    (box.root / "run.sh").chmod(0o755)
    name = await box.made()
    assert stat.S_IMODE((box.root / FOLDER / name).stat().st_mode) == 0o600
    (box.root / "run.sh").unlink()
    await box.ok("restore_backup", backupFile=name)
    assert stat.S_IMODE((box.root / "run.sh").stat().st_mode) == 0o755


async def test_a_part_can_be_backed_up_and_a_part_restored(box: Box) -> None:
    box.put({"src/a.py": b"a", "src/b.py": b"b", "other.txt": b"o"})
    name = await box.made(path="src")
    assert box.members(name) == ["src/a.py", "src/b.py"]
    box.put({"src/a.py": b"x", "src/b.py": b"y"})
    await box.ok("restore_backup", backupFile=name, paths=["src/b.py"])
    assert box.tree() == {"src/a.py": b"x", "src/b.py": b"b", "other.txt": b"o"}
    missing = await box.call("restore_backup", backupFile=name, paths=["nothing"], confirm=True)
    assert missing.error == "not_found"
    assert "src/a.py" in missing.text


async def test_backups_are_kept_in_the_root_whatever_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "ws" / "src").mkdir(parents=True)
    box = Box(tmp_path / "ws", cwd=str(tmp_path / "ws" / "src"))
    box.put({"src/a.py": b"a", "b.txt": b"b"})
    name = await box.made()
    assert box.members(name) == ["src/a.py"]
    box.put({"src/a.py": b"x"})
    await box.ok("restore_backup", backupFile=name)
    assert box.tree() == {"src/a.py": b"a", "b.txt": b"b"}


async def test_two_backups_of_one_second_get_two_names_and_the_newest_stay(tmp_path: Path) -> None:
    box = Box(tmp_path / "ws")
    box.put({"a.txt": b"a"})
    names = [await box.made() for _ in range(4)]
    assert len(set(names)) == 4
    for age, name in enumerate(names):
        os.utime(box.root / FOLDER / name, (NOW - 86_400 * age, NOW - 86_400 * age))
    listed = (await box.ok("list_backups")).data["backups"]
    assert isinstance(listed, list)
    assert [(backup["backupFile"], backup["files"]) for backup in listed] == [(name, 1) for name in names]
    assert (await box.ok("cleanup_backups", keep=1, older_than_days=2.5)).data == {"deleted": [names[3]], "kept": 3}
    await box.ok("cleanup_backups", keep=1)
    assert names_in(box.root / FOLDER) == [names[0]]
    await box.ok("delete_backup", backupFile=names[0])
    assert "create_backup" in (await box.ok("list_backups")).text


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("../a.txt", "invalid_path"),
        ("..\\a.zip", "invalid_path"),
        ("/etc/passwd", "invalid_path"),
        ("sub/x.zip", "invalid_path"),
        (".zip", "invalid_path"),
        ("x.zip\0", "invalid_path"),
        ("", "invalid_path"),
        ("none.zip", "not_found"),
    ],
)
@pytest.mark.parametrize("tool", ["delete_backup", "restore_backup"])
async def test_a_backups_name_is_a_name_and_no_path(box: Box, tool: str, name: str, error: str) -> None:
    box.put({"a.txt": b"keep", "a.zip": b"keep"})
    box.foreign("x.zip", ("a.txt", b"y"))
    before = box.tree()
    answer = await box.call(tool, backupFile=name, confirm=True)
    assert (answer.ok, answer.error) == (False, error)
    assert box.tree() == before


def _link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ([("../out.txt", b"x")], "unsafe_archive"),
        ([("/abs.txt", b"x")], "unsafe_archive"),
        ([("a.txt", b"x"), (_link("l"), b"../..")], "unsafe_archive"),
        ([("c:\\x.txt", b"x")], "unsafe_archive"),
        ([("A.txt", b"x"), ("a.TXT", b"x")], "unsafe_archive"),
        ([("new.txt", b"x"), (".git/hooks/pre-commit", b"x")], "protected_path"),
        ([("new.txt", b"x"), ("folder", b"a file where a folder is")], "not_a_file"),
        ([("new/deep/er.txt", b"x"), ("a.txt/below", b"x")], "not_found"),
        ([("bomb.bin", b"\0" * 3_000_000)], "too_large"),
    ],
)
async def test_an_archive_that_may_not_be_restored_changes_nothing(
    box: Box, members: list[tuple[str | zipfile.ZipInfo, bytes]], error: str
) -> None:
    box.put({"a.txt": b"keep", "folder/x": b"keep"})
    box.foreign("x.zip", *members)
    before = box.tree()
    answer = await box.call("restore_backup", backupFile="x.zip", confirm=True)
    assert (answer.ok, answer.error) == (False, error), answer.text
    assert box.tree() == before
    assert names_in(box.root) == [FOLDER, "a.txt", "folder"]
    assert names_in(box.root.parent) in (["intents", "ws"], ["ws"])


@pytest.mark.parametrize("data", [b"", b"PK no zip", b"PK\x05\x06" + b"\0" * 10])
async def test_what_is_no_archive_is_refused_and_listed_as_damaged(box: Box, data: bytes) -> None:
    (box.root / FOLDER).mkdir()
    (box.root / FOLDER / "x.zip").write_bytes(data)
    answer = await box.call("restore_backup", backupFile="x.zip", confirm=True)
    assert (answer.ok, answer.error) == (False, "invalid_archive")
    assert "cannot be read" in (await box.ok("list_backups")).text


async def test_a_damaged_member_is_found_before_anything_is_written(box: Box) -> None:
    box.put({"a.txt": b"a" * 5_000, "b.txt": os.urandom(5_000)})
    name = await box.made()
    archive = box.root / FOLDER / name
    data = bytearray(archive.read_bytes())
    middle = data.index(b"b.txt") + 2_000
    data[middle] ^= 0xFF
    archive.write_bytes(bytes(data))
    box.put({"a.txt": b"now", "b.txt": b"now"})
    answer = await box.call("restore_backup", backupFile=name, confirm=True)
    assert (answer.ok, answer.error) == (False, "invalid_archive")
    assert box.tree() == {"a.txt": b"now", "b.txt": b"now"}


async def test_files_that_pack_too_well_can_still_be_restored(box: Box) -> None:
    box.put({"zeros.bin": b"\0" * 3_000_000})
    name = await box.made()
    (box.root / "zeros.bin").unlink()
    await box.ok("restore_backup", backupFile=name)
    assert (box.root / "zeros.bin").read_bytes() == b"\0" * 3_000_000


@posix
async def test_a_folder_of_backups_that_leads_out_is_never_used(box: Box, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.zip").write_bytes(b"keep")
    (box.root / FOLDER).symlink_to(outside)
    box.put({"a.txt": b"a"})
    for tool, arguments in (
        ("create_backup", {}),
        ("delete_backup", {"backupFile": "x.zip"}),
        ("restore_backup", {"backupFile": "x.zip"}),
        ("cleanup_backups", {"keep": 0}),
    ):
        answer = await box.call(tool, confirm=True, **arguments)
        assert (answer.ok, answer.error) == (False, "outside_root")
    assert names_in(outside) == ["x.zip"]


@posix
async def test_a_backup_that_is_a_link_is_deleted_without_what_it_leads_to(box: Box) -> None:
    box.put({"real.zip": b"keep"})
    (box.root / FOLDER).mkdir()
    (box.root / FOLDER / "x.zip").symlink_to("../real.zip")
    await box.ok("delete_backup", backupFile="x.zip")
    assert (box.root / "real.zip").read_bytes() == b"keep"
    assert names_in(box.root / FOLDER) == []


async def test_with_nothing_to_back_up_no_archive_is_made(box: Box) -> None:
    answer = await box.call("create_backup", confirm=True)
    assert (answer.ok, answer.error) == (False, "not_found")
    assert not (box.root / FOLDER).exists()


async def test_many_at_once_each_make_a_whole_backup(box: Box) -> None:
    box.put({f"{number}.txt": os.urandom(2_000) for number in range(20)})
    names = await asyncio.gather(*(box.made() for _ in range(6)))
    assert len(set(names)) == 6
    for name in names:
        with zipfile.ZipFile(box.root / FOLDER / name) as archive:
            assert archive.testzip() is None
            assert len(archive.namelist()) == 20
    assert [entry for entry in names_in(box.root / FOLDER) if not entry.endswith(".zip")] == []


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="/\\\0", exclude_categories=("C", "Z")), min_size=1, max_size=12
)
TREES = st.dictionaries(NAMES.filter(lambda name: name not in {".", ".."}), st.binary(max_size=300), max_size=6)


@given(tree=TREES)
def test_every_tree_comes_back_as_it_was_but_for_what_was_told(
    tree: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def run() -> None:
        box = Box(tmp_path_factory.mktemp("t") / "ws")
        for name, data in tree.items():
            if len(name.encode()) < 200:
                (box.root / name).write_bytes(data)
        before = box.tree()
        answer = await box.call("create_backup", confirm=True)
        if not answer.ok:
            assert answer.error in {"not_found", "unsafe_archive"}
            return
        left = answer.data["left_out"]
        assert isinstance(left, dict)
        told = {name for names in left.values() for name in names}
        for name in before:
            (box.root / name).unlink()
        await box.ok("restore_backup", backupFile=answer.data["backupFile"])
        assert box.tree() == {name: data for name, data in before.items() if name not in told}

    asyncio.run(run())
