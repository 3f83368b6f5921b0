"""Large tool results are shortened when they are first seen; one tool is excepted."""

import asyncio

from transom import Call, Context, Message, PruneSettings

LINES = [f"12:{n // 60:02}:{n % 60:02} worker {n % 7} took job {n * 37 % 1000}" for n in range(900)]
LINES[450] = "ERROR: lock timeout on jobs_pending"
LOG = "\n".join(LINES)


async def main() -> None:
    settings = PruneSettings(threshold=8_192, head=120, tail=60, exempt=frozenset({"read_plan"}))
    async with Context(window=64_000, prune=settings) as ctx:
        for tool in ("read_log", "read_plan"):
            ctx.append(Message("user", f"Call {tool}."))
            ctx.append(Message("assistant", tool_calls=[Call(tool, "{}", id=tool)]))
            ctx.append(Message("tool", LOG, tool_call_id=tool, name=tool))
        payload = await ctx.compile("openai")
        print(payload.body["messages"][2]["content"])
        for moved in payload.meta.moved:
            print(f"{moved.kind} {moved.label}: {moved.bytes:,} bytes")
            assert (await ctx.store.get(moved.uri)).decode() == LOG


asyncio.run(main())
