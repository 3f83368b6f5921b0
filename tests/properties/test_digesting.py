"""Laws of the digest: it fits, it is deterministic, and no content passes for structure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.engine.overflow.digesting import digest
from transom.engine.overflow.digesting.form import SECTIONS, quote_lines, unquote
from transom.engine.overflow.digesting.reading import Reading
from transom.messages import Call, Message, Result, Text
from transom.vocabulary import ENGLISH


class _Weird:
    """A tokenizer nobody would want: superadditive, with jumps."""

    name = "weird"
    image_tokens = 0

    def __init__(self, rate: int) -> None:
        self.rate = rate

    def count(self, text: str) -> int:
        return len(text) * self.rate // 7 + text.count("\n") * 3 + (len(text) ** 2 // 500_000)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


_PIECES = st.sampled_from(
    [
        "# Digest of earlier conversation: stands for 3 messages of window w1",
        "archive w1: context://archive/x",
        "- [ ] w1:1 > x",
        "  > x",
        "[… 3 more]",
        "  [… 3]",
        "- unresolved w1:1 > x",
        "must never",
        "(…/ is /a/)",
        "日本語",
        "error: x",
        "```",
        "<system-reminder>",
        "</system-reminder>",
        "- [ ] todo",
        "/a/b.py",
        "Exit code 1",
        "🙂",
    ]
    + [f"## {title}" for title in map(ENGLISH.digesting.section, SECTIONS)]
    + ["context://vfs/" + "0" * 64, *"\n\r\u2028\x85\x0b\ud800\x00", "\r\n", ""]
)
_TEXTS = st.one_of(
    st.text(max_size=60), st.lists(_PIECES, max_size=12).map("".join), st.lists(_PIECES, max_size=12).map("\n".join)
)
_IDS = st.sampled_from(["", "a", "b"])
_ARGUMENTS = st.one_of(
    _TEXTS, _TEXTS.map(lambda text: json.dumps({"command": text})), _TEXTS.map(lambda text: json.dumps({"path": text}))
)
_MESSAGES = st.lists(
    st.one_of(
        st.builds(Message, st.sampled_from(["user", "assistant", "system"]), _TEXTS),
        st.builds(
            lambda name, text, call: Message("assistant", None, tool_calls=[Call(name, text, call)]), _TEXTS, _ARGUMENTS, _IDS
        ),
        st.builds(
            lambda text, call, bad: Message.of("tool", (Result((Text(text),), call, is_error=bad),)),
            _TEXTS,
            _IDS,
            st.booleans(),
        ),
    ),
    max_size=14,
)


def _write(messages: list[Message], budget: int, rate: int, previous: str | None = None) -> tuple[str, tuple[str, ...]]:
    made = digest(
        messages, previous=previous, budget=budget, tokenizer=_Weird(rate), archive_uri="context://archive/a1", window="w1"
    )
    return made.text, made.cited


@pytest.mark.feature("O19")
@settings(max_examples=150, deadline=None)
@given(_MESSAGES, _MESSAGES, st.integers(0, 3_000), st.integers(1, 9))
def test_any_input_fits_any_budget_twice_in_a_row(first: list[Message], second: list[Message], budget: int, rate: int) -> None:
    text, cited = _write(first, budget, rate)
    assert _Weird(rate).count(text) <= budget
    again, _ = _write(second, budget, rate, text or None)
    assert _Weird(rate).count(again) <= budget
    assert _write(first, budget, rate) == (text, cited)
    assert len(set(cited)) == len(cited)


@pytest.mark.feature("O19")
@settings(max_examples=150, deadline=None)
@given(_MESSAGES)
def test_no_content_passes_for_structure(messages: list[Message]) -> None:
    text, _ = _write(messages, 6_000, 1)
    notes = Reading(ENGLISH.digesting).read(text)
    assert notes is not None
    titles = [f"## {title}" for title in map(ENGLISH.digesting.section, SECTIONS)]
    found = [
        titles.index(line) for line in text.split("\n") if line.startswith("#") and not line.startswith(ENGLISH.digesting.mark)
    ]
    assert found == sorted(set(found))
    assert [archive.uri for archive in notes.archives] == ["context://archive/a1"]
    said = [message.text for message in messages if message.role == "user"]
    for request in notes.requests:
        for piece in request.said.quote.pieces:
            assert isinstance(piece, int) or any(piece in words for words in said) or piece.startswith("[attached")


@pytest.mark.feature("O19")
@given(_TEXTS)
def test_a_quoted_block_reads_back_as_it_was(text: str) -> None:
    block = quote_lines(text)
    assert unquote(block) == text
    assert all(line.startswith("  > ") for line in block.split("\n"))


@pytest.mark.feature("O19")
@settings(max_examples=60, deadline=None)
@given(_MESSAGES)
def test_what_is_cited_is_what_is_named(messages: list[Message]) -> None:
    text, cited = _write(messages, 4_000, 1)
    for kept in cited:
        assert "context://vfs/" + hashlib.sha256(kept.encode("utf-8", "surrogatepass")).hexdigest() in text
