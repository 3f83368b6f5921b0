"""OpenTelemetry: a span for each compile, and the figures of all of them as metrics.

Knows the engine's events and OpenTelemetry's API, which is imported when a sink is made; provider, exporter and sampling are
the application's. What a span says is made of names and numbers: no text of a conversation, no key of a fact, and addresses
only where they are asked for. Names begin with ``transom.``, save those that the semantic conventions for generative AI have
(https://github.com/open-telemetry/semantic-conventions-genai, all of them in development as of v0.1.0).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from ..engine.events import (
    CacheWarned,
    CompileDone,
    CompressEnded,
    InvariantBroken,
    JobDropped,
    NewContextDropped,
    OffloadCreated,
    Recalled,
    ToolBlocked,
    WindowWarned,
)
from ..engine.memory.events import ChangeKind, MemoryChanged, MemoryExpired
from ..engine.payload import PayloadMeta
from ..errors import MissingExtraError
from ..observe.bus import HandlerError

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer

__all__ = ["TelemetrySink"]

_SCOPE = "transom"

_PROVIDERS: Mapping[str, str] = {
    "openai": "openai",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "gemini": "gcp.gemini",
}
"""Whose format a target is, in the convention's words; the server may be somebody else's."""

_OPERATIONS: Mapping[ChangeKind, str] = {
    "added": "create_memory",
    "changed": "update_memory",
    "renamed": "update_memory",
    "deleted": "delete_memory",
    "expired": "delete_memory",
}

_SECONDS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
_TOKENS = (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000)

_TOLD_FROM = 0.05
"""Milliseconds from which on an attribute says how long a phase took."""

Value = str | bool | int | float


class TelemetrySink:
    """Turns what a context tells into spans and metrics: ``ctx.join(TelemetrySink())``.

    One span a compile, ``compile <target>``, a child of the span that is current where ``compile`` is called; below it a span
    for each phase that took ``phase_floor`` or longer, and for ``overflow`` whenever it closed a window. A compile that raises
    leaves none: the exception is in the caller's span.

    Args:
        tracer: makes the spans; by default that of the global provider.
        meter: makes the instruments; by default that of the global provider.
        conversation: id of the session, for ``gen_ai.conversation.id``; empty for none.
        model: what answers, for ``gen_ai.request.model``; empty for none.
        provider: who serves it, for ``gen_ai.provider.name``; by default whose format the target is.
        uris: say in the span where each text that left went. Addresses hold digests of texts and names of notes.
        phase_floor: milliseconds that a phase takes at least to have a span of its own.
        clock: unix time in nanoseconds.

    Raises:
        MissingExtraError: OpenTelemetry's API is not installed.
    """

    def __init__(
        self,
        tracer: Tracer | None = None,
        meter: Meter | None = None,
        *,
        conversation: str = "",
        model: str = "",
        provider: str = "",
        uris: bool = False,
        phase_floor: float = 1.0,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        try:
            trace, metrics = import_module("opentelemetry.trace"), import_module("opentelemetry.metrics")
        except ImportError:
            raise MissingExtraError("OpenTelemetry is not installed", hint='pip install "transom[otel]"') from None
        self._tracer: Tracer = tracer if tracer is not None else trace.get_tracer(_SCOPE, _version())
        self._within: Callable[[Span], object] = trace.set_span_in_context
        self._about: dict[str, Value] = {}
        if conversation:
            self._about["gen_ai.conversation.id"] = conversation
        if model:
            self._about["gen_ai.request.model"] = model
        self._provider = provider
        self._uris = uris
        self._floor = phase_floor
        self._clock = clock
        self._instruments(meter if meter is not None else metrics.get_meter(_SCOPE, _version()))

    def accept(self, event: object) -> None:
        """Take an event."""
        match event:
            case CompileDone():
                self._compiled(event.meta)
            case OffloadCreated():
                self._moved.add(event.moved.bytes, {"transom.moved.kind": event.moved.kind})
            case CompressEnded():
                if event.strategy:
                    self._closings.add(1, {"transom.strategy": event.strategy})
                if event.failure:
                    self._failures.add(1, {"transom.failure.kind": "closing"})
            case JobDropped():
                self._failures.add(1, {"transom.failure.kind": "background", "transom.strategy": event.strategy})
            case NewContextDropped():
                self._failures.add(1, {"transom.failure.kind": "new_context"})
            case MemoryChanged():
                operation = _OPERATIONS[event.kind]
                self._changes.add(1, {"gen_ai.operation.name": operation, "transom.memory.family": event.family})
            case MemoryExpired():
                self._expired.add(1, {"transom.memory.family": event.family})
            case Recalled():
                self._recalls.add(1, {"transom.recall.silence": event.recollection.silence})
            case ToolBlocked():
                self._blocked.add(1, {"gen_ai.tool.name": event.tool, "transom.blocked.cause": event.cause})
            case CacheWarned():
                self._warnings.add(1, {"transom.warning.kind": "cache"})
            case WindowWarned():
                self._warnings.add(1, {"transom.warning.kind": "window"})
            case InvariantBroken():
                self._warnings.add(1, {"transom.warning.kind": "invariant"})
            case HandlerError():
                self._warnings.add(1, {"transom.warning.kind": "handler"})
            case _:
                pass

    def close(self) -> None:
        """Nothing is held back: flushing is the provider's."""

    def _compiled(self, meta: PayloadMeta) -> None:
        spent = sum(meta.timings.values())
        common: dict[str, Value] = {"gen_ai.provider.name": self._provider or _PROVIDERS.get(meta.target, meta.target)}
        self._duration.record(spent / 1000, common)
        self._tokens.record(meta.tokens_before, {**common, "transom.tokens.when": "before"})
        self._tokens.record(meta.tokens_after, {**common, "transom.tokens.when": "after"})
        self._held.add(meta.prefix.held, common)
        if meta.prefix.broken:
            part = {**common, "transom.prefix.part": meta.prefix.part}
            self._lost.add(meta.prefix.lost_bytes, part)
            self._lost_tokens.add(meta.prefix.lost_tokens, part)
        end = self._clock()
        start = end - int(spent * 1e6)
        span = self._tracer.start_span(f"compile {meta.target}", attributes={**self._about, **common}, start_time=start)
        if span.is_recording():
            span.set_attributes(_figures(meta))
            if self._uris:
                for moved in meta.moved:
                    about: dict[str, Value] = {
                        "transom.moved.kind": moved.kind,
                        "transom.uri": moved.uri,
                        "transom.moved.bytes": moved.bytes,
                    }
                    span.add_event("moved", about, end)
            self._phases(meta, span, start)
        span.end(end)

    def _phases(self, meta: PayloadMeta, span: Span, start: int) -> None:
        context = None
        for phase, milliseconds in meta.timings.items():
            end = start + int(milliseconds * 1e6)
            closed = phase == "overflow" and bool(meta.closed)
            if closed or milliseconds >= self._floor:
                context = context or self._within(span)
                child = self._tracer.start_span(f"phase {phase}", context=context, start_time=start)  # type: ignore[arg-type]
                if closed:
                    child.set_attributes(_closing(meta))
                child.end(end)
            start = end

    def _instruments(self, meter: Meter) -> None:
        counter, histogram = meter.create_counter, meter.create_histogram
        self._duration = histogram(
            "transom.compile.duration", "s", "How long compiles take.", explicit_bucket_boundaries_advisory=_SECONDS
        )
        self._tokens = histogram(
            "transom.compile.tokens",
            "{token}",
            "What the whole history weighs, and what the payload does.",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )
        self._held = counter("transom.prefix.held", "By", "Leading bytes equal to the compile before: what a cache can serve.")
        self._lost = counter("transom.prefix.lost", "By", "Bytes that a cache has to read again although it had them.")
        self._lost_tokens = counter("transom.prefix.lost_tokens", "{token}", "The same, estimated in tokens.")
        self._moved = counter("transom.moved", "By", "Bytes that left a window and can be had back.")
        self._closings = counter("transom.window.closings", "{closing}", "Windows that closed, by the step that closed them.")
        self._failures = counter(
            "transom.window.failures",
            "{failure}",
            "Closings that did not land or had to be made without the model, work in the background that came to nothing, "
            "new windows that were asked for in vain.",
        )
        self._changes = counter("transom.memory.changes", "{change}", "Facts and entries written or taken away.")
        self._expired = counter("transom.memory.expired", "{record}", "Facts and entries whose time was over.")
        self._recalls = counter("transom.recalls", "{message}", "Messages looked up, by why nothing was put beside them.")
        self._blocked = counter("transom.tools.blocked", "{call}", "Calls of tools that are blocked.")
        self._warnings = counter("transom.warnings", "{warning}", "What the engine warned of.")


def _figures(meta: PayloadMeta) -> dict[str, Value]:
    about: dict[str, Value] = {
        "gen_ai.conversation.compacted": bool(meta.archives),
        "transom.target": meta.target,
        "transom.window.id": meta.window_id,
        "transom.window.size": meta.window,
        "transom.tokens.before": meta.tokens_before,
        "transom.tokens.after": meta.tokens_after,
        "transom.tokens.reserve": meta.reserve,
        "transom.tokens.trigger": meta.trigger,
        "transom.prefix.held": meta.prefix.held,
        "transom.prefix.due": meta.prefix.due,
        "transom.prefix.lost": meta.prefix.lost_bytes,
        "transom.sequence.bytes": meta.sequence_bytes,
        "transom.tail.bytes": meta.tail_bytes,
    }
    counted: dict[str, Value] = {
        "transom.moved.count": len(meta.moved),
        "transom.moved.bytes": sum(moved.bytes for moved in meta.moved),
        "transom.memory.facts": len(meta.memory),
        "transom.notes": len(meta.notes) + len(meta.repairs),
        "transom.audit.findings": len(meta.audit),
        "transom.failed": bool(meta.failure),
    }
    about |= {name: value for name, value in counted.items() if value}
    # Each attribute costs the SDK about a microsecond: what is nothing is left out.
    about |= {f"transom.parts.{part}": tokens for part, tokens in meta.parts.items() if tokens}
    about |= {f"transom.phase.{phase}.ms": spent for phase, spent in meta.timings.items() if spent >= _TOLD_FROM}
    if meta.prefix.broken:
        about["transom.prefix.part"], about["transom.prefix.where"] = meta.prefix.part, meta.prefix.where
    if meta.waiting:
        about["transom.waiting"] = meta.waiting
    return about | _closing(meta) if meta.closed else about


def _closing(meta: PayloadMeta) -> dict[str, Value]:
    about: dict[str, Value] = {"transom.closed_by": meta.closed, "transom.window.previous": meta.lineage.previous or ""}
    if meta.closing is not None:
        about["transom.closing.before"], about["transom.closing.after"] = meta.closing.before, meta.closing.after
    return about


def _version() -> str:
    try:
        return version("transom")
    except PackageNotFoundError:
        return ""
