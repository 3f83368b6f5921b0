"""Files are read in pages that fit, in the encoding they have, and nothing is shown that they do not hold."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.toolbox.files.filing_box import Box

from transom.toolbox.families.files.pages import PAGE_BYTES


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


async def test_a_short_file_is_shown_as_it_is(box: Box) -> None:
    box.write("a.py", b"one\n\n  three\n")
    answer = await box.works("read_file", file_name="a.py")
    assert answer.text == "one\n\n  three"
    assert answer.data == {
        "path": "a.py",
        "content": "one\n\n  three\n",
        "encoding": "utf-8",
        "bom": False,
        "first_line": 1,
        "last_line": 3,
        "total_lines": 3,
        "next_line": None,
        "next_offset": None,
        "final_newline": True,
    }


async def test_a_long_file_comes_in_pages_that_fit_every_client(box: Box) -> None:
    lines = [f"line {number} of a long file" for number in range(1, 9_001)]
    box.write("long.txt", "\n".join(lines).encode())
    shown: list[str] = []
    start: object = 1
    while start is not None:
        answer = await box.works("read_file", file_name="long.txt", start_line=start)
        assert len(answer.text.encode()) < PAGE_BYTES + 200
        *page, note = answer.text.split("\n")
        shown += page
        start = answer.data["next_line"]
        assert note.startswith("[… lines ")
        assert start is None or f"start_line={start}" in note
    assert shown == lines


@pytest.mark.parametrize(
    "arguments, lines",
    [
        ({"start_line": 3}, ["3", "4", "5"]),
        ({"start_line": 2, "limit": 2}, ["2", "3"]),
        ({"start_line": 2, "end_line": 4}, ["2", "3", "4"]),
        ({"end_line": 1}, ["1"]),
        ({"start_line": -2}, ["4", "5"]),
        ({"start_line": -20}, ["1", "2", "3", "4", "5"]),
        ({"start_line": 5, "end_line": 99}, ["5"]),
        ({"target_line": "4"}, ["4", "5"]),
    ],
)
async def test_some_lines_of_it(box: Box, arguments: dict[str, object], lines: list[str]) -> None:
    box.write("five.txt", b"1\n2\n3\n4\n5")
    answer = await box.works("read_file", file_name="five.txt", **arguments)
    assert answer.text.split("\n[… ")[0].split("\n") == lines


@pytest.mark.parametrize("arguments", [{"start_line": 6}, {"start_line": 0}, {"start_line": 3, "end_line": 2}])
async def test_lines_that_there_are_not(box: Box, arguments: dict[str, object]) -> None:
    box.write("five.txt", b"1\n2\n3\n4\n5")
    assert (await box.refuses("read_file", file_name="five.txt", **arguments)).error == "out_of_range"


async def test_numbers_stand_before_the_lines_when_asked_for(box: Box) -> None:
    box.write("a.txt", b"x\n" * 12)
    answer = await box.works("read_file", file_name="a.txt", start_line=9, limit=2, line_numbers=True)
    assert answer.text.startswith(" 9\tx\n10\tx\n[… lines 9-10 of 12; go on with start_line=11 …]")


async def test_an_empty_file_is_said_to_be_empty(box: Box) -> None:
    box.write("empty", b"")
    box.write("marked", codecs.BOM_UTF8)
    for name in ("empty", "marked"):
        answer = await box.works("read_file", file_name=name)
        assert "empty" in answer.text
        assert answer.data["total_lines"] == 0
    assert (await box.works("read_file_chunked", file_name="empty")).data["complete"]


@pytest.mark.parametrize(
    "data, encoding, text",
    [
        ("héllo\r\n".encode("utf-8-sig"), "utf-8", "héllo"),
        (codecs.BOM_UTF16_LE + "héllo €\n".encode("utf-16-le"), "utf-16-le", "héllo €"),
        (codecs.BOM_UTF16_BE + "héllo 🙂\n".encode("utf-16-be"), "utf-16-be", "héllo 🙂"),
        (codecs.BOM_UTF32_LE + "héllo 🙂\n".encode("utf-32-le"), "utf-32-le", "héllo 🙂"),
        ("café “au lait”\n".encode("cp1252"), "cp1252", "café “au lait”"),
        ("grün\n".encode() + "grün\n".encode("cp1252"), "utf-8 and cp1252", "grün\ngrün"),
    ],
)
async def test_every_encoding_is_shown_as_text_and_named(box: Box, data: bytes, encoding: str, text: str) -> None:
    box.write("t.txt", data)
    answer = await box.works("read_file", file_name="t.txt")
    assert answer.text.split("\n[… ")[0] == text
    assert answer.data["encoding"] == encoding
    assert (encoding in answer.text) == (encoding != "utf-8")
    assert (answer.confidence == "inferred") == ("cp1252" in encoding)
    assert (await box.works("get_file_metadata", path="t.txt")).data["encoding"] == encoding
    piece = await box.works("read_file_chunked", file_name="t.txt")
    assert piece.text.replace("\r", "").split("\n[… ")[0].rstrip("\n") == text


@pytest.mark.feature("Z2")
async def test_binary_is_named_as_such_everywhere(box: Box) -> None:
    box.write("early", b"x" * 8_191 + b"\0")
    box.write("late", b"x" * 8_192 + b"\0")
    for name in ("read_file", "read_file_chunked"):
        assert (await box.refuses(name, file_name="early")).error == "binary"
        await box.works(name, file_name="late")
    assert (await box.refuses("file_diff", path="early", other_path="late")).error == "binary"
    assert (await box.works("get_file_metadata", path="early")).data["binary"] is True


async def test_a_line_longer_than_a_page_goes_on_by_bytes(box: Box) -> None:
    line = "é" * 40_000
    box.write("wide.txt", f"{line}\nnext\n".encode())
    answer = await box.works("read_file", file_name="wide.txt")
    offset, text = answer.data["next_offset"], str(answer.data["content"])
    while len(text) < len(line):
        piece = await box.works("read_file_chunked", file_name="wide.txt", offset=offset)
        text += str(piece.data["content"])
        offset = piece.data["next_offset"]
    assert text.startswith(line)
    assert (await box.works("read_file", file_name="wide.txt", start_line=answer.data["next_line"])).text.startswith("next")


async def test_a_large_file_is_read_anywhere_without_taking_it_into_memory(box: Box) -> None:
    count = 600_000
    box.write("large.log", b"".join(b"entry number %07d\n" % number for number in range(1, count + 1)))
    first = await box.works("read_file", file_name="large.log")
    assert first.data["total_lines"] is None
    assert first.data["next_line"] is not None
    late = await box.works("read_file", file_name="large.log", start_line=count - 1)
    assert late.text.startswith(f"entry number {count - 1:07}\nentry number {count:07}\n[… ")
    assert late.data["next_line"] is None
    assert (await box.works("read_file", file_name="large.log", start_line=-1)).data["first_line"] == count
    refused = await box.refuses("read_file", file_name="large.log", start_line=count + 1)
    assert refused.data["total_lines"] == count
    box.write("wide.log", codecs.BOM_UTF16_LE + "entry\n".encode("utf-16-le") * 900_000)
    assert (await box.refuses("read_file", file_name="wide.log")).error == "too_large"
    assert (await box.works("read_file_chunked", file_name="wide.log", offset=3)).text.startswith("entry\n")


async def test_an_offset_within_a_character_moves_to_the_next(box: Box) -> None:
    box.write("t.txt", "a€b".encode())
    answer = await box.works("read_file_chunked", file_name="t.txt", offset=2)
    assert answer.text.startswith("b")
    assert answer.data["offset"] == 4
    assert (await box.refuses("read_file_chunked", file_name="t.txt", offset=99)).error == "out_of_range"


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=400), size=st.integers(16, 64))
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le"])
async def test_pieces_put_together_are_the_text(
    tmp_path_factory: pytest.TempPathFactory, encoding: str, text: str, size: int
) -> None:
    box = Box(tmp_path_factory.mktemp("pieces"))
    text = text.removeprefix("\ufeff")
    box.write("t.txt", (codecs.BOM_UTF16_LE if encoding == "utf-16-le" else b"") + text.encode(encoding))
    told, offset = "", 0
    while True:
        answer = await box.works("read_file_chunked", file_name="t.txt", chunk_size=size, offset=offset)
        told += str(answer.data["content"])
        following = answer.data["next_offset"]
        if following is None:
            break
        assert isinstance(following, int)
        offset = following
    assert told == text


@given(data=st.binary(max_size=200).map(lambda data: data.replace(b"\0", b"\n")))
@settings(max_examples=60, deadline=None)
async def test_any_bytes_without_a_nul_are_shown_without_a_replacement(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    box = Box(tmp_path_factory.mktemp("bytes"))
    box.write("t", b"x" + data)
    answer = await box.works("read_file", file_name="t")
    assert "\ufffd" not in answer.text or "\ufffd" in data.decode("utf-8", "ignore")
    await box.works("get_file_metadata", path="t")
