"""*audit*: what is about to go out is looked at once more. Reported, never enforced.

In development the laws of a compile are checked. Where Anthropic's cache breakpoints are used, so is what stands before them;
where nothing changed since the compile before, that is a few comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...jsontext import raw_items, raw_object, string
from ...wire.anthropic.rules import MAX_MARKERS
from ...wire.format import Element, Frame
from ..events import CacheWarned, InvariantBroken
from ..invariants import broken_invariants
from ..ledger.live import LiveTurn
from ..placement.cache_audit import Mark, Section
from ..state import CompileState

__all__ = ["audit"]

_MARKER = b'"cache_control":'


async def audit(state: CompileState) -> None:
    """Emit one event for each broken invariant, and one for each new finding about the cache."""
    if state.settings.check:
        for name, detail in broken_invariants(state):
            state.bus.emit(InvariantBroken(name, detail))
    if state.target.name == "anthropic":
        _audit_cache(state)


def _audit_cache(state: CompileState) -> None:
    assert state.frame is not None
    frame, cache = state.frame, state.session.audit
    elements = [*state.elements, *state.volatile]
    marked = [index for index, element in enumerate(elements) if element.marked is not None]
    if not marked and _MARKER not in frame.before and not state.settings.check:
        return
    sections, marks = cache.remembered("head", frame, lambda: _head(state, frame))
    said = _opening(state)
    every = len(sections) + len(said)
    placed = [mark if mark.sections >= 0 else Mark(mark.where, every, behind_tail=bool(state.tail)) for mark in marks]
    tail = _tail(state) if marked else len(elements)
    placed.extend(Mark(f"messages[{index - len(elements)}]", every, behind_tail=index > tail) for index in marked)
    asked = len(placed) if len(placed) < MAX_MARKERS else len(marks) + _set_in_conversation(state)
    state.findings = cache.check([*sections, *said], placed, asked=asked, model=state.session.head.model)
    for finding in cache.fresh(state.findings):
        state.bus.emit(CacheWarned(state.target.name, finding))


def _head(state: CompileState, frame: Frame) -> tuple[list[Section], list[Mark]]:
    """Tools and system prompt, and the breakpoints there. That of the whole request, which moves with its end, has -1."""
    budget = state.budget
    assert budget is not None
    members = raw_object(frame.before + frame.after)
    length = max(1, len(frame.tools) + len(frame.system))
    tokens_a_byte = (budget.tools + budget.system) * budget.ratio / length
    sections: list[Section] = []
    marks: list[Mark] = []
    passed = 0
    for name, plain in (("tools", frame.tools), ("system", frame.system)):
        if not plain:
            continue
        # A system prompt that was handed in as one string goes out as one, and carries no marker.
        listed = plain.startswith(b"[")
        pairs = zip(raw_items(plain), raw_items(members[name]), strict=True) if listed else [(plain, b"")]
        for index, (data, sent) in enumerate(pairs):
            passed += len(data) + 1
            sections.append(Section(f"{name}[{index}]" if listed else name, data))
            if _MARKER in sent and raw_object(sent).get("cache_control", b"null") != b"null":
                marks.append(Mark(sections[-1].where, len(sections), max(1, int(passed * tokens_a_byte))))
    if members.get("cache_control", b"null") != b"null":
        marks.append(Mark("cache_control", -1))
    return sections, marks


def _opening(state: CompileState) -> Sequence[Section]:
    """The first message, as far as it is the caller's."""
    first = state.turns[0] if state.messages is None and state.turns else None
    elements = first.rendered.get(state.target.name, ()) if first is not None and not first.head else ()
    if not elements:
        return ()
    return state.session.audit.remembered(
        "opening", elements[0], lambda: (Section("messages[0]", _whole(elements[0]), said=True),)
    )


def _whole(element: Element) -> bytes:
    return element.open + b",".join(element.blocks) + element.close


def _tail(state: CompileState) -> int:
    """The index of the element that holds the text written anew each compile; behind the last one where there is none."""
    text = string("\n\n".join(state.tail))[1:-1]
    for index, element in enumerate(state.volatile if text else ()):
        if element.blocks and text in element.blocks[-1]:
            return len(state.elements) + index
    return len(state.elements) + len(state.volatile)


def _set_in_conversation(state: CompileState) -> int:
    """How many breakpoints the conversation asks for. Settled turns are counted once: they keep their form."""
    cache, settled = state.session.audit, state.settled
    last, turns, count = cache.counted
    if turns > len(settled) or (turns and settled[turns - 1] is not last):
        turns, count = 0, 0
    count += _markers_of(state, settled[turns:])
    cache.counted = (settled[-1] if settled else None, len(settled), count)
    return count + _markers_of(state, state.unsettled)


def _markers_of(state: CompileState, turns: Sequence[LiveTurn]) -> int:
    key = state.target.name
    return sum(1 for live in turns for element in live.rendered.get(key, ()) if element.marked is not None)
