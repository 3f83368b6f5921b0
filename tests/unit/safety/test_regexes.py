"""Patterns: what backtracking could hang on is found by structure, what people search for is not flagged."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases.toolbox_case import Case, cases

from transom.safety.regexes import PATTERN_LENGTH, judge
from transom.vocabulary import ENGLISH

UNSAFE = [
    r"(a+)+$", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(.*a){25}$", r"(x+x+)+y", r"^(\w+\s?)*$", r"(a|aa)+$", r"(a*)*b", r"(\w|\d)+$",
    r"(a?b?)*c", r"(.*)*x", r"(?:\s*x\s*)*$", r"(?i:(a|A)+)$", r"(?=(a+)+$)x", r"([^,]+,?)+;", r"(a|b|ab)*c", r"((a{1,3})+)*x",
    r"(?s)(.|\n)+x", r"((c+)+)", r"(é|\w)+x", r"(?i)(k|\u212a)+x", r"((?:a|b)?)+(c*)*d", r"(?x)(a+ )+", r"(?:a?){25}b",
    r"(?:(?:.)*(?:.)*){5}b", r"(?:a|aa){30}$",
    r"(?:(?:(?:a?){2}|(?:\w|ab|a))){16}b",
]  # fmt: skip

SAFE = [
    r"^(.*,){5}x", r"(.*?;){4}", r"(foo|bar)+", r"import (\w+)", r"v(\d+)\.(\d+)", r"(\w+)", r"(a|b)+", r"(\w+\.)+\w+@\w+",
    r"(.|\n)*x", r'"([^"\\]|\\.)*"',
    r"(([0-9a-f]{2}:){5}[0-9a-f]{2})", r"([0-9a-f]{2}:?){6}", r"(\d{1,3}\.){3}\d{1,3}", r".*a.*b.*c", r"def (\w+)\((.*)\):",
    r"^\s*(public|private)?\s*class\s+(\w+)", r"(\w+)\s+\1", r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}",
    r"https?://[^\s]+(/[^\s/]+)*/?x", r"(TODO|FIXME|XXX)(\(\w+\))?:?", r"\b(?:\d{4}-\d{2}-\d{2})\b", r"(ab{0,50}c)+",
    r"(,\s*\w+)*",
    r"(?:[a-z]+-)*[a-z]+$", r"^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$", r"(\w{8}-)+x", r"\{\d+\}", r"a{,3}",
    r"[]a]+",
    r"((?:\d{3}[- ]?){2}\d{4})", r"(?<!x)y+(?!z)", r"(?P<n>a)(?P=n)", r"b(?#(a+)c", r"x{", r"[[:alpha:]]+",
]  # fmt: skip


@pytest.mark.parametrize("pattern", UNSAFE)
def test_what_can_be_read_in_far_too_many_ways_is_unsafe(pattern: str) -> None:
    verdict = judge(pattern)
    assert verdict.reason == "regex_unsafe"
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.filterwarnings("ignore:Possible nested set")
@pytest.mark.parametrize("pattern", SAFE)
def test_what_people_search_for_is_safe(pattern: str) -> None:
    assert judge(pattern).allowed


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in cases("regex") if case.tool == "pattern_scan"])
def test_the_cases_are_judged_as_they_say(case: Case) -> None:
    verdict = judge(case.args["pattern"])
    if "(" not in case.args["pattern"]:
        assert verdict.allowed
    elif case.args["pattern"] == "foo(":
        assert verdict.reason == "regex_invalid"
    else:
        assert verdict.allowed == ("contains" in case.expected)


@pytest.mark.parametrize("pattern", ["foo(", "a**", "[b-a]", "(?P<1>x)", "a{99999999999999999999}", "(?<=a+)b", "\\"])
def test_an_invalid_pattern_is_said_to_be_so(pattern: str) -> None:
    verdict = judge(pattern)
    assert (verdict.error, verdict.reason) == ("invalid_input", "regex_invalid")
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize(
    "pattern",
    ["(" * 500 + ")" * 500, "(a" * 300 + ")+" * 300, "(?:a?){50}" * 90, "[a-z]*" * 160,
    "(" + "|".join(["word"] * 190) + ")+", "\\w" * 499,
     "(?=" * 190 + ")" * 190, "((a{64}){6}){6}" * 60, "x{1000}" * 140],
)  # fmt: skip
def test_judging_takes_no_time_whatever_the_pattern(pattern: str) -> None:
    begun = time.perf_counter()
    judge(pattern[:PATTERN_LENGTH])
    assert time.perf_counter() - begun < 1


def test_a_pattern_has_a_limit() -> None:
    assert judge("a" * PATTERN_LENGTH).allowed
    assert judge("a" * (PATTERN_LENGTH + 1)).reason == "regex_long"


PIECE = st.sampled_from(["a", "b", ".", "\\w", "[ab]", "[^a]", "aa", "ab"])
PATTERN = st.recursive(
    PIECE,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(PATTERN, st.text(alphabet="ab", min_size=1, max_size=3))
def test_what_is_called_safe_does_not_hang(pattern: str, pump: str) -> None:
    if judge(pattern).allowed:
        # Exponential growth would take 2 ** 24 steps or more here, which is seconds.
        text = (pump * 26)[:52] + "!"
        begun = time.perf_counter()
        re.compile(f"(?:{pattern})!!").search(text)
        assert time.perf_counter() - begun < 1


@given(st.text(alphabet="ab()[]{}|*+?.\\^$-,:=!<>P#i019 \n", max_size=30))
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_any_text_gets_an_answer(pattern: str) -> None:
    judge(pattern)
