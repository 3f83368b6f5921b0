"""Texts transformed by the tool: what each operation gives, what it leaves alone, and how much it may cost."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.toolbox.box import Toolbox
from transom.toolbox.families.text import FAMILY
from transom.toolbox.families.text.lines import Lines
from transom.toolbox.families.text.operations import OPERATIONS
from transom.toolbox.tool import Envelope

BOX = Toolbox((FAMILY,))
NEEDS = {"replace": {"find": "a", "replacement": "b"}, "split": {"separator": ","}, "affix_lines": {"prefix": "> "}}


async def _call(text: str, operation: str, **arguments: object) -> Envelope:
    return await BOX.call("text_transform", {"text": text, "operation": operation, **arguments})


@pytest.mark.parametrize(
    ("operation", "text", "expected"),
    [
        ("uppercase", "straße", "STRASSE"),
        ("titlecase", "don't stop at NASA", "Don't Stop At Nasa"),
        ("sentencecase", "HELLO THERE. HOW ARE YOU?\n\nFINE", "Hello there. How are you?\n\nFine"),
        ("camelcase", "HTTP server_name v2\nuser-id", "httpServerNameV2\nuserId"),
        ("pascalcase", "parse JSON text", "ParseJsonText"),
        ("snakecase", "parseHTTPResponse", "parse_http_response"),
        ("kebabcase", "ParseHTTPResponse2", "parse-http-response2"),
        ("constantcase", "maxRetryCount", "MAX_RETRY_COUNT"),
        ("slug", "Crème brûlée, 2 ways!", "creme-brulee-2-ways"),
        ("trim", "\n  a b \t\n", "a b"),
        ("trim_lines", " a \r\n\tb", "a\r\nb"),
        ("collapse_spaces", "a  \t b\r\nc   d", "a b\r\nc d"),
        ("remove_blank_lines", "a\n\n \nb\n\n", "a\nb\n"),
        ("collapse_blank_lines", "a\n\n\n\nb\n", "a\n\nb\n"),
        ("sort", "b\r\na\nc", "a\r\nb\nc"),
        ("sort_descending", "a\nc\nb\n", "c\nb\na\n"),
        ("sort_numeric", "item 10\nnone\nitem 9\nitem 1,000\n", "item 9\nitem 10\nitem 1,000\nnone\n"),
        ("dedupe", "a\nb\na\nc\nb", "a\nb\nc"),
        ("reverse_lines", "1\n2\n3", "3\n2\n1"),
        ("number_lines", "a\nb\n", "1: a\n2: b\n"),
        ("reverse", "abc", "cba"),
        ("remove_accents", "Ångström", "Angstrom"),
        ("normalize_line_ends", "a\r\nb\rc\n", "a\nb\nc\n"),
        ("escape_html", '<a href="x">&\'', "&lt;a href=&quot;x&quot;&gt;&amp;&#x27;"),
        ("unescape_html", "&lt;&amp;&eacute;", "<&é"),
        ("escape_json", 'a"\n', '"a\\"\\n"'),
        ("unescape_json", 'a\\"\\n', 'a"\n'),
        ("url_encode", "a b/ü", "a%20b%2F%C3%BC"),
        ("url_decode", "a%20b%2F%C3%BC", "a b/ü"),
        ("indent", "a\n\nb", "    a\n\n    b"),
        ("dedent", "  a\n    b\n", "a\n  b\n"),
        ("join_lines", "a\r\nb\nc\n", "a b c"),
        ("expand_tabs", "a\tb", "a       b"),
        ("swapcase", "aB", "Ab"),
        ("lowercase", "ÀB", "àb"),
        ("normalize_unicode", "e\u0301", "é"),
    ],
)
async def test_each_operation_gives_what_its_name_says(operation: str, text: str, expected: str) -> None:
    answer = await _call(text, operation)
    assert answer.ok, answer.text
    assert (answer.data["result"], answer.text) == (expected, expected)


async def test_operations_run_one_after_the_other() -> None:
    answer = await _call(" b \n a \n b \n", "trim_lines", then=["dedupe", "sort", "number_lines"])
    assert answer.text == "1: a\n2: b\n"


@pytest.mark.parametrize(
    ("operation", "arguments", "text", "expected"),
    [
        ("replace", {"find": "$1", "replacement": "\\1"}, "a $1 b $1", "a \\1 b \\1"),
        ("replace", {"find": "x"}, "axb", "ab"),
        ("affix_lines", {"prefix": "- ", "suffix": ";"}, "a\r\n\r\nb", "- a;\r\n- ;\r\n- b;"),
        ("join_lines", {"separator": ", "}, "a\nb", "a, b"),
        ("split", {"separator": ";"}, "a;b;;c", "a\nb\n\nc"),
        ("wrap", {"width": 7}, "  aa bb cc ddddddddd\r\n", "  aa bb\r\n  cc\r\n  ddddd\r\n  dddd\r\n"),
        ("indent", {"width": 2}, "a\nb\n", "  a\n  b\n"),
    ],
)
async def test_operations_take_their_arguments_as_they_stand(
    operation: str, arguments: dict[str, object], text: str, expected: str
) -> None:
    assert (await _call(text, operation, **arguments)).text == expected


@pytest.mark.parametrize("operation", ["replace", "split", "affix_lines"])
async def test_an_operation_that_lacks_an_argument_says_which(operation: str) -> None:
    answer = await _call("a", operation)
    assert (answer.ok, answer.error) == (False, "invalid_input")
    assert operation in answer.text


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("replace", {"find": "a", "replacement": "b" * 100_000}),
        ("affix_lines", {"prefix": "b" * 100_000}),
        ("join_lines", {"separator": "b" * 100_000}),
        ("escape_json", {"then": ["escape_json"] * 20}),
    ],
)
async def test_a_result_that_would_fill_the_memory_is_refused(operation: str, arguments: dict[str, object]) -> None:
    text = '\\"' * 1_000 + "a\n" * 1_000
    answer = await _call(text, operation, **arguments)
    assert (answer.ok, answer.error) == (False, "too_large")


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "text", ["a" * 40_000, "\n" * 40_000, " " * 40_000, ". " * 20_000, "aB" * 20_000, "\\" * 40_000, "é\u0301" * 20_000]
)
async def test_no_text_makes_an_operation_slow(operation: str, text: str) -> None:
    started = time.monotonic()
    answer = await _call(text, operation, **NEEDS.get(operation, {}))
    assert answer.ok or answer.error in {"too_large", "invalid_input"}
    assert time.monotonic() - started < 3


@given(text=st.text())
def test_lines_put_together_are_the_text(text: str) -> None:
    assert Lines.of(text).text == text


LINES = st.builds(
    "{}{}".format, st.lists(st.sampled_from(["a\n", "b\r\n", " a\n", "\n"])).map("".join), st.sampled_from(["", "c"])
)


@pytest.mark.parametrize("operation", ["sort", "sort_descending", "sort_numeric", "reverse_lines", "dedupe"])
@given(text=LINES)
def test_ordering_lines_keeps_each_line_and_whether_the_text_ends_with_an_end(operation: str, text: str) -> None:
    answer = asyncio.run(_call(text, operation))
    before, after = Lines.of(text), Lines.of(str(answer.data["result"]))
    said, says = [sorted(filter(None, lines.contents)) for lines in (before, after)]
    assert says == (sorted(set(said)) if operation == "dedupe" else said)
    # A blank line that comes last where nothing ends the last line is seen by nobody.
    assert after.text.endswith("\n") == text.endswith("\n") or not after.contents[-1:] or "" in before.contents
