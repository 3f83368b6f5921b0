"""An agent's loop over Gemini: a tool of its own, Transom's context tool, memory, usage reported back."""

from google import genai
from google.genai.types import GenerateContentConfig, HttpOptions

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


def run(client: genai.Client, ctx: Context, question: str) -> str:
    history = [{"role": "user", "parts": [{"text": question}]}]
    while True:
        ctx.load(history, format="gemini")
        payload = ctx.compile_sync("gemini")
        config = {name: value for name, value in payload.body.items() if name != "contents"}
        answer = client.models.generate_content(
            model="gemini-3.1-pro", contents=payload.body["contents"], config=GenerateContentConfig(**config)
        )
        ctx.report_usage(answer.usage_metadata.prompt_token_count)
        for moved in payload.meta.moved:
            print(f"{moved.bytes:,} bytes left the window and are kept as {moved.uri}")
        history.append(answer.candidates[0].content.model_dump(mode="json", by_alias=True, exclude_none=True))
        if not answer.function_calls:
            print(f"{payload.meta.tokens_before:,} tokens of history, {payload.meta.tokens_after:,} sent")
            return answer.text
        results = []
        for call in answer.function_calls:
            if ctx.owns_tool(call.name):
                text = ctx.handle_tool_sync(call)
                print(f"the context tool answered: {text.splitlines()[0]}")
            else:
                text = read_log(**call.args)
            results.append({"functionResponse": {"name": call.name, "id": call.id, "response": {"output": text}}})
        history.append({"role": "user", "parts": results})


with (
    ScriptedProvider(SCRIPT, window=WINDOW) as provider,
    genai.Client(api_key="none", http_options=HttpOptions(base_url=provider.url)) as client,
):
    ctx = Context(window=WINDOW, store=Store(SQLiteBackend("agent.db")), context_tool=True, memory=True)
    ctx.system("You find out why a job queue stopped.")
    ctx.tools(Tool("read_log", "Read the log of one hour.", HOUR))
    print(run(client, ctx, "Why did the queue stop today?"))
    ctx.close()
