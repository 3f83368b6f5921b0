"""Shortening a quote: slices of the original in their order, with the size of every gap.

Knows text, no layout. What is kept first is the beginning, then the end, then lines in between that bind or settle
something (``cues``). Nothing is rewritten; cuts fall on a line or word boundary where one is near.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ....store.blobs import blob_uri
from ...offload.excerpts import byte_size
from .cues import CONSTRAINT, DECISION, OPEN, STRONG
from .form import first_line
from .notes import Line, Quote

__all__ = ["OWN_BYTES", "line_of", "shorten"]

OWN_BYTES = 512
"""From this size a text that is not shown whole gets an address of its own; below, the archive's line is address enough."""

_HEADING = re.compile(r"^(?:#{1,4} |\d{1,2}[.)] |\*\*)\S.*$|^[A-Z][^\n.!?]{2,60}:[ \t]*$", re.MULTILINE)
_SUMMARY = re.compile(r"^[*#< ]*summary\b[^\n]{0,4}$", re.MULTILINE | re.IGNORECASE)
# Headings of the parts of an account, the most wanted kind first.
_WANTED = (
    re.compile(
        r"request|intent|goal|task|objective|ziel|auftrag|demande|objectif|petición|objetivo|目的|依頼|目标|请求", re.IGNORECASE
    ),
    re.compile(r"pending|open|next|remaining|todo|left|offen|nächst|prochain|siguiente|残|次|待|下一", re.IGNORECASE),
    re.compile(r"current|state|progress|stand|actuel|actual|現在|当前", re.IGNORECASE),
    re.compile(r"constraint|decision|rule|entscheid|décision|decisión|制約|決定|约束", re.IGNORECASE),
)
_PART = (0.35, 0.5, 0.5, 0.5)  # of the room left, the most that one part takes
_MIDDLE_FROM = 700  # with less room than this, a middle part would be a fragment
_SCANNED = 40_000  # characters of one quote searched for lines worth keeping


def line_of(text: str, limit: int) -> Line:
    """The first line of ``text`` that is not blank, at most ``limit`` characters of it."""
    stripped = text[: limit * 4 + 4_000].lstrip()
    shown = first_line(stripped)[:limit].rstrip()
    rest = len(text) - len(shown)
    # Blank around the line is not worth a gap mark.
    return Line(shown, len(shown) if rest < 400 and not text.replace(shown, "", 1).strip() else len(text))


def shorten(quote: Quote, limit: int, texts: dict[str, str], *, account: bool = False) -> Quote:
    """At most about ``limit`` characters of the quote.

    Args:
        quote: complete, or shortened before (then slices are left out).
        limit: visible characters.
        texts: receives, by address, the text that the gap's address stands for.
        account: the text is an account of earlier work; its parts on what is open and what was asked come first.
    """
    slices = [piece for piece in quote.pieces if isinstance(piece, str)]
    if sum(map(len, slices)) <= limit + 24 or not slices:
        return quote
    if not quote.complete:
        return _shorten_again(quote, limit, account=account)
    text = slices[0]
    spans = (_account_spans(text, limit) if account else []) or _spans(text, limit)
    uri = quote.uri
    if not uri and byte_size(text) >= OWN_BYTES:
        uri = blob_uri(text)
        texts[uri] = text
    return Quote(_pieces(text, spans), quote.size, uri)


def _spans(text: str, limit: int) -> list[tuple[int, int]]:
    tail = limit // 4
    middle = limit // 3 if limit >= _MIDDLE_FROM else 0
    head_end = _soft_end(text, limit - tail - middle)
    tail_start = _soft_start(text, len(text) - tail)
    spans = [(0, head_end)]
    if middle:
        spans.extend(_telling_lines(text, head_end, tail_start, middle))
    spans.append((max(tail_start, spans[-1][1]), len(text)))
    return spans


def _account_spans(text: str, limit: int) -> list[tuple[int, int]]:
    """The parts under the headings that matter most to whoever goes on; empty where there are none."""
    begins = [match.start() for match in _SUMMARY.finditer(text)]
    starts = [match.start() for match in _HEADING.finditer(text, begins[-1] if begins else 0)]
    parts = list(zip(starts, [*starts[1:], len(text)], strict=False))
    spans: list[tuple[int, int]] = []
    room = limit
    for share, wanted in zip(_PART, _WANTED, strict=True):
        for start, end in parts:
            line = text[start : text.find("\n", start) if "\n" in text[start:end] else end]
            if (start, end) not in spans and wanted.search(line) and room > 80:
                stop = min(end, start + max(int(room * share), 80))
                stop = stop if stop == end else start + _soft_end(text[start:stop], stop - start - 1)
                stop = start + len(text[start:stop].rstrip())
                if not any(left < stop and start < right for left, right in spans):
                    spans.append((start, stop))
                    room -= stop - start
    return sorted(spans)


def _telling_lines(text: str, start: int, end: int, room: int) -> Iterable[tuple[int, int]]:
    """Lines between ``start`` and ``end`` with a cue, strongest first, in the order of the text."""
    found: list[tuple[int, int, int]] = []
    position = start
    for line in text[start : min(end, start + _SCANNED)].split("\n"):
        stop = position + len(line)
        if 8 < len(line) <= 400:
            lowered = line.lower()
            rank = 0 if STRONG.found(lowered) else 1 if OPEN.found(lowered) or DECISION.found(lowered) else 2
            if rank < 2 or CONSTRAINT.found(lowered):
                found.append((rank, position, stop))
        position = stop + 1
    kept: list[tuple[int, int]] = []
    for _, left, right in sorted(found):
        if right - left <= room:
            kept.append((left, right))
            room -= right - left + 12
        if room < 40:
            break
    return sorted(kept)


def _pieces(text: str, spans: list[tuple[int, int]]) -> tuple[str | int, ...]:
    pieces: list[str | int] = []
    at = 0
    for start, end in spans:
        if end <= start:
            continue
        gap = text[at:start]
        if pieces and not gap.strip() and len(gap) < 80 and isinstance(pieces[-1], str):
            pieces[-1] += gap + text[start:end]
        else:
            if start > at:
                pieces.append(start - at)
            pieces.append(text[start:end])
        at = end
    if at < len(text):
        pieces.append(len(text) - at)
    return tuple(pieces)


def _shorten_again(quote: Quote, limit: int, *, account: bool) -> Quote:
    """Keep those slices that matter most: of an account by its headings, else the first, the last, and what fits between."""
    places: list[tuple[int, str]] = []
    at = 0
    for piece in quote.pieces:
        if isinstance(piece, str):
            places.append((at, piece))
        at += len(piece) if isinstance(piece, str) else piece
    order = sorted(range(len(places)), key=lambda index: (index > 0) + (0 < index < len(places) - 1))
    if account:
        order.sort(key=lambda index: _wanted(places[index][1]))
    kept: list[tuple[int, str]] = []
    room = limit
    for index in order:
        start, text = places[index]
        if len(text) <= room:
            kept.append((start, text))
            room -= len(text)
        elif not kept:
            kept.append((start, text[: _soft_end(text, room)]))
            room = 0
    pieces: list[str | int] = []
    at = 0
    for start, text in sorted(kept):
        if start > at:
            pieces.append(start - at)
        pieces.append(text)
        at = start + len(text)
    if at < quote.size:
        pieces.append(quote.size - at)
    return Quote(tuple(pieces), quote.size, quote.uri)


def _wanted(part: str) -> int:
    """The rank of an account's part by its heading."""
    line = part.lstrip().split("\n", 1)[0]
    return next((rank for rank, wanted in enumerate(_WANTED) if wanted.search(line)), len(_WANTED))


def _soft_end(text: str, end: int) -> int:
    """``end``, moved back to the end of a line or word when one is near."""
    if end >= len(text):
        return len(text)
    reach = max(end - max(end // 5, 12), 0)
    line = text.rfind("\n", reach, end)
    if line > 0:
        return line
    word = text.rfind(" ", reach, end)
    return word if word > 0 else max(end, 1)


def _soft_start(text: str, start: int) -> int:
    """``start``, moved on to the beginning of a line or word when one is near."""
    if start <= 0:
        return 0
    reach = start + max((len(text) - start) // 5, 12)
    line = text.find("\n", start, reach)
    if line >= 0:
        return line + 1
    word = text.find(" ", start, reach)
    return word + 1 if word >= 0 else start
