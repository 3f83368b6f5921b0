"""Words: cutting, asking, excerpts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.store import Store, Write
from transom.store.backends.memory import MemoryBackend
from transom.store.backends.sqlite import SQLiteBackend
from transom.store.fulltext import columns, excerpt, parse_query
from transom.store.scanning import rank

pytestmark = pytest.mark.feature("S14")


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("which port?", [("which",), ("port",)]),
        ("foo_bar.baz-42", [("foo", "bar", "baz", "42")]),
        ("/usr/lib/x86_64", [("usr", "lib", "x86", "64")]),
        ("3.14", [("3", "14")]),
        ('say "hello world" now', [("hello", "world"), ("say",), ("now",)]),
        ("数据库", [("数据", "据库")]),
        ("库", [("库",)]),
        ("数据库的连接", [("数据",), ("据库",), ("库的",), ("的连",), ("连接",)]),
        ("Ann's dog", [("Ann",), ("dog",)]),
        ("!!! ... ()", []),
    ],
)
def test_a_question_is_taken_apart(query: str, terms: list[tuple[str, ...]]) -> None:
    assert [term.tokens for term in parse_query(query).terms] == terms


def test_dense_scripts_are_indexed_in_pairs_beside_the_words() -> None:
    assert columns("plain text") == ("plain text", "")
    assert columns("a数据库b") == ("a b", "数据 据库 库")


@given(st.text(st.characters(), max_size=400), st.lists(st.text(max_size=5), max_size=4), st.integers(20, 100))
def test_an_excerpt_is_verbatim_and_short(text: str, needles: list[str], width: int) -> None:
    found = excerpt(text, needles, width)
    assert found.strip("…").strip() in text
    assert len(found) <= width + 30


def test_an_excerpt_shows_where_most_of_the_question_stands() -> None:
    text = "port " + "filler " * 100 + "the port of the database is 5433 here" + " filler" * 100
    assert "database is 5433" in excerpt(text, ("port", "database", "5433"))


def test_an_excerpt_goes_where_the_long_words_stand_not_where_short_ones_are_many() -> None:
    text = "the to of the to of " * 60 + "the migration failed at dawn " + "filler " * 200
    assert "migration failed" in excerpt(text, ("the", "to", "of", "migration"))


def test_a_long_text_that_repeats_a_word_does_not_beat_one_that_answers() -> None:
    texts = [("noise", "port " * 1000), ("answer", "the database port is 5433")]
    assert rank(texts, "database port", 2)[0][0] == "answer"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.sampled_from("ab_-. 数据é1🙂\n"), min_size=1, max_size=30), min_size=1, max_size=5), st.data())
async def test_every_stretch_of_a_text_finds_it(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(text) - 1))
    stretch = text[start : start + 8].strip()
    async with Store(SQLiteBackend(tmp_path_factory.mktemp("search") / "store.db")) as store:
        for number, each in enumerate(texts):
            await store.put("notes", each, path=f"{number}")
        hits = await store.search(stretch, limit=len(texts))
    if len(stretch) > 2 and any(char.isalnum() for char in stretch):
        assert hits


async def test_a_word_in_every_record_does_not_hide_the_rare_one(tmp_path: Path) -> None:
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        writes = [("common words all over " * 3 + f"number{number}") for number in range(6000)]
        await store.commit([Write("notes", f"{n}", text.encode(), text=text) for n, text in enumerate(writes)])
        assert (await store.search("common words number4711 over"))[0].uri == "context://notes/4711"
        assert len(await store.search("common words all over", limit=5)) == 5
        other = store.scoped("other")
        await other.put("notes", "common words of another user", path="x")
        assert [hit.uri for hit in await other.search("common words")] == ["context://notes/x"]


@pytest.mark.parametrize(
    "question",
    [
        " ".join(f"word{number}" for number in range(100_000)),
        "".join(chr(0x4E00 + number % 5_000) for number in range(100_000)),
        ".".join(map(str, range(100_000))),
        f'"{" ".join(f"word{number}" for number in range(100_000))}"',
        "a" * 1_000_000,
    ],
    ids=["words", "dense", "identifier", "phrase", "letters"],
)
async def test_a_question_without_end_is_cut_to_a_bounded_number_of_terms(question: str, tmp_path: Path) -> None:
    query = parse_query(question)
    assert 1 <= len(query.terms) <= 512
    assert len(query.parts) <= 512
    assert sum(len(term.tokens) for term in query.terms) <= 20_000
    for backend in (MemoryBackend(), SQLiteBackend(tmp_path / "s.db")):
        async with Store(backend) as store:
            await store.put("notes", "a needle", path="n")
            for asked in (f"{question} needle", f"needle {question}"):
                # What is asked for in quotes may have to be there.
                assert await store.search(asked) or question.startswith('"')
