"""From one wire format to another, and nothing else: parse, group into turns, render. Nothing is repaired.

Knows the protocol and a registry, no provider. The same format comes back equal as JSON. What another format cannot carry
stands in the report.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..jsontext import dumps, loads
from ..messages import Message
from ..messages.turns import group_turns, leading_system
from .detect import detect
from .format import Element, Format, Frame, RenderOptions, Request, join_elements
from .pairing import link_turn
from .prefill import degrade_prefill
from .registry import FormatRegistry
from .report import Report

__all__ = ["convert", "convert_request", "join_payload", "render_request"]

_WITHOUT_LIST = 2
"""Messages that a request without a list of them has at most: system text and a prompt."""

_SYSTEM_STANDS_FIRST = frozenset({"gemini"})
"""Formats that have one place for system text, before the conversation."""


def convert(
    body: object,
    source: str | Format | None,
    target: str | Format | None,
    registry: FormatRegistry,
    options: RenderOptions | None = None,
) -> tuple[bytes, Report]:
    """Write a request body in another format.

    Args:
        body: parsed JSON, or JSON text as bytes (then every untouched element keeps its exact bytes); a request, or a bare
            list of conversation elements, which comes back as a bare list in the same format.
        source: the body's format; detected where ``None``.
        target: the format wanted; the registry's default where ``None``.
        registry: where names are looked up.
        options: what becomes of reasoning and cache breakpoints, and in which words.

    Returns:
        The new body as JSON text, and what it could not carry.

    Raises:
        FormatError: an unknown format, or a body that is not of its format.
        JSONError: text that is not JSON.
    """
    parser = detect(body, registry) if source is None else registry.get(source)
    writer = registry.get(target)
    request = parser.parse(body)
    report = Report()
    options = options or RenderOptions()
    if parser.name != writer.name:
        if not _is_list(body) and parser.prefill(request.head) == "continued" != writer.prefill(request.head):
            request = replace(request, messages=degrade_prefill(request.messages, report, options.words))
        return convert_request(request, writer, options, report), report
    if len(request.messages) <= _WITHOUT_LIST and (whole := _without_conversation(body, writer.conversation)):
        return whole, report
    frame, elements = _render(request.messages, request, writer, options, report)
    if _is_list(body):
        return b"[" + b",".join(_entries(elements)) + b"]", report
    return (_without_list(body, frame, writer.conversation) if len(elements) <= 1 else b"") or join_payload(
        frame, elements
    ), report


def convert_request(request: Request, target: Format, options: RenderOptions | None, report: Report) -> bytes:
    """Write a parsed request, or a transcript's segment, in whatever format: call ids are given where the target insists."""
    messages = _hoisted(request.messages, report) if target.name in _SYSTEM_STANDS_FIRST else request.messages
    messages = _with_ids(messages, target)
    return join_payload(*_render(messages, request, target, options or RenderOptions(), report))


def render_request(request: Request, target: Format, options: RenderOptions | None, report: Report) -> bytes:
    """Write a request as it is: no ids are given, no prefill is looked for."""
    return join_payload(*_render(request.messages, request, target, options or RenderOptions(), report))


def join_payload(frame: Frame, elements: Sequence[Element], *, markers: bool = True) -> bytes:
    """The request body: the frame around the joined elements."""
    entries = _entries(elements, markers=markers)
    if not entries:
        return frame.before + frame.after
    # One join, so that a large payload is copied once.
    entries[0] = frame.before + entries[0]
    entries[-1] += frame.after
    return b",".join(entries)


def _entries(elements: Sequence[Element], *, markers: bool = True) -> list[bytes]:
    if not any(element.merge or element.marked for element in elements):
        return [
            element.open + b",".join(element.blocks) + element.close if element.open else element.blocks[0]
            for element in elements
        ]
    joined = join_elements(elements, markers=markers)
    return [opened + b",".join(blocks) + closed for opened, blocks, closed in joined]


def _render(
    messages: Sequence[Message], request: Request, target: Format, options: RenderOptions, report: Report
) -> tuple[Frame, list[Element]]:
    count = leading_system(messages)
    frame, first = target.render_head(request.head, messages[:count], options, report)
    elements = list(first)
    rest = messages[count:]
    for turn in group_turns(rest):
        own = Report()
        elements.extend(target.render_turn(rest[turn.start : turn.stop], options, own, ""))
        for note in own.notes:
            report.add(note.code, _in_conversation(note.where, count + turn.start), note.detail)
    return frame, elements


_IN_TURN = re.compile(r"turn(?:\[(\d+)\])?")


def _in_conversation(where: str, start: int) -> str:
    """A place in a turn, said as a place in the conversation."""
    found = _IN_TURN.match(where)
    return where if found is None else f"messages[{start + int(found[1] or 0)}]{where[found.end() :]}"


def _with_ids(messages: Sequence[Message], target: Format) -> tuple[Message, ...]:
    """Calls without an id, or with one used before, get one where the target insists: a way of writing, not a repair."""
    if target.ids == "free":
        return tuple(messages)
    taken: set[str] = set()
    linked: list[Message] = []
    for turn in group_turns(messages):
        if target.ids == "present":
            taken.clear()
        linked.extend(link_turn(messages[turn.start : turn.stop], taken))
    return tuple(linked)


def _hoisted(messages: Sequence[Message], report: Report) -> tuple[Message, ...]:
    """Every system message first, in order."""
    late = [index for index, message in enumerate(messages) if message.role == "system" and message.positional]
    if not late:
        return tuple(messages)
    for index in late:
        report.add("reordered", f"messages[{index}]", "a system message went before the conversation")
    system = [message.replace(positional=False) for message in messages if message.role == "system"]
    return (*system, *(message for message in messages if message.role != "system"))


def _without_list(body: object, frame: Frame, name: str) -> bytes:
    """The payload of a request whose conversation is one string or null; empty where it is a list."""
    value = loads(body) if isinstance(body, bytes | bytearray | memoryview | str) else body
    if not isinstance(value, Mapping) or isinstance(value.get(name), list | tuple):
        return b""
    return frame.before[:-1] + dumps(value.get(name)) + frame.after[1:]


def _without_conversation(body: object, name: str) -> bytes:
    """The payload of a request without the field: the history lies with the provider, or all there is is one prompt."""
    value = loads(body) if isinstance(body, bytes | bytearray | memoryview | str) else body
    return dumps(value) if isinstance(value, Mapping) and name not in value else b""


def _is_list(body: object) -> bool:
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body[:1024]).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    return isinstance(body, list | tuple) or (isinstance(body, str) and body.lstrip().startswith("["))
