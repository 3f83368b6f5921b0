"""The report in a few sentences and figures, for a reader who scrolls no further."""

from __future__ import annotations

from .figures import Session
from .markup import counted, escape, human_bytes, human_tokens, percent, whole
from .tables import KINDS

__all__ = ["summary", "tiles"]


def summary(session: Session) -> str:
    """What fitted, what moved, and what became of the prefix, in plain words."""
    if not session.turns:
        return '<p class="lead">There was nothing to compile.</p>'
    return f'<p class="lead">{_fit(session)}</p><p>{_moved(session)} {_prefix(session)}{_trouble(session)}</p>'


def _fit(session: Session) -> str:
    peak = session.peak.output_tokens if session.peak else 0
    calls = counted(len(session.turns), "model call")
    if session.largest_input <= session.capacity and not session.moves:
        return f"All {calls} fitted as they were: at most {whole(session.largest_input)} of {whole(session.window)} tokens."
    if session.largest_input <= session.capacity:
        return f"The history stayed below the window: at most {whole(session.largest_input)} of {whole(session.window)} tokens."
    ratio = session.largest_input / session.window if session.window else 0
    times = f", {ratio:.1f} times the window" if ratio >= 1.05 else ""
    outcome = "No payload was over it" if not session.over_window else f"{counted(session.over_window, 'payload')} went over it"
    return (
        f"The history grew to {whole(session.largest_input)} tokens{times} of {whole(session.window)}. "
        f"{outcome}: the heaviest of {calls} weighed {whole(peak)}."
    )


def _moved(session: Session) -> str:
    if not session.moves:
        return "Nothing was moved."
    words = {kind: name.lower() for kind, name, _ in KINDS}
    kinds = {kind: sum(move.kind == kind for move in session.moves) for kind in words}
    listed = ", ".join(f"{count:,} {words[kind]}" for kind, count in kinds.items() if count)
    closed = sum(turn.closed_window for turn in session.turns)
    return (
        f"{counted(closed, 'window')} closed on the way, and {counted(len(session.moves), 'piece')} "
        f"({human_bytes(session.moved_bytes)}) moved to the store{f': {listed}' if listed else ''}. "
        "Each can be read back byte for byte."
    )


def _prefix(session: Session) -> str:
    if len(session.turns) < 2:
        return ""
    held = f"{percent(session.reuse)} of each payload's stable bytes stood unchanged in the next"
    if session.breaks:
        return f"The prefix broke {counted(session.breaks, 'time')} within a window; {held}."
    return f"Within a window the prefix never broke; {held}, window closings included."


def _trouble(session: Session) -> str:
    if not session.errors:
        return ""
    first = next((turn for turn in session.turns if turn.error), None)
    where = f", the first at turn {whole(first.number)}: {escape(first.error[:200])}" if first else ""
    return f' <b class="bad">{counted(session.errors, "turn")} could not be compiled{where}.</b>'


def tiles(session: Session) -> str:
    """Six figures. A word beside each says whether it is well, so that colour says nothing alone."""
    if not session.turns:
        return ""
    peak = session.peak.output_tokens if session.peak else 0
    share = f"{percent(peak / session.window)} of {human_tokens(session.window)}" if session.window else ""
    invalid = sum(not turn.valid for turn in session.turns)
    figures = [
        ("Heaviest payload", human_tokens(peak), share, not session.over_window),
        ("Longest history", human_tokens(session.largest_input), f"{whole(session.messages)} messages", True),
        ("Moved to store", human_bytes(session.moved_bytes), counted(len(session.moves), "piece"), True),
        ("Prefix reused", percent(session.reuse), counted(session.breaks, "break"), not session.breaks),
        ("Over the window", whole(session.over_window), f"of {counted(len(session.turns), 'turn')}", not session.over_window),
        ("Valid payloads", whole(len(session.turns) - invalid), f"of {counted(len(session.turns), 'turn')}", not invalid),
        ("One compile", f"{session.compile_ms_p50:.1f} ms", f"p99 {session.compile_ms_p99:.1f} ms", True),
    ]
    items = "".join(
        f'<div class="tile{"" if well else " ill"}"><dt>{name}</dt><dd><b>{value}</b><small>{note}</small></dd></div>'
        for name, value, note, well in figures
    )
    return f'<dl class="tiles">{items}</dl>'
