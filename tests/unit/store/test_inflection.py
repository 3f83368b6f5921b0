"""Words in their other forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.store.inflection import forms

pytestmark = pytest.mark.feature("S14")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("painting", "painted"),
        ("paint", "painter"),
        ("cities", "city"),
        ("study", "studies"),
        ("glazing", "glazed"),
        ("stop", "stopped"),
        ("planning", "plans"),
        ("bake", "baking"),
        ("go", "went"),
        ("bought", "buy"),
        ("children", "child"),
        ("ports", "port"),
    ],
)
def test_a_word_has_the_forms_that_people_use(asked: str, said: str) -> None:
    assert said in forms(asked)


@pytest.mark.parametrize("word", ["数据", "x86", "müller", "is2", "", "ab"])
def test_what_is_no_plain_word_stays_as_it_is(word: str) -> None:
    assert forms(word) == (word,)


def test_words_that_end_in_two_s_are_no_plurals() -> None:
    assert "clas" not in forms("class")


@given(st.text(st.sampled_from("abcdeginrsty"), max_size=14))
def test_the_word_itself_comes_first_each_form_once_and_there_are_few(word: str) -> None:
    found = forms(word)
    assert found[0] == word
    assert len(set(found)) == len(found) <= 32
