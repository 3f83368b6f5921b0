"""The replay's JSON object as typed values, read leniently.

A report is also made of results written by an older or a newer version, so a field that is missing, or of another type than
expected, counts as zero or empty and never stops the page. Secrets in what was said are masked here, before anything is cut to
its length. Knows nothing of HTML.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..engine.ledger.live import PREVIEW
from ..safety.masking import beginning, masked_address

__all__ = ["PARTS", "Move", "Session", "Turn", "Window", "read_session"]

_SHOWN = 1_000
"""Characters of one text that are taken up, more than any place of a report shows."""

PARTS: tuple[tuple[str, str], ...] = (
    ("system", "System prompt"),
    ("tools", "Tool definitions"),
    ("head", "Head: what replaces closed windows"),
    ("user", "User"),
    ("assistant", "Assistant and calls"),
    ("results", "Tool results"),
    ("tail", "Tail: rewritten each turn"),
    ("other", "Not itemised"),
)
"""What a payload consists of, in the order of the stack from the bottom, with the words shown for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One thing that left the payload. ``size`` is in bytes, as ``store get`` writes it."""

    number: int
    turn: int
    kind: str
    uri: str
    size: int
    messages: int
    label: str
    preview: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One compile. Token counts by part stand in the order of ``PARTS``; ``held`` is a share, None for a first turn.

    ``stable_bytes`` is the length of what the next turn's prefix is compared with; ``trigger`` is in tokens, 0 where unknown.
    """

    number: int
    conversation: str
    segment: int
    messages: int
    input_tokens: int
    output_tokens: int
    reserve: int
    window_id: str
    trigger: int
    stable_bytes: int
    held: float | None
    broken: bool
    over: bool
    opens: bool
    closed_by: str
    compile_ms: float
    valid: bool
    error: str
    parts: tuple[int, ...]
    moves: tuple[Move, ...]

    @property
    def closed_window(self) -> bool:
        """Whether this turn closed a window: the id changed within its conversation and segment."""
        return self.opens and self.held is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A run of turns under one window id."""

    name: str
    first: Turn
    last: Turn
    peak: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A whole replay."""

    file: str
    format: str
    target: str
    window: int
    capacity: int
    strategy: str
    counter: str
    messages: int
    store: str
    turns: tuple[Turn, ...]
    moves: tuple[Move, ...]
    windows: tuple[Window, ...]
    archive: tuple[str, ...]
    breaks: int
    reuse: float
    over_window: int
    errors: int
    moved_bytes: int
    compile_ms_p50: float
    compile_ms_p99: float

    @property
    def peak(self) -> Turn | None:
        """The turn with the heaviest payload, the first of several."""
        return max(self.turns, key=lambda turn: turn.output_tokens, default=None)

    @property
    def largest_input(self) -> int:
        """Tokens of the heaviest history that an agent had before a call."""
        return max((turn.input_tokens for turn in self.turns), default=0)


def read_session(replay: Mapping[str, object]) -> Session:
    """Read a replay result.

    Args:
        replay: the object that ``transom replay --json`` prints, with or without the additions made for the report.
    """
    totals, limits = _mapping(replay.get("totals")), _mapping(replay.get("limits"))
    trigger = _whole(limits.get("trigger"))
    window = _whole(limits.get("window")) or _whole(replay.get("window"))
    turns: list[Turn] = []
    moved = 0
    for item in _items(replay.get("turns")):
        turn = _read_turn(_mapping(item), turns[-1] if turns else None, moved, trigger)
        moved += len(turn.moves)
        turns.append(turn)
    moves = tuple(move for turn in turns for move in turn.moves)
    reserve = max((turn.reserve for turn in turns), default=0)
    return Session(
        file=beginning(_text(replay.get("file")), _SHOWN),
        format=_text(replay.get("format")),
        target=_text(replay.get("target")),
        window=window,
        capacity=_whole(limits.get("capacity")) or max(window - reserve, 0),
        strategy=_text(replay.get("strategy")),
        counter=_text(totals.get("counter")),
        messages=_whole(replay.get("messages")),
        store=masked_address(_text(replay.get("store"))),
        turns=tuple(turns),
        moves=moves,
        windows=_windows(turns),
        archive=tuple(_text(uri) for uri in _items(replay.get("archive"))),
        breaks=_whole(totals.get("prefix_breaks")) or sum(turn.broken for turn in turns),
        reuse=_number(totals.get("prefix_reuse")),
        over_window=_whole(totals.get("over_window")),
        errors=_whole(totals.get("errors")) or sum(bool(turn.error) for turn in turns),
        moved_bytes=_whole(totals.get("moved_bytes")) or sum(move.size for move in moves),
        compile_ms_p50=_number(totals.get("compile_ms_p50")),
        compile_ms_p99=_number(totals.get("compile_ms_p99")),
    )


def _read_turn(item: Mapping[str, object], before: Turn | None, moved: int, trigger: int) -> Turn:
    number = _whole(item.get("turn")) or (before.number + 1 if before else 1)
    conversation, segment = beginning(_text(item.get("conversation")), _SHOWN), _whole(item.get("segment"))
    window_id = _text(item.get("window_id"))
    output = _whole(item.get("output_tokens"))
    weights = _mapping(item.get("parts"))
    parts = [_whole(weights.get(name)) for name, _ in PARTS[:-1]]
    follows = before is not None and (before.conversation, before.segment) == (conversation, segment)
    held = None
    if before is not None and follows:
        held = min(_whole(item.get("prefix_bytes")) / before.stable_bytes, 1.0) if before.stable_bytes else 1.0
    length = _whole(item.get("sequence_bytes")) or _whole(item.get("payload_bytes"))
    moves = [_mapping(move) for move in _items(item.get("moved"))]
    return Turn(
        number=number,
        conversation=conversation,
        segment=segment,
        messages=_whole(item.get("messages")),
        input_tokens=_whole(item.get("input_tokens")),
        output_tokens=output,
        reserve=_whole(weights.get("reserve")),
        window_id=window_id,
        trigger=_whole(_mapping(item.get("limits")).get("trigger")) or trigger,
        stable_bytes=max(length - _whole(item.get("tail_bytes")), 0),
        held=held,
        broken=item.get("prefix_break") is True,
        over=item.get("over_window") is True,
        opens=not follows or before is None or before.window_id != window_id,
        closed_by=_text(item.get("closed_by")),
        compile_ms=_number(item.get("compile_ms")),
        valid=item.get("valid") is not False,
        error=beginning(_text(item.get("error")), _SHOWN),
        parts=(*parts, max(output - sum(parts), 0)),
        moves=tuple(
            Move(
                number=moved + index,
                turn=number,
                kind=_text(move.get("kind")),
                uri=_text(move.get("uri")),
                size=_whole(move.get("bytes")),
                messages=_whole(move.get("messages")),
                label=beginning(_text(move.get("label")), _SHOWN),
                preview=_preview(_text(move.get("preview"))),
            )
            for index, move in enumerate(moves, start=1)
        ),
    )


def _windows(turns: list[Turn]) -> tuple[Window, ...]:
    runs: list[list[Turn]] = []
    for turn in turns:
        if turn.opens:
            runs.append([])
        runs[-1].append(turn)
    return tuple(
        Window(name=run[0].window_id, first=run[0], last=run[-1], peak=max(turn.output_tokens for turn in run)) for run in runs
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if math.isfinite(value) else 0.0


def _whole(value: object) -> int:
    return max(int(_number(value)), 0)


def _preview(text: str) -> str:
    return beginning(text, _SHOWN, was_cut=len(text) >= PREVIEW)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
