"""The last step that always fits: oversized texts of the turns that must stay are offloaded.

Pure. It applies when everything that may leave has left and the payload is still too large. Tool results are shortened
first, then what the user wrote, then arguments of calls, then other text, and last what is no text; the largest texts first, all to the same
length, so that no text is cut more than its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...jsontext import dumps_text
from ...messages import Call, Message, Part, Result, Text
from ...messages.digest import meaning_digest
from ...store.blobs import blob_uri
from ...tokens.counter import Tokenizer
from ...tokens.weigh import weigh
from ...vocabulary import Vocabulary
from ..ledger.edits import TurnEdit, part_text, spoken_parts
from ..ledger.live import LiveTurn
from ..offload.excerpts import excerpt_to

__all__ = ["Fit", "fit_turns"]

SMALLEST = 128
"""No text is cut below this many tokens: the mark with its address alone takes about 90."""

OVERSIZED = 1_024
"""Texts above this many tokens are shortened first, whatever they are, before any smaller one is touched."""

_ARGUMENTS, _WHOLE = 2, 4
RANKS = 5
"""Results, the user's text, arguments, other text, and what is no text: files and items only one provider understands."""


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
    whole: bool = False


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
    for floor in (OVERSIZED, SMALLEST):
        for rank in range(RANKS):
            sizes = {candidate: chosen.get(candidate, candidate.tokens) for candidate in candidates if candidate.rank == rank}
            group = sorted((c for c in sizes if sizes[c] > floor), key=lambda c: -sizes[c])
            limit = _level([sizes[candidate] for candidate in group], over - saved, floor) if rank < _WHOLE else SMALLEST
            for candidate in group:
                if saved < over and sizes[candidate] > limit:
                    chosen[candidate] = limit
                    saved += sizes[candidate] - limit
    return _fits(turns, chosen, tokenizer, vocabulary)


def _level(sizes: Sequence[int], over: int, floor: int) -> int:
    """The length to which all larger texts must be cut to save ``over``; ``sizes`` in falling order."""
    total = 0
    for count, size in enumerate(sizes, start=1):
        total += size
        following = sizes[count] if count < len(sizes) else floor
        if total - count * following >= over:
            return max(floor, (total - over) // count)
    return floor


def _candidates(index: int, live: LiveTurn, tokenizer: Tokenizer) -> list[_Candidate]:
    found: list[_Candidate] = []
    ordinal = -1
    for original, shown in zip(live.source.messages, live.turn.messages, strict=True):
        if meaning_digest(original) is None:
            continue
        ordinal += 1
        pairs = zip(spoken_parts(original), spoken_parts(shown), strict=False)
        for spoken, ((_, part), (_, present)) in enumerate(pairs):
            rank = _rank(part, original.role)
            weight = _weight(present, tokenizer) if rank == _WHOLE else tokenizer.count(part_text(present))
            found.append(_Candidate(index, ordinal, spoken, rank, part_text(part), weight))
            if isinstance(part, Result) and (files := [item for item in part.content if not isinstance(item, Text)]):
                weight = sum(_weight(item, tokenizer) for item in files)
                text = dumps_text([part_text(item) for item in part.content])
                found.append(_Candidate(index, ordinal, spoken, _WHOLE, text, weight, whole=True))
    return found


def _rank(part: Part, role: str) -> int:
    match part:
        case Result():
            return 0
        case Text() if role == "user":
            return 1
        case Call():
            return _ARGUMENTS
        case Text():
            return 3
        case _:
            return _WHOLE


def _weight(part: Part, tokenizer: Tokenizer) -> int:
    return weigh(Message.of("user", (part,)), tokenizer)


def _spelled(shown: str, rank: int) -> str:
    """Arguments stay JSON."""
    return dumps_text({"_offloaded": shown}) if rank == _ARGUMENTS else shown


def _fits(turns: Sequence[LiveTurn], chosen: dict[_Candidate, int], tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[Fit]:
    fits: list[Fit] = []
    for index in range(len(turns)):
        edits: list[TurnEdit] = []
        for candidate, limit in chosen.items():
            if candidate.turn != index:
                continue
            uri = blob_uri(candidate.text.encode(errors="surrogatepass"))
            # An excerpt of what is no text would tell nobody anything: there the mark alone stands.
            room = 0 if candidate.rank == _WHOLE else limit
            shown = excerpt_to(candidate.text, uri=uri, limit_tokens=room, tokenizer=tokenizer, vocabulary=vocabulary)
            if shown != candidate.text:
                edits.append(TurnEdit(candidate.message, candidate.part, _spelled(shown, candidate.rank), candidate.whole))
        if edits:
            fits.append(Fit(index, tuple(edits)))
    return fits
