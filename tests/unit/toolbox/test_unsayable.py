"""What no encoding and no system can hold: halves of surrogate pairs, numbers of any length, names that are no UTF-8, depth."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.runtime import open_toolbox
from transom.toolbox.saying import said, sayable, unsaid
from transom.toolbox.tool import Envelope

HUGE = 10**5000
ODD = ("\ud800", "x\udcff", HUGE, -HUGE, 2**70, float("nan"), float("inf"), [["\ud83d"]], {"\udfff": HUGE}, 1e300)
posix_only = pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are Linux's")


def check(answer: Envelope) -> Envelope:
    """Every text of an answer can be written."""
    answer.text.encode()
    repr(answer.data).encode()
    assert said(answer.data) is answer.data
    return answer


@pytest.mark.parametrize("tool", ["read_file", "ripgrep", "recall", "create_plan", "remember", "save_file", "cleanup_backups"])
async def test_whatever_stands_where_a_value_is_expected_it_is_answered(tmp_path: Path, tool: str) -> None:
    async with open_toolbox(roots=[tmp_path], store=tmp_path / "store.db", enable=["all"]) as box:
        signature = box.tools[tool].signature
        others = dict.fromkeys(signature.required, "a")
        for name in signature.names:
            for value in ODD:
                # One by one, so that nothing else is refused first.
                answer = check(await box.call(tool, {**others, name: value}))
                assert answer.error != "runtime_error", (name, answer.text)


@pytest.mark.parametrize("number", [HUGE, 2**63, -(2**63) - 1, str(2**63)], ids=["long", "over", "under", "text"])
async def test_a_whole_number_beyond_what_systems_count_in_does_not_fit(tmp_path: Path, number: object) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    async with open_toolbox(roots=[tmp_path], store=tmp_path / "store.db") as box:
        for name in ("start_line", "limit"):
            answer = check(await box.call("read_file", {"file_name": "a.txt", name: number}))
            assert answer.error == "invalid_input"


async def test_half_a_pair_where_a_number_is_expected_names_the_argument(tmp_path: Path) -> None:
    async with open_toolbox(roots=[tmp_path], store=tmp_path / "store.db") as box:
        answer = check(await box.call("recall", {"limit": "\ud800"}))
    assert answer.error == "invalid_input"
    assert "limit" in answer.text


def make_deep(deep: Path, levels: int) -> None:
    """A tree that no path reaches the bottom of, with a file in every folder."""
    deep.mkdir()
    folder = os.open(deep, os.O_RDONLY)
    for number in range(levels):
        os.mkdir("d", dir_fd=folder)
        file = os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=folder)
        os.write(file, b"needle\n" if number in {0, levels - 1} else b"")
        os.close(file)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)


@posix_only
async def test_a_name_that_is_no_text_is_shown_in_a_form_that_is_taken_again(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff-\xc3\xa9.txt")
    (tmp_path / name).write_text("needle\n")
    async with open_toolbox(roots=[tmp_path], store=tmp_path.parent / "store.db") as box:
        shown = "\\xff-é.txt"
        for tool in ("list_directory", "directory_tree"):
            assert shown in check(await box.call(tool, {})).text
        assert shown in check(await box.call("ripgrep", {"pattern": "needle"})).text
        assert "needle" in check(await box.call("read_file", {"file_name": shown})).text
        changed = await box.call(
            "replace_text_in_file", {"file_name": shown, "old_string": "needle", "new_string": "thread", "backup": True}
        )
        assert check(changed).ok
        assert (tmp_path / name).read_text() == "thread\n"
        assert check(await box.call("restore_from_bak", {"file_name": shown})).ok
        assert (tmp_path / name).read_text() == "needle\n"
        assert check(await box.call("delete_path", {"path": shown})).ok
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - asynchronous


@posix_only
async def test_a_name_that_is_spelled_like_an_escape_is_the_one_that_is_meant(tmp_path: Path) -> None:
    (tmp_path / "\\xff").write_text("spelled\n")
    (tmp_path / os.fsdecode(b"\xff")).write_text("bytes\n")
    async with open_toolbox(roots=[tmp_path], store=tmp_path.parent / "store.db") as box:
        assert "spelled" in (await box.call("read_file", {"file_name": "\\xff"})).text
        await box.call("save_file", {"file_name": "\\xfe", "content": "new"})
    assert (tmp_path / "\\xfe").read_text() == "new"


@posix_only
@given(st.binary(min_size=1).map(os.fsdecode))
def test_bytes_of_a_name_come_back_from_what_is_shown(name: str) -> None:
    shown = sayable(name)
    shown.encode()
    if "\\x" not in name:
        assert unsaid(shown) == name


@posix_only
async def test_a_tree_that_is_deeper_than_descriptors_last_is_searched_and_removed(tmp_path: Path) -> None:
    make_deep(tmp_path / "deep", 1_500)
    async with open_toolbox(roots=[tmp_path], store=tmp_path.parent / "store.db", enable=["all"]) as box:
        for tool, arguments in (("ripgrep", {"pattern": "needle"}), ("directory_tree", {}), ("list_code_files", {})):
            if tool in box.tools:
                assert check(await box.call(tool, arguments)).error != "runtime_error"
        gone = check(await box.call("delete_path", {"path": "deep", "recursive": True}))
    assert gone.data.get("deleted") == 3_001, gone.text
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - asynchronous
