"""The tables: windows, moves and turns. They hold in words everything that the picture shows.

Row counts are bounded so that a session of any length gives a page that opens at once; what was left out is said in a line
above the table, with where to find it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from .bars import Bar
from .figures import PARTS, Move, Session, Turn
from .markup import clean, code, counted, cut, escape, human_bytes, percent, whole

__all__ = ["KINDS", "MAX_MOVES", "MAX_TURNS", "command", "moves_table", "turns_table", "windows_table"]

MAX_MOVES = 400
"""Rows of the table of moves."""

MAX_TURNS = 500
"""Rows of the table of turns."""

MAX_WINDOWS = 200
"""Rows of the table of windows."""

PREVIEW = 320
"""Characters of a preview at most."""

KINDS: tuple[tuple[str, str, str], ...] = (
    ("evict", "Archived", "left with a window that closed; the head that replaces it names the archive"),
    ("clear", "Cleared", "an old tool result, replaced by a marker"),
    ("prune", "Pruned", "a long tool result, shortened to its beginning and end"),
    ("offload", "Offloaded", "a text too large for the window, shortened to an excerpt"),
)
"""Each kind of move, the word shown for it, and what it means."""


def command(move: Move, store: str) -> str:
    """The shell command that gives the moved content back."""
    place = f" --store {shlex.quote(clean(store))}" if store else ""
    return f"transom store get {shlex.quote(clean(move.uri))}{place}"


def windows_table(session: Session) -> str:
    """One row a window: its turns, its peak, and what left when it closed."""
    if not session.windows:
        return ""
    shown = session.windows[:MAX_WINDOWS]
    rows = []
    for window, after in zip(shown, [*session.windows[1:], None], strict=False):
        left, held = "still open", ""
        if after is not None and after.first.closed_window:
            gone = [move for move in after.first.moves if move.kind in {"evict", "clear", "offload"}]
            messages = sum(move.messages for move in gone if move.kind == "evict")
            left = f"{counted(messages, 'message')} archived" if messages else counted(len(gone), "part") + " moved"
            held = percent(after.first.held or 0.0)
        elif after is not None:
            left = "conversation ended"
        first = window.first
        name = f"{first.conversation}, segment {first.segment}" if first.segment > 1 else first.conversation
        rows.append(
            f'<tr><th scope="row">{code(cut(window.name, 40))}</th><td>{escape(cut(name, 80))}</td>'
            f'<td class="n">{whole(window.first.number)} – {whole(window.last.number)}</td>'
            f'<td class="n">{whole(window.peak)}</td><td>{left}</td><td class="n">{held}</td></tr>'
        )
    head = _head("Window", "Conversation", "#Turns", "#Peak tokens", "How it ended", "#Prefix kept")
    return _left_out(len(session.windows) - len(shown), "later window") + _table("windows", "Windows", head, rows)


def moves_table(session: Session) -> str:
    """One row a thing that moved, with a preview, its address and the command that reads it back."""
    shown: Sequence[Move] = session.moves
    if len(shown) > MAX_MOVES:
        largest = sorted(shown, key=lambda move: (-move.size, move.number))[:MAX_MOVES]
        shown = sorted(largest, key=lambda move: move.number)
    rows = [_move_row(move, session.store) for move in shown]
    words = {kind: (name, meaning) for kind, name, meaning in KINDS}
    present = sorted({move.kind for move in session.moves})
    glossary = "".join(f"<li><b>{words[kind][0]}</b>: {words[kind][1]}</li>" for kind in present if kind in words)
    head = _head("#Turn", "What", "#Size", "Begins with", "Where it is now")
    left = _left_out(len(session.moves) - len(shown), "smaller one")
    return f'<ul class="glossary">{glossary}</ul>{left}{_table("moves", "Everything that moved", head, rows)}'


def _move_row(move: Move, store: str) -> str:
    names = {kind: name for kind, name, _ in KINDS}
    kind = names.get(move.kind, move.kind or "Moved")
    messages = f"<small>{counted(move.messages, 'message')}</small>" if move.messages > 1 else ""
    label = f"<small>{escape(cut(move.label, 80))}</small>" if move.label else ""
    preview = _preview(move.preview)
    address = "<small>no address</small>"
    if move.uri:
        full = command(move, store)
        address = (
            f'<code dir="ltr" class="uri">{escape(cut(move.uri, 240))}</code>'
            f'<button type="button" class="copy" data-copy="{escape(cut(full, 1200))}" hidden>Copy command</button>'
        )
    return (
        f'<tr id="move-{move.number}"><td class="n">{whole(move.turn)}</td>'
        f'<td><span class="kind">{escape(cut(kind, 40))}</span>{label}</td>'
        f'<td class="n">{human_bytes(move.size)}{messages}</td><td>{preview}</td><td>{address}</td></tr>'
    )


def _preview(text: str) -> str:
    if not text.strip():
        return '<small class="none">no preview</small>'
    return f'<bdi class="preview">{escape(cut(text.strip(), PREVIEW))}</bdi>'


def turns_table(session: Session, bars: Sequence[Bar]) -> str:
    """The picture as a table: one row a turn, or those turns that a bar shows and those where something happened."""
    shown: Sequence[Turn] = session.turns
    if len(shown) > MAX_TURNS:
        drawn = {bar.shown.number for bar in bars}
        notable = [turn for turn in shown if turn.error or not turn.valid or turn.broken or turn.closed_window]
        wanted = drawn | {turn.number for turn in notable[: MAX_TURNS - len(drawn)]}
        shown = [turn for turn in shown if turn.number in wanted]
    columns = [(index, name) for index, (name, _) in enumerate(PARTS) if any(turn.parts[index] for turn in session.turns)]
    titles = {"head": "Head", "tail": "Tail", "other": "Other", "results": "Results", "system": "System", "tools": "Tools"}
    head = _head(
        "#Turn",
        "Window",
        "#Had",
        "#Sent",
        *(f"#{titles.get(name, name.capitalize())}" for _, name in columns),
        "#Prefix held",
        "#Moved",
        "#ms",
        "Notes",
    )
    rows = [_turn_row(turn, [index for index, _ in columns]) for turn in shown]
    return _left_out(len(session.turns) - len(shown), "quieter turn") + _table("turns", "Every turn in numbers", head, rows)


def _turn_row(turn: Turn, columns: Sequence[int]) -> str:
    notes = []
    if turn.closed_window:
        notes.append(f"window closed by {escape(cut(turn.closed_by, 40))}" if turn.closed_by else "window closed")
    if turn.held is None:
        notes.append("first of its segment")
    if turn.broken:
        notes.append('<b class="bad">prefix break</b>')
    if turn.over:
        notes.append('<b class="bad">over the window</b>')
    if not turn.valid:
        notes.append('<b class="bad">refused by the validator</b>')
    if turn.error:
        notes.append(f'<b class="bad">{escape(cut(turn.error, 200))}</b>')
    held = "" if turn.held is None else percent(turn.held)
    parts = "".join(f'<td class="n">{whole(turn.parts[index])}</td>' for index in columns)
    moved = f'<a href="#move-{turn.moves[0].number}">{len(turn.moves)}</a>' if turn.moves else ""
    return (
        f'<tr><th scope="row" class="n">{whole(turn.number)}</th><td>{code(cut(turn.window_id, 40))}</td>'
        f'<td class="n">{whole(turn.input_tokens)}</td><td class="n">{whole(turn.output_tokens)}</td>{parts}'
        f'<td class="n">{held}</td><td class="n">{moved}</td><td class="n">{turn.compile_ms:.1f}</td>'
        f"<td>{', '.join(notes)}</td></tr>"
    )


def _head(*titles: str) -> str:
    cells = (
        f'<th scope="col"{" class=" + chr(34) + "n" + chr(34) if title.startswith("#") else ""}>{title.removeprefix("#")}</th>'
        for title in titles
    )
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def _table(name: str, caption: str, head: str, rows: Sequence[str]) -> str:
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{caption}, scrolls">'
        f'<table class="{name}"><caption class="unseen">{caption}</caption>{head}<tbody>{"".join(rows)}</tbody></table></div>'
    )


def _left_out(count: int, noun: str) -> str:
    if count <= 0:
        return ""
    return f"<p class=quiet>{counted(count, noun)} not shown here; <code>transom replay --json</code> prints them all.</p>"
