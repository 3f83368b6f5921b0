"""Search in conversations: neighbours, speakers, times, other forms of a word; and how a model is shown what was found."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from transom import FilesystemBackend, MemoryBackend, SQLiteBackend, Store
from transom.jsontext import dumps
from transom.store.archive import archive_texts
from transom.store.backend import StorageBackend
from transom.store.showing import passages
from transom.tokens import Heuristic

pytestmark = pytest.mark.feature("S14")

Open = Callable[[Path], StorageBackend]
COUNT = Heuristic().count
CHAT = ("Good morning!", "Did you sleep well?", "Like a stone, and you?", "It rained again.", "I missed the bus.", "Poor you.")


@pytest.fixture(params=[SQLiteBackend, FilesystemBackend, lambda _: MemoryBackend()], ids=["sqlite", "files", "memory"])
def open_backend(request: pytest.FixtureRequest) -> Open:
    return request.param  # type: ignore[no-any-return]


TALK = tuple(("Ann" if at % 2 else "Ben", CHAT[at % 6]) for at in range(10))


def said(*turns: tuple[str, str], padding: int = 12) -> list[dict[str, object]]:
    """Messages with a name, small talk of both before and after."""
    chat = [("Ann" if at % 2 else "Ben", CHAT[at % len(CHAT)]) for at in range(padding)]
    return [{"role": "user", "name": name, "content": text} for name, text in (*chat, *turns, *chat)]


async def archived(store: Store, messages: Sequence[dict[str, object]], path: str = "a1") -> list[str]:
    data = b"\n".join([*map(dumps, messages), b""])
    await store.put("archive", data, path=path, text=archive_texts(data))
    return [str(message["content"]) for message in messages]


async def first(store: Store, texts: Sequence[str], query: str) -> str:
    return texts[(await store.search(query, ["archive"]))[0].line - 1]


async def test_who_answers_is_found_by_the_words_of_who_asked(open_backend: Open, tmp_path: Path) -> None:
    async with Store(open_backend(tmp_path / "store")) as store:
        texts = await archived(
            store, said(("Ben", "How was the pottery evening?"), ("Ann", "A bowl, all in blue!"), ("Ben", "Lovely."))
        )
        assert await first(store, texts, "What did Ann make at pottery?") == "A bowl, all in blue!"
        assert await first(store, texts, "pottery") == "How was the pottery evening?"


async def test_a_speaker_named_in_the_question_is_preferred(open_backend: Open, tmp_path: Path) -> None:
    async with Store(open_backend(tmp_path / "store")) as store:
        texts = await archived(store, said(("Ben", "I planted leeks."), *TALK, ("Ann", "I planted tomatoes.")))
        assert await first(store, texts, "What did Ann plant?") == "I planted tomatoes."
        assert await first(store, texts, "What did Ben plant?") == "I planted leeks."


@pytest.mark.parametrize(
    "shape", ["Ann: {}", "**Ann**: {}", "[9 May 2023, 8:15 pm] Ann: {}", "8:15 pm on 9 May, 2023 - Ann: {}"]
)
async def test_a_speaker_is_known_however_the_name_is_written(shape: str) -> None:
    async with Store(MemoryBackend()) as store:
        lines = [shape.replace("Ann", name).format(text) for text in CHAT for name in ("Ann", "Ben")]
        lines += [
            shape.replace("Ann", "Ben").format("I planted leeks."),
            shape.format("Fine."),
            shape.format("I planted figs."),
        ]
        texts = await archived(store, [{"role": "user", "content": line} for line in lines])
        assert (await first(store, texts, "What did Ann plant?")).endswith("I planted figs.")


@pytest.mark.parametrize(
    "question", ["What was for dinner in May?", "dinner on 9 May 2023", "What was for dinner on May 9?", "dinner, 2023-05-09"]
)
async def test_a_time_named_in_the_question_is_preferred(open_backend: Open, tmp_path: Path, question: str) -> None:
    sessions = [("4 March 2023", "Soup for dinner."), ("9 May 2023", "Pie for dinner."), ("2 July 2023", "Fish for dinner.")]
    messages: list[dict[str, object]] = []
    for day, dinner in sessions:
        messages += [{"role": "user", "content": f"[Session of {day}]"}, *said(("Ann", dinner), padding=6)]
    async with Store(open_backend(tmp_path / "store")) as store:
        assert await first(store, await archived(store, messages), question) == "Pie for dinner."


async def test_the_time_in_a_field_of_a_message_counts_and_last_week_is_seen_from_the_newest(tmp_path: Path) -> None:
    dinners = [("2023-03-04", "Soup for dinner."), ("2023-05-09", "Pie for dinner."), ("2023-07-02", "Fish for dinner.")]
    messages = [
        message | {"created_at": f"{day}T18:00:00Z"} for day, dinner in dinners for message in said(("Ann", dinner), padding=6)
    ]
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        texts = await archived(store, messages)
        assert await first(store, texts, "What was for dinner in May?") == "Pie for dinner."
        assert await first(store, texts, "What was for dinner last week?") == "Fish for dinner."


@pytest.mark.parametrize("question", ["painting", "Who paints?", "bought", "cities"])
async def test_other_forms_of_a_word_are_found(open_backend: Open, tmp_path: Path, question: str) -> None:
    async with Store(open_backend(tmp_path / "store")) as store:
        texts = await archived(store, said(("Ann", "I painted a city and want to buy a frame.")))
        assert "painted" in await first(store, texts, question)


async def test_the_form_that_was_written_comes_before_another(open_backend: Open, tmp_path: Path) -> None:
    async with Store(open_backend(tmp_path / "store")) as store:
        await store.put("notes", "the painters came on Monday", path="a")
        await store.put("notes", "the painting came on Monday", path="b")
        assert [hit.uri for hit in await store.search("painting")] == ["context://notes/b", "context://notes/a"]


async def test_a_label_that_a_few_texts_begin_with_is_no_speaker() -> None:
    async with Store(MemoryBackend()) as store:
        await archived(
            store, said(("Ann", "port: 5433"), ("Ben", "port: 5434"), ("Ann", "The database listens on its port."), padding=30)
        )
        found = await store.search("database port")
        assert "database" in found[0].snippet
        assert {hit.line for hit in found} >= {31, 32, 33}


async def test_archives_too_large_to_read_whole_are_read_around_what_matches(tmp_path: Path) -> None:
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        chat = said(padding=900)
        quokka = said(("Ben", "The quokka?"), ("Ann", "It bit me."), padding=0)
        messages = [*chat, *quokka, *chat]
        texts = await archived(store, messages)
        assert await first(store, texts, "What about Ann and the quokka?") == "It bit me."


async def test_a_model_is_shown_what_stands_beside_a_match_in_order_within_the_budget(
    open_backend: Open, tmp_path: Path
) -> None:
    async with Store(open_backend(tmp_path / "store")) as store:
        await archived(
            store, said(("Ben", "How was the pottery evening?"), ("Ann", "A bowl, all in blue!"), ("Ben", "Lovely."))
        )
        hits = await store.search("pottery evening")
        shown = await passages(store, "pottery evening", hits, budget=120, count=COUNT)
        assert COUNT(shown) <= 120
        assert re.match(r"context://archive/a1, lines [\d, -]+\n", shown)
        assert "[13] Ben\nHow was the pottery evening?\n[14] Ann\nA bowl, all in blue!\n[15] Ben\nLovely." in shown


async def test_matches_far_apart_stand_under_one_address_with_the_gap_marked() -> None:
    async with Store(MemoryBackend()) as store:
        await archived(store, said(("Ben", "A quokka!"), *[("Ann", "Nice.")] * 9, ("Ben", "That quokka again!")))
        shown = await passages(store, "quokka", await store.search("quokka"), budget=150, count=COUNT)
        assert shown.count("context://archive/a1") == 1
        assert "[13] Ben\nA quokka!" in shown
        assert "[23] Ben\nThat quokka again!" in shown
        assert "\n…\n" in shown


async def test_of_a_long_note_the_paragraphs_that_answer_are_shown_with_those_beside_them() -> None:
    chat = [f"{name}: {CHAT[at % 6]} It is number {at}." for at in range(150) for name in ("Ann", "Ben")]
    note = "\n".join([*chat[:100], "Ben: How was the pottery evening?", "Ann: A bowl, all in blue!", *chat[100:]])
    async with Store(MemoryBackend()) as store:
        await store.put("notes", note, path="talk")
        hits = await store.search("What did Ann make at pottery?")
        shown = await passages(store, "What did Ann make at pottery?", hits, budget=300, count=COUNT)
        assert "Ben: How was the pottery evening?\nAnn: A bowl, all in blue!" in shown
        assert all(line in note or line in {"…", "context://notes/talk"} for line in shown.split("\n"))


async def test_what_cannot_be_read_again_is_shown_as_the_index_has_it(tmp_path: Path) -> None:
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        await store.put("notes", b"\xff\x00", path="a", text="the port is 5433")
        assert "the port is 5433" in await passages(store, "port", await store.search("port"), budget=200, count=COUNT)


def test_the_command_shows_the_same(tmp_path: Path) -> None:
    async def fill() -> None:
        async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
            await archived(store, said(("Ben", "How was the pottery evening?"), ("Ann", "A bowl, all in blue!")))

    asyncio.run(fill())
    arguments = ["store", "search", "What did Ann make at pottery?", "--budget", "1200", "--json", "--store", "store.db"]
    ran = subprocess.run([sys.executable, "-m", "transom", *arguments], cwd=tmp_path, capture_output=True, check=True)
    found = json.loads(ran.stdout)
    assert "[14] Ann\nA bowl, all in blue!" in found["shown"]
    assert found["hits"][0]["line"] == 14


@pytest.mark.parametrize("budget", [60, 90, 120])
async def test_the_line_that_answers_comes_before_those_beside_it_however_little_there_is_room_for(budget: int) -> None:
    answer = "The harbour pilot said the tide gauge at the old pier is off by nine centimetres. " + "We talked for long. " * 30
    async with Store(MemoryBackend()) as store:
        await archived(store, said(("Ben", "And the pilot?"), ("Ann", answer), ("Ben", "The gauge, really?")))
        shown = await passages(store, "tide gauge", await store.search("tide gauge pilot"), budget=budget, count=COUNT)
        assert COUNT(shown) <= budget
        assert "tide gauge at the old pier" in shown
