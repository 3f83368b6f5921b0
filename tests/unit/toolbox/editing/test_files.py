"""Whole files: encodings, permissions, links, backups, and what is refused."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys

import pytest
from tests.unit.toolbox.editing.editing_box import Box, field

UTF_16 = "k=v\r\nx\U0001f600y\r\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
async def test_utf_16_stays_utf_16(box: Box, encoding: str) -> None:
    box.file("\ufeff".encode(encoding) + UTF_16.encode(encoding))
    await box.works("replace_text_in_file", old_string="v\nx", new_string="é\nz")
    await box.works("insert_at_line", line_number=3, content_to_insert="end")
    assert box.holds() == ("\ufeff" + "k=é\r\nz\U0001f600y\r\nend\r\n").encode(encoding)


async def test_half_a_surrogate_pair_in_a_utf_16_file_is_carried(box: Box) -> None:
    data = b"\xff\xfea\0\n\0\x00\xd8\n\0"
    box.file(data)
    await box.works("replace_text_in_file", old_string="a", new_string="bc")
    assert box.holds() == b"\xff\xfeb\0c\0\n\0\x00\xd8\n\0"


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"\xff\xfea", "encoding"), ("\ufeffa".encode("utf-32-le"), "encoding"), (b"a\0b", "binary"), (b"a\0\n\0", "binary")],
)
async def test_what_is_no_text_is_not_edited(box: Box, data: bytes, error: str) -> None:
    box.file(data)
    await box.refuses(error, "insert_at_line", line_number=1, content_to_insert="x")


async def test_a_mark_stays_first_where_the_rest_is_no_utf_8(box: Box) -> None:
    box.file(b"\xef\xbb\xbfa\n\xe9\n")
    await box.works("insert_at_line", line_number=1, content_to_insert="x")
    assert box.holds() == b"\xef\xbb\xbfx\na\n\xe9\n"


async def test_saving_makes_folders_and_says_whether_the_file_is_new(box: Box) -> None:
    assert field(await box.works("save_file", "a/b/c.txt", content="x"), "created") is True
    assert field(await box.works("save_file", "a/b/c.txt", content="y\n"), "created") is False
    assert box.holds("a/b/c.txt") == b"y\n"


async def test_appending_to_nothing_is_refused_and_to_no_file_makes_it(box: Box) -> None:
    await box.refuses("invalid_input", "append_file", content="")
    await box.works("append_file", content="a\r\nb")
    assert box.holds() == b"a\r\nb"


async def test_an_expected_number_that_is_wrong_changes_nothing(box: Box) -> None:
    box.file("x\nx\n")
    answer = await box.refuses("ambiguous", "replace_text_in_file", old_string="x", new_string="y", expected_replacements=1)
    assert "2 times (lines: 1, 2)" in answer.text
    assert "Quote more of the lines" in answer.text
    assert "expected_replacements=2" in answer.text
    await box.works("replace_text_in_file", old_string="x", new_string="y", expected_replacements=2)
    assert box.holds() == b"y\ny\n"


async def test_replacing_shows_the_lines_that_stand_there_now(box: Box) -> None:
    box.file("".join(f"line {number}\n" for number in range(1, 31)))
    answer = await box.works("replace_text_in_file", old_string="line 20\n", new_string="one\ntwo\n")
    assert "19: line 19\n20: one\n21: two\n22: line 21" in answer.text
    assert "17:" not in answer.text
    answer = await box.works("replace_text_in_file", old_string="line 1", new_string="first")
    assert "now:\n1: first\n10: first0\n11: first1\n…" in answer.text
    answer = await box.works("replace_text_in_file", old_string="first0\n", new_string="")
    assert "9: line 9\n10: first1" in answer.text


@pytest.mark.parametrize(("old", "new"), [("caf\u00e9", "x"), ("x", "caf\u00e9")])
async def test_an_older_encoding_is_told_with_a_way_that_works(box: Box, old: str, new: str) -> None:
    box.file(b"a caf\xe9 x\n")
    answer = await box.refuses("encoding", "replace_text_in_file", old_string=old, new_string=new)
    assert "not UTF-8" in answer.text
    assert "Quote a part of the line that is ASCII only" in answer.text
    assert "convert" not in answer.text.casefold()
    await box.works("replace_text_in_file", old_string="a caf", new_string="the caf")
    assert box.holds() == b"the caf\xe9 x\n"


@pytest.mark.skipif(os.name == "nt", reason="permission bits")
@pytest.mark.parametrize("before", [None, 0o644])
async def test_who_may_not_read_a_file_may_not_read_its_backup(box: Box, before: int | None) -> None:
    box.file("secret\n").chmod(0o600)
    if before is not None:
        await box.works("replace_text_in_file", old_string="secret", new_string="secret ", backup=True)
        (box.root / "f.txt.bak").chmod(before)
        box.file("secret\n").chmod(0o600)
    await box.works("replace_text_in_file", old_string="secret", new_string="open", backup=True)
    assert stat.S_IMODE((box.root / "f.txt.bak").stat().st_mode) == 0o600
    assert box.holds("f.txt.bak") == b"secret\n"


async def test_restoring_takes_the_name_of_the_backup_too_and_lists_others_where_there_is_none(box: Box) -> None:
    box.file("new\n")
    box.file(b"old\xe9\n", "f.txt.bak")
    await box.works("restore_from_bak", "f.txt.bak")
    assert box.holds() == b"old\xe9\n"
    box.file("x", "other.bak")
    answer = await box.refuses("not_found", "restore_from_bak")
    assert field(answer, "backups") == ["other.bak"]


async def test_work_done_since_a_backup_is_kept_when_it_is_restored(box: Box) -> None:
    box.file("one\ntwo\n")
    await box.works("delete_lines_in_file", start_line=1)
    await box.works("append_file", content="newer work\n")
    answer = await box.works("restore_from_bak")
    assert "had been changed since" in answer.text
    assert (box.holds(), box.holds("f.txt.bak")) == (b"one\ntwo\n", b"two\nnewer work\n")
    await box.works("restore_from_bak")
    assert (box.holds(), box.holds("f.txt.bak")) == (b"two\nnewer work\n", b"one\ntwo\n")
    # What an edit left, and nobody touched, is not worth a backup.
    await box.works("delete_lines_in_file", start_line=1)
    answer = await box.works("restore_from_bak")
    assert field(answer, "kept") is False
    assert not (box.root / "f.txt.bak").exists()


@pytest.mark.skipif(os.name == "nt", reason="permission bits")
async def test_what_restoring_keeps_is_as_private_as_the_file(box: Box) -> None:
    path = box.file("one\ntwo\n")
    path.chmod(0o644)
    await box.works("delete_lines_in_file", start_line=1)
    path.chmod(0o600)
    await box.works("append_file", content="secret\n")
    await box.works("restore_from_bak")
    assert (box.holds(), box.holds("f.txt.bak")) == (b"one\ntwo\n", b"two\nsecret\n")
    assert stat.S_IMODE((box.root / "f.txt.bak").stat().st_mode) == 0o600
    assert sorted(file.name for file in box.root.iterdir()) == ["f.txt", "f.txt.bak"]


async def test_a_deleted_file_comes_back_from_its_backup(box: Box) -> None:
    box.file("old\n", "f.txt.bak")
    await box.works("restore_from_bak")
    assert box.holds() == b"old\n"


async def test_what_holds_already_what_is_wanted_is_not_written(box: Box) -> None:
    path = box.file("a\r\nb\n")
    before = path.stat().st_ino
    answer = await box.works("replace_text_in_file", old_string="a\nb", new_string="a\nb", backup=True)
    assert field(answer, "changed") is False
    assert path.stat().st_ino == before
    assert not (box.root / "f.txt.bak").exists()


async def test_edits_made_at_once_are_all_there(box: Box) -> None:
    box.file("")
    answers = await asyncio.gather(*(box("append_file", content=f"{number}\n") for number in range(24)))
    assert all(answer.ok for answer in answers)
    assert sorted(map(int, box.holds().split())) == list(range(24))


async def test_a_backup_of_the_user_is_never_replaced_and_the_answer_names_ours(box: Box) -> None:
    box.file("one\n")
    box.file("the user's own\n", "f.txt.bak")
    for old, new in (("one", "two"), ("two", "three")):
        answer = await box.works("replace_text_in_file", old_string=old, new_string=new, backup=True)
        assert answer.data["backup"] == "f.txt.bak.1"
        assert "f.txt.bak.1" in answer.text
        assert box.holds("f.txt.bak.1") == f"{old}\n".encode()
    assert box.holds("f.txt.bak") == b"the user's own\n"
    assert not (box.root / "f.txt.bak.2").exists()
    await box.works("restore_from_bak")
    assert (box.holds(), box.holds("f.txt.bak")) == (b"two\n", b"the user's own\n")
    assert not (box.root / "f.txt.bak.1").exists()


async def test_a_backup_that_somebody_wrote_to_is_theirs_from_then_on(box: Box) -> None:
    box.file("one\n")
    await box.works("replace_text_in_file", old_string="one", new_string="two", backup=True)
    box.file("notes\n", "f.txt.bak")
    answer = await box.works("replace_text_in_file", old_string="two", new_string="three", backup=True)
    assert answer.data["backup"] == "f.txt.bak.1"
    assert box.holds("f.txt.bak") == b"notes\n"


async def test_what_is_no_file_is_no_backup(box: Box) -> None:
    box.file("one\n")
    (box.root / "f.txt.bak").mkdir()
    answer = await box.works("replace_text_in_file", old_string="one", new_string="two", backup=True)
    assert answer.data["backup"] == "f.txt.bak.1"


async def test_lines_are_added_to_a_file_that_another_process_appends_to_all_the_time(box: Box) -> None:
    path = box.file("0\n")
    writer = "import sys, time\nwhile True:\n    open(sys.argv[1], 'a').write('x\\n')\n    time.sleep(0.004)"
    with subprocess.Popen([sys.executable, "-c", writer, str(path)]) as process:  # noqa: ASYNC220
        try:
            for number in range(10):
                await box.works("append_file", content=f"ours {number}\n")
        finally:
            process.kill()
    held = path.read_text().splitlines()
    assert [line for line in held if line.startswith("ours")] == [f"ours {number}" for number in range(10)]
