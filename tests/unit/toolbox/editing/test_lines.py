"""Edits by line: where they go when the file is no longer what it was, and what the answer says."""

from __future__ import annotations

import pytest
from tests.unit.toolbox.editing.editing_box import Box, field


async def test_a_range_moves_as_a_whole_with_the_text_that_verifies_it(box: Box) -> None:
    box.file("new\nnew\na\nb\nc\n")
    answer = await box.works("delete_lines_in_file", start_line=1, end_line=2, verify_before_delete="a\nb")
    assert box.holds() == b"new\nnew\nc\n"
    assert field(answer, "moved_by") == 2


async def test_text_on_another_line_of_the_range_confirms_it(box: Box) -> None:
    box.file("".join(f"line {number}\n" for number in range(1, 21)))
    answer = await box.works("delete_lines_in_file", start_line=10, end_line=12, verify_before_delete="line 12")
    assert box.holds() == "".join(f"line {number}\n" for number in range(1, 21) if number not in {10, 11, 12}).encode()
    assert field(answer, "moved_by") == 0
    assert "within the range" in answer.text
    # A block must stand in it as a whole.
    answer = await box.works("delete_lines_in_file", start_line=3, end_line=4, verify_before_delete="line 4\nline 5")
    assert field(answer, "moved_by") == 1


async def test_text_in_the_range_and_just_outside_confirms_nothing(box: Box) -> None:
    box.file("if a:\n}\nif b:\n  c\n}\n")
    answer = await box.refuses("ambiguous", "delete_lines_in_file", start_line=3, end_line=5, verify_before_delete="}")
    assert "line 5 of the range and on line 2 outside" in answer.text


async def test_text_that_moved_too_far_is_named_with_its_line(box: Box) -> None:
    box.file("".join(f"l{number}\n" for number in range(1, 20)))
    answer = await box.refuses("drift", "delete_lines_in_file", start_line=2, verify_before_delete="l12")
    assert field(answer, "stands_at") == 12
    assert "2: l2" in answer.text
    await box.works("delete_lines_in_file", start_line=12, verify_before_delete="l12")


async def test_a_range_past_the_end_is_found_again_where_the_file_became_shorter(box: Box) -> None:
    box.file("a\nb\nc\n")
    await box.works("delete_lines_in_file", start_line=4, end_line=5, verify_before_delete="b\nc")
    assert box.holds() == b"a\n"


async def test_deleting_keeps_the_old_content_beside_the_file_unless_told_not_to(box: Box) -> None:
    box.file("a\nb\n")
    await box.works("delete_lines_in_file", start_line=1)
    assert box.holds("f.txt.bak") == b"a\nb\n"
    await box.works("restore_from_bak")
    assert box.holds() == b"a\nb\n"
    await box.works("delete_lines_in_file", start_line=1, backup=False)
    assert not (box.root / "f.txt.bak").exists()


async def test_text_to_verify_that_only_looks_the_same_is_told_apart(box: Box) -> None:
    box.file("a\nx \u2013 y\n")
    answer = await box.refuses("drift", "delete_lines_in_file", start_line=2, verify_before_delete="x - y")
    assert "EN DASH" in answer.text
    assert field(answer, "near", "first_line") == 2


@pytest.mark.parametrize(
    "arguments",
    [{"start_line": 2, "end_line": 3}, {"target_line": 2, "end_line": 3}, {"lines": {"start": 2, "end": 3}}],
)
async def test_a_range_is_named_in_any_spelling(box: Box, arguments: dict[str, object]) -> None:
    box.file("a\nb\nc\nd\n")
    await box.works("line_operations", "f.txt", operation="delete", **arguments)
    assert box.holds() == b"a\nd\n"


async def test_a_pattern_that_is_nowhere_inserts_nothing(box: Box) -> None:
    box.file("alpha\nbeta\n")
    answer = await box.refuses(
        "not_found", "line_operations", operation="insert", target_line=1, insert_after_pattern="Alpha", content="x"
    )
    assert field(answer, "near", "text") == "alpha"


async def test_a_pattern_that_stands_several_times_is_taken_first_and_said_to(box: Box) -> None:
    box.file("k\nx\nk\n")
    answer = await box.works("line_operations", operation="insert", insert_before_pattern="k", content="1\n2")
    assert box.holds() == b"1\n2\nk\nx\nk\n"
    assert "1 more" in answer.text


async def test_a_pattern_over_several_lines_is_one_place(box: Box) -> None:
    box.file("a\r\nb\r\nc\r\n")
    await box.works("line_operations", operation="insert", insert_after_pattern="a\nb", content="x")
    assert box.holds() == b"a\r\nb\r\nx\r\nc\r\n"


async def test_a_line_that_does_not_hold_what_it_should_is_shown(box: Box) -> None:
    box.file("a\nb\nwanted\n")
    answer = await box.refuses(
        "drift", "line_operations", operation="insert", target_line=1, verify_before_insert="wanted", content="x"
    )
    assert field(answer, "stands_at") == 3
    assert "1: a" in answer.text


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation": "insert"},
        {"operation": "insert", "content": "x", "move_to": 1},
        {"operation": "insert", "content": "x", "insert_after_pattern": "a", "insert_before_pattern": "b"},
        {"operation": "delete"},
        {"operation": "delete", "target_line": 1, "lines": {"start": 1}},
        {"operation": "delete", "target_line": 1, "content": "x"},
        {"operation": "delete", "end_line": 1},
        {"operation": "delete", "end_line": 1, "lines": {"start": 1}},
        {"operation": "move", "move_from": 1},
        {"operation": "delete", "lines": {"start": 1, "stop": 2}},
        {"operation": "turn"},
    ],
)
async def test_arguments_that_do_not_fit_the_operation_are_refused(box: Box, arguments: dict[str, object]) -> None:
    box.file("a\nb\n")
    await box.refuses("invalid_input", "line_operations", "f.txt", **arguments)


@pytest.mark.parametrize("arguments", [{"lines": {"start": 1, "end": 6}}, {"operation": "insert", "content": "\n" * 6}])
async def test_more_than_five_lines_go_to_another_tool(box: Box, arguments: dict[str, object]) -> None:
    box.file("a\n" * 9)
    answer = await box.refuses("too_many_lines", "line_operations", "f.txt", **{"operation": "delete", **arguments})
    assert "apply_patch" in answer.text


async def test_empty_texts_that_models_send_for_nothing_count_as_nothing(box: Box) -> None:
    box.file("a\n")
    await box.works(
        "line_operations",
        operation="insert",
        content="b",
        insert_after_pattern="",
        insert_before_pattern="",
        verify_before_insert="",
    )
    assert box.holds() == b"a\nb\n"


async def test_the_lines_around_a_change_are_shown_with_their_numbers(box: Box) -> None:
    box.file("a\nb\nc\nd\n")
    answer = await box.works("insert_at_line", line_number=3, content_to_insert="new")
    assert "1: a\n2: b\n3: new\n4: c\n5: d" in answer.text


async def test_a_dry_run_shows_the_diff_and_writes_nothing(box: Box) -> None:
    box.file("a\r\nb\r\nc\r\n")
    calls: dict[str, dict[str, object]] = {
        "delete_lines_in_file": {"start_line": 2},
        "insert_at_line": {"line_number": 2, "content_to_insert": "x"},
        "line_operations": {"operation": "move", "move_from": 1, "move_to": 3},
        "replace_text_in_file": {"old_string": "b", "new_string": "x"},
    }
    for tool, arguments in calls.items():
        answer = await box.works(tool, "f.txt", dry_run=True, **arguments)
        assert "@@ -1,3 +1," in field(answer, "diff")
        assert box.holds() == b"a\r\nb\r\nc\r\n"


async def test_the_second_change_of_a_file_is_said_to_be_one(box: Box) -> None:
    box.file("a\n")
    notes = [(await box.works("append_file", content="x\n")).text for _ in range(3)]
    assert ["second change" in note for note in notes] == [False, True, False]
    assert "Change 3" in notes[2]
