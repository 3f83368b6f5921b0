"""The frame around a summary: made, and taken apart again, in any language and around any text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.vocabulary import ENGLISH

GERMAN = replace(
    ENGLISH.summarizing,
    mark="# Zusammenfassung  des\nBisherigen:",
    title="steht für {messages} Nachrichten aus Fenster {window}",
    later_title="steht für {messages} Nachrichten aus Fenster {window} (davor: {previous}) und frühere",
    explanation="Von einem Modell.\n\nNichts ist verloren:",
    archive="Archiv {window}: {uri}",
    more_archives="(ältere stehen am Anfang von {window})",
)
WORDS = [ENGLISH.summarizing, GERMAN]


def address(number: int) -> str:
    return f"context://archive/{number:032x}"


@pytest.mark.feature("O2")
@given(st.sampled_from(WORDS), st.text(st.characters(codec="utf-8"), min_size=1), st.integers(1, 9))
def test_a_frame_is_taken_apart_as_it_was_put_together(words: object, body: str, windows: int) -> None:
    assert isinstance(words, type(GERMAN))
    archives = [(f"w{number}", address(number)) for number in range(windows, 0, -1)]
    text = words.frame(
        body, messages=12, window=f"w{windows}", previous=f"w{windows - 1}" if windows > 1 else None, archives=archives
    )
    framed = words.read_frame(text)
    assert framed is not None
    assert framed.window == f"w{windows}"
    assert framed.archives == tuple(archives[:3])
    assert framed.body == body
    assert ("w7" in text.partition("\n\n")[0]) == (windows in (7, 8, 9))


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("text", ["", "Hello.", "# Digest of earlier conversation: stands for 3 messages of window w1\n\nx"])
def test_any_other_text_is_no_frame(words: object, text: str) -> None:
    assert isinstance(words, type(GERMAN))
    assert words.read_frame(text) is None
    assert words.read_frame(f"{' '.join(words.mark.split())} of my holidays\n\nw1 was fine") is None


@pytest.mark.feature("O15")
def test_without_a_store_a_frame_promises_no_address() -> None:
    text = ENGLISH.summarizing.frame("Body.", messages=3, window="w1", previous=None, archives=[("w1", "")])
    assert "context://" not in text
    assert "addresses" not in text
    framed = ENGLISH.summarizing.read_frame(text)
    assert framed is not None
    assert framed.archives == ()
    assert framed.body == "Body."
