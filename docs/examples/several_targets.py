"""One conversation, compiled for each provider."""

from transom import Call, Context, Message

ctx = Context(window=32_000)
ctx.system("Be brief.")
ctx.append(
    Message("user", "Is the disk full?"),
    Message("assistant", tool_calls=[Call("df", '{"path": "/"}', id="call-1")]),
    Message("tool", "71 %", tool_call_id="call-1", name="df"),
)
for target in ("openai", "openai-responses", "anthropic", "gemini"):
    payload = ctx.compile_sync(target)
    print(f"{target}: {len(payload.json())} bytes, fields {', '.join(payload.body)}")
    for note in payload.meta.notes:
        print(f"  {note.code} {note.where}: {note.detail}")
ctx.close()
