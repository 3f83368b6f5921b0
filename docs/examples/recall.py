"""What left the window comes back by itself, beside the question that needs it."""

from transom import Context, Message, Recall

ctx = Context(window=3_000, recall=Recall(mode="on", budget=300))
ctx.append(Message("user", "The staging database listens on port 6543, keep that in mind."))
ctx.append(Message("assistant", "Noted."))
for number in range(40):
    ctx.append(Message("user", f"Write paragraph {number} about the garden."))
    ctx.compile_sync()
    ctx.append(Message("assistant", "The hedge is cut, and the gate is painted green. " * 8))

for asked in ("Thanks, that reads well!", "Which port does the staging database use?"):
    ctx.append(Message("user", asked))
    payload = ctx.compile_sync()
    recalled = payload.meta.recalled
    assert recalled is not None
    print(f"{asked} -> {recalled.silence or recalled.passages[0].uri}")
    if recalled.text:
        print(recalled.text)
    ctx.append(Message("assistant", "…"))
ctx.close()
