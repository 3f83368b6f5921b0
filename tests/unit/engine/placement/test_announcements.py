"""Announcements: the list as the caller sees it, and which channel each takes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom import Context, Message
from transom.engine.placement.announcements import Announcement, Announcements, split
from transom.errors import InputError


@pytest.mark.feature("L6")
def test_an_announcement_stands_until_it_is_retracted() -> None:
    announcements = Announcements()
    announcements.announce("deploy", "A deployment is running.")
    announcements.announce("quota", "Ten requests are left.")
    assert [item.id for item in announcements.list()] == ["deploy", "quota"]
    assert announcements.retract("deploy")
    assert not announcements.retract("deploy")
    assert announcements.list() == (Announcement("quota", "Ten requests are left."),)


@pytest.mark.feature("L6")
def test_one_that_is_replaced_keeps_its_place() -> None:
    announcements = Announcements()
    for name in ("a", "b", "c"):
        announcements.announce(name, name)
    announcements.announce("b", "other", "tail")
    assert [(item.id, item.text) for item in announcements] == [("a", "a"), ("b", "other"), ("c", "c")]
    announcements.retract("b")
    announcements.announce("b", "again")
    assert [item.id for item in announcements] == ["a", "c", "b"]


@pytest.mark.feature("L6")
@pytest.mark.parametrize(
    ("takes_system", "expected"), [(True, (("auto", "system"), ("tail",))), (False, ((), ("auto", "system", "tail")))]
)
def test_a_channel_falls_back_to_the_tail_where_the_target_takes_no_system_message(
    takes_system: bool, expected: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    announcements = Announcements()
    for channel in ("auto", "system", "tail"):
        announcements.announce(channel, channel, channel)
    assert split(announcements, takes_system) == expected


@pytest.mark.parametrize("wrong", [("", "text"), ("id", " \n"), ("id", "text", "shout")])
def test_what_makes_no_sense_is_refused_and_changes_nothing(wrong: tuple[str, ...]) -> None:
    announcements = Announcements([Announcement("id", "kept")])
    with pytest.raises(InputError):
        announcements.announce(*wrong)  # type: ignore[arg-type]
    assert [item.text for item in announcements] == ["kept"]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["", "one", "two"])), max_size=30))
def test_the_list_is_what_an_ordered_mapping_would_hold(steps: list[tuple[str, str]]) -> None:
    announcements, expected = Announcements(), dict[str, str]()
    for name, text in steps:
        if text:
            announcements.announce(name, text)
            expected[name] = text
        else:
            assert announcements.retract(name) is (expected.pop(name, None) is not None)
    assert [(item.id, item.text) for item in announcements] == list(expected.items())
    assert len(announcements) == len(expected)


class Counting:
    """Counts characters, and how often and of how much it is asked."""

    name = "counting"

    def __init__(self) -> None:
        self.asked = 0

    def count(self, text: str) -> int:
        self.asked += len(text)
        return -(-len(text) // 4)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    @property
    def image_tokens(self) -> int:
        return 1_000


@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "gemini"])
async def test_announcements_that_stay_cost_no_counting_and_those_that_change_are_seen(target: str) -> None:
    tokenizer = Counting()
    context = Context(window=1_000_000, tokenizer=tokenizer)
    context.append(Message("user", "hi"))
    for number in range(500):
        context.announce(f"a{number}", f"Announcement {number} is here to stay.", channel="tail" if number % 2 else "auto")
    first = await context.compile(target)
    tokenizer.asked = 0
    again = await context.compile(target)
    assert again.json() == first.json()
    assert again.meta.tokens_after == first.meta.tokens_after
    assert again.meta.notes == first.meta.notes
    assert tokenizer.asked < 1_000
    context.announce("a7", "Seven is another one now.")
    context.retract("a8")
    changed = await context.compile(target)
    assert b"Seven is another one now." in changed.json()
    assert b"Announcement 8 is" not in changed.json()
    fresh = Context(window=1_000_000, tokenizer=Counting())
    fresh.append(Message("user", "hi"))
    fresh.restore(context.snapshot())
    assert (await fresh.compile(target)).json() == changed.json()
