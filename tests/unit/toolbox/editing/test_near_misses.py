"""A text that does not stand in a file: the answer shows the place that was meant, and why it did not match."""

from __future__ import annotations

import time

import pytest
from tests.unit.toolbox.editing.editing_box import Box, field

DIFFERENCES = [
    ("cafe\u0301 au lait\n", "caf\u00e9 au lait", "form", "U+00E9 LATIN SMALL LETTER E WITH ACUTE", "U+0301 COMBINING ACUTE"),
    ("in\u00a0current\n", "in current", "blanks", "U+0020 SPACE", "U+00A0 NO-BREAK SPACE"),
    ("a \u2013 b\n", "a - b", "characters", "U+002D HYPHEN-MINUS", "U+2013 EN DASH"),
    ("say \u201chi\u201d now\n", 'say "hi"', "characters", "U+0022 QUOTATION MARK", "U+201C LEFT DOUBLE"),
    ("\tx = 1\n", "    x = 1", "blanks", "U+0020 SPACE × 4", "U+0009 TAB"),
    ("a  \nb\n", "a\nb", "trailing_blanks", "", "U+0020 SPACE × 2"),
    ('foo("a\\nb")\n', 'foo("a\nb")', "real_break", "U+000A LINE FEED", "U+005C REVERSE SOLIDUS"),
    ("a\nb\n", "a\\nb", "escaped_break", "U+005C REVERSE SOLIDUS", "U+000A LINE FEED"),
    ('x = "q"\n', 'x = \\"q\\"', "escape", "U+005C REVERSE SOLIDUS", ""),
    ("Hello World\n", "Hello world", "case", "U+0077 LATIN SMALL LETTER W", "U+0057 LATIN CAPITAL LETTER W"),
]


@pytest.mark.parametrize(("content", "old", "kind", "sent", "there"), DIFFERENCES)
async def test_the_differing_code_points_are_named(box: Box, content: str, old: str, kind: str, sent: str, there: str) -> None:
    box.file("first\n" + content)
    answer = await box.refuses("not_found", "replace_text_in_file", old_string=old, new_string="x")
    assert field(answer, "near", "first_line") == 2
    difference = field(answer, "near", "differences", 0)
    assert difference["kind"] == kind
    assert sent in difference["sent"]
    assert there in difference["file"]
    assert content.split("\n", maxsplit=1)[0] in answer.text


async def test_the_text_that_is_shown_is_found_when_it_is_sent(box: Box) -> None:
    box.file("def f(a):\n\treturn  a \u2013 1 \n\ndef g():\n    pass\n")
    answer = await box.refuses("not_found", "replace_text_in_file", old_string="def f(a):\n    return a - 1", new_string="x")
    await box.works("replace_text_in_file", old_string=field(answer, "near", "text"), new_string="x")
    assert box.holds() == b"x\n\ndef g():\n    pass\n"


async def test_lines_that_only_share_words_are_found_too(box: Box) -> None:
    box.file("".join(f"def handler_{number}(request):\n    return answer({number})\n\n" for number in range(300)))
    old = "def handler_217(req):\n    return answer(217)"
    answer = await box.refuses("not_found", "replace_text_in_file", old_string=old, new_string="x")
    assert "def handler_217(request):" in field(answer, "near", "text")


@pytest.mark.parametrize("first", [1, 2, 20, 37])
async def test_whole_lines_in_their_places_decide_between_places(box: Box, first: int) -> None:
    box.file("".join(f"line {number}\n" for number in range(1, 41)))
    old = f"line {first}\nline XX\nline {first + 2}"
    answer = await box.refuses("not_found", "replace_text_in_file", old_string=old, new_string="x")
    assert (field(answer, "near", "first_line"), field(answer, "near", "last_line")) == (first, first + 2)


async def test_more_than_a_few_differing_characters_are_shown_as_text(box: Box) -> None:
    box.file("total = compute_everything(items, of=every_kind)\nsay \u201ca\u201d, \u201cb\u201d, \u201cc\u201d\n")
    old = "total = gather\u00a0some(items, of=every_kind)"
    answer = await box.refuses("not_found", "replace_text_in_file", old_string=old, new_string="x")
    assert r"you sent 'gather\xa0some', the file has 'compute_everything'." in answer.text
    assert "U+" not in answer.text
    # What only looks the same is told apart by name, however often.
    answer = await box.refuses("not_found", "replace_text_in_file", old_string='say "a", "b", "c"', new_string="x")
    assert "U+201C LEFT DOUBLE QUOTATION MARK" in answer.text


async def test_where_nothing_is_like_it_the_answer_says_so(box: Box) -> None:
    box.file("hello\n")
    answer = await box.refuses("not_found", "replace_text_in_file", old_string="absent", new_string="x")
    assert field(answer, "near") is None
    assert "Nothing in the file is like it" in answer.text


@pytest.mark.parametrize("content", [b"a" * 9_900_000, b"ab\n" * 3_300_000, "é\n".encode() * 3_300_000])
async def test_looking_for_it_is_bounded(box: Box, content: bytes) -> None:
    box.file(content)
    begun = time.process_time()
    await box.refuses("not_found", "replace_text_in_file", old_string="ab" * 300 + "c\nab", new_string="x")
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("content", "old"),
    [("a  " * 1_300, "a " * 1_300), ("ab \n" * 2_000, "ab\n" * 990), ("x" * 1_000_000 + "y" * 300, "x" * 3_000 + "z")],
)
async def test_texts_that_repeat_themselves_are_compared_in_time(box: Box, content: str, old: str) -> None:
    box.file(content)
    begun = time.process_time()
    await box.refuses("not_found", "replace_text_in_file", old_string=old, new_string="q")
    assert time.process_time() - begun < 5
