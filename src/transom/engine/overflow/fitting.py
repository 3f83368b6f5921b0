"""The last step that always fits: oversized texts of the turns that must stay are offloaded.

Pure. It applies when everything that may leave has left and the payload is still too large. Tool results are shortened
first, then what the user wrote, then arguments of calls, then anything else; the largest texts first, all to the same
length, so that no text is cut more than its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...jsontext import dumps_text
from ...messages import Call, Part, Result, Text
from ...messages.digest import meaning_digest
from ...store.blobs import blob_uri
from ...tokens.counter import Tokenizer
from ...vocabulary import Vocabulary
from ..ledger.edits import TurnEdit, part_text, spoken_parts
from ..ledger.live import LiveTurn
from ..offload.excerpts import excerpt_to

__all__ = ["Fit", "fit_turns"]

SMALLEST = 96
"""No text is cut below this many tokens unless it must go whole: marker and address alone take about 60."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How one turn was made to fit.

    Attributes:
        turn: index among the turns handed in.
        edits: what was shortened. The originals must be stored before the edits are shown.
    """

    turn: int
    edits: tuple[TurnEdit, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A text that may be shortened: its original, and what its present form weighs."""

    turn: int
    message: int
    part: int
    rank: int
    text: str
    tokens: int


def fit_turns(turns: Sequence[LiveTurn], over: int, tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[Fit]:
    """Shorten texts of ``turns`` until they weigh at least ``over`` tokens less, or nothing is left to shorten.

    Args:
        turns: the turns that have to stay, oldest first; pinned ones are never touched.
        over: tokens to save.
    """
    candidates = [
        candidate for index, live in enumerate(turns) if not live.pinned for candidate in _candidates(index, live, tokenizer)
    ]
    chosen: dict[_Candidate, int] = {}
    saved = 0
    for rank in range(4):
        if saved >= over:
            break
        group = sorted((c for c in candidates if c.rank == rank and c.tokens > SMALLEST), key=lambda c: -c.tokens)
        limit = _level([candidate.tokens for candidate in group], over - saved)
        for candidate in group:
            if candidate.tokens > limit:
                chosen[candidate] = limit
                saved += candidate.tokens - limit
    return _fits(turns, chosen, tokenizer, vocabulary)


def _level(sizes: Sequence[int], over: int) -> int:
    """The length to which all larger texts must be cut to save ``over``; ``sizes`` in falling order."""
    total = 0
    for count, size in enumerate(sizes, start=1):
        total += size
        following = sizes[count] if count < len(sizes) else SMALLEST
        if total - count * following >= over:
            return max(SMALLEST, (total - over) // count)
    return SMALLEST


def _candidates(index: int, live: LiveTurn, tokenizer: Tokenizer) -> list[_Candidate]:
    found: list[_Candidate] = []
    ordinal = -1
    for original, shown in zip(live.source.messages, live.turn.messages, strict=True):
        if meaning_digest(original) is None:
            continue
        ordinal += 1
        pairs = zip(spoken_parts(original), spoken_parts(shown), strict=False)
        for spoken, ((_, part), (_, present)) in enumerate(pairs):
            weight = tokenizer.count(part_text(present))
            found.append(_Candidate(index, ordinal, spoken, _rank(part, original.role), part_text(part), weight))
    return found


def _rank(part: Part, role: str) -> int:
    match part:
        case Result():
            return 0
        case Text() if role == "user":
            return 1
        case Call():
            return 2
        case _:
            return 3


def _fits(turns: Sequence[LiveTurn], chosen: dict[_Candidate, int], tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[Fit]:
    fits: list[Fit] = []
    for index in range(len(turns)):
        edits: list[TurnEdit] = []
        for candidate, limit in chosen.items():
            if candidate.turn != index:
                continue
            uri = blob_uri(candidate.text.encode(errors="surrogatepass"))
            shown = excerpt_to(candidate.text, uri=uri, limit_tokens=limit, tokenizer=tokenizer, vocabulary=vocabulary)
            if shown != candidate.text:
                edits.append(
                    TurnEdit(
                        candidate.message, candidate.part, shown if candidate.rank != 2 else dumps_text({"_offloaded": shown})
                    )
                )
        if edits:
            fits.append(Fit(index, tuple(edits)))
    return fits
