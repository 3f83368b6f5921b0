"""Ten lines: a history that grows, payloads that fit."""

from transom import Context, SQLiteBackend, Store

ctx = Context(window=8_000, store=Store(SQLiteBackend("agent.db")))
history = [{"role": "system", "content": "You are a careful engineer."}]
for step in range(1, 41):
    history.append({"role": "user", "content": f"Look at part {step} of 40."})
    ctx.load(history, format="openai")  # all of it, every turn: only what is new costs anything
    payload = ctx.compile_sync("anthropic")  # payload.body for the provider's SDK, payload.json() for HTTP
    answer = f"Part {step} is fine. " + "This is what I saw in it. " * 60  # your model's answer
    history.append({"role": "assistant", "content": answer})
print(payload.meta.tokens_before, "tokens of history,", payload.meta.tokens_after, "sent; the rest:", payload.meta.archives)
ctx.close()
