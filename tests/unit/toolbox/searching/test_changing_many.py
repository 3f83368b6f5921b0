"""Many files are changed or deleted only after what would happen was shown, and then all of them or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.toolbox.searching.searching_box import Box

from transom.toolbox.dispatch import Caller


async def replace_all(box: Box, pattern: str, replacement: str, **more: object) -> dict[str, bytes]:
    await box.works("find_replace_all", pattern=pattern, replacement=replacement, dry_run=False, confirm=True, **more)
    return {path.relative_to(box.root).as_posix(): path.read_bytes() for path in sorted(box.root.rglob("*")) if path.is_file()}


async def test_without_being_told_so_nothing_is_written_and_the_diff_shown(box: Box) -> None:
    box.write("a.txt", b"foo\nbar\n")
    answer = await box.works("find_replace_all", pattern="foo", replacement="baz")
    assert "-foo\n+baz" in answer.text
    assert answer.data["files"] == [{"path": "a.txt", "replacements": 1}]
    assert "dry_run=false" in answer.text
    assert (box.root / "a.txt").read_bytes() == b"foo\nbar\n"
    unconfirmed = await box.refuses("find_replace_all", pattern="foo", replacement="baz", dry_run=False)
    assert unconfirmed.error == "confirm_required"
    assert (box.root / "a.txt").read_bytes() == b"foo\nbar\n"


async def test_bytes_and_line_ends_that_are_not_named_stay(box: Box) -> None:
    box.write("a.txt", b"\xef\xbb\xbffoo\r\nfoo\nx\xff foo")
    box.write("wide.txt", b"\xff\xfe" + "foo ü\r\n".encode("utf-16-le"))
    files = await replace_all(box, "foo", "quux")
    assert files["a.txt"] == b"\xef\xbb\xbfquux\r\nquux\nx\xff quux"
    assert files["wide.txt"] == b"\xff\xfe" + "quux ü\r\n".encode("utf-16-le")


async def test_text_over_several_lines_takes_the_line_ends_of_each_file(box: Box) -> None:
    box.write("a.txt", b"one\r\ntwo\r\n")
    box.write("b.txt", b"one\ntwo\n")
    assert await replace_all(box, "one\ntwo", "1\n2\n3") == {"a.txt": b"1\r\n2\r\n3\r\n", "b.txt": b"1\n2\n3\n"}


async def test_a_dollar_sign_is_one_unless_a_regular_expression_is_asked_for(box: Box) -> None:
    box.write("a.txt", b"price 5\n")
    assert await replace_all(box, "5", "$1") == {"a.txt": b"price $1\n"}
    assert await replace_all(box, r"price (\S+)", r"${1} = $$1 \1", mode="regex") == {"a.txt": b"$1 = $1 \\1\n"}
    named = await replace_all(box, r"(?P<left>\S+) = ", "$0<${left}>", mode="regex")
    assert named == {"a.txt": b"$1 = <$1>$1 \\1\n"}
    wrong = await box.refuses("find_replace_all", pattern="x", replacement="$2", mode="regex")
    assert wrong.error == "invalid_input"
    assert "$2" in wrong.text


async def test_case_counts_unless_it_is_ignored(box: Box) -> None:
    box.write("a.txt", b"Foo foo FOO\n")
    assert await replace_all(box, "foo", "x", ignore_case=True) == {"a.txt": b"x x x\n"}
    box.write("a.txt", b"Foo foo FOO\n")
    assert await replace_all(box, "foo", "x") == {"a.txt": b"Foo x FOO\n"}


async def test_bytes_of_another_encoding_come_back_through_groups(box: Box) -> None:
    box.write("a.txt", b"caf\xe9 one\n")
    assert await replace_all(box, r"(caf\S) (\w+)", "$2 $1", mode="regex") == {"a.txt": b"one caf\xe9\n"}


async def test_an_unsafe_pattern_is_never_written_with(box: Box) -> None:
    box.write("a.txt", b"(a+)+$\n")
    refused = await box.refuses("find_replace_all", pattern="(a+)+$", replacement="", mode="regex")
    assert refused.error == "invalid_input"
    assert (await box.refuses("find_replace_all", pattern="(", replacement="", mode="regex")).error == "invalid_input"


async def test_text_that_is_nowhere_is_told(box: Box) -> None:
    box.write("a.txt", b"x\n")
    box.write("large.txt", b"needle\n" * 20_000)
    refused = await box.refuses("find_replace_all", pattern="needle", replacement="y")
    assert refused.error == "not_found"
    assert refused.data["skipped"] == {"size": 1}
    assert "over 100,000 bytes" in refused.text


async def test_more_files_than_may_change_at_once_are_refused(box: Box) -> None:
    for number in range(101):
        box.write(f"{number}.txt", b"x\n")
    assert (await box.refuses("find_replace_all", pattern="x", replacement="y")).error == "too_large"
    await box.works("find_replace_all", pattern="x", replacement="y", globs=["1*.txt"])


async def test_files_that_tools_do_not_write_are_left_and_named(box: Box) -> None:
    box.write(".vscode/settings.json", b"needle\n")
    box.write("a.txt", b"needle\n")
    box.write("latin.txt", b"needle \xe9\n")
    answer = await box.works("find_replace_all", pattern="needle", replacement="nädle", dry_run=False, confirm=True)
    assert answer.data["files"] == [{"path": "a.txt", "replacements": 1}]
    assert answer.data["left_alone"] == {"protected": [".vscode/settings.json"], "odd": ["latin.txt"]}
    assert (box.root / "latin.txt").read_bytes() == b"needle \xe9\n"


async def test_backups_keep_what_files_were_unless_they_are_named(box: Box) -> None:
    for name in ("a.txt", "a.txt.bak", "dist/b.txt", ".ai_toolbox_backups/1/a.txt"):
        box.write(name, b"foo\n")
    answer = await box.works("find_replace_all", pattern="foo", replacement="bar", include_excluded=True)
    assert [file["path"] for file in answer.data["files"]] == ["a.txt", "dist/b.txt"]
    assert answer.data["skipped"]["backups"] == 1
    assert "1 backups (.bak" in answer.text
    files = await replace_all(box, "foo", "bar", include_excluded=True)
    assert files["a.txt.bak"] == files[".ai_toolbox_backups/1/a.txt"] == b"foo\n"
    assert files["a.txt"] == files["dist/b.txt"] == b"bar\n"
    refused = await box.refuses("find_replace_all", pattern="foo", replacement="bar")
    assert refused.error == "not_found"
    assert "backups" in refused.text
    assert (await replace_all(box, "foo", "bar", globs=["*.bak"]))["a.txt.bak"] == b"bar\n"


async def test_all_files_change_or_none_does(box: Box) -> None:
    box.write("a.txt", b"x\n")
    box.write("b.txt", b"x\n")
    (box.root / "b.txt").chmod(0o444)
    assert (
        await box.refuses("find_replace_all", pattern="x", replacement="y", dry_run=False, confirm=True)
    ).error == "io_error"
    assert (box.root / "a.txt").read_bytes() == b"x\n"


async def test_deleting_by_pattern_lists_first_and_then_deletes(box: Box) -> None:
    for name in ("a.tmp", "b.tmp", "keep.txt", "sub/c.tmp", "node_modules/d.tmp"):
        box.write(name, b"")
    refused = await box.refuses("delete_files_by_pattern", pattern=r"\.tmp$")
    assert refused.error == "confirm_required"
    assert refused.data == {"would_delete": ["a.tmp", "b.tmp"], "total": 2}
    assert "a.tmp\nb.tmp" in refused.text
    wrong = await box.refuses("delete_files_by_pattern", pattern=r"\.tmp$", expected_files=3, confirm=True)
    assert wrong.error == "ambiguous"
    done = await box.works("delete_files_by_pattern", pattern="*.tmp", mode="glob", recursive=True, confirm=True)
    assert done.data["deleted"] == ["a.tmp", "b.tmp", "sub/c.tmp"]
    left = sorted(path.name for path in box.root.rglob("*") if path.is_file())
    assert left == ["d.tmp", "keep.txt"]


async def test_who_is_asked_sees_what_would_be_deleted(box: Box) -> None:
    box.write("a.tmp", b"")
    asked: list[str] = []

    async def ask(question: str) -> bool:
        asked.append(question)
        return False

    answer = await box.toolbox.call("delete_files_by_pattern", {"pattern": "tmp"}, Caller(ask=ask))
    assert answer.error == "confirm_required"
    assert "a.tmp" in asked[0]
    assert (box.root / "a.tmp").exists()


async def test_patterns_that_match_nothing_or_are_none_delete_nothing(box: Box) -> None:
    box.write("a.tmp", b"")
    assert (await box.refuses("delete_files_by_pattern", pattern="nope", confirm=True)).error == "not_found"
    invalid = await box.refuses("delete_files_by_pattern", pattern="*.tmp", confirm=True)
    assert invalid.error == "invalid_input"
    assert "mode=glob" in invalid.text


@pytest.mark.skipif(os.name == "nt", reason="links")
async def test_deleting_takes_links_and_never_what_they_lead_to(box: Box, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.tmp").write_bytes(b"")
    (box.root / "folder.tmp").symlink_to(tmp_path / "outside")
    (box.root / "out").symlink_to(tmp_path / "outside")
    box.write(".git/x.tmp", b"")
    box.write(".vscode/y.tmp", b"")
    done = await box.works("delete_files_by_pattern", pattern="tmp", recursive=True, confirm=True)
    assert done.data["deleted"] == ["folder.tmp"]
    assert done.data["kept"] == [{"path": ".vscode/y.tmp", "error": "protected_path"}]
    assert (tmp_path / "outside" / "x.tmp").exists()
