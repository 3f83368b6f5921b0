"""Listens to what a context does: by type, by name, and for handlers that fail."""

from transom import Context
from transom.engine.events import CompressEnded
from transom.observe import HandlerError

ctx = Context(window=8_000)
ctx.on(CompressEnded, lambda event: print(f"{event.window_id} opens: {event.strategy} left {event.tokens:,} tokens"))
off = ctx.on("compile_done", lambda event: print(f"{event.meta.tokens_after:,} of {event.meta.window:,} tokens"))
ctx.on(HandlerError, lambda failure: print("a handler failed:", failure.error))

history = [{"role": "user", "content": "Look at part 1."}]
ctx.load(history, format="openai")
ctx.compile_sync()
off()
for part in range(2, 30):
    history.append({"role": "assistant", "content": "This is what I saw in it. " * 60})
    history.append({"role": "user", "content": f"Look at part {part}."})
    ctx.load(history, format="openai")
    ctx.compile_sync()
ctx.close()
