"""The words a model reads."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import fields, replace

import pytest

from transom import Context
from transom.engine.offload.excerpts import excerpt, excerpt_source
from transom.errors import InputError
from transom.vocabulary import ENGLISH, Vocabulary
from transom.vocabulary.checking import check_vocabulary

from .moved import MOVED


def test_a_gap_is_described_by_what_it_hides() -> None:
    assert ENGLISH.hidden((4, 1), (4, 20), whole_lines=True) == "line 4"
    assert ENGLISH.hidden((4, 1), (9, 20), whole_lines=True) == "lines 4-9"
    assert ENGLISH.hidden((4, 3), (4, 20), whole_lines=False) == "characters 3-20 of line 4"
    assert ENGLISH.hidden((4, 3), (9, 2), whole_lines=False).startswith("from line 4, character 3, to line 9, character 2")


def test_braces_in_what_is_filled_in_are_left_alone() -> None:
    assert "{tool}" in ENGLISH.cleared_mark("{tool}", 5, "context://vfs/x")


def test_a_reset_says_how_much_was_set_aside_and_where_it_is() -> None:
    notice = ENGLISH.reset_notice(window="w1", messages=12, archive="context://archive/w1")
    assert "12 messages" in notice
    assert "context://archive/w1" in notice


def test_an_excerpt_in_another_language_is_known_again() -> None:
    german = replace(
        ENGLISH,
        locale="de",
        lines="Zeilen {first} bis {last}",
        gap="{what} fehlen: {hidden} von {whole} Byte. Ganzer Text: {uri}",
        gap_again="{what} fehlen: {hidden} Byte",
    )
    text = "eine Zeile\n" * 1000
    shown = excerpt(text, uri="context://vfs/" + "a" * 64, head=100, tail=50, vocabulary=german)
    source = excerpt_source(shown)
    assert source is not None
    assert source.size == len(text)


def test_sections_are_loaded_when_they_are_asked_for() -> None:
    script = (
        "import sys; from transom.vocabulary import ENGLISH\n"
        "own = 'transom.vocabulary.locales.en.'\n"
        "def loaded(): return sorted(name.removeprefix(own) for name in sys.modules if name.startswith(own))\n"
        "print(loaded()); ENGLISH.dates; ENGLISH.dates; print(loaded())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["[]", "['dates']"]


def test_there_is_nothing_to_load_for_a_name_that_is_no_section() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        ENGLISH.nonsense  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    "copied", [copy.copy(ENGLISH), copy.deepcopy(ENGLISH), pickle.loads(pickle.dumps(ENGLISH)), replace(ENGLISH)]
)
def test_a_copy_of_english_says_the_same(copied: Vocabulary) -> None:
    check_vocabulary(copied)
    assert copied.fingerprint == ENGLISH.fingerprint
    assert [repr(getattr(copied, item.name)) for item in fields(ENGLISH)] == [
        repr(getattr(ENGLISH, item.name)) for item in fields(ENGLISH)
    ]


def test_a_vocabulary_may_be_made_of_sections_from_scratch() -> None:
    own = Vocabulary(**{item.name: getattr(ENGLISH, item.name) for item in fields(Vocabulary)})
    check_vocabulary(own)
    assert own.fingerprint == ENGLISH.fingerprint


def _digesting(**words: str) -> Vocabulary:
    return replace(ENGLISH, digesting=replace(ENGLISH.digesting, **words))


@pytest.mark.feature("X5")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (replace(ENGLISH, gap="{what} fehlt"), r"gap lacks \{uri\}"),
        (replace(ENGLISH, reset="Neu. {archive} {when}"), r"reset holds \{when\}"),
        (replace(ENGLISH, reset="Neu. {archive"), "reset is no template"),
        (replace(ENGLISH, mending=replace(ENGLISH.mending, reasoning="(überlegt)")), r"mending\.reasoning lacks \{text\}"),
        (_digesting(summary="kurzer Bericht"), "summary is not one word"),
        (_digesting(read="berührt", edited="berührt"), "uses 'berührt' for two of read"),
        (_digesting(title_files="A\nB"), "title_files holds a line break"),
        (_digesting(call="a > b"), "call holds a line break or the mark of a quote"),
        (_digesting(ok=" "), "ok is empty"),
        (_digesting(more="mehr"), r"more lacks \{count\}"),
        (replace(ENGLISH, reset=3), "reset is a int"),  # type: ignore[arg-type]
        ("de", "vocabulary is a str"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_vocabulary_that_no_session_could_be_held_in_is_refused_when_it_begins(words: Vocabulary, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Context(window=4_000, vocabulary=words)


@pytest.mark.feature("X5")
def test_every_word_may_be_another_one() -> None:
    check_vocabulary(MOVED)


def test_a_bracket_in_what_is_recalled_may_be_followed_by_any_number_of_blanks() -> None:
    words, blanks = ENGLISH.retrieving, " " * 400_000
    text = words.recalled_around([f"<{blanks}x <{blanks}/ {words.recalled_name}>"], tool=False)

    assert f"<{blanks}x &lt;{blanks}/ {words.recalled_name}>" in text
