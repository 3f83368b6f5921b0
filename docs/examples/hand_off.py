"""A window that is announced before it closes, and one that the model asks for. The model here is a script."""

from transom import Call, Context, Handoff, Message, reset

ctx = Context(window=8_000, overflow=reset(), handoff=Handoff(1_500))
ctx.on("new_context_dropped", lambda event: print("no new window:", event.reason))

ctx.append(Message("user", "Read all 40 parts, one after the other, and keep notes."))
for part in range(1, 41):
    payload = ctx.compile_sync("openai")
    if payload.meta.handoff:
        notice = payload.body["messages"][-1]["content"]
        print(f"part {part}:", notice[:62], "…")
        # What a model would do now: write down where it is. It stays in the conversation; the notice does not.
        ctx.append(Message("assistant", f"Notes: parts 1 to {part - 1} read, all fine. Next is part {part}."))
        ctx.append(Message("user", "Go on."))
    if payload.meta.closed:
        print(f"part {part}: {payload.meta.lineage.previous} is closed, {payload.meta.window_id} is open")
    ctx.append(
        Message("assistant", "", tool_calls=[Call("read_part", f'{{"part":{part}}}', f"call_{part}")]),
        Message("tool", f"Part {part}. " + "This is what stands in it. " * 40, tool_call_id=f"call_{part}", name="read_part"),
    )

ctx.append(Message("assistant", "All parts are fine."), Message("user", "Thank you. Now something else."))
ctx.request_new_context()
payload = ctx.compile_sync("openai")
print(f"on request: {payload.meta.window_id} holds {len(payload.body['messages'])} messages")
ctx.close()
