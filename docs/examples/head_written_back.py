"""The payload becomes the agent's own history, so that it holds no more than the model sees."""

from transom import Context, SQLiteBackend, Store

ctx = Context(window=8_000, store=Store(SQLiteBackend("agent.db")))
history = [{"role": "user", "content": "Look at part 1 of 40."}]
for part in range(1, 41):
    ctx.load(history, format="openai")
    payload = ctx.compile_sync("openai")
    history = payload.body["messages"]  # after a closing it begins with a head, and is short
    if payload.meta.closed:
        print(f"part {part}: {payload.meta.window_id} opens with {len(history)} messages")
    history.append({"role": "assistant", "content": f"Part {part} is fine. " + "This is what I saw in it. " * 60})
    history.append({"role": "user", "content": f"Look at part {part + 1} of 40."})
print(len(payload.meta.archives), "archives, the oldest", payload.meta.archives[0])
ctx.close()
