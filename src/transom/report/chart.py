"""The picture: what filled the window at each turn, what moved, how far the prefix held.

Static SVG and positioned marks; a script may add a cursor but nothing waits for one. Widths are in units of the view box and
stretch with the page, so no text stands inside the SVG. Takes bars (``bars``) and gives markup.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .bars import Bar
from .figures import PARTS, Session
from .markup import counted, escape, human_tokens, percent, whole

__all__ = ["describe_bar", "lines_legend", "parts_legend", "picture"]

_UNIT = 10
"""Width of one bar's place in view box units."""

_HIGH = 1000
"""Height of every view box."""


def picture(session: Session, bars: Sequence[Bar]) -> str:
    """The whole figure: conversation, payload, marks and prefix over one axis of turns."""
    width = len(bars) * _UNIT
    heaviest = session.peak.output_tokens if session.peak else 0
    top = max(session.window, heaviest, 1) * 1.05
    history = max(session.largest_input, 1) * 1.05
    summary = (
        f"{counted(len(bars), 'bar')}. Heaviest payload {whole(heaviest)} tokens of a window of {whole(session.window)}. "
        f"Without help the history reaches {whole(session.largest_input)} tokens."
    )
    rows = [
        _title("The history the agent had, in tokens, and what was sent of it"),
        _row(
            "history",
            _scale(history, [session.largest_input, 0]),
            _svg(
                width,
                f"Tokens of the history at each turn, up to {whole(session.largest_input)}.",
                _history(bars, history),
            )
            + _line("window", session.window / history),
        ),
        _title("What was sent, in tokens, by what it is"),
        _row(
            "payload",
            _scale(top, [session.window, session.window // 2, 0]),
            _reserve(session, top)
            + _svg(
                width,
                f"Tokens sent at each turn, stacked by what they are. {summary}",
                _stack(bars, top) + _trigger(bars, top) + _titles(bars),
            )
            + _line("window", session.window / top)
            + _boundaries(bars),
        ),
        _row("marks dense" if _dense(bars) else "marks", '<span class="name">moved</span>', _marks(bars)),
        _row(
            "prefix",
            '<span class="name">prefix held</span>',
            _svg(width, f"Share of the prefix held at each turn; {counted(session.breaks, 'break')}.", _prefix(bars)),
        ),
        _row("axis", '<span class="name">turn</span>', _axis(bars)),
    ]
    narrow, wide = 56 + round(len(bars) * 1.6), max(len(bars) * 48, 280)
    return (
        '<div class="scroll" role="group" tabindex="0" aria-label="Picture of the session, scrolls sideways" id="scroll">'
        f'<div class="canvas" style="min-width:max(100%,{narrow}px);--widest:{wide}px">{"".join(rows)}'
        '<div class="row scrub" hidden><span class="gutter"></span><span class="field">'
        f'<input type="range" id="turn" min="0" max="{max(len(bars) - 1, 0)}" step="1" value="0" '
        'aria-label="Turn shown below" aria-controls="detail"></span></div></div></div>'
    )


def parts_legend(session: Session) -> str:
    """What the colours mean, with the tokens of the turn shown beside them."""
    peak = session.peak
    items = []
    for index, (name, words) in enumerate(PARTS):
        if not any(turn.parts[index] for turn in session.turns):
            continue
        value = whole(peak.parts[index]) if peak else "0"
        items.append(f'<li><span class="swatch {name}"></span>{words}<output data-part="{index}">{value}</output></li>')
    return f'<ul class="legend parts">{"".join(items)}</ul>'


def lines_legend(session: Session, bars: Sequence[Bar]) -> str:
    """What the lines and marks mean."""
    lines = [f'<li><span class="stroke window"></span>Window<b>{whole(session.window)}</b></li>']
    triggers = sorted({turn.trigger for turn in session.turns if turn.trigger})
    if triggers:
        span = whole(triggers[0]) if len(triggers) == 1 else f"{whole(triggers[0])} – {whole(triggers[-1])}"
        lines.append(f'<li><span class="stroke trigger"></span>Trigger<b>{span}</b></li>')
    if 0 < session.capacity < session.window:
        kept = whole(session.window - session.capacity)
        lines.append(f'<li><span class="swatch reserve"></span>Reserved for the reply<b>{kept}</b></li>')
    marks = [
        (kind, words)
        for kind, words, present in (
            ("closed", "a window closed", any(bar.closes for bar in bars)),
            ("pruned", "a result was shortened or offloaded", any(bar.moves and not bar.closes for bar in bars)),
            ("failed", "a prefix break or a turn that failed", any(bar.failed or bar.broken for bar in bars)),
        )
        if present
    ]
    lines += [f'<li><span class="mark {kind}"></span>{words}</li>' for kind, words in marks]
    return f'<ul class="legend lines{" dense" if _dense(bars) else ""}">{"".join(lines)}</ul>'


def describe_bar(bar: Bar) -> str:
    """One line on a bar, for a tooltip and for a reader that sees no picture."""
    turn = bar.shown
    words = [f"Turn {whole(turn.number)}", f"{whole(turn.output_tokens)} tokens sent of {whole(turn.input_tokens)}"]
    if bar.first != bar.last:
        words[0] = f"Turns {whole(bar.first)} to {whole(bar.last)}, heaviest {whole(turn.number)}"
    words += [f"{name} {whole(count)}" for (name, _), count in zip(PARTS, turn.parts, strict=True) if count]
    if bar.moves:
        words.append(f"{bar.moves} moved")
    if bar.closes:
        words.append("a window closed")
    if bar.held is not None:
        words.append(f"prefix held {percent(bar.held)}")
    if bar.broken:
        words.append("prefix break")
    if bar.failed:
        words.append("failed")
    return ", ".join(words)


def _row(name: str, gutter: str, field: str) -> str:
    return f'<div class="row {name}"><span class="gutter">{gutter}</span><div class="field">{field}</div></div>'


def _title(words: str) -> str:
    return f'<p class="plot-title">{words}</p>'


def _svg(width: int, label: str, content: str) -> str:
    return (
        f'<svg viewBox="0 0 {max(width, _UNIT)} {_HIGH}" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f"{content}</svg>"
    )


def _scale(top: float, values: Sequence[int]) -> str:
    return "".join(f'<i style="bottom:{100 * value / top:.2f}%">{human_tokens(value)}</i>' for value in values)


def _line(name: str, share: float) -> str:
    if share > 1:
        return ""
    return f'<span class="limit {name}" style="bottom:{100 * share:.2f}%"></span>'


def _reserve(session: Session, top: float) -> str:
    if not 0 < session.capacity < session.window:
        return ""
    low, high = 100 * session.capacity / top, 100 * session.window / top
    return f'<span class="reserve band" style="bottom:{low:.2f}%;height:{high - low:.2f}%"></span>'


def _breadth(bars: Sequence[Bar]) -> float:
    """Gaps between bars only where there is room for them; touching bars would shimmer otherwise."""
    return _UNIT * (0.82 if len(bars) <= 120 else 1.0)


def _start(bar: Bar, breadth: float) -> str:
    return f"{bar.index * _UNIT + (_UNIT - breadth) / 2:g}"


def _history(bars: Sequence[Bar], top: float) -> str:
    def area(value: Callable[[Bar], int]) -> str:
        steps = "".join(f"V{_up(value(bar), top)}h{_UNIT}" for bar in bars)
        return f"M0 {_HIGH}{steps}V{_HIGH}z"

    given, sent = area(lambda bar: bar.largest_input), area(lambda bar: bar.shown.output_tokens)
    return f'<path class="given" d="{given}"/><path class="sent" d="{sent}"/>'


def _up(value: float, top: float) -> int:
    return _HIGH - round(_HIGH * value / top)


def _stack(bars: Sequence[Bar], top: float) -> str:
    """One path a part, so that the file holds a few numbers a turn and no element."""
    paths: list[list[str]] = [[] for _ in PARTS]
    breadth = _breadth(bars)
    for bar in bars:
        below = 0
        for path, count in zip(paths, bar.shown.parts, strict=True):
            if count:
                low, high = _up(below, top), _up(below + count, top)
                path.append(f"M{_start(bar, breadth)} {low}V{high}h{breadth:g}V{low}z")
            below += count
    return "".join(f'<path class="{name}" d="{"".join(path)}"/>' for (name, _), path in zip(PARTS, paths, strict=True) if path)


def _trigger(bars: Sequence[Bar], top: float) -> str:
    """A line that follows the trigger, which moves with what the window holds beside the history."""
    if not any(bar.shown.trigger for bar in bars):
        return ""
    steps = "".join(f"V{_up(bar.shown.trigger, top)}h{_UNIT}" for bar in bars)
    start = _up(bars[0].shown.trigger, top)
    return f'<path class="trigger" vector-effect="non-scaling-stroke" d="M0 {start}{steps}"/>'


def _titles(bars: Sequence[Bar]) -> str:
    """Invisible columns whose titles every browser shows on hover."""
    size = f'y="0" width="{_UNIT}" height="{_HIGH}"'
    return "".join(
        f'<rect class="hit" x="{bar.index * _UNIT}" {size}><title>{describe_bar(bar)}</title></rect>' for bar in bars
    )


def _boundaries(bars: Sequence[Bar]) -> str:
    return "".join(f'<span class="start" style="left:{_left(bar, bars):.3f}%"></span>' for bar in bars if bar.starts)


def _left(bar: Bar, bars: Sequence[Bar], at: float = 0.0) -> float:
    return 100 * (bar.index + at) / len(bars)


def _dense(bars: Sequence[Bar]) -> bool:
    """Whether marks would run into each other, so that they are drawn as ticks."""
    return sum(bar.closes or bar.failed or bar.broken or bar.moves > 0 for bar in bars) > 60


def _marks(bars: Sequence[Bar]) -> str:
    """One mark a bar, the gravest: two in one place could not be told apart."""
    marks = []
    for bar in bars:
        if bar.failed or bar.broken:
            kind = "failed"
        elif bar.closes:
            kind = "closed"
        elif bar.moves:
            kind = "pruned"
        else:
            continue
        marks.append(f'<span class="mark {kind}" style="left:{_left(bar, bars, 0.5):.3f}%"></span>')
    return "".join(marks)


def _prefix(bars: Sequence[Bar]) -> str:
    held: list[str] = []
    broken: list[str] = []
    breadth = _breadth(bars)
    for bar in bars:
        if bar.held is None:
            continue
        high = _up(max(bar.held, 0.02), 1.0)
        (broken if bar.broken else held).append(f"M{_start(bar, breadth)} {_HIGH}V{high}h{breadth:g}V{_HIGH}z")
    return "".join(f'<path class="{name}" d="{"".join(path)}"/>' for name, path in (("held", held), ("broken", broken)) if path)


def _axis(bars: Sequence[Bar]) -> str:
    if not bars:
        return ""
    count = min(len(bars), 7)
    places = sorted({round(step * (len(bars) - 1) / max(count - 1, 1)) for step in range(count)})
    return "".join(f'<i style="left:{_left(bars[place], bars, 0.5):.3f}%">{whole(bars[place].first)}</i>' for place in places)
