"""*adapt*: the conversation in the target's own bytes.

Elements of a turn are rendered once and kept with it. The tail is placed here too, since only the target knows the form of
the message it joins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...jsontext import dumps
from ...messages import Message, Turn, group_turns, leading_system
from ...wire.format import Element
from ...wire.report import Report
from ..ledger.live import LiveTurn
from ..measuring import input_trigger
from ..placement.emptiness import without_empty_content
from ..placement.prefill import degraded_prefill, is_unanswered
from ..placement.tail import closing_bytes, place_tail
from ..state import CompileState, RenderedHead, RenderedNotices, RenderedTurns

__all__ = ["adapt"]

_IN_TURN = re.compile(r"turn(?:\[(\d+)\])?(\.parts\[\d+\])?$")

MOST_MARKERS = 4
"""Anthropic: "A maximum of 4 blocks with cache_control may be provided." The last ones serve the next request best."""


async def adapt(state: CompileState) -> None:
    """Render head, conversation and tail."""
    if state.slots.taken("before-adapt"):
        state.messages = state.transformed(await state.slots.fold("before-adapt", state.flatten()), "before-adapt")
    system: Sequence[Message] = state.session.prompt
    has_markers = True
    if state.messages is None:
        settled, has_markers = _settled(state)
        volatile, prefill = _unsettled(state, state.unsettled)
    else:
        count = leading_system(state.messages)
        system, rest = state.messages[:count], state.messages[count:]
        turns = [rest[turn.start : turn.stop] for turn in group_turns(rest)]
        settled = [element for turn in turns for element in _render(state, turn)]
        volatile, prefill = _unsettled(state, [])
    rendered = _head(state, system)
    state.frame, first = rendered.frame, rendered.elements
    if not first and not settled and not volatile:
        volatile = [state.target.user_element(state.vocabulary.mending.opening)]
    stable, moving, kept = place_tail([*first, *settled], volatile, prefill, "\n\n".join(state.tail), state.target)
    moving[len(moving) - prefill : len(moving) - prefill] = _notices(state)
    free = MOST_MARKERS - _markers(state.frame.before)
    state.volatile, free = _marked(moving, free)
    has_markers = has_markers or any(element.marked is not None for element in first)
    state.elements = _marked(stable, free)[0] if has_markers else stable
    state.kept_of_first = kept
    state.closing_bytes = _closing_bytes(state, stable[-1]) if stable and not moving else 0


def _settled(state: CompileState) -> tuple[list[Element], bool]:
    """The settled turns' elements, and whether any has a marker; only those of new turns are looked at."""
    session, key = state.session, state.target.name
    known = session.settled.get(key)
    if known is None or known.changes != session.live.changes or known.window is not session.live:
        known = session.settled[key] = RenderedTurns(session.live, session.live.changes)
    for live in state.settled[known.count :]:
        elements = _rendered(state, live)
        known.elements.extend(elements)
        known.has_markers = known.has_markers or any(element.marked is not None for element in elements)
        known.count += 1
    return known.elements, known.has_markers


def _closing_bytes(state: CompileState, last: Element) -> int:
    """How many bytes only close the last element; it is read for that, so that it is looked at once."""
    known = state.session.ends.get(state.target.name)
    if known is None or known[0] is not last:
        known = state.session.ends[state.target.name] = last, closing_bytes(last, state.target)
    return known[1]


def _notices(state: CompileState) -> list[Element]:
    """System messages of their own at the end, before a prefill; rendered anew only where they changed."""
    texts, key = state.ending.notices, state.target.name
    known = state.session.notices.get(key)
    if known is None or known.texts is not texts:
        report = Report()
        messages = [Message("system", text, positional=True) for text in texts]
        elements = [
            element
            for message in messages
            for element in state.target.render_turn(without_empty_content((message,), report), state.settings.options, report)
        ]
        known = state.session.notices[key] = RenderedNotices(texts, tuple(elements), tuple(report.notes))
    for note in known.notes:
        state.report.add(note.code, note.where, note.detail)
    return [*known.elements]


def _head(state: CompileState, system: Sequence[Message]) -> RenderedHead:
    """Frame and system prompt; rendered anew only where head or prompt are other objects than last time."""
    session, key = state.session, state.target.name
    known = session.heads.get(key)
    if known is None or known.head is not session.head or known.system is not system:
        report = Report()
        prompt = without_empty_content(system, report)
        fields, betas = _fields(state)
        spelled = state.spelled
        for where, detail in spelled.notes:
            report.add("degraded", f"tools: {where}", detail)
        head = replace(
            session.head,
            tools=spelled.tools,
            fields={name: value for name, value in session.head.fields.items() if name not in fields},
        )
        frame, elements = state.target.render_head(head, prompt, state.settings.options, report)
        if fields:
            frame = replace(frame, before=b"{" + dumps(fields)[1:-1] + b"," + frame.before[1:])
        known = session.heads[key] = RenderedHead(session.head, system, frame, elements, tuple(report.notes), betas)
    for note in known.notes:
        state.report.add(note.code, note.where, note.detail)
    return known


def _fields(state: CompileState) -> tuple[dict[str, object], tuple[str, ...]]:
    """What the request says to a provider that keeps its window in order, and the betas it needs."""
    return state.runner.request_fields(state.session.head, input_trigger(state)) if state.managed else ({}, ())


def _markers(data: bytes) -> int:
    return data.count(b'"cache_control":')


def _marked(elements: list[Element], free: int) -> tuple[list[Element], int]:
    """The elements with at most ``free`` cache markers, the last ones; and how many are still free."""
    if all(element.marked is None for element in elements):
        return elements, free
    kept = list(elements)
    for index in range(len(kept) - 1, -1, -1):
        marked = kept[index].marked
        if marked is not None:
            count = _markers(marked[1]) or 1
            if count <= free:
                free -= count
            else:
                kept[index] = replace(kept[index], marked=None)
    return kept, free


def _unsettled(state: CompileState, unsettled: Sequence[LiveTurn]) -> tuple[list[Element], int]:
    """The end of the conversation, and how many elements of it are an answer that was begun and is to be continued."""
    turns = [*unsettled, state.begun] if state.begun is not None else unsettled
    volatile = [element for live in turns[:-1] for element in _rendered(state, live)]
    if not turns:
        return volatile, 0
    last = turns[-1]
    note = degraded_prefill(last.turn, state.target, state.session.head, state.vocabulary.mending)
    if note is None:
        ending = _rendered(state, last)
        return [*volatile, *ending], len(ending) if is_unanswered(last.turn) else 0
    state.report.add("degraded", "the last message", "a prefilled answer became a note")
    ending = (*_render(state, last.turn.messages[:-1]), *_render(state, (note,)))
    return [*volatile, *ending], 1


def _rendered(state: CompileState, live: LiveTurn) -> tuple[Element, ...]:
    key = state.target.name
    known = live.rendered.get(key)
    if known is None:
        report = Report()
        known = _render(state, _for_target(state, live.turn), report)
        for note in report.notes:
            state.report.add(note.code, _placed(note.where, live.turn), note.detail)
        if live.sticky is not None:
            known = _with_sticky(state, known, live.sticky.text)
        live.rendered[key] = known
    return known


def _with_sticky(state: CompileState, elements: tuple[Element, ...], text: str) -> tuple[Element, ...]:
    """The elements of a user's message with a text behind it, in the form that the message has."""
    extended = state.target.append_text(elements[-1], text) if elements else None
    return (*elements[:-1], extended[0]) if extended is not None else (*elements, state.target.user_element(text))


def _for_target(state: CompileState, turn: Turn) -> tuple[Message, ...]:
    """A target's own messages as they came, as far as its rules on ids allow; others with ids present and unique."""
    if turn.linked is turn.messages:
        return turn.messages
    rule = state.target.ids
    own = all(message.origin is not None and message.origin.format == state.target.name for message in turn.messages)
    ids = [call.id for message in turn.messages for call in message.tool_calls]
    # Where an id may come again in a later message, two calls of one turn still need two.
    if own and (rule == "free" or (rule == "present" and all(ids) and len(set(ids)) == len(ids))):
        return turn.messages
    return turn.linked


def _placed(where: str, turn: Turn) -> str:
    """The place of a note in the conversation as it was handed in, where a format knows only the turn."""
    found = _IN_TURN.match(where)
    index = int(found[1]) if found is not None and found[1] else 0
    source = turn.sources[index] if found is not None and index < len(turn.sources) else -1
    return f"messages[{source}]{found[2] or ''}" if found is not None and source >= 0 else where


def _render(state: CompileState, messages: Sequence[Message], report: Report | None = None) -> tuple[Element, ...]:
    report = report if report is not None else state.report
    return state.target.render_turn(without_empty_content(messages, report), state.settings.options, report)
