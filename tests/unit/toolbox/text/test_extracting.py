"""What the tool finds in a text, what it leaves alone, and that no text and no pattern makes it hang."""

from __future__ import annotations

import time
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.toolbox.box import Toolbox
from transom.toolbox.families.text import FAMILY, Kind
from transom.toolbox.families.text.patterns import FINDERS
from transom.toolbox.tool import Envelope

BOX = Toolbox((FAMILY,))


async def _call(text: str, kind: str, **arguments: object) -> Envelope:
    return await BOX.call("text_extract", {"text": text, "kind": kind, **arguments})


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("emails", "Mail a.b+c@x-y.co.uk, (d@e.org). Not @f or g@h or i@@j.k", ["a.b+c@x-y.co.uk", "d@e.org"]),
        (
            "urls",
            "See https://a.org/b?c=d#e. Also (http://x.org/wiki/Y_(z)), <ftp://f.org/> and httpx://no",
            ["https://a.org/b?c=d#e", "http://x.org/wiki/Y_(z)", "ftp://f.org/"],
        ),
        ("numbers", "1,234.50 and -3e5, 50%, v1.2.3, x9, 3-5 ½", ["1,234.50", "-3e5", "50%", "3", "5"]),
        ("dates", "2024-02-29T10:00:00Z, 1.2.2024, 12/31/99; March 5, 2024; 5 May 2023; 1.2.3", None),
        (
            "phone_numbers",
            "+49 (30) 123-4567 or 555-123-4567, not 1234567 nor 2024-01-01",
            ["+49 (30) 123-4567", "555-123-4567"],
        ),
        ("ip_addresses", "10.0.0.1, 999.1.1.1, ::1, fe80::1, 12:30, 1.2.3.4.5", ["10.0.0.1", "::1", "fe80::1"]),
        ("uuids", "id 123e4567-E89B-12d3-a456-426614174000!", ["123e4567-E89B-12d3-a456-426614174000"]),
        ("hashtags", "#one #2two ##no &#39; a#b #3", ["#one", "#2two"]),
        ("mentions", "@ann, (@bob.c) x@y.z", ["@ann", "@bob.c"]),
        ("colors", "#fff #A1B2C3 #12345 #ffff", ["#fff", "#A1B2C3", "#ffff"]),
        (
            "paths",
            "src/a.py, ./run.sh /etc/hosts ~/x C:\\dir\\f.txt and/or 1/2 https://a.org/b.c",
            ["src/a.py", "./run.sh", "/etc/hosts", "~/x", "C:\\dir\\f.txt"],
        ),
        ("quoted", 'say "one" and “two” „drei“ «quatre» "', ["one", "two", "drei", "quatre"]),
        ("headings", "# A\ntext # no\n### B #\n#no", ["# A", "### B #"]),
        ("links", '[a](http://x) ![b](y.png "t") [](z) [c] (d)', ["a: http://x", "b: y.png", "z"]),
        ("code_blocks", "x\n```py\na = 1\n```\n~~~\nb\n```\n~~~\n", ["a = 1", "b\n```"]),
    ],
)
async def test_each_kind_is_found_and_what_only_looks_like_it_is_not(kind: str, text: str, expected: list[str] | None) -> None:
    answer = await _call(text, kind)
    if expected is None:
        expected = ["2024-02-29T10:00:00Z", "1.2.2024", "12/31/99", "March 5, 2024", "5 May 2023"]
    assert answer.data["matches"] == expected
    assert answer.data["count"] == len(expected)


async def test_repeats_are_left_out_unless_they_are_wanted() -> None:
    text = "a@b.org c@d.org a@b.org"
    assert (await _call(text, "emails")).data["count"] == 2
    assert (await _call(text, "emails", unique=False)).data["count"] == 3
    some = await _call(text, "emails", unique=False, limit=1)
    assert (some.data["count"], some.data["matches"]) == (3, ["a@b.org"])
    assert "3 emails, the first 1" in some.text


async def test_lines_and_what_stands_between_two_texts_are_found_literally() -> None:
    text = "a.c\r\nabc\nA.C\n"
    assert (await _call(text, "lines", pattern="a.c")).data["matches"] == ["a.c"]
    assert (await _call(text, "lines", pattern="a.c", ignore_case=True)).data["matches"] == ["a.c", "A.C"]
    assert (await _call("<b>x</b> <b>y</b> <b>z", "between", start="<b>", end="</b>")).data["matches"] == ["x", "y"]


@pytest.mark.parametrize(("kind", "arguments"), [("regex", {}), ("lines", {}), ("between", {"start": "a"})])
async def test_a_kind_that_lacks_an_argument_says_which(kind: str, arguments: dict[str, object]) -> None:
    answer = await _call("a", kind, **arguments)
    assert (answer.ok, answer.error) == (False, "invalid_input")


async def test_a_text_is_counted() -> None:
    answer = await _call("One two. Three-four!\n\nLast ü\n", "statistics")
    numbers = {"characters": 29, "bytes": 30, "words": 5, "lines": 3, "sentences": 2, "paragraphs": 2}
    assert answer.data == {"kind": "statistics", **numbers}


async def test_a_pattern_gives_its_matches_and_their_groups() -> None:
    answer = await _call("x=1, y=22\nx=1", "regex", pattern=r"(\w)=(\d+)(!)?")
    assert answer.data["matches"] == ["x=1", "y=22"]
    assert answer.data["groups"] == [["x", "1", None], ["y", "22", None]]
    assert (answer.data["complete"], answer.data["demoted_to_literal"]) == (True, False)
    everything = await _call("x=1, y=22\nx=1", "regex", pattern=r"\d+", unique=False, limit=2)
    assert (everything.data["count"], everything.data["matches"]) == (3, ["1", "22"])
    assert (await _call("Ä ä\ud800", "regex", pattern="ä", ignore_case=True)).data["matches"] == ["Ä", "ä"]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(x", "a**"])
async def test_a_pattern_that_is_unsafe_or_invalid_is_searched_for_as_literal_text_and_that_is_said(pattern: str) -> None:
    answer = await _call(f"before {pattern} after {'a' * 5000}!", "regex", pattern=pattern)
    assert answer.data["matches"] == [pattern]
    assert answer.data["demoted_to_literal"] is True
    assert "literal" in answer.text


async def test_a_pattern_that_takes_too_long_is_ended_and_what_it_found_is_a_part() -> None:
    text = "x1\n" + "a" * 50_000
    started = time.monotonic()
    answer = await _call(text, "regex", pattern=r"x\d|a*a*a*a*b")
    assert time.monotonic() - started < 3.8
    assert answer.ok
    assert (answer.data["matches"], answer.data["complete"]) == (["x1"], False)
    assert "Partial" in answer.text


HOSTILE = [
    "a",
    "1",
    " ",
    "\n",
    ".",
    "-",
    "@",
    "/",
    ":",
    "[",
    '"',
    "#",
    "`",
    "a.",
    "a@",
    "a/",
    "1,",
    "[a",
    '"a',
    "://",
    "http://a",
    "(1",
    "é",
]


@pytest.mark.parametrize("kind", [kind for kind in get_args(Kind) if kind in FINDERS or kind == "statistics"])
def test_no_text_makes_a_search_slow(kind: str) -> None:
    find = FINDERS.get(kind)
    if find is None:
        return
    for piece in HOSTILE:
        text = piece * (100_000 // len(piece))
        started = time.monotonic()
        for _ in find(text):
            pass
        assert time.monotonic() - started < 2, piece


@settings(max_examples=200)
@given(text=st.text(), kind=st.sampled_from(sorted(FINDERS)))
def test_whatever_is_found_stands_in_the_text(text: str, kind: str) -> None:
    for found in FINDERS[kind](text):
        if kind not in {"links", "code_blocks"}:
            assert found in text
