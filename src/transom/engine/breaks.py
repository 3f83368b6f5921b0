"""Breaks of the prefix: which part of a payload moved it, named from what the compile knows.

Knows the compile's state, changes nothing of it. Where the prefix held, which is nearly always, this is three comparisons; only
where it did not is the payload looked through for the place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..jsontext import loads, raw_items, raw_object
from .ledger.live import LiveTurn
from .payload import Compared, at_block_level
from .placement.prefix import Part, PrefixReport, Stretch, prefix_report
from .state import CompileState

__all__ = ["prefix_of", "stretches_of"]


def prefix_of(state: CompileState, before: Compared | None, now: Compared, held: int, tokens: int) -> PrefixReport:
    """How far the prefix of a compile held, and what moved it.

    Args:
        state: the compile, rendered.
        before: what the compile before sent to the same target.
        now: what this one sends.
        held: leading bytes that the two share.
        tokens: what this payload weighs.
    """
    if before is None:
        return PrefixReport()
    return prefix_report(held, before.reach, now.length, tokens, stretches_of(state), _reason(state, before, held))


def _reason(state: CompileState, before: Compared, held: int) -> str:
    if held >= before.reach:
        return ""
    lineage = state.session.live.base.lineage
    if state.closed:
        return f"{state.closed} closed {before.window}"
    if before.window != lineage.current:
        return f"{lineage.current} opened since the last compile for this target"
    if before.stable == 0:
        return "another conversation was loaded"
    return "a function in a slot changed the conversation" if state.messages is not None else ""


def stretches_of(state: CompileState) -> Iterator[Stretch]:
    """The parts of the compared sequence, in order."""
    assert state.frame is not None
    yield from _tools(state.frame.tools)
    yield from _system(state.frame.system, _frozen(state))
    elements = [*state.elements, *state.volatile]
    lengths = [0] * len(elements)
    for number, piece in at_block_level(elements):
        lengths[number] += len(piece)
    for (part, where), length in zip(_named(state), lengths, strict=False):
        yield Stretch(part, where, length)


def _tools(data: bytes) -> Iterator[Stretch]:
    """One stretch a tool; Gemini's stand in a list of their own."""
    for stretch, raw in _items(data, "tools"):
        declared = raw_object(raw).get("functionDeclarations", b"") if raw.startswith(b"{") else b""
        if not declared.startswith(b"["):
            yield Stretch("tools", stretch.where + _tool_name(raw), stretch.length)
            continue
        before = 1 + raw.index(declared)
        yield Stretch("tools", stretch.where, before)
        for inner, tool in _items(declared, "tools"):
            yield Stretch("tools", f"{stretch.where}.functionDeclarations{inner.where[5:]}{_tool_name(tool)}", inner.length)
        yield Stretch("tools", stretch.where, stretch.length - before - len(declared))


def _tool_name(raw: bytes) -> str:
    value = loads(raw) if raw else None
    for inner in (value, value.get("function") if isinstance(value, dict) else None):
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            return f" ({inner['name']})"
    return ""


def _system(data: bytes, frozen: Sequence[Part]) -> Iterator[Stretch]:
    """A system prompt outside the conversation; what is frozen behind it stands in its last blocks."""
    listed = raw_object(data).get("parts", b"") if data.startswith(b"{") else data
    before = data.index(listed) if listed.startswith(b"[") else 0
    if before:
        yield Stretch("system", "system", before)
    stretches = [stretch for stretch, _ in _items(listed if before else data, "system")]
    first = len(stretches) - 1 - len(frozen)
    for index, stretch in enumerate(stretches):
        at = index - first
        yield Stretch(frozen[at], stretch.where, stretch.length) if first >= 0 and 0 <= at < len(frozen) else stretch
    if before:
        yield Stretch("system", "system", len(data) - before - len(listed))


def _items(data: bytes, part: Part) -> Iterator[tuple[Stretch, bytes]]:
    """The members of an array, each with its bytes; brackets and anything else are a stretch of their own."""
    if not data.startswith(b"["):
        if data:
            yield Stretch(part, part, len(data)), b""
        return
    for index, item in enumerate(raw_items(data)):
        yield Stretch(part, f"{part}[{index}]", 1 + len(item)), item
    yield Stretch(part, part, 1), b""


def _frozen(state: CompileState) -> list[Part]:
    """What the last messages of the system prompt are."""
    frozen = state.session.additions.frozen
    if frozen is None:
        return []
    there: dict[Part, bool] = {
        "skill": bool(frozen.skill.text),
        "memory": frozen.memory is not None and bool(frozen.memory.text),
        "state": bool(frozen.state),
    }
    return [part for part, stands in there.items() if stands]


def _named(state: CompileState) -> Iterator[tuple[Part, str]]:
    """What each element of the conversation is."""
    key = state.target.name
    # By their blocks, which an element keeps when a marker is taken off it.
    turns: dict[int, LiveTurn] = {}
    for live in state.turns:
        for element in live.rendered.get(key, ()):
            turns[id(element.blocks)] = live
    system = len(state.session.heads[key].elements)
    frozen = _frozen(state)
    last: tuple[Part, str] = ("message", "messages")
    for number, element in enumerate([*state.elements, *state.volatile]):
        if number < system:
            at = number - (system - len(frozen))
            yield (frozen[at] if at >= 0 else "system"), f"system[{number}]"
            continue
        known = turns.get(id(element.blocks))
        if state.messages is not None:
            last = "message", f"messages[{number - system}]"
        elif known is not None:
            last = _turn(known)
        elif number >= len(state.elements):
            last = "tail", "the tail"
        yield last


def _turn(live: LiveTurn) -> tuple[Part, str]:
    sources: Sequence[int] = [source for source in live.source.sources if source >= 0]
    if live.head:
        return "head", "the head"
    return "message", f"messages[{sources[0]}]" if sources else "messages"
