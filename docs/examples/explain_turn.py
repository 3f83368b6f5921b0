"""What a compile did, in words: while the session lives by its number, later from its flight record."""

import asyncio
import json

from transom import Context, SQLiteBackend, Store, Tool, reset
from transom.engine.explaining import explain_flight
from transom.recorder import FlightRecorder


async def main() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        ctx = Context(window=8_000, store=store, overflow=reset())
        recorder = FlightRecorder("monday")
        ctx.join(recorder)
        history = []
        for part in range(1, 12):
            history.append({"role": "user", "content": f"Look at part {part}."})
            ctx.load(history, format="openai")
            if part == 3:
                ctx.tools(Tool("read_file", "Reads a file."))
            payload = await ctx.compile("anthropic")
            history.append({"role": "assistant", "content": "This is what I saw in it. " * 60})
            if payload.meta.prefix.broken:
                print(ctx.explain(-1))
        await recorder.flush(store)

        record = json.loads(await store.get("context://flights/monday/000003"))
        print(explain_flight(record, 3).text().splitlines()[0])


asyncio.run(main())
