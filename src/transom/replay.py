"""Transcript replay: a recorded session, compiled turn by turn as its agent sent it.

Knows transcripts, contexts and the replay contract; draws nothing. Each segment of each conversation is a session of its
own, all in one store; each model call is one compile of what the agent had before it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from .engine.context import Context
from .engine.ledger.live import PREVIEW, Moved
from .engine.payload import Payload
from .errors import TransomError
from .safety.masking import beginning, each_masked
from .wire.transcripts import Conversation, Segment, Transcript
from .wire.transcripts.sendable import sendable_head

__all__ = ["Replay", "replay"]

CHECKPOINT_EVERY = 64
"""Compiles between two checkpoints."""


@dataclass(slots=True)
class Replay:
    """The outcome, growing while the replay runs.

    Attributes:
        turns: one object a compile, as the replay contract defines it.
        archives: addresses of all closed spans, in order.
        file: name of the file that was replayed.
    """

    format: str
    target: str
    window: int
    strategy: str
    counter: str
    messages: int
    turns: list[dict[str, object]] = field(default_factory=list)
    archives: dict[str, None] = field(default_factory=dict)
    store: str = ""
    file: str = ""
    conversations: int = 0
    segments: int = 0
    windows: int = 0
    reusable_bytes: int = 0

    def document(self) -> dict[str, object]:
        """The whole result as JSON values."""
        return {
            "file": self.file,
            "format": self.format,
            "target": self.target,
            "window": self.window,
            "strategy": self.strategy,
            "messages": self.messages,
            "turns": self.turns,
            "totals": self.totals(),
            "store": self.store,
            "archive": list(self.archives),
        }

    def totals(self) -> dict[str, object]:
        """Sums over all turns."""
        good = [turn for turn in self.turns if "error" not in turn]
        times = sorted(_number(turn, "compile_ms") for turn in good)
        held = sum(_integer(turn, "prefix_bytes") for turn in good)
        return {
            "input_tokens": sum(_integer(turn, "input_tokens") for turn in self.turns),
            "output_tokens": sum(_integer(turn, "output_tokens") for turn in good),
            "peak_output_tokens": max((_integer(turn, "output_tokens") for turn in good), default=0),
            "moved_bytes": sum(_moved_bytes(turn) for turn in good),
            "windows": self.windows,
            "conversations": self.conversations,
            "segments": self.segments,
            "compile_ms_p50": _percentile(times, 0.50),
            "compile_ms_p99": _percentile(times, 0.99),
            "prefix_breaks": sum(1 for turn in good if turn["prefix_break"]),
            "prefix_reuse": round(held / self.reusable_bytes, 4) if self.reusable_bytes else 1.0,
            "over_window": sum(1 for turn in good if turn["over_window"]),
            "errors": len(self.turns) - len(good),
            "counter": self.counter,
        }


async def replay(
    transcript: Transcript,
    make_context: Callable[[str], Context],
    *,
    target: str,
    window: int,
    strategy: str,
    counter: str,
    progress: Callable[[int], None],
    checkpoint: Callable[[], Awaitable[None]],
) -> Replay:
    """Compile every model call of a transcript.

    Args:
        transcript: what to replay.
        make_context: a fresh context over the one store, for a segment named like ``1/1``.
        target: wire format of the payloads.
        window, strategy, counter: for the account; the context was built with them.
        progress: told after each turn.
        checkpoint: awaited now and then and at the end of each segment.
    """
    messages = sum(len(segment.messages) for conversation in transcript.conversations for segment in conversation.segments)
    outcome = Replay(transcript.format, target, window, strategy, counter, messages)
    outcome.conversations = len(transcript.conversations)
    for number, conversation in enumerate(transcript.conversations, start=1):
        for place, segment in enumerate(conversation.segments, start=1):
            outcome.segments += 1
            context = make_context(f"{number}/{place}")
            async for steps in _segment(outcome, conversation, place, segment, context):
                progress(steps)
                if len(outcome.turns) % CHECKPOINT_EVERY == 0:
                    await checkpoint()
            outcome.windows += int(context.lineage.current.removeprefix("w"))
            await checkpoint()
    return outcome


async def _segment(
    outcome: Replay, conversation: Conversation, place: int, segment: Segment, context: Context
) -> AsyncIterator[int]:
    context.head = sendable_head(segment)
    given = 0
    previous: dict[str, object] | None = None
    for call in segment.calls:
        context.append(*segment.messages[given : call.at])
        given = call.at
        turn: dict[str, object] = {
            "turn": len(outcome.turns) + 1,
            "conversation": conversation.id,
            "segment": place,
            "messages": call.at,
        }
        begun = time.perf_counter()
        try:
            payload = await context.compile(outcome.target)
            body = payload.json()
        except TransomError as error:
            spent = (time.perf_counter() - begun) * 1000
            turn.update(_failed(context, spent), error=beginning(str(error)), code=error.code)
        else:
            spent = (time.perf_counter() - begun) * 1000
            _account(outcome, turn, payload, len(body), spent, previous)
            turn["valid"] = not context.formats.get(outcome.target).validate(payload.body)
            previous = turn
        outcome.turns.append(turn)
        yield 1


def _failed(context: Context, spent: float) -> dict[str, object]:
    """What a turn without a payload says in place of its figures: the same fields, so that nobody has to ask for each."""
    return {
        "input_tokens": context.input_tokens,
        "output_tokens": 0,
        "window_id": context.lineage.current,
        "payload_bytes": 0,
        "prefix_bytes": 0,
        "tail_bytes": 0,
        "prefix_break": False,
        "over_window": False,
        "compile_ms": round(spent, 3),
        "valid": False,
        "moved": [],
    }


def _account(
    outcome: Replay, turn: dict[str, object], payload: Payload, size: int, spent: float, previous: Mapping[str, object] | None
) -> None:
    meta = payload.meta
    reusable = 0 if previous is None else _integer(previous, "sequence_bytes") - _integer(previous, "tail_bytes")
    same_window = previous is not None and previous["window_id"] == meta.window_id
    outcome.reusable_bytes += reusable
    outcome.archives.update(dict.fromkeys(meta.archives))
    turn.update(
        input_tokens=meta.tokens_before,
        output_tokens=meta.tokens_after,
        window_id=meta.window_id,
        payload_bytes=size,
        prefix_bytes=meta.prefix_bytes,
        sequence_bytes=meta.sequence_bytes,
        tail_bytes=meta.tail_bytes,
        prefix_break=same_window and meta.prefix_bytes < reusable,
        over_window=meta.tokens_after + meta.reserve > meta.window,
        compile_ms=round(spent, 3),
        moved=[_moved(moved) for moved in meta.moved],
        closed_by=meta.closed,
        parts={**meta.parts, "reserve": meta.reserve},
        limits={"window": meta.window, "trigger": meta.trigger, "capacity": meta.window - meta.reserve},
    )
    if meta.repairs:
        turn["repairs"] = each_masked([repair.detail for repair in meta.repairs])
    if meta.failure:
        turn["failure"] = beginning(meta.failure)


def _moved(moved: Moved) -> dict[str, object]:
    return {
        "kind": moved.kind,
        "uri": moved.uri,
        "bytes": moved.bytes,
        "messages": moved.messages,
        "label": beginning(moved.label),
        "preview": beginning(moved.preview, was_cut=len(moved.preview) >= PREVIEW),
    }


def _moved_bytes(turn: Mapping[str, object]) -> int:
    moved = turn["moved"]
    return sum(_integer(item, "bytes") for item in moved if isinstance(item, Mapping)) if isinstance(moved, list) else 0


def _integer(turn: Mapping[str, object], key: str) -> int:
    value = turn.get(key)
    return value if isinstance(value, int) else 0


def _number(turn: Mapping[str, object], key: str) -> float:
    value = turn.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def _percentile(ordered: list[float], share: float) -> float:
    if not ordered:
        return 0.0
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 3)
