"""A summary that is written while the conversation goes on, and a window that Anthropic keeps by itself."""

from collections.abc import Sequence
from threading import Event

from transom import Context, Message, background, chain, clear, digest, reset, server, summarize

asked, answer = Event(), Event()


def slow_model(messages: Sequence[Message]) -> str:
    """Stands for a model that takes its time."""
    asked.set()
    answer.wait()
    print(f"the model read {len(messages)} messages")
    return "<summary>Parts 1 to 12 of 40 were looked at and are fine. The user wants a table at the end.</summary>"


ctx = Context(window=8_000, overflow=chain(background(summarize(slow_model)), digest(), reset()))
ctx.on("job_dropped", lambda event: print(f"{event.strategy} came to nothing: {event.reason}"))

state = ""
for part in range(1, 41):
    ctx.append(Message("user", f"Look at part {part} of 40."))
    payload = ctx.compile_sync("openai")
    now = payload.meta.closed or payload.meta.waiting
    if now != state:
        state = now
        print(f"part {part}: {'closed by' if payload.meta.closed else 'waits for'} {now}, {payload.meta.window_id}")
    if payload.meta.closed:
        break
    ctx.append(Message("assistant", f"Part {part} is fine. " + "This is what I saw in it. " * 60))
    if payload.meta.waiting and asked.wait(10):
        answer.set()
ctx.close()

ctx = Context(window=8_000, overflow=server(fallback=chain(clear(), digest(), reset())))
ctx.append(Message("user", "Hello."))
payload = ctx.compile_sync("anthropic")
print(payload.body["context_management"]["edits"][0]["type"])
print(payload.headers, ctx.compile_sync("openai").headers)
ctx.close()
