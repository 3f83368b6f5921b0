"""Pins a message: it survives every closing verbatim, in its place."""

from transom import Context, Message

RULE = "Never touch the table invoices_2019: the auditors read it."

ctx = Context(window=8_000)
ctx.append(Message("user", RULE, pinned=True))
for part in range(1, 41):
    ctx.append(Message("user", f"Look at part {part} of 40."))
    payload = ctx.compile_sync("openai")
    ctx.append(Message("assistant", f"Part {part} is fine. " + "This is what I saw in it. " * 60))
print(payload.meta.window_id, [message["content"][:30] for message in payload.body["messages"][:3]])
assert any(message["content"] == RULE for message in payload.body["messages"])
ctx.close()

# A loaded history: parse it, mark what matters, hand over the messages.
history = [{"role": "user", "content": RULE}, {"role": "user", "content": "Look at part 1."}]
ctx = Context(window=8_000)
messages = ctx.formats.get("openai").parse(history).messages
ctx.load([message.replace(pinned=message.text == RULE) for message in messages])
assert RULE in ctx.compile_sync("openai").json().decode()
ctx.close()
