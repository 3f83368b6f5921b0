"""Folders are listed, files moved, copied, deleted and compared, and nothing is overwritten."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.toolbox.files.filing_box import Box


@pytest.fixture
def box(tmp_path: Path) -> Box:
    root = tmp_path / "ws"
    root.mkdir()
    return Box(root)


async def test_a_folder_is_listed_with_folders_first_and_sizes(box: Box) -> None:
    box.write("b.txt", b"12345")
    box.write("sub/x", b"")
    box.write("A.txt", b"")
    answer = await box.works("list_directory", path=".")
    assert answer.text == "sub/\nA.txt\t0\nb.txt\t5"
    assert answer.data["entries"][0] == {"name": "sub", "type": "folder"}  # type: ignore[index]


async def test_a_large_folder_comes_in_pages(box: Box) -> None:
    for number in range(30):
        box.write(f"{number:02}", b"")
    answer = await box.works("list_directory", limit=10, offset=20)
    assert answer.text.splitlines()[0] == "20\t0"
    assert answer.data["next_offset"] is None
    assert (await box.works("list_directory", limit=10)).data["next_offset"] == 10


async def test_an_empty_folder_is_said_to_be_empty(box: Box) -> None:
    assert "empty" in (await box.works("list_directory")).text


@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not take")
async def test_odd_names_take_one_line_each_and_are_valid_unicode(box: Box) -> None:
    (box.root / "two\nlines").write_bytes(b"")
    box.write(os.fsdecode(b"not\xffutf8"), b"")
    answer = await box.works("list_directory")
    assert len(answer.text.splitlines()) == 2
    answer.text.encode()
    (await box.works("directory_tree")).text.encode()


async def test_a_tree_shows_near_levels_first_and_counts_the_rest(box: Box) -> None:
    box.write("src/deep/er/file", b"")
    box.write("node_modules/x/y", b"")
    for number in range(20):
        box.write(f"many/{number:02}", b"")
    answer = await box.works("directory_tree", max_depth=2, max_entries=10)
    lines = answer.text.splitlines()
    assert lines[0] == "many/ [… 14 more not shown …]"
    assert len(lines) == 11
    assert "node_modules/ [… not looked into …]" in lines
    assert "  deep/ [… 1 more not shown …]" in lines
    assert answer.data["left_out"] == {"excluded": 1, "not_shown": 15, "unread": 0}
    assert "node_modules/x/" in (await box.works("directory_tree", include_excluded=True)).data["entries"]  # type: ignore[operator]
    assert (await box.refuses("directory_tree", path="src/deep/er/file")).error == "not_a_file"


@pytest.mark.skipif(os.name == "nt", reason="needs links")
async def test_a_tree_follows_no_links(box: Box, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_bytes(b"")
    (box.root / "out").symlink_to(tmp_path / "outside")
    (box.root / "loop").symlink_to(".")
    answer = await box.works("directory_tree", max_depth=20)
    assert answer.text.splitlines()[:2] == ["loop@", "out@"]


async def test_folders_are_made_with_those_above(box: Box) -> None:
    assert (await box.works("make_directory", directory_name="a/b/c")).data["created"] is True
    assert (await box.works("make_directory", directory_name="a/b/c")).data["created"] is False
    box.write("file", b"")
    assert (await box.refuses("make_directory", directory_name="file")).error == "not_a_file"
    assert (await box.refuses("make_directory", directory_name="file/x")).error == "not_found"


async def test_a_move_and_a_copy_fail_when_the_destination_is_taken(box: Box) -> None:
    box.write("a", b"A")
    box.write("b", b"B")
    for name in ("move_file", "copy_file"):
        answer = await box.refuses(name, source="a", destination="b")
        assert answer.error == "invalid_input"
        assert "b exists already" in answer.text
    await box.works("copy_file", source="a", destination="c")
    await box.works("move_file", source="a", destination="d")
    assert {path.name: path.read_bytes() for path in box.root.iterdir()} == {"b": b"B", "c": b"A", "d": b"A"}
    assert (await box.refuses("copy_file", source=".", destination="x")).error == "not_a_file"


async def test_a_folder_that_is_not_empty_is_deleted_only_when_that_is_said(box: Box) -> None:
    box.write("d/x", b"")
    box.write("d/sub/y", b"")
    refused = await box.refuses("delete_path", path="d")
    assert "2 entries" in refused.text
    assert "recursive=true" in refused.text
    assert (await box.works("delete_path", path="d", recursive=True)).data["deleted"] == 4
    assert (await box.refuses("delete_path", path="d")).error == "not_found"
    assert (await box.refuses("delete_path", path=".", recursive=True)).error == "protected_path"


async def test_the_working_directory_is_kept_where_calls_belong_together(box: Box) -> None:
    box.write("sub/x", b"here")
    answer = await box.once("change_directory", directory="sub")
    assert answer.error == "unavailable"
    assert "sub/" in answer.text
    assert (await box.once("change_directory", directory="..")).error == "outside_root"
    await box.works("change_directory", directory="sub")
    assert (await box.works("read_file", path="x")).text == "here"
    assert (await box.refuses("change_directory", directory="../..")).error == "outside_root"


@pytest.mark.parametrize(
    "data, eol, lines",
    [
        (b"a\nb", "lf", 2),
        (b"a\r\n", "crlf", 1),
        (b"a\r\nb\n", "mixed", 2),
        (b"a\rb", "cr", 2),
        (b"a\rb\n", "lf", 1),
        (b"a", "none", 1),
    ],
)
async def test_metadata_name_the_line_endings(box: Box, data: bytes, eol: str, lines: int) -> None:
    box.write("t", data)
    found = (await box.works("get_file_metadata", path="t")).data
    assert (found["eol"], found["lines"], found["size"], found["type"]) == (eol, lines, len(data), "file")


async def test_metadata_of_what_is_no_text(box: Box) -> None:
    box.write("d/x", b"")
    assert (await box.works("get_file_metadata", path="d")).data["type"] == "folder"
    if hasattr(os, "mkfifo"):
        os.mkfifo(box.root / "pipe")
        assert (await box.works("get_file_metadata", path="pipe")).data["type"] == "fifo"
    assert (await box.refuses("get_file_metadata", path="nothing")).error == "not_found"


async def test_two_files_are_compared_line_by_line(box: Box) -> None:
    box.write("old", b"one\ntwo\nthree\nfour\nfive\n")
    box.write("new", b"one\n2\nthree\nfour\nfive\nsix")
    answer = await box.works("file_diff", path="old", other_path="new")
    assert answer.text.splitlines() == [
        "--- a/old",
        "+++ b/new",
        "@@ -1,5 +1,6 @@",
        " one",
        "-two",
        "+2",
        " three",
        " four",
        " five",
        "+six",
        "\\ No newline at end of file",
    ]
    assert (await box.works("file_diff", path="old", other_path="old")).data["identical"] is True
    box.write("marked", b"\xef\xbb\xbfone\ntwo\nthree\nfour\nfive\n")
    assert "different encodings" in (await box.works("file_diff", path="old", other_path="marked")).text


@pytest.mark.timeout(30)
async def test_files_that_have_nothing_in_common_are_compared_in_bounded_time_and_room(box: Box) -> None:
    box.write("old", b"".join(b"%d old\n" % (number % 977) for number in range(100_000)))
    box.write("new", b"".join(b"%d new\n" % (number % 983) for number in range(100_000)))
    answer = await box.works("file_diff", path="old", other_path="new")
    assert len(answer.text.encode()) < 33_000
    box.write("old", b"".join(b"%d\n" % (number % 7) for number in range(4_000)))
    box.write("new", b"".join(b"%d\n" % (number % 5) for number in range(4_000)))
    await box.works("file_diff", path="old", other_path="new")


async def test_a_name_stands_for_the_older_one(box: Box) -> None:
    box.write("a", b"A")
    for argument in ("path", "file_path", "filename", "file_name"):
        assert (await box.works("read_file", **{argument: "a"})).text == "A"
