"""An agent's loop over OpenAI Responses: a tool of its own, Transom's context tool, memory, usage reported back."""

import json

from openai import OpenAI

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


def run(client: OpenAI, ctx: Context, question: str) -> str:
    history = [{"role": "user", "content": question}]
    while True:
        ctx.load(history, format="openai-responses")
        payload = ctx.compile_sync("openai-responses")
        answer = client.responses.create(model="gpt-5.4", store=False, include=["reasoning.encrypted_content"], **payload.body)
        ctx.report_usage(answer.usage.input_tokens)
        for moved in payload.meta.moved:
            print(f"{moved.bytes:,} bytes left the window and are kept as {moved.uri}")
        history.extend(item.model_dump(exclude_none=True) for item in answer.output)
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            print(f"{payload.meta.tokens_before:,} tokens of history, {payload.meta.tokens_after:,} sent")
            return answer.output_text
        for call in calls:
            if ctx.owns_tool(call.name):
                text = ctx.handle_tool_sync(call)
                print(f"the context tool answered: {text.splitlines()[0]}")
            else:
                text = read_log(**json.loads(call.arguments))
            history.append({"type": "function_call_output", "call_id": call.call_id, "output": text})


with ScriptedProvider(SCRIPT, window=WINDOW) as provider, OpenAI(base_url=f"{provider.url}/v1", api_key="none") as client:
    ctx = Context(window=WINDOW, store=Store(SQLiteBackend("agent.db")), context_tool=True, memory=True)
    ctx.system("You find out why a job queue stopped.")
    ctx.tools(Tool("read_log", "Read the log of one hour.", HOUR))
    print(run(client, ctx, "Why did the queue stop today?"))
    ctx.close()
