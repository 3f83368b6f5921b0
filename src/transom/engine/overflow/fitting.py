"""The last step that always fits: oversized texts of the turns that must stay are offloaded.

Pure. It applies when everything that may leave has left and the payload is still too large. Tool results are shortened
first, then what the user wrote, then arguments of calls, then other text, and last what is no text; the largest texts first,
all to the same length, so that no text is cut more than its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...jsontext import dumps_text
from ...messages import Attachment, Call, Message, Opaque, Part, Result, Text
from ...messages.digest import meaning_digest
from ...store.blobs import blob_uri
from ...tokens.counter import Tokenizer
from ...tokens.weigh import weigh
from ...vocabulary import Vocabulary
from ..ledger.edits import TurnEdit, apply_edits, part_text, spoken_parts
from ..ledger.live import LiveTurn, weigh_turn
from ..offload.excerpts import byte_size, excerpt_to

__all__ = ["Fit", "fit_turns"]

SMALLEST = 128
"""No text is cut below this many tokens: the mark with its address alone takes about 90."""

OVERSIZED = 1_024
"""Texts above this many tokens are shortened first, whatever they are, before any smaller one is touched."""

_ARGUMENTS, _WHOLE = 2, 4
ROUNDS = 12
"""Plans made at most. Two settle nearly every turn."""

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


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A text that may be shortened: its original, its present form, and what that weighs.

    Of a result with files there are two: its text, and (``files``) what is no text. Each is itself alone: of equal ones there
    are as many as there are places.
    """

    turn: int
    message: int
    part: int
    rank: int
    text: str
    present: str
    tokens: int
    label: str = ""
    files: tuple[tuple[str, str], ...] = ()
    without: bool = False


def fit_turns(turns: Sequence[LiveTurn], over: int, tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[Fit]:
    """Shorten texts of ``turns`` until they weigh at least ``over`` tokens less, or nothing is left to shorten.

    Args:
        turns: the turns that have to stay, oldest first; pinned ones are never touched.
        over: tokens to save.
    """
    candidates = [
        candidate for index, live in enumerate(turns) if not live.pinned for candidate in _candidates(index, live, tokenizer)
    ]
    # What an excerpt weighs is known only once it is written, and it ends with a line: what it falls short of the plan is asked
    # for again, more of it each time. The same plan as before is no reason to give up: what is no text goes whole or not at
    # all, and the plan leaves out the mark in its place.
    demand, short, excerpts = over, over, _Excerpts(tokenizer, vocabulary)
    plan: dict[_Candidate, int] = {}
    fits: list[Fit] = []
    for more in range(ROUNDS):
        previous, plan = plan, _plan(candidates, demand)
        if plan != previous:
            fits = _fits(len(turns), plan, excerpts)
            short = over - sum(_saved(turns[fit.turn], fit, tokenizer) for fit in fits)
        if short <= 0:
            break
        demand += short << more
    return fits


def _plan(candidates: Sequence[_Candidate], over: int) -> dict[_Candidate, int]:
    """Which texts to cut, and to how many tokens."""
    chosen: dict[_Candidate, int] = {}
    saved = 0
    ranked = [[candidate for candidate in candidates if candidate.rank == rank] for rank in range(RANKS)]
    for floor in (OVERSIZED, SMALLEST, 0):
        for rank, those in enumerate(ranked):
            if saved >= over:
                return chosen
            sizes = {candidate: chosen.get(candidate, candidate.tokens) for candidate in those}
            group = sorted((c for c in sizes if sizes[c] > floor), key=lambda c: -sizes[c])
            limit = _level([sizes[candidate] for candidate in group], over - saved, floor) if rank < _WHOLE else 0
            for candidate in group:
                if saved < over and sizes[candidate] > limit:
                    chosen[candidate] = limit
                    saved += sizes[candidate] - limit
    return chosen


def _saved(live: LiveTurn, fit: Fit, tokenizer: Tokenizer) -> int:
    return live.tokens - weigh_turn(apply_edits(live.turn, fit.edits), tokenizer)


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
            now = part_text(present)
            weight = _weight(present, tokenizer) if rank == _WHOLE else tokenizer.count(now)
            files = tuple((_label(item), part_text(item)) for item in _files(part))
            left = _files(present)
            without = bool(files) and not left
            found.append(
                _Candidate(index, ordinal, spoken, rank, part_text(part), now, weight, _label(part), files, without=without)
            )
            if left:
                weight = sum(_weight(item, tokenizer) for item in left)
                found.append(
                    _Candidate(index, ordinal, spoken, _WHOLE, part_text(part), now, weight, files=files, without=True)
                )
    return found


def _files(part: Part) -> list[Attachment | Opaque]:
    return [item for item in part.content if not isinstance(item, Text)] if isinstance(part, Result) else []


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


def _label(part: Part) -> str:
    match part:
        case Attachment():
            return part.media_type
        case Opaque():
            return part.kind
        case _:
            return type(part).__name__


def _weight(part: Part, tokenizer: Tokenizer) -> int:
    return weigh(Message.of("user", (part,)), tokenizer)


@dataclass(slots=True)
class _Excerpts:
    """Texts cut to a length, each once."""

    tokenizer: Tokenizer
    vocabulary: Vocabulary
    made: dict[tuple[str, int, int], str] = field(default_factory=dict)

    def cut(self, candidate: _Candidate, limit: int) -> str:
        """What stands for a text in at most so many tokens, or the mark alone."""
        key = (candidate.text, candidate.rank, limit)
        known = self.made.get(key)
        if known is None:
            known = self.made[key] = self._cut(candidate, limit)
        return known

    def _cut(self, candidate: _Candidate, limit: int) -> str:
        text, uri = candidate.text, blob_uri(candidate.text)
        if candidate.rank == _WHOLE:
            return self.mark(candidate.label, text)
        room = limit
        while True:
            shown = excerpt_to(text, uri=uri, limit_tokens=room, tokenizer=self.tokenizer, vocabulary=self.vocabulary)
            if candidate.rank != _ARGUMENTS or shown == text:
                return shown
            # Arguments stay JSON, whose escapes weigh something too.
            spelled = dumps_text({"_offloaded": shown})
            excess = self.tokenizer.count(spelled) - limit
            if excess <= 0 or room <= 0:
                return spelled
            room = max(0, room - max(excess, room // 8))

    def mark(self, label: str, text: str) -> str:
        """What stands for something that is no text: an excerpt of it would tell nobody anything."""
        size = byte_size(text)
        return self.vocabulary.gap_mark(label, size, size, blob_uri(text))


def _fits(count: int, chosen: Mapping[_Candidate, int], excerpts: _Excerpts) -> list[Fit]:
    texts: dict[tuple[int, int, int], str] = {}
    files: dict[tuple[int, int, int], _Candidate] = {}
    for candidate, limit in chosen.items():
        place = (candidate.turn, candidate.message, candidate.part)
        if candidate.files and candidate.without:
            files[place] = candidate
        if not candidate.files or candidate.rank != _WHOLE:
            shown = excerpts.cut(candidate, limit)
            if shown != candidate.text:
                texts[place] = shown
    edits: dict[int, list[TurnEdit]] = {}
    for place in dict.fromkeys((*texts, *files)):
        turn, message, part = place
        shown = texts.get(place) or files[place].present
        if place in files:
            marks = [excerpts.mark(label, data) for label, data in files[place].files]
            shown = "\n".join(filter(None, (shown, *marks)))
        edits.setdefault(turn, []).append(TurnEdit(message, part, shown, place in files))
    return [Fit(index, tuple(edits[index])) for index in range(count) if index in edits]
