"""Archives of the workspace: all of one or nothing, nothing outside, nothing over what is there."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.safety.archives import Limits
from transom.toolbox.families.utilities.packing import NotAnArchive, TooMuch, opened
from transom.toolbox.tool import Envelope

Call = Callable[..., Envelope]


def zipped(*files: tuple[str, bytes], mode: int = 0o644) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, (stat.S_IFREG | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return made.getvalue()


def tarred(*items: tarfile.TarInfo | tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for item in items:
            if isinstance(item, tarfile.TarInfo):
                archive.addfile(item)
            else:
                info = tarfile.TarInfo(item[0])
                info.size = len(item[1])
                archive.addfile(info, io.BytesIO(item[1]))
    return made.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz", ".tgz"])
def test_a_folder_comes_back_from_its_archive(call: Call, root: Path, ending: str) -> None:
    (root / "d/sub").mkdir(parents=True)
    (root / "d/a.txt").write_bytes(b"a\r\n")
    (root / "d/sub/ü.bin").write_bytes(bytes(range(256)))
    (root / "d/run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "d/run.sh").chmod(0o755)
    packed = call("convert_format", action="compress", input="d", output=f"new/d{ending}")
    assert packed.ok, packed.text
    assert packed.data["files"] == 3
    back = call("convert_format", action="decompress", input=f"new/d{ending}", output="back")
    assert back.ok, back.text
    assert tree(root / "back") == tree(root / "d")
    assert os.access(root / "back/run.sh", os.X_OK)
    assert back.data["files"] == ["a.txt", "run.sh", "sub/ü.bin"]


def test_the_same_folder_gives_the_same_archive_also_when_that_lies_inside(call: Call, root: Path) -> None:
    (root / "b.txt").write_bytes(b"b")
    (root / "a.txt").write_bytes(b"a")
    first = call("convert_format", action="compress", input=".", output="all.tar.gz")
    assert first.data["files"] == 2
    before = (root / "all.tar.gz").read_bytes()
    assert call("convert_format", action="compress", input=".", output="all.tar.gz").ok
    assert (root / "all.tar.gz").read_bytes() == before


def test_without_an_output_the_archive_stands_beside_and_so_do_its_files(call: Call, root: Path) -> None:
    (root / "d").mkdir()
    (root / "d/a.txt").write_bytes(b"a")
    assert call("convert_format", action="compress", input="d").data["output"] == "d.zip"
    (root / "d/a.txt").unlink()
    assert call("convert_format", action="decompress", input="d.zip").data["output"] == "d"
    assert (root / "d/a.txt").read_bytes() == b"a"
    assert call("convert_format", action="compress", input=".").error == "invalid_input"


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_a_single_compressed_file_is_unpacked_into_a_file(
    call: Call, root: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    (root / f"x.log{ending}").write_bytes(pack(b"line\n"))
    assert call("convert_format", action="decompress", input=f"x.log{ending}").ok
    assert (root / "x.log").read_bytes() == b"line\n"
    (root / "d").mkdir()
    assert call("convert_format", action="decompress", input=f"x.log{ending}", output="d").ok
    assert (root / "d/x.log").read_bytes() == b"line\n"


def test_one_file_is_packed_as_gzip(call: Call, root: Path) -> None:
    (root / "x.txt").write_bytes(b"x")
    assert call("convert_format", action="compress", input="x.txt", output="x.txt.gz").ok
    assert gzip.decompress((root / "x.txt.gz").read_bytes()) == b"x"
    (root / "d").mkdir()
    assert call("convert_format", action="compress", input="d", output="d.gz").error == "invalid_input"
    assert call("convert_format", action="compress", input="d", output="d.rar").error == "invalid_input"


def test_links_are_left_out_and_counted(call: Call, root: Path) -> None:
    (root.parent / "secret").write_text("secret")
    (root / "d").mkdir()
    (root / "d/l").symlink_to(root.parent / "secret")
    (root / "d/folder").symlink_to(root.parent)
    (root / "d/a").write_text("a")
    answer = call("convert_format", action="compress", input="d", output="d.zip")
    assert (answer.data["files"], answer.data["left_out"]) == (1, 2)
    assert zipfile.ZipFile(root / "d.zip").namelist() == ["a"]


@pytest.mark.parametrize(
    "data",
    [
        zipped(("ok.txt", b"ok"), ("../evil.txt", b"x")),
        zipped(("ok.txt", b"ok"), ("a\\..\\..\\evil.txt", b"x")),
        zipped(("ok.txt", b"ok"), ("OK.txt", b"x")),
        zipped(("ok.txt", b"ok"), ("ok.txt/x", b"x")),
        tarred(("ok.txt", b"ok"), special("l", tarfile.SYMTYPE, "/etc/passwd")),
        tarred(("ok.txt", b"ok"), special("l", tarfile.LNKTYPE, "ok.txt")),
        tarred(("ok.txt", b"ok"), special("p", tarfile.FIFOTYPE)),
        tarred(("ok.txt", b"ok"), special("d", tarfile.CHRTYPE)),
        tarred(("ok.txt", b"ok"), ("/evil.txt", b"x")),
        gzip.compress(tarred(("ok.txt", b"ok"), ("../evil.txt", b"x"))),
    ],
    ids=range(10),
)
def test_one_unsafe_member_refuses_the_whole_archive(call: Call, root: Path, data: bytes) -> None:
    (root / "a").write_bytes(data)
    answer = call("convert_format", action="decompress", input="a", output="out")
    assert answer.error == "unsafe_archive"
    assert sorted(path.name for path in root.rglob("*")) == ["a"]
    assert sorted(path.name for path in root.parent.iterdir()) == [root.name]


def test_a_name_cut_at_a_nul_is_no_way_round(call: Call, root: Path) -> None:
    (root / "a.zip").write_bytes(zipped(("ok.txt", b"x"), ("aXX/evil", b"y")).replace(b"aXX/", b"a\0X/"))
    assert call("convert_format", action="decompress", input="a.zip", output="out").error == "unsafe_archive"


@pytest.mark.parametrize(
    "data",
    [
        zipped(("zeros", bytes(3_000_000))),
        gzip.compress(bytes(3_000_000)),
        gzip.compress(tarred(("zeros", bytes(3_000_000)))),
        lzma.compress(bytes(3_000_000)),
        zipped(*((f"{number}", bytes(300_000)) for number in range(10))),
    ],
    ids=["zip", "gzip", "tar.gz", "xz", "many"],
)
def test_what_unpacks_to_too_much_is_refused_before_anything_is_written(call: Call, root: Path, data: bytes) -> None:
    (root / "a").write_bytes(data)
    answer = call("convert_format", action="decompress", input="a", output="out")
    assert answer.error == "too_large"
    assert not (root / "out").exists()


def test_bytes_that_come_out_count_and_not_what_a_header_claims(call: Call, root: Path) -> None:
    data = zipped(("zeros", bytes(3_000_000)))
    (root / "a.zip").write_bytes(data.replace((3_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    answer = call("convert_format", action="decompress", input="a.zip", output="out")
    assert answer.error in {"too_large", "invalid_archive"}
    assert not (root / "out").exists()


def test_a_damaged_archive_leaves_nothing_behind(call: Call, root: Path) -> None:
    good = zipped(("first.txt", b"1" * 100), ("second.txt", os.urandom(1000)))
    at = good.index(b"second.txt") + 200
    (root / "a.zip").write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
    answer = call("convert_format", action="decompress", input="a.zip", output="out")
    assert answer.error == "invalid_archive"
    assert not (root / "out").exists()
    (root / "b").write_bytes(b"just text")
    assert "its first bytes" in call("convert_format", action="decompress", input="b").text


def test_a_file_that_is_there_is_not_overwritten(call: Call, root: Path) -> None:
    (root / "a.zip").write_bytes(zipped(("new.txt", b"new"), ("old.txt", b"new")))
    (root / "out").mkdir()
    (root / "out/old.txt").write_bytes(b"old")
    answer = call("convert_format", action="decompress", input="a.zip", output="out")
    assert answer.error == "invalid_input"
    assert "out/old.txt exists" in answer.text
    assert tree(root / "out") == {"old.txt": b"old"}


def test_an_archive_does_not_write_through_a_link_or_into_a_repository(call: Call, root: Path) -> None:
    (root / "out").mkdir()
    (root / "out/d").symlink_to(root.parent)
    (root / "a.zip").write_bytes(zipped(("ok.txt", b"ok"), ("d/evil.txt", b"x")))
    assert call("convert_format", action="decompress", input="a.zip", output="out").error == "outside_root"
    (root / "b.zip").write_bytes(zipped(("ok.txt", b"ok"), (".git/hooks/pre-commit", b"x")))
    assert call("convert_format", action="decompress", input="b.zip", output="out").error == "protected_path"
    assert tree(root / "out") == {}
    assert not (root.parent / "evil.txt").exists()


def test_many_files_and_empty_folders_come_out(call: Call, root: Path) -> None:
    (root / "a.zip").write_bytes(zipped(*((f"d{number % 7}/{number}.txt", b"x") for number in range(200))))
    answer = call("convert_format", action="decompress", input="a.zip", output="out")
    assert answer.ok, answer.text
    assert len(tree(root / "out")) == 200
    assert "and 190 more" in answer.text
    (root / "b.tar").write_bytes(tarred(special("empty/inner", tarfile.DIRTYPE), ("./x", b"x")))
    assert call("convert_format", action="decompress", input="b.tar", output="o").data["folders"] == 1
    assert (root / "o/empty/inner").is_dir()


@given(
    st.binary(max_size=60)
    | st.builds(
        lambda a, b, c: a[:b] + bytes([c]) + a[b + 1 :],
        st.just(zipped(("a", b"x" * 50))),
        st.integers(0, 150),
        st.integers(0, 255),
    )
)
def test_any_bytes_are_an_archive_or_are_refused(data: bytes) -> None:
    for given_ in (data, b"PK" + data, b"\x1f\x8b" + data, b"BZh9" + data, tarred(("a", data))[:600]):
        try:
            archive = opened(given_, Limits())
            for number, member in enumerate(archive.members):
                if member.kind == "file":
                    b"".join(archive.chunks(number))
        except (NotAnArchive, TooMuch):
            pass
