"""The page: summary, picture, details and tables put together into one file that needs nothing else.

The style and the script lie beside this module and are written into the page. A content security policy forbids everything
but these two: session text that got past the escaping could still not run or fetch anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources

from .bars import Bar, to_bars
from .chart import lines_legend, picture
from .details import bar_data, detail
from .figures import Session, read_session
from .markup import code, counted, cut, escape, whole
from .summary import summary, tiles
from .tables import moves_table, turns_table, windows_table

__all__ = ["render_report"]


def render_report(replay: Mapping[str, object]) -> str:
    """Draw a replay as one self-contained HTML page.

    Args:
        replay: the replay result, an object as CONTRACT defines it. Each turn may also carry ``parts`` (tokens by what they
            are, and the reserve), the object ``limits`` (window, trigger, capacity in tokens), each move ``preview`` and
            ``label``. What is absent is left out of the picture.

    Returns:
        HTML in a text that UTF-8 can hold. The same replay gives the same page.
    """
    session = read_session(replay)
    bars = to_bars(session.turns)
    style, script = _part("report.css"), _part("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    source = session.file or session.format or "session"
    title = f"Context report: {source} to {session.target or 'payload'}, window {whole(session.window)}"
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(cut(title, 160))}</title><style>{style}</style></head>\n<body>"
        '<a class="skip" href="#everything-that-moved">Skip the picture</a>'
        f"{_header(session)}<main>{_overview(session)}{_figure(session, bars)}{_lists(session, bars)}</main>"
        f"{_footer(session)}{bar_data(session, bars)}<script>{script}</script></body></html>\n"
    )


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8").strip()


def _header(session: Session) -> str:
    facts = [
        ("Session", session.file),
        ("From", session.format),
        ("To", session.target),
        ("Window", f"{whole(session.window)} tokens"),
        ("Strategy", session.strategy),
        ("Counted by", session.counter),
    ]
    listed = "".join(f"<div><dt>{name}</dt><dd>{escape(cut(value, 160))}</dd></div>" for name, value in facts if value)
    return f'<header><p class="brand">Transom</p><h1>Context report</h1><dl class="facts">{listed}</dl></header>'


def _overview(session: Session) -> str:
    return f'<section aria-labelledby="summary"><h2 id="summary">In short</h2>{summary(session)}{tiles(session)}</section>'


def _figure(session: Session, bars: Sequence[Bar]) -> str:
    if not bars:
        return "<section><h2>Turn by turn</h2><p>The replay holds no turns: the file contains no model call.</p></section>"
    note = ""
    if len(bars) < len(session.turns):
        run = bars[0].last - bars[0].first + 1
        note = f" Here each bar stands for {run} turns and shows the heaviest of them."
    return (
        '<section aria-labelledby="turn-by-turn"><h2 id="turn-by-turn">Turn by turn</h2>'
        f'<p class="quiet">One step to the right is one model call.{note} '
        '<span class="keys" hidden>Point at a turn, or move the slider with the arrow keys.</span></p>'
        f"<figure>{picture(session, bars)}{lines_legend(session, bars)}{detail(session, bars)}</figure></section>"
    )


def _lists(session: Session, bars: Sequence[Bar]) -> str:
    moved = "<p>Nothing had to move: everything fitted, all the way.</p>"
    if session.moves:
        where = f" --store {escape(cut(session.store, 300))}" if session.store else ""
        moved = (
            "<p>Nothing here is lost. Each row was stored before it left the payload, and comes back byte for byte with "
            f'<code dir="ltr">transom store get <var>ADDRESS</var>{where}</code>.</p>{moves_table(session)}'
        )
    archive = ""
    if session.archive:
        listed = "".join(f"<li>{code(cut(uri, 240))}</li>" for uri in session.archive[:100])
        more = f"<li>and {len(session.archive) - 100:,} more</li>" if len(session.archive) > 100 else ""
        archive = f"<details><summary>{counted(len(session.archive), 'archive')}</summary><ul>{listed}{more}</ul></details>"
    return (
        f'<section aria-labelledby="everything-that-moved"><h2 id="everything-that-moved">Everything that moved</h2>'
        f"{moved}{archive}</section>"
        f'<section aria-labelledby="windows"><h2 id="windows">Windows</h2>{windows_table(session)}</section>'
        f'<section aria-labelledby="in-numbers"><h2 id="in-numbers">Every turn in numbers</h2>'
        f"<details><summary>The picture as a table, {counted(len(session.turns), 'turn')}</summary>"
        f"{turns_table(session, bars)}</details></section>"
    )


def _footer(session: Session) -> str:
    store = f"Store: {code(cut(session.store, 300))}. " if session.store else ""
    counter = escape(cut(session.counter, 100)) or "the replay"
    return f"<footer><p>{store}Tokens are counted by {counter}; times are of this run.</p></footer>"
