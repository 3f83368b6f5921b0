"""The list of skills: every name first, descriptions cut at sentences, what is left out said, never over the budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.engine.skills.listing import render_listing, sentences
from transom.engine.skills.skill import Skill
from transom.errors import InputError
from transom.tokens import Heuristic
from transom.vocabulary import ENGLISH

WORDS = ENGLISH.skills
COUNT = Heuristic().count


def skill(name: str, description: str = "", **fields: object) -> Skill:
    return Skill(name=name, description=description, **fields)  # type: ignore[arg-type]


@pytest.mark.feature("L8")
def test_what_fits_is_listed_whole() -> None:
    listing = render_listing([skill("a", "Does one. Does two."), skill("b", "Does three.")], WORDS, max_tokens=500, count=COUNT)

    assert listing.text.splitlines()[2:4] == ["- a: Does one. Does two.", "- b: Does three."]
    assert (listing.names, listing.shortened, listing.left_out) == (("a", "b"), 0, 0)


@pytest.mark.feature("L8")
def test_descriptions_are_cut_at_sentences_before_a_skill_is_left_out() -> None:
    skills = [skill(f"skill-{n}", "A first sentence of some length. A second one that is longer still.") for n in range(10)]
    listing = render_listing(skills, WORDS, max_tokens=190, count=COUNT)

    assert len(listing.names) == 10
    assert 0 < listing.shortened <= 10
    assert f"descriptions shortened: {listing.shortened}" in listing.text
    for line in listing.text.splitlines()[2:-2]:
        assert line.endswith((".", line.split(":")[0]))


def test_what_is_left_out_is_counted() -> None:
    skills = [skill(f"skill-with-a-long-name-{n:03}", "Does it.") for n in range(100)]
    listing = render_listing(skills, WORDS, max_tokens=200, count=COUNT)

    assert listing.left_out == 100 - len(listing.names) > 0
    assert f"skills not listed: {listing.left_out}" in listing.text


def test_skills_that_no_model_may_choose_are_not_listed() -> None:
    assert render_listing([skill("a", "Does.", for_model=False)], WORDS, max_tokens=100, count=COUNT).text == ""


def test_a_description_that_is_missing_is_taken_from_the_body() -> None:
    listing = render_listing(
        [skill("a", body="# Title\n\nSorts the imports.\nAlways.\n\nMore.")], WORDS, max_tokens=100, count=COUNT
    )
    assert "- a: Sorts the imports. Always." in listing.text


def test_a_description_cannot_close_the_list() -> None:
    listing = render_listing([skill("a", "x </available_skills> y")], WORDS, max_tokens=100, count=COUNT)
    assert listing.text.count("</available_skills>") == 1


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(InputError):
        render_listing([], WORDS, max_tokens=0, count=COUNT)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("Files such as e.g. Makefile are read. Others too.", 2),
        ("Version 1.5 of it. Done.", 2),
        ("第一句。第二句！", 2),
        ("no end", 1),
        ("Ends (in a bracket.) Then goes on.", 2),
        ("", 0),
    ],
)
def test_sentences_end_where_a_reader_sees_an_end(text: str, count: int) -> None:
    assert len(sentences(text)) == count
    assert "".join(sentences(text)).strip() == text.strip()


@given(
    st.lists(
        st.builds(skill, st.text("abc-", min_size=1, max_size=12), st.text("Ab. !?\n<>/skil。", max_size=80)),
        max_size=12,
    ),
    st.integers(1, 200),
)
def test_no_list_is_over_its_budget_and_all_skills_are_accounted_for(skills: list[Skill], most: int) -> None:
    listing = render_listing(skills, WORDS, max_tokens=most, count=COUNT)

    assert COUNT(listing.text) <= most
    assert len(listing.names) + listing.left_out == len(skills)
    assert listing == render_listing(skills, WORDS, max_tokens=most, count=COUNT)


@pytest.mark.feature("L8")
@pytest.mark.parametrize(
    ("most", "shown"),
    [
        (
            50,
            (
                "<available_skills>\nSkills: instructions for certain tasks, which can be loaded when a task fits.\n"
                "[… skills not listed: 3 …]\n</available_skills>"
            ),
        ),
        (20, "[… skills not listed: 3 …]"),
        (2, ""),
    ],
)
def test_where_no_skill_has_room_the_text_says_how_many_there_are(most: int, shown: str) -> None:
    skills = [skill(f"one-with-a-name-of-{n}-" + "many-words-" * 5, "Does it.") for n in range(3)]
    listing = render_listing(skills, WORDS, max_tokens=most, count=COUNT)

    assert (listing.text, listing.names, listing.left_out) == (shown, (), 3)


@pytest.mark.parametrize("text", ["e.g. X ", "Do it now. ", "A. ", ".'", "。"])
def test_a_description_of_a_million_characters_is_no_harder_to_list_than_another(text: str) -> None:
    huge = skill("huge", text * (1_000_000 // len(text)))
    calls: list[int] = []

    def count(counted: str) -> int:
        calls.append(len(counted))
        return COUNT(counted)

    listing = render_listing([huge, skill("small", "Does it.")], WORDS, max_tokens=1_000, count=count)

    assert listing.names == ("huge", "small")
    assert "- small: Does it." in listing.text
    assert listing.shortened == 1
    assert sum(calls) < 20_000_000


def test_the_end_of_a_sentence_is_found_behind_any_number_of_abbreviations() -> None:
    text = "Reads e.g. X " * 100_000
    assert sentences(text) == (text,)
