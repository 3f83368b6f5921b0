"""Tells OpenTelemetry of compiles, with an exporter that prints what it is given."""

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from transom import Context, reset
from transom.recorder import TelemetrySink

# Your application has these two already, with the exporters of its choice.
spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
tracers, meters = TracerProvider(), MeterProvider(metric_readers=[reader])
tracers.add_span_processor(SimpleSpanProcessor(spans))

ctx = Context(window=4_000, overflow=reset())
ctx.join(TelemetrySink(tracers.get_tracer("agent"), meters.get_meter("agent"), conversation="monday"))

history = [{"role": "user", "content": "Look at part 1."}]
for part in range(2, 16):
    history.append({"role": "assistant", "content": "This is what I saw in it. " * 60})
    history.append({"role": "user", "content": f"Look at part {part}."})
    with tracers.get_tracer("agent").start_as_current_span("turn"):
        ctx.load(history, format="openai")
        ctx.compile_sync("anthropic")
ctx.close()

for span in spans.get_finished_spans():
    about = span.attributes or {}
    if span.name == "compile anthropic" and "transom.closed_by" in about:
        print(f"{about['transom.closed_by']} opened {about['transom.window.id']}: {about['transom.tokens.after']} tokens")

metrics = reader.get_metrics_data()
assert metrics is not None
print(", ".join(sorted(metric.name for scope in metrics.resource_metrics[0].scope_metrics for metric in scope.metrics)))
