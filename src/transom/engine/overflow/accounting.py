"""What a closing moved: which turns went, which texts were shortened, and where each is.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...store.blobs import blob_uri
from ..ledger.edits import original_texts
from ..ledger.live import PREVIEW, LiveTurn, Moved
from ..ledger.records import WindowRecord
from .strategy import Span

__all__ = ["closed_turns", "head_places", "moved_by", "shortened_texts"]

_SPOKEN = frozenset({"user", "assistant", "system"})
"""Clearing takes results only: what somebody said was offloaded, also where both came together in one turn."""


def closed_turns(span: Span, record: WindowRecord) -> int:
    """How many of the span's turns the record closes over; 0 for one that only offloads."""
    return next((index + 1 for index, live in enumerate(span.turns) if live.place == record.p_k and record.archive), 0)


def shortened_texts(span: Span, record: WindowRecord) -> list[tuple[str, str, str]]:
    """Texts that the record shows shortened and that were whole before: (kind, text, label)."""
    found: list[tuple[str, str, str]] = []
    by_place = {live.place: live for live in span.turns if live.place}
    changes = [("clear", item.place, item.edits) for item in record.items] + [
        ("offload", fit.place, fit.edits) for fit in record.fits
    ]
    for kind, place, edits in changes:
        live = by_place.get(place)
        if live is not None:
            known = set(live.edits)
            fresh = [edit for edit in edits if edit.part >= 0 and edit not in known]
            found.extend(
                (kind if label not in _SPOKEN else "offload", text, label)
                for text, label in original_texts(live.source, fresh)
                if text
            )
    return found


def moved_by(
    span: Span, record: WindowRecord, cut: int, shortened: Sequence[tuple[str, str, str]], archive: str, size: int
) -> list[Moved]:
    """The account of a closing: texts it shortened, then what it archived."""
    moved = [
        Moved(kind, blob_uri(text), len(text.encode(errors="surrogatepass")), label=label, preview=text[:PREVIEW])
        for kind, text, label in shortened
    ]
    named = {item.place for item in record.items if item.kind != "head"}
    # An earlier head is ours: it says nothing about what left.
    gone = [live for live in span.turns[:cut] if live.place not in named and not live.head]
    messages = sum(len(live.source.messages) for live in gone)
    if archive and messages:
        first = next((message.text for live in gone for message in live.source.messages if message.text), "")
        moved.append(Moved("evict", archive, size, messages, f"window {span.lineage.current}", first[:PREVIEW]))
    return moved


def head_places(turns: Sequence[LiveTurn]) -> frozenset[int]:
    """Which of the turns' messages are heads of ours."""
    flags = [live.head for live in turns for _ in live.source.messages]
    return frozenset(index for index, head in enumerate(flags) if head)
