"""Everything switched on, with a scripted model in the place of yours."""

from transom import Context, Handoff, Message, SQLiteBackend, Store, chain, clear, digest, reset, summarize


def cheap_model(messages: list[Message]) -> str:
    """Yours: a call of whatever model; text in, text out."""
    asked = messages[-1].text  # the transcript of what leaves, and how to summarise it
    return f"<summary>{asked.count('is fine')} parts were looked at and are fine. Open: the rest of the forty.</summary>"


ctx = Context(
    window=16_000,
    store=Store(SQLiteBackend("agent.db")),
    overflow=chain(clear(), summarize(model=cheap_model), digest(), reset()),  # a model writes; without it, the digest does
    memory=True,  # facts that outlive the session, behind the system prompt
    context_tool=True,  # the model reads back what left, searches, takes notes
    handoff=Handoff(1_500),  # told before its window closes
)
ctx.system("You are a careful engineer.")
for step in range(1, 41):
    ctx.append(Message("user", f"Look at part {step} of 40."))
    payload = ctx.compile_sync("anthropic")
    if payload.meta.closed:
        print(f"step {step}: closed by {payload.meta.closed}, {payload.meta.tokens_after} tokens left")
    ctx.append(Message("assistant", f"Part {step} is fine. " + "This is what I saw in it. " * 120))
print(ctx.explain().text().splitlines()[0])
ctx.close()
