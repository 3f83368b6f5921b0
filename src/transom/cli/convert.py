"""``transom convert``: a conversation in another format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter

from ..errors import UsageError
from ..jsontext import loads
from ..wire.convert import convert as convert_body
from ..wire.convert import convert_request
from ..wire.format import Format, RenderOptions
from ..wire.registry import builtin_registry
from ..wire.report import Report
from . import output
from .conversation import Chosen, File, Source, read_source, readable, writable
from .options import JSON

__all__ = ["convert"]

From = Annotated[str | None, Parameter(name="--from", validator=readable, help="The file's format; detected if left out.")]
To = Annotated[
    str,
    Parameter(
        name="--to", validator=writable, help="The wire format to write: openai, openai-responses, anthropic, gemini or ollama."
    ),
]
Reasoning = Annotated[str, Parameter(name="--thinking", help="What becomes of reasoning the target cannot take: drop or text.")]


def convert(
    file: File, /, *, to: To, from_: From = None, thinking: Reasoning = "drop", conversation: Chosen = None, json: JSON = False
) -> None:
    """Write a conversation in another wire format, on stdout.

    The same format comes back unchanged. What the target cannot carry is listed on stderr (with --json, one JSON object a
    line, at every place). Nothing is repaired. A transcript format can only be read; one with several conversations gives one
    request a line.
    """
    if thinking not in ("drop", "text"):
        raise UsageError(f"--thinking takes drop or text, not {thinking}")
    registry = builtin_registry(plugins=True)
    target = registry.get(to)
    options = RenderOptions(thinking="text" if thinking == "text" else "drop")
    source = read_source(file, from_, registry)
    if source.wire is not None:
        payload, report = convert_body(source.data, source.wire, target, registry, options)
        payloads = [payload]
    else:
        report = _skipped(source)
        segments = [
            (name, request) for name, request in source.segments() if conversation is None or name.split(",")[0] == conversation
        ]
        if not segments:
            raise UsageError(f"there is no conversation {conversation!r} in {file}")
        if len(segments) > 1:
            output.note(f"{len(segments)} requests, one a line: {'; '.join(name for name, _ in segments)}")
        payloads = [convert_request(request, target, options, report) for _, request in segments]
    if source.wire is not target:
        _say_no_model(payloads, target, report)
    for payload in payloads:
        output.raw(payload + b"\n")
    _say(report, json=json)


def _say_no_model(payloads: Sequence[bytes], target: Format, report: Report) -> None:
    """Note where the target asks for a model and none is named: Gemini's bodies, for one, leave it to the address."""
    if any(violation.where == "model" for payload in payloads for violation in target.validate(loads(payload))):
        report.add("skipped", "model", f"{target.name} requires a model and the source names none: add it before you send")


def _skipped(source: Source) -> Report:
    report = Report()
    for skip in source.transcript.skipped if source.transcript is not None else ():
        if skip.damaged:
            report.add("skipped", skip.where, f"{skip.kind}: {skip.reason}" if skip.kind else skip.reason)
    return report


def _say(report: Report, *, json: bool) -> None:
    if json:
        for note in report.notes:
            output.json_note({"code": note.code, "where": note.where, "detail": note.detail})
        return
    places: dict[tuple[str, str], list[str]] = {}
    for note in report.notes:
        places.setdefault((note.code, note.detail), []).append(note.where)
    for (code, detail), where in places.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        output.note(f"{code}: {where[0]}{more}: {detail}")
