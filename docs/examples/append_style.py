"""Messages made by hand and appended, a tool loop, a model that is asked asynchronously."""

import asyncio
import json

from transom import Call, Context, Message, Payload, Tool

LOG = "".join(f"12:{n // 60:02}:{n % 60:02} worker {n % 7} took job {n * 37 % 1000}\n" for n in range(600))
HOUR = {"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"]}


async def ask_model(payload: Payload, hour: int) -> Message:
    """Stands for your provider's SDK: asks for a log, then answers."""
    last = payload.body["messages"][-1]
    if last["role"] == "user":
        return Message("assistant", tool_calls=[Call("read_log", json.dumps({"hour": hour}), id=f"call-{hour}")])
    return Message("assistant", f"Hour {hour}: 600 jobs, no worker idle.")


async def main() -> None:
    async with Context(window=16_000) as ctx:
        ctx.system("You watch a job queue.")
        ctx.tools(Tool("read_log", "Read the log of one hour.", HOUR))
        for hour in range(1, 13):
            ctx.append(Message("user", f"What happened in hour {hour}?"))
            while True:
                payload = await ctx.compile("openai")
                answer = await ask_model(payload, hour)
                ctx.append(answer)
                for call in answer.tool_calls:
                    ctx.append(Message("tool", LOG, tool_call_id=call.id, name=call.name))
                if not answer.tool_calls:
                    break
        print(f"{payload.meta.tokens_before:,} tokens of history, {payload.meta.tokens_after:,} sent")


asyncio.run(main())
