"""How much of each payload is the same bytes as the one before."""

from transom import Context

ctx = Context(window=8_000)
history = []
for part in range(1, 13):
    history.append({"role": "user", "content": f"Look at part {part} of 12."})
    ctx.load(history, format="openai")
    meta = ctx.compile_sync("anthropic").meta
    print(
        f"{part:2} {meta.window_id}: {meta.prefix_bytes:6,} of {meta.sequence_bytes:6,} bytes as before, tail {meta.tail_bytes}"
    )
    history.append({"role": "assistant", "content": "This is what I saw in it. " * 60})
ctx.close()
