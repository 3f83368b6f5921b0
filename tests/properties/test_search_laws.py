"""Laws of search: what is shown is verbatim, in its place, within the budget; the same question has the same answer."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from transom import MemoryBackend, SQLiteBackend, Store
from transom.jsontext import dumps
from transom.store.archive import archive_texts
from transom.store.fulltext import parse_query
from transom.store.passages import passage_of
from transom.store.question import Question
from transom.store.ranking import ranked
from transom.store.showing import passages
from transom.tokens.named import tokenizer_named

WORDS = st.sampled_from(
    [
        "Ann",
        "Ben",
        "port",
        "ports",
        "painted",
        "painting",
        "the",
        "what",
        "did",
        "in May",
        "2023-05-09",
        "9 May 2023",
        "数据库",
        "?",
    ]
)
TEXTS = st.lists(WORDS | st.text(max_size=12), min_size=1, max_size=9).map(" ".join)
TURNS = st.lists(st.tuples(st.sampled_from(["Ann", "Ben", ""]), TEXTS), min_size=1, max_size=30)


@pytest.mark.feature("S14", "R5")
@settings(max_examples=150, deadline=None)
@example(
    [("Ann", "Ann"), ("Ann", "Ann Ann Ann painted 2023-05-09 2023-05-09 9 May 2023 0000000000 000000000000")],
    "Ann",
    61,
    "heuristic",
    False,
)
@given(TURNS, TEXTS, st.integers(0, 400), st.sampled_from(["heuristic", "chars4"]), st.booleans())
async def test_what_is_shown_of_an_archive_fits_and_every_line_of_it_is_where_it_says(
    tmp_path_factory: pytest.TempPathFactory,
    turns: list[tuple[str, str]],
    query: str,
    budget: int,
    counter: str,
    on_disk: bool,
) -> None:
    count = tokenizer_named(counter).count
    messages = [{"role": "user", "content": text} | ({"name": name} if name else {}) for name, text in turns]
    data = b"\n".join([*map(dumps, messages), b""])
    texts = archive_texts(data)
    backend = SQLiteBackend(tmp_path_factory.mktemp("laws") / "store.db") if on_disk else MemoryBackend()
    async with Store(backend) as store:
        await store.put("archive", data, path="a", text=texts)
        hits = await store.search(query)
        shown = await passages(store, query, hits, budget=budget, count=count)
        assert await store.search(query) == hits
        assert await passages(store, query, hits, budget=budget, count=count) == shown
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert count(shown) <= budget
    if shown:
        head, _, page = shown.partition("\n")
        numbers = _numbers(head.removeprefix("context://archive/a, "))
        written = [texts[number - 1].strip() for number in numbers]
        # Whole texts, or stretches of them with … where they were cut.
        for text, shown_of_it in zip(written, _parts(page, numbers), strict=True):
            assert all(piece.strip() in text for piece in shown_of_it.split("…"))


def _parts(page: str, numbers: list[int]) -> list[str]:
    """What is shown of each text; numbered where there are several."""
    if len(numbers) == 1:
        return [page]
    starts = [page.index(f"[{numbers[0]}] ")]
    for number in numbers[1:]:
        starts.append(page.index(f"\n[{number}] ", starts[-1]))
    pairs = zip(starts, [*starts[1:], len(page)], strict=True)
    return [page[start:end].strip().partition("] ")[2] for start, end in pairs]


def _numbers(place: str) -> list[int]:
    found: list[int] = []
    for part in re.sub("^lines? ", "", place).split(", "):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


@pytest.mark.feature("S14")
@given(st.lists(st.lists(TEXTS, max_size=12), max_size=4), TEXTS)
def test_worth_is_a_function_of_the_texts_and_none_is_worth_less_than_nothing(runs: list[list[str]], query: str) -> None:
    question = Question.of(parse_query(query))
    values = ranked(question, runs)
    assert values == ranked(Question.of(parse_query(query)), runs)
    assert [len(run) for run in values] == [len(run) for run in runs] or not any(runs)
    assert all(value.worth >= 0 and (value.worth > 0 or not value.match) for run in values for value in run)


@pytest.mark.feature("S14")
@given(st.lists(TEXTS | st.just(""), min_size=1, max_size=30).map("\n".join), TEXTS, st.integers(20, 300))
def test_a_passage_is_verbatim_and_about_as_long_as_asked(text: str, query: str, width: int) -> None:
    passage = passage_of(Question.of(parse_query(query)), text, width)
    assert all(piece.strip() in text for piece in passage.text.split("…"))
    assert len(passage.text) <= max(width, len(text.strip()) if len(text) <= width else 0) + 32
    assert 1 <= passage.line <= text.count("\n") + 1
