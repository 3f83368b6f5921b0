"""What is told of one turn when it is pointed at.

The same facts are written twice: as markup for the turn that stands there first, and as data for the script, which puts texts
into that markup and never makes any from session text.
"""

from __future__ import annotations

from collections.abc import Sequence

from .bars import Bar
from .chart import describe_bar, parts_legend
from .figures import Session
from .markup import clean, counted, cut, data_block, escape, human_bytes, percent, whole
from .tables import KINDS

__all__ = ["bar_data", "detail", "facts"]

_LISTED = 5
"""Moves named beside a turn; the table has the rest."""


def facts(session: Session, bar: Bar) -> list[tuple[str, str]]:
    """Name and value of each fact on the turn that a bar shows."""
    turn = bar.shown
    share = f" ({percent(turn.output_tokens / session.window)} of the window)" if session.window else ""
    lines = [
        ("Sent", f"{counted(turn.output_tokens, 'token')}{share}"),
        ("Agent had", f"{counted(turn.input_tokens, 'token')} in {counted(turn.messages, 'message')}"),
        ("Prefix", "first turn of its segment" if turn.held is None else f"{percent(turn.held)} held"),
    ]
    notes = [
        words
        for words, present in (
            (f"a window closed here{f' by {cut(turn.closed_by, 40)}' if turn.closed_by else ''}", turn.closed_window),
            ("prefix break", turn.broken),
            ("over the window", turn.over),
            ("refused by the validator", not turn.valid),
            (cut(turn.error, 160), turn.error),
        )
        if present
    ]
    if notes:
        lines.append(("Note", ", ".join(notes)))
    where = turn.conversation if turn.segment <= 1 else f"{turn.conversation}, segment {turn.segment}"
    lines.append(("Window", ", ".join(part for part in (cut(turn.window_id, 40), cut(where, 60)) if part)))
    lines.append(("Compiled in", f"{turn.compile_ms:.1f} ms"))
    return [(name, clean(value)) for name, value in lines if value]


def detail(session: Session, bars: Sequence[Bar]) -> str:
    """The panel, showing the heaviest turn."""
    bar = _first_shown(session, bars)
    listed = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in facts(session, bar))
    moves = "".join(f'<li><a href="#move-{number}">{escape(words)}</a></li>' for number, words in _moves(bar))
    return (
        f'<div class="detail" id="detail"><h3>{_title(bar)}</h3>{parts_legend(session)}<dl>{listed}</dl>'
        f'<ul class="moved-here">{moves}</ul>'
        '<p class="steps" hidden><button type="button" data-step="-1">Previous move</button>'
        '<button type="button" data-step="1">Next move</button></p></div>'
    )


def bar_data(session: Session, bars: Sequence[Bar]) -> str:
    """The data block the script reads: one row a bar, and the bar it begins with."""
    rows = [
        [
            _title(bar),
            describe_bar(bar),
            facts(session, bar),
            [whole(count) for count in bar.shown.parts],
            _moves(bar),
            bar.moves,
        ]
        for bar in bars
    ]
    return data_block({"shown": _first_shown(session, bars).index if bars else 0, "bars": rows}, "bars")


def _first_shown(session: Session, bars: Sequence[Bar]) -> Bar:
    return next((bar for bar in bars if bar.shown is session.peak), bars[0])


def _title(bar: Bar) -> str:
    if bar.first == bar.last:
        return f"Turn {whole(bar.first)}"
    return f"Turn {whole(bar.shown.number)}, heaviest of {whole(bar.first)} to {whole(bar.last)}"


def _moves(bar: Bar) -> list[tuple[int, str]]:
    """Number and words of the largest moves of the turn, in their order, and how many more there are."""
    names = {kind: name for kind, name, _ in KINDS}
    largest = sorted(bar.shown.moves, key=lambda move: (-move.size, move.number))[:_LISTED]
    listed = [
        (
            move.number,
            clean(
                f"{names.get(move.kind, 'Moved')} {human_bytes(move.size)}" + (f", {cut(move.label, 60)}" if move.label else "")
            ),
        )
        for move in sorted(largest, key=lambda move: move.number)
    ]
    more = len(bar.shown.moves) - len(listed)
    if more > 0:
        listed.append((bar.shown.moves[0].number, f"and {more:,} more"))
    return listed
