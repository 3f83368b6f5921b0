"""An agent's loop over Anthropic Messages: a tool of its own, Transom's context tool, memory, usage reported back."""

from anthropic import Anthropic

from transom import Context, SQLiteBackend, Store, Tool
from transom.testing.provider import ScriptedProvider, calls, says

# Stands for the model: a server on loopback that answers from a script, and refuses what OpenAI would refuse.
SCRIPT = [
    *(calls("read_log", hour=hour) for hour in range(18)),
    calls("context", command="create", path="memory/incident", file_text="The disk of worker 3 was full at 04:31."),
    calls("context", command="search", query="No space left on device"),
    says("The queue stopped at 04:31, when the disk of worker 3 was full."),
]
WINDOW = 8_000
HOUR = {"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"]}


def read_log(hour: int) -> str:
    lines = [f"{hour:02}:{minute:02} worker {minute % 7} took job {minute * 37 % 1000}" for minute in range(60)]
    if hour == 4:
        lines[31] = "04:31 worker 3: No space left on device"
    return "\n".join(lines)


def run(client: Anthropic, ctx: Context, question: str) -> str:
    history = [{"role": "user", "content": question}]
    while True:
        ctx.load(history, format="anthropic")
        payload = ctx.compile_sync("anthropic")
        answer = client.messages.create(model="claude-sonnet-5", **{"max_tokens": 1_000, **payload.body})
        read = answer.usage
        ctx.report_usage(read.input_tokens + (read.cache_read_input_tokens or 0) + (read.cache_creation_input_tokens or 0))
        for moved in payload.meta.moved:
            print(f"{moved.bytes:,} bytes left the window and are kept as {moved.uri}")
        history.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in answer.content]})
        results = []
        for block in answer.content:
            if block.type == "text":
                text = block.text
            elif block.type == "tool_use" and ctx.owns_tool(block.name):
                found = ctx.handle_tool_sync(block)
                print(f"the context tool answered: {found.splitlines()[0]}")
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": found})
            elif block.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": read_log(**block.input)})
        if not results:
            print(f"{payload.meta.tokens_before:,} tokens of history, {payload.meta.tokens_after:,} sent")
            return text
        history.append({"role": "user", "content": results})


with ScriptedProvider(SCRIPT, window=WINDOW) as provider, Anthropic(base_url=provider.url, api_key="none") as client:
    ctx = Context(window=WINDOW, store=Store(SQLiteBackend("agent.db")), context_tool=True, memory=True)
    ctx.system("You find out why a job queue stopped.")
    ctx.tools(Tool("read_log", "Read the log of one hour.", HOUR))
    print(run(client, ctx, "Why did the queue stop today?"))
    ctx.close()
