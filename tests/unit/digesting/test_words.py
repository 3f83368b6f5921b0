"""A digest in other words: it says the same, and is read back and carried on through them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.vocabulary.moved import MOVED, in_english

from transom.engine.overflow.digesting import digest
from transom.engine.overflow.digesting.reading import Reading
from transom.messages import Message
from transom.vocabulary import ENGLISH, Vocabulary

from .spans import ARCHIVE, Quarters, answer, assistant, call, chatter, user
from .test_digest import PLANTED

pytestmark = pytest.mark.feature("X5")

WINDOWS = (
    [*PLANTED, *chatter(3), call("grep", "g1", pattern="queue", path="src"), answer("", "g1")],
    [
        user("ok"),
        call("bash", "t2", command="pytest tests/test_billing.py -q"),
        answer("2 passed in 0.2s", "t2"),
        *chatter(3, start=3),
        assistant("Done so far. Should I switch the consumer?"),
        user("yes"),
        call("delete_file", "d1", path="services/billing/old.py"),
        answer("no such file", "d1", is_error=True),
    ],
    [user("Now clean up. " * 60), *chatter(2, start=6), call("bash", "t3", command="make"), answer('{"exit_code": 2}', "t3")],
)


def written(vocabulary: Vocabulary, budget: int = 20_000) -> list[str]:
    """The digests of three windows, each made of the one before."""
    texts: list[str] = []
    for number, messages in enumerate(WINDOWS, 1):
        previous = texts[-1] if texts else None
        made = digest(
            [*([Message("user", previous)] if previous else []), *messages],
            previous=previous,
            budget=budget,
            tokenizer=Quarters(),
            archive_uri=ARCHIVE.format(window=f"w{number}"),
            window=f"w{number}",
            vocabulary=vocabulary,
        )
        texts.append(made.text)
    return texts


def test_three_windows_say_the_same_in_other_words() -> None:
    assert [in_english(text) for text in written(MOVED)] == written(ENGLISH)


def test_what_was_written_in_other_words_is_read_back_as_the_same_notes() -> None:
    for ours, english in zip(written(MOVED), written(ENGLISH), strict=True):
        read = Reading(MOVED.digesting).read(ours)
        known = Reading(ENGLISH.digesting).read(english)
        assert read is not None
        assert known is not None
        assert (read.errors, read.commands, read.files, read.tasks) == (known.errors, known.commands, known.files, known.tasks)
        assert (read.requests, read.task, read.decisions) == (known.requests, known.task, known.decisions)
        assert (read.messages, read.before, read.windows) == (known.messages, known.before, known.windows)


def test_a_digest_in_other_words_is_an_account_to_quote() -> None:
    assert Reading(ENGLISH.digesting).read(written(MOVED)[0]) is None


def test_words_may_stand_in_another_order() -> None:
    words = replace(
        ENGLISH.digesting,
        shown_of="(von {size:,} nur {shown:,})",
        title="– Fenster {window}: {messages:,} Nachrichten",
        one_before=", davor {before:,}",
        size="{where} hat alle {size:,} Zeichen",
        exit_code="Ende ({code})",
    )
    german = replace(ENGLISH, digesting=words)
    for ours, english in zip(written(german), written(ENGLISH), strict=True):
        read = Reading(words).read(ours)
        known = Reading(ENGLISH.digesting).read(english)
        assert read is not None
        assert known is not None
        assert replace(read, calls=(), hidden={}) == replace(known, calls=(), hidden={})


def test_stand_ins_are_neither_the_task_nor_a_result() -> None:
    made = digest(
        [
            user(ENGLISH.mending.opening),
            assistant("I go on."),
            user("Build it."),
            call("bash", "b1", command="make all"),
            answer(ENGLISH.mending.missing_result, "b1"),
        ],
        previous=None,
        budget=2_000,
        tokenizer=Quarters(),
        archive_uri=ARCHIVE.format(window="w1"),
        window="w1",
    )
    notes = Reading(ENGLISH.digesting).read(made.text)
    assert notes is not None
    assert notes.task is not None
    assert notes.task.quote.shown == "Build it."
    assert [note.outcome for note in notes.commands] == ["no result"]
