"""Descriptions of files in zip archives: what is written can be read by anybody, and nothing passes for what it is not."""

from __future__ import annotations

import io
import stat
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.toolbox.access.zipping import described, member


@given(
    st.one_of(st.floats(), st.integers(0, 5_000_000_000)),
    st.integers(0, 0o777),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
def test_any_file_can_be_described_and_is_read_back_as_it_is(changed: float, mode: int, compression: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(described("a/b.txt", changed, stat.S_IFREG | mode, compression), b"data")
    with zipfile.ZipFile(made) as archive:
        [info] = archive.infolist()
        assert archive.read(info) == b"data"
    assert (info.external_attr >> 16, info.compress_type) == (stat.S_IFREG | mode, compression)
    assert (1980, 1, 1) <= info.date_time[:3] <= (2107, 12, 31)
    assert (member(info).name, member(info).kind, member(info).size) == ("a/b.txt", "file", 4)


@pytest.mark.parametrize(
    ("name", "mode", "system", "kind"),
    [
        ("a", 0, 0, "file"),
        ("a/", 0, 0, "folder"),
        ("a", stat.S_IFDIR, 3, "folder"),
        ("a", stat.S_IFLNK, 3, "link"),
        ("a/", stat.S_IFLNK, 0, "link"),
        ("a", stat.S_IFLNK, 11, "link"),
        ("a", stat.S_IFIFO, 3, "other"),
        ("a", stat.S_IFCHR, 3, "other"),
        ("a", 0o644, 3, "file"),
    ],
)
def test_a_member_is_what_its_mode_makes_of_it(name: str, mode: int, system: int, kind: str) -> None:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = system, mode << 16
    assert member(info).kind == kind
