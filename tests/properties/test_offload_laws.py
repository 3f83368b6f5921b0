"""Laws of shortening that hold for any text and any message."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.engine.offload.excerpts import byte_size, excerpt, excerpt_source, excerpt_to, is_excerpt
from transom.engine.offload.payloads import PruneSettings, prune
from transom.engine.overflow.clearing import ClearSettings, clearing
from transom.messages import Attachment, Call, Message, Opaque, Result, Text, Thinking
from transom.messages.parts import Content, Part
from transom.store.blobs import blob_uri
from transom.tokens import Chars, Heuristic
from transom.vocabulary import ENGLISH

QUOTED = "[… lines 1-2 not shown: 5 of 9 bytes. Whole text: context://vfs/" + "b" * 64 + " …]\n"
words = st.sampled_from(
    ["a line of text\n", "error: it broke\n", "x", "世界", "e\u0301", "👩\u200d👧", "\ud83d", "\ude00", "\r\n", "\n", "\x00"]
) | st.sampled_from(["[… ", " …]", QUOTED, "[… 3 bytes #bbbbbbbb …]\n"])
long_text = st.builds(
    lambda pieces, times: "".join(piece * count for piece, count in zip(pieces, times, strict=False)),
    st.lists(words, max_size=8),
    st.lists(st.integers(1, 80), min_size=8, max_size=8),
)
sizes = st.integers(0, 300)
MARK = re.compile(r"\n?\[… [^\n]*? …\](?:\n|\Z)")


def shorten(text: str, head: int, tail: int) -> str:
    return excerpt(text, uri=blob_uri(text), head=head, tail=tail, vocabulary=ENGLISH)


@pytest.mark.feature("S7")
@settings(max_examples=300)
@given(long_text, sizes, sizes)
def test_what_is_shown_is_made_of_slices_of_the_original_in_order(text: str, head: int, tail: int) -> None:
    shown = shorten(text, head, tail)
    if shown == text:
        return
    own = re.compile(rf"\n?\[… [^\n]*?(?:{re.escape(blob_uri(text))}| #{blob_uri(text)[-8:]}) …\](?:\n|\Z)")
    position = 0
    for piece in own.split(shown):
        found = text.find(piece, position)
        if found < 0:
            # The line break before a mark may belong to what stands before it.
            found = text.find(piece + "\n", position)
        assert found >= 0
        position = found + len(piece)


@pytest.mark.feature("S7")
@settings(max_examples=300)
@given(long_text, sizes, sizes, sizes, sizes)
def test_an_excerpt_is_shorter_known_again_and_never_cut_twice(text: str, head: int, tail: int, head2: int, tail2: int) -> None:
    shown = shorten(text, head, tail)
    assert shown == shorten(text, head, tail)
    assert byte_size(shown) <= byte_size(text)
    if shown != text:
        source = excerpt_source(shown)
        assert source is not None
        assert (source.uri, source.size) == (blob_uri(text), byte_size(text))
        assert shorten(shown, head2, tail2) is shown


@given(long_text, st.integers(100, 400))
def test_an_excerpt_made_to_fit_fits_or_is_nothing_but_its_mark(text: str, limit: int) -> None:
    for tokenizer in (Chars(), Heuristic()):
        shown = excerpt_to(text, uri=blob_uri(text), limit_tokens=limit, tokenizer=tokenizer, vocabulary=ENGLISH)
        assert tokenizer.count(shown) <= limit or shown == text or MARK.fullmatch(shown)
        assert byte_size(shown) <= byte_size(text)


content: st.SearchStrategy[Content] = st.one_of(
    st.builds(Text, long_text), st.just(Attachment("image/png", data="AAAA")), st.just(Opaque("openai", "x", {"a": 1}))
)
results = st.builds(
    lambda items, name: Result(tuple(items), call_id="c", name=name),
    st.lists(content, max_size=3),
    st.sampled_from(["", "run", "context"]),
)
parts: st.SearchStrategy[Part] = st.one_of(
    results, st.builds(Text, long_text), st.builds(Thinking, long_text), st.builds(Call, st.just("run"), long_text)
)


def _message(body: list[Part]) -> Message:
    return Message("user", body)


messages = st.lists(parts, max_size=5).map(_message)
PRUNE = PruneSettings(threshold=600, head=100, tail=50)


@pytest.mark.feature("S8")
@settings(max_examples=200)
@given(messages)
def test_pruning_changes_texts_of_results_and_nothing_else_and_a_second_time_nothing_at_all(message: Message) -> None:
    pruned, report = prune(message, settings=PRUNE)
    assert len(pruned.parts) == len(message.parts)
    originals = {text.shown: text.text for text in report}
    for before, after in zip(message.parts, pruned.parts, strict=True):
        if before is after:
            continue
        assert isinstance(before, Result)
        assert isinstance(after, Result)
        restored = tuple(
            Text(originals.get(item.text, item.text)) if isinstance(item, Text) else item for item in after.content
        )
        assert Result(restored, after.call_id, after.name, after.is_error, after.extra) == before
    again, second = prune(pruned, settings=PRUNE)
    assert again is pruned
    assert len(second) == 0
    assert all(is_excerpt(text.shown) and blob_uri(text.text) == text.uri for text in report)


@pytest.mark.feature("O16")
@given(messages)
def test_clearing_cites_every_text_it_takes_and_a_second_time_takes_nothing(message: Message) -> None:
    settings_ = ClearSettings.of(min_bytes=200)
    cleared = clearing(message, settings=settings_)
    if cleared is None:
        return
    shown = "\n".join(result.text for result in cleared.message.results)
    assert all(text.uri in shown and blob_uri(text.text) == text.uri for text in cleared.texts)
    assert [result.call_id for result in cleared.message.results] == [result.call_id for result in message.results]
    assert clearing(cleared.message, settings=settings_) is None
