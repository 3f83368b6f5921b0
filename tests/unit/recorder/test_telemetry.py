"""Compiles as OpenTelemetry shows them: measured with its own SDK, and nothing of a conversation in what is exported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from tests.unit.engine.sessions import HEAD, context_of, dialogue, tool_loop

from transom import Context, Message, Tool, reset, summarize
from transom.errors import MissingExtraError
from transom.observe import Sink
from transom.recorder import TelemetrySink
from transom.testing.model import ScriptedModel
from transom.testing.provider import Fault

pytestmark = pytest.mark.feature("X7")


@dataclass
class Telemetry:
    """The SDK with exporters that keep what they are given."""

    spans_kept: InMemorySpanExporter
    tracers: TracerProvider
    reader: InMemoryMetricReader
    meters: MeterProvider

    def sink(self, **more: object) -> TelemetrySink:
        return TelemetrySink(self.tracers.get_tracer("test"), self.meters.get_meter("test"), **more)  # type: ignore[arg-type]

    @property
    def spans(self) -> list[ReadableSpan]:
        """In the order in which they began."""
        return sorted(self.spans_kept.get_finished_spans(), key=lambda span: (span.start_time or 0, span.name))

    @property
    def compiles(self) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name.startswith("compile ")]

    @property
    def points(self) -> dict[tuple[str, frozenset[tuple[str, object]]], float]:
        """What was counted, by metric and attributes; of a histogram the sum."""
        data = self.reader.get_metrics_data()
        found: dict[tuple[str, frozenset[tuple[str, object]]], float] = {}
        for resource in data.resource_metrics if data is not None else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    for point in metric.data.data_points:
                        assert isinstance(point, NumberDataPoint | HistogramDataPoint)
                        value = point.sum if isinstance(point, HistogramDataPoint) else point.value
                        found[metric.name, frozenset((point.attributes or {}).items())] = float(value)
        return found

    def counted(self, name: str, **attributes: object) -> float:
        """The sum of a metric over all points that have these attributes, dots written as two underscores."""
        wanted = {(key.replace("__", "."), value) for key, value in attributes.items()}
        return sum(value for (metric, about), value in self.points.items() if metric == name and wanted <= about)


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    meters = MeterProvider(metric_readers=[reader])
    yield Telemetry(exporter, tracers, reader, meters)
    tracers.shutdown()
    meters.shutdown()


def of(span: ReadableSpan) -> Mapping[str, object]:
    return dict(span.attributes or {})


def milliseconds(span: ReadableSpan) -> float:
    assert span.end_time is not None
    assert span.start_time is not None
    return (span.end_time - span.start_time) / 1e6


async def test_a_compile_is_a_span_with_its_figures(telemetry: Telemetry) -> None:
    context = context_of(dialogue(3))
    context.join(telemetry.sink(conversation="monday", model="a-model"))
    meta = (await context.compile("anthropic")).meta
    (span,) = telemetry.compiles
    assert span.name == "compile anthropic"
    about = of(span)
    assert about["gen_ai.provider.name"] == "anthropic"
    assert about["gen_ai.conversation.id"] == "monday"
    assert about["gen_ai.request.model"] == "a-model"
    assert about["gen_ai.conversation.compacted"] is False
    assert (about["transom.tokens.before"], about["transom.tokens.after"]) == (meta.tokens_before, meta.tokens_after)
    assert about["transom.window.id"] == "w1"
    assert about["transom.parts.user"] == meta.parts["user"]
    slow = {f"transom.phase.{phase}.ms": spent for phase, spent in meta.timings.items() if spent >= 0.05}
    assert {name: value for name, value in about.items() if name.startswith("transom.phase.")} == slow
    assert milliseconds(span) == pytest.approx(sum(meta.timings.values()), abs=0.01)


async def test_the_span_lies_below_the_one_that_called(telemetry: Telemetry) -> None:
    context = context_of(dialogue(1))
    context.join(telemetry.sink())
    with telemetry.tracers.get_tracer("agent").start_as_current_span("turn") as turn:
        await context.compile("openai")
    (span,) = telemetry.compiles
    assert span.parent is not None
    assert span.parent.span_id == turn.get_span_context().span_id


def test_so_it_does_for_synchronous_callers(telemetry: Telemetry) -> None:
    context = context_of(dialogue(1))
    context.join(telemetry.sink())
    with telemetry.tracers.get_tracer("agent").start_as_current_span("turn") as turn:
        context.compile_sync("openai")
    (span,) = telemetry.compiles
    assert span.parent is not None
    assert span.parent.span_id == turn.get_span_context().span_id
    context.close()


async def test_phases_that_took_time_are_spans_of_their_own(telemetry: Telemetry) -> None:
    context = context_of(dialogue(3))
    context.join(telemetry.sink(phase_floor=0.0))
    meta = (await context.compile("openai")).meta
    (compiled,) = telemetry.compiles
    phases = [span for span in telemetry.spans if span is not compiled]
    assert [span.name for span in sorted(phases, key=lambda span: span.end_time or 0)] == [
        f"phase {name}" for name in meta.timings
    ]
    assert all(span.parent is not None and span.parent.span_id == compiled.context.span_id for span in phases)
    assert sum(map(milliseconds, phases)) == pytest.approx(milliseconds(compiled), abs=0.01)
    assert compiled.start_time == min(span.start_time or 0 for span in phases)


async def test_a_closing_is_told_by_span_and_counter(telemetry: Telemetry) -> None:
    context = context_of(tool_loop(10), overflow=reset())
    context.join(telemetry.sink(phase_floor=1e9))
    meta = (await context.compile("openai")).meta
    (compiled,) = telemetry.compiles
    about = of(compiled)
    assert meta.closing is not None
    assert about["transom.closed_by"] == "reset"
    assert about["gen_ai.conversation.compacted"] is True
    assert (about["transom.closing.before"], about["transom.closing.after"]) == (meta.closing.before, meta.closing.after)
    assert about["transom.moved.bytes"] == sum(moved.bytes for moved in meta.moved)
    (phase,) = [span for span in telemetry.spans if span is not compiled]
    assert (phase.name, of(phase)["transom.closed_by"]) == ("phase overflow", "reset")
    assert telemetry.counted("transom.window.closings", transom__strategy="reset") == 1
    assert telemetry.counted("transom.moved", transom__moved__kind="evict") == about["transom.moved.bytes"]


async def test_metrics_add_up_over_compiles(telemetry: Telemetry) -> None:
    context = context_of(dialogue(2))
    context.join(telemetry.sink())
    metas = []
    for number in range(3):
        context.append(Message("assistant", f"answer {number}"), Message("user", f"question {number}"))
        metas.append((await context.compile("gemini")).meta)
    assert telemetry.counted("transom.compile.tokens", transom__tokens__when="after") == sum(
        meta.tokens_after for meta in metas
    )
    assert telemetry.counted("transom.compile.tokens", transom__tokens__when="before") == sum(
        meta.tokens_before for meta in metas
    )
    assert telemetry.counted("transom.prefix.held", gen_ai__provider__name="gcp.gemini") == sum(
        meta.prefix.held for meta in metas
    )
    assert telemetry.counted("transom.prefix.lost") == 0
    seconds = sum(sum(meta.timings.values()) for meta in metas) / 1000
    assert telemetry.counted("transom.compile.duration") == pytest.approx(seconds)


@pytest.mark.unstable_prefix("the system prompt is changed to break it")
async def test_a_broken_prefix_is_counted_with_what_moved_it(telemetry: Telemetry) -> None:
    context = context_of(dialogue(2))
    context.join(telemetry.sink())
    context.system("You are careful.")
    await context.compile("openai")
    context.system("You are bold.")
    meta = (await context.compile("openai")).meta
    assert telemetry.counted("transom.prefix.lost", transom__prefix__part="system") == meta.prefix.lost_bytes > 0
    assert of(telemetry.compiles[1])["transom.prefix.part"] == "system"


async def test_a_model_that_writes_no_summary_is_a_failure(telemetry: Telemetry) -> None:
    model = ScriptedModel(lambda _: Fault.nothing())
    context = context_of(dialogue(12), overflow=summarize(model))
    context.join(telemetry.sink())
    meta = (await context.compile("openai")).meta
    assert meta.failure
    assert telemetry.counted("transom.window.failures", transom__failure__kind="closing") == 1
    assert of(telemetry.compiles[0])["transom.failed"] is True


async def test_changes_of_memory_are_counted_by_what_they_do(telemetry: Telemetry) -> None:
    context = context_of(dialogue(1), memory=True)
    context.join(telemetry.sink())
    await context.memory.facts.set("a", "one")
    await context.memory.facts.set("a", "two")
    await context.memory.facts.delete("a")
    await context.memory.remember("something")
    created = {"gen_ai__operation__name": "create_memory"}
    assert telemetry.counted("transom.memory.changes", **created, transom__memory__family="facts") == 1
    assert telemetry.counted("transom.memory.changes", **created, transom__memory__family="context") == 1
    assert telemetry.counted("transom.memory.changes", gen_ai__operation__name="update_memory") == 1
    assert telemetry.counted("transom.memory.changes", gen_ai__operation__name="delete_memory") == 1


async def test_calls_of_blocked_tools_are_counted(telemetry: Telemetry) -> None:
    context = context_of(dialogue(1))
    context.join(telemetry.sink())
    context.tools(Tool("drop", "Drops.", {"type": "object", "properties": {}}))
    context.block_tools("drop")
    context.check_tool_call(("drop", {}))
    assert telemetry.counted("transom.tools.blocked", gen_ai__tool__name="drop", transom__blocked__cause="blocked") == 1


async def test_nothing_of_a_conversation_is_exported(telemetry: Telemetry) -> None:
    context = context_of([*tool_loop(10, ask="Find zanzibar-17.")], overflow=reset(), memory=True)
    context.join(telemetry.sink(phase_floor=0.0))
    await context.memory.facts.set("zanzibar-key", "zanzibar-value")
    context.system("zanzibar-system")
    await context.compile("openai")
    exported = " ".join(span.to_json() for span in telemetry.spans) + str(telemetry.points)
    assert "zanzibar" not in exported
    assert "quick brown fox" not in exported
    assert "context://" not in exported


async def test_addresses_are_told_where_they_are_asked_for(telemetry: Telemetry) -> None:
    context = context_of(tool_loop(10), overflow=reset())
    context.join(telemetry.sink(uris=True))
    meta = (await context.compile("openai")).meta
    events = telemetry.compiles[0].events
    assert [dict(event.attributes or {})["transom.uri"] for event in events] == [moved.uri for moved in meta.moved]


async def test_spans_that_are_not_sampled_still_count(telemetry: Telemetry) -> None:
    context = context_of(dialogue(1))
    off = TracerProvider(sampler=ALWAYS_OFF)
    context.join(TelemetrySink(off.get_tracer("test"), telemetry.meters.get_meter("test")))
    await context.compile("openai")
    assert telemetry.counted("transom.compile.duration") > 0


async def test_without_a_provider_it_does_nothing_and_harms_nothing() -> None:
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
    context = context_of(tool_loop(10), overflow=reset())
    plain = context_of(tool_loop(10), overflow=reset())
    sink = TelemetrySink()
    assert isinstance(sink, Sink)
    context.join(sink)
    assert (await context.compile("openai")).json() == (await plain.compile("openai")).json()
    sink.close()


def test_without_the_extra_one_line_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "opentelemetry"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(MissingExtraError) as error:
        TelemetrySink()
    assert str(error.value) == 'OpenTelemetry is not installed (pip install "transom[otel]")'


def test_nothing_of_it_is_imported_before_it_is_used() -> None:
    code = "import sys, transom, transom.recorder; print([name for name in sys.modules if name.startswith('opentelemetry')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_it_listens_to_many_contexts_at_once(telemetry: Telemetry) -> None:
    sink = telemetry.sink()
    contexts = [Context(window=4_000) for _ in range(3)]
    for context in contexts:
        context.join(sink)
        context.load(HEAD_AND_QUESTION, format="openai")
        context.compile_sync()
        context.close()
    assert len(telemetry.compiles) == 3


HEAD_AND_QUESTION = {"model": HEAD.model, "messages": [{"role": "user", "content": "Where?"}]}
