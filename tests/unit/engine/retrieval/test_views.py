"""Views: a page that fits, and the way to the next one."""

from __future__ import annotations

import pytest
from tests.unit.engine.retrieval.desks import COUNT, Desk, content, joined, next_call

from transom.engine.retrieval import SMALLEST, Host
from transom.errors import InputError
from transom.testing.generators import prose

BUDGETS = pytest.mark.parametrize("budget", [SMALLEST, 300, 2_000])


@pytest.mark.feature("R5")
async def test_a_short_text_is_one_page() -> None:
    desk = Desk()
    uri = await desk.store.put("vfs", "one\n\ttwo\n\nthree")
    assert await desk.ask("view", uri) == f"{uri}: lines 1-4 of 4\n     1\tone\n     2\t\ttwo\n     3\t\n     4\tthree"
    assert await desk.ask("view", uri.removeprefix("context://")) == await desk.ask("view", uri)


@pytest.mark.feature("R5")
@BUDGETS
async def test_page_after_page_gives_the_whole_text(budget: int) -> None:
    desk = Desk(budget=budget)
    text = "\n".join(
        prose(number, size) for number, size in enumerate((30, 900, 9_000, 0, 12, 400, 20_000 // (2_500 // budget + 1)))
    )
    uri = await desk.store.put("vfs", text)
    pages = await desk.pages("view", uri)
    assert joined(pages) == text
    assert len(pages) > 1


@pytest.mark.feature("R5")
@BUDGETS
async def test_a_line_that_does_not_fit_is_cut_by_characters_and_every_one_is_reached(budget: int) -> None:
    desk = Desk(budget=budget)
    text = (
        "first\n"
        + "".join(chr(0x4E00 + number % 5_000) if number % 3 else "e\u0301 " for number in range(budget * 6))
        + "\nlast"
    )
    await desk.ask("create", "notes/wide", file_text=text)
    pages = await desk.pages("view", "notes/wide")
    assert joined(pages) == text
    assert "line 2 of 3, characters 1-" in pages[1]
    assert "of it to come. Next: " in pages[1]


@pytest.mark.feature("R5")
async def test_a_range_is_shown_and_gone_on_with_to_its_end() -> None:
    desk = Desk(budget=200)
    await desk.ask("create", "notes/a", file_text="\n".join(f"this is line {number}" for number in range(1, 101)))
    short = await desk.ask("view", "notes/a", view_range=[98, -1])
    assert content(short) == "this is line 98\nthis is line 99\nthis is line 100"
    assert content(await desk.ask("view", "notes/a", view_range=[7, 7])) == "this is line 7"
    pages = await desk.pages("view", "notes/a", view_range=[20, 60])
    assert joined(pages) == "\n".join(f"this is line {number}" for number in range(20, 61))
    following = next_call(pages[0])
    assert following is not None
    assert following["path"] == "context://notes/a"
    assert (await desk.ask("view", "notes/a", view_range=[98, 4_000])) == short
    for wrong in ([0, 3], [5, 4], [101, 102], [-1, 3]):
        assert "is no part of 100" in await desk.ask("view", "notes/a", view_range=wrong)
    assert "offset 400 is beyond the end" in await desk.ask("view", "notes/a", offset=400)


async def test_an_empty_text_says_so() -> None:
    desk = Desk()
    await desk.ask("create", "notes/a", file_text="")
    assert await desk.ask("view", "notes/a") == "context://notes/a: empty"


@pytest.mark.feature("R5")
async def test_data_that_is_no_text_is_described() -> None:
    desk = Desk(budget=300)
    uri = await desk.store.put("vfs", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    shown = await desk.ask("view", uri)
    assert "10248 bytes that are no text (image/png)" in shown
    assert "\n89 50 4e 47" in shown


@pytest.mark.feature("R5")
async def test_encoded_data_is_named_first_and_shown_only_when_it_is_asked_for_again() -> None:
    desk = Desk()
    text = "".join(chr(65 + number * 7 % 26) + chr(97 + number * 11 % 26) for number in range(4_000))
    uri = await desk.store.put("vfs", text)
    first, *rest = await desk.pages("view", uri)
    assert first.startswith(f"8000 characters of base64: {uri}\n[… 8000 characters of it to come. Next: ")
    assert joined(rest) == text


@pytest.mark.feature("R5")
@BUDGETS
async def test_a_listing_is_paged_and_shows_folders_once(budget: int) -> None:
    desk = Desk(budget=budget)
    names = [f"notes about everything {number:03}" for number in range(300)] + [f"plans/{number}" for number in range(7)]
    for name in names:
        await desk.store.put("notes", "x", path=name)
    pages = await desk.pages("view", "notes")
    shown = [line for page in pages for line in page.split("\n") if line.startswith("context://notes/")]
    assert shown[:2] == ["context://notes/notes%20about%20everything%20000", "context://notes/notes%20about%20everything%20001"]
    assert (len(shown), shown[-1]) == (301, "context://notes/plans/ (7 entries)")
    assert "entries 1-7 of 7" in await Desk(desk.store).ask("view", "notes/plans/")
    assert "entries 1-7 of 7" in await Desk(desk.store).ask("view", "context://notes/plans")
    assert "beyond the end" in await desk.ask("view", "notes", offset=301)


async def test_the_namespaces_are_listed_and_an_empty_one_says_so() -> None:
    desk = Desk()
    listed = await desk.ask("view")
    assert listed.split() == [f"context://{name}/" for name in ("memory", "notes", "vfs", "archive", "sessions")]
    assert await desk.ask("view", "/") == listed
    assert await desk.ask("view", "notes") == "context://notes: nothing is kept here"


@pytest.mark.feature("R5")
async def test_an_address_that_is_longer_than_a_page_leaves_room_for_the_text() -> None:
    desk = Desk(budget=SMALLEST)
    path = "/".join("長い名前" * 20 for _ in range(4))
    text = "\n".join(f"line {number}" for number in range(40))
    assert await desk.ask("create", f"notes/{path}", file_text=text)
    pages = await desk.pages("view", f"notes/{path}")
    assert joined(pages) == text
    assert "with the same path" in pages[0]


def test_a_budget_that_holds_no_page_is_refused() -> None:
    with pytest.raises(InputError, match="a view of 100 tokens"):
        Host(store=Desk().store, count=COUNT, budget=100)
