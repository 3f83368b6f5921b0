"""``transom compile``: the payload for the last turn of a conversation."""

from __future__ import annotations

import asyncio

from ..engine.payload import Payload
from ..errors import FormatError, UsageError
from ..recorder.flights import flight
from ..runtime import build_context, build_summarizer, fresh_store_path, open_store
from ..settings import Resolved
from ..wire.registry import FormatRegistry, builtin_registry
from ..wire.transcripts import Segment, Transcript
from ..wire.transcripts import load as load_transcript
from ..wire.transcripts.sendable import sendable_head
from . import output
from .conversation import Chosen, From, Recording, note_damage, read_bytes
from .options import JSON, Fitting

__all__ = ["compile_"]


def compile_(
    file: Recording,
    /,
    *,
    format: From = None,  # noqa: A002  # the option's name
    fitting: Fitting | None = None,
    conversation: Chosen = None,
    json: JSON = False,
) -> None:
    """Write the request body for a conversation's last turn, on stdout. Of a file with several, the first is meant.

    What left the window is in the store, whose path is named on stderr. With --json the body comes with its account:
    {"payload": …, "meta": …, "store": …}.
    """
    resolved, window = (fitting or Fitting()).resolved()
    registry = builtin_registry(plugins=True)
    where = resolved.settings.store or fresh_store_path()
    transcript = load_transcript(read_bytes(file), format, name=file)
    note_damage(transcript)
    segment = _segment(transcript, conversation, file)
    payload = asyncio.run(_compile(segment, resolved, window, str(where), registry))
    if json:
        output.json_line({"payload": payload.body, "meta": flight(payload.meta), "store": str(where)})
        return
    output.raw(payload.json() + b"\n")
    meta = payload.meta
    output.note(f"{meta.tokens_before:,} tokens before, {meta.tokens_after:,} after, window {meta.window_id}; store: {where}")
    for note in (*meta.repairs, *meta.notes):
        output.note(f"{note.code}: {note.where}: {note.detail}")


def _segment(transcript: Transcript, conversation: str | None, name: str) -> Segment:
    """The last stretch of the conversation chosen."""
    ids = [known.id for known in transcript.conversations]
    if conversation is not None and conversation not in ids:
        raise UsageError(f"there is no conversation {conversation!r} in {name}", hint=f"there are {', '.join(ids)}")
    if conversation is None and len(ids) > 1:
        output.note(f"{name} holds {len(ids)} conversations; this is {ids[0]} (--conversation chooses: {', '.join(ids)})")
    segment = transcript.conversations[ids.index(conversation) if conversation is not None else 0].segments[-1]
    if not segment.messages:
        raise FormatError(f"{name} holds no message")
    return segment


async def _compile(segment: Segment, resolved: Resolved, window: int, where: str, registry: FormatRegistry) -> Payload:
    settings = resolved.settings
    end = segment.calls[-1].at if segment.calls else len(segment.messages)
    target = settings.target or segment.head.format or None
    summarizer = await build_summarizer(resolved)
    async with open_store(where, scope=settings.scope) as store:
        context = build_context(settings, store, registry, window=window, summarizer=summarizer)
        context.head = sendable_head(segment)
        context.append(*segment.messages[:end])
        return await context.compile(target)
