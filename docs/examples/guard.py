"""A window with a guard: a warning, a line that the model reads, the newest messages left alone."""

from transom import Call, Context, Message, guard

ctx = Context(window=16_000, guard=guard())
ctx.on("window_warned", lambda event: print(f"{event.window_id}: {event.tokens:,} of {event.window:,} tokens in use"))

ctx.append(Message("user", "Read all 60 parts."))
for part in range(1, 61):
    payload = ctx.compile_sync("openai")
    last = str(payload.body["messages"][-1]["content"])
    if payload.meta.closing is not None:
        figures = payload.meta.closing
        print(f"part {part}: {figures.before:,} tokens became {figures.after:,}, {figures.saved:,} saved")
        print(" ", last.splitlines()[-1])
    elif "[ctx" in last and part % 5 == 0:
        print(f"part {part}:", last.splitlines()[-1])
    ctx.append(
        Message("assistant", "", tool_calls=[Call("read_part", f'{{"part":{part}}}', f"call_{part}")]),
        Message("tool", f"Part {part}. " + "This is what stands in it. " * 50, tool_call_id=f"call_{part}", name="read_part"),
    )

usage = ctx.usage
print(f"before the next call: {usage.tokens:,} of {usage.window:,} tokens, {usage.share:.0%}")
ctx.close()
