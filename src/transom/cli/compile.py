"""``transom compile``: the payload for the last turn of a conversation."""

from __future__ import annotations

import asyncio

from ..engine.payload import Payload
from ..errors import FormatError
from ..recorder.flights import flight
from ..runtime import build_context, fresh_store_path, open_store
from ..settings import Settings
from ..wire.registry import FormatRegistry, builtin_registry
from ..wire.transcripts import load as load_transcript
from ..wire.transcripts.sendable import sendable_head
from . import output
from .conversation import From, Recording, note_damage, read_bytes
from .options import JSON, Fitting

__all__ = ["compile_"]


def compile_(
    file: Recording,
    /,
    *,
    format: From = None,  # noqa: A002  # the option's name
    fitting: Fitting | None = None,
    json: JSON = False,
) -> None:
    """Write the request body for a conversation's last turn, on stdout.

    What left the window is in the store, whose path is named on stderr. With --json the body comes with its account:
    {"payload": …, "meta": …, "store": …}.
    """
    settings, window = (fitting or Fitting()).settings()
    registry = builtin_registry(plugins=True)
    where = settings.store or fresh_store_path()
    payload = asyncio.run(_compile(read_bytes(file), file, format, settings, window, str(where), registry))
    if json:
        output.json_line({"payload": payload.body, "meta": flight(payload.meta), "store": str(where)})
        return
    output.raw(payload.json() + b"\n")
    meta = payload.meta
    output.note(f"{meta.tokens_before:,} tokens before, {meta.tokens_after:,} after, window {meta.window_id}; store: {where}")
    for note in (*meta.repairs, *meta.notes):
        output.note(f"{note.code}: {note.where}: {note.detail}")


async def _compile(
    data: bytes,
    name: str,
    format: str | None,  # noqa: A002
    settings: Settings,
    window: int,
    where: str,
    registry: FormatRegistry,
) -> Payload:
    transcript = load_transcript(data, format, name=name)
    note_damage(transcript)
    segment = transcript.conversations[0].segments[-1]
    if not segment.messages:
        raise FormatError(f"{name} holds no message")
    end = segment.calls[-1].at if segment.calls else len(segment.messages)
    target = settings.target or segment.head.format or None
    async with open_store(where, scope=settings.scope) as store:
        context = build_context(settings, store, registry, window=window)
        context.head = sendable_head(segment)
        context.append(*segment.messages[:end])
        return await context.compile(target)
