"""Comparing prefixes goes on from the compile before, and gives what comparing everything anew gives."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from transom.engine.payload import Compared, common_prefix, compared_sequence
from transom.wire.format import Element, Frame

ELEMENTS = st.builds(
    Element,
    open=st.sampled_from([b"", b'{"role":"user","content":[']),
    blocks=st.lists(st.sampled_from([b"1", b"22", b"333"]), max_size=3).map(tuple),
    close=st.sampled_from([b"", b"]}"]),
    merge=st.sampled_from(["", "user", "assistant"]),
)
TOOLS, SYSTEMS = st.sampled_from([b"", b"[1]"]), st.sampled_from([b"", b"[2]"])
FRAMES = st.builds(Frame, before=st.just(b"{"), after=st.just(b"}"), tools=TOOLS, system=SYSTEMS)
TURNS = st.lists(st.tuples(FRAMES, st.integers(0, 6), st.lists(ELEMENTS, max_size=4)), max_size=5)


def fresh(sequence: Compared) -> Compared:
    """The sequence without what says how it came about."""
    return replace(sequence, resumed=(0, 0))


@given(st.lists(ELEMENTS, max_size=6), TURNS)
def test_what_is_taken_over_from_the_sequence_before_is_what_would_be_made_anew(
    first: list[Element], turns: list[tuple[Frame, int, list[Element]]]
) -> None:
    elements, before = first, compared_sequence(Frame(b"{", b"}"), first, (), 0)
    for frame, kept, more in turns:
        elements = [*elements[:kept], *more]
        for stable in {len(elements), len(elements) // 2}:
            given_ones = (frame, elements[:stable], elements[stable:], 0)
            now, anew = compared_sequence(*given_ones, before=before), compared_sequence(*given_ones)
            assert fresh(now) == fresh(anew)
            assert b"".join(now.pieces[: now.resumed[0]]) == b"".join(before.pieces)[: now.resumed[1]]
            assert common_prefix(before.pieces, now.pieces, now.resumed) == common_prefix(before.pieces, anew.pieces)
        before = now
