"""``transom replay``: a recorded session through Transom, turn by turn."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..engine.context import Context
from ..errors import StoreError, UsageError
from ..recorder.flights import FlightRecorder
from ..replay import Replay, replay
from ..runtime import build_context, build_summarizer, fresh_store_path, open_store
from ..settings import Resolved
from ..wire.registry import builtin_registry
from ..wire.transcripts import Transcript
from ..wire.transcripts import load as load_transcript
from . import output
from .conversation import From, Recording, note_damage, read_bytes
from .options import JSON, Fitting

__all__ = ["replay_"]

log = logging.getLogger(__name__)

Report = Annotated[Path | None, Parameter(name="--report", help="Write the picture of the session as one HTML file.")]

COLUMNS = ("turn", "messages", "input", "output", "window", "moved", "prefix", "ms", "what happened")
SHOWN = 200
"""A longer session is shown by the turns in which something moved; --json has them all."""


def replay_(
    file: Recording,
    /,
    *,
    format: From = None,  # noqa: A002  # the option's name
    fitting: Fitting | None = None,
    report: Report = None,
    json: JSON = False,
) -> int:
    """Replay a session file through a window: one compile for each call its agent made of its model.

    One row is one call: the messages the agent had by then, what they weigh (input) and what was sent instead (output) in
    tokens, the window it belongs to, the bytes that moved to the store, the leading bytes that equal the payload before
    (prefix), and the milliseconds of the compile. What moved can be read back with `transom store get`. Ends with status 1 if
    a turn could not be made to fit.
    """
    resolved, window = (fitting or Fitting()).resolved()
    settings = resolved.settings
    if report is not None and not report.absolute().parent.is_dir():
        raise UsageError(f"--report: there is no folder {report.parent}", hint="make it first, or name another")
    where = settings.store or fresh_store_path()
    data = read_bytes(file)
    transcript = load_transcript(data, format, name=file)
    note_damage(transcript)
    outcome = asyncio.run(_replay(transcript, data, resolved, window, str(where)))
    outcome.store = str(where)
    outcome.file = "stdin" if file == "-" else Path(file).name
    document = outcome.document()
    if report is not None:
        from ..report import render_report

        report.write_text(render_report(document), encoding="utf-8", errors="backslashreplace")
    if json:
        output.json_line(document)
    else:
        _show(outcome, transcript, report)
    return 1 if outcome.totals()["errors"] else 0


async def _replay(transcript: Transcript, data: bytes, resolved: Resolved, window: int, where: str) -> Replay:
    settings = resolved.settings
    registry = builtin_registry(plugins=True)
    session = hashlib.sha256(data).hexdigest()[:16]
    target = settings.target or _own_format(transcript) or registry.default_target
    calls = sum(len(segment.calls) for conversation in transcript.conversations for segment in conversation.segments)
    recorders: list[FlightRecorder] = []
    summarizer = await build_summarizer(resolved)
    async with open_store(where, scope=settings.scope) as store:

        def make_context(name: str) -> Context:
            context = build_context(settings, store, registry, window=window, summarizer=summarizer)
            recorders.append(FlightRecorder(f"replay-{session}/{name}"))
            context.join(recorders[-1])
            return context

        async def checkpoint() -> None:
            try:
                for recorder in recorders:
                    await recorder.flush(store)
            except StoreError as error:
                # The account of a flight is no reason to end it.
                log.warning("flight records could not be stored: %s", error)

        with output.progress("replaying", calls) as advance:
            return await replay(
                transcript,
                make_context,
                target=target,
                window=window,
                strategy=settings.strategy.replace(",", " → "),
                counter=settings.tokenizer,
                progress=advance,
                checkpoint=checkpoint,
            )


def _own_format(transcript: Transcript) -> str:
    heads = [segment.head.format for conversation in transcript.conversations for segment in conversation.segments]
    formats = [
        message.origin.format for message in transcript.conversations[0].segments[0].messages if message.origin is not None
    ]
    return next(filter(None, [*heads, *formats]), "")


def _show(outcome: Replay, transcript: Transcript, report: Path | None) -> None:
    title = f"{outcome.format} → {outcome.target}, window {outcome.window:,}, {outcome.strategy}, counted by {outcome.counter}"
    turns = outcome.turns
    shown = [turn for turn in turns if turn["moved"] or "error" in turn] if len(turns) > SHOWN else turns
    shown = shown[:SHOWN]
    output.table(COLUMNS, _rows(shown), title=title, right=(0, 1, 2, 3, 5, 6, 7), spare=(7, 6, 5, 1))
    if len(shown) < len(turns):
        left_out, among = len(turns) - len(shown), output.counted(len(turns), "turn")
        output.note(f"{left_out:,} of {among} not shown: nothing moved in them (--json has them all)")
    totals = outcome.totals()
    output.table(
        ("total", "value"),
        [(key.replace("_", " "), f"{value:,}" if isinstance(value, int) else value) for key, value in totals.items()],
        right=(1,),
    )
    whole = sum(1 for skip in transcript.skipped if not skip.damaged)
    if whole:
        output.note(f"{output.counted(whole, 'entry', 'entries')} of the file hold no message")
    repaired = sum(1 for turn in turns if "repairs" in turn)
    if repaired:
        output.note(f"the history had to be repaired before {output.counted(repaired, 'turn')} (--json says how)")
    failed = [turn["error"] for turn in turns if "error" in turn]
    if failed:
        output.note(f"{len(failed)} of {output.counted(len(turns), 'turn')} could not be compiled: {failed[0]}")
    output.line(f"store: {outcome.store}")
    if report is not None:
        output.line(f"report: {report}")


def _rows(turns: Sequence[dict[str, object]]) -> Iterator[tuple[object, ...]]:
    before: object = None
    for turn in turns:
        error = turn.get("error")
        yield _failed(turn, f"error: {error}" if error != before else "the same error") if "error" in turn else _row(turn)
        before = error


def _failed(turn: dict[str, object], said: str) -> tuple[object, ...]:
    return (turn["turn"], turn["messages"], f"{turn['input_tokens']:,}", "", "", "", "", "", said)


def _row(turn: dict[str, object]) -> tuple[object, ...]:
    moved = turn["moved"]
    assert isinstance(moved, list)
    size = sum(item["bytes"] for item in moved)
    kinds: dict[str, int] = {}
    for item in moved:
        kinds[item["kind"]] = kinds.get(item["kind"], 0) + item["messages"]
    said = [f"{turn['closed_by']} closed the window" if turn["closed_by"] else ""]
    said += [f"{kind} {count}" for kind, count in kinds.items()]
    said += ["prefix broke" if turn["prefix_break"] else "", "over the window" if turn["over_window"] else ""]
    said += [] if turn["valid"] else ["not valid"]
    return (
        turn["turn"],
        turn["messages"],
        f"{turn['input_tokens']:,}",
        f"{turn['output_tokens']:,}",
        turn["window_id"],
        f"{size:,}" if size else "",
        f"{turn['prefix_bytes']:,}",
        f"{turn['compile_ms']:.1f}",
        ", ".join(filter(None, said)),
    )
