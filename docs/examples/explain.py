"""Flight records: one JSON object a compile, kept in the store, so that each can be explained later."""

import asyncio
import json

from transom import Context, SQLiteBackend, Store
from transom.recorder.flights import FlightRecorder


async def main() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        ctx = Context(window=8_000, store=store)
        recorder = FlightRecorder("monday")
        ctx.join(recorder)
        history = []
        for part in range(1, 12):
            history.append({"role": "user", "content": f"Look at part {part}."})
            ctx.load(history, format="openai")
            await ctx.compile("anthropic")
            history.append({"role": "assistant", "content": "This is what I saw in it. " * 60})
        await recorder.flush(store)

        for path, entry in (await store.read_all("flights", "monday/")).items():
            record = json.loads(entry.data)
            if record["moved"]:
                print(f"{path}: {record['closed_by']} opened {record['window_id']}")
                print(f"  {record['tokens']['before']:,} tokens before, {record['tokens']['after']:,} after")
                print(f"  {record['moved'][0]['messages']} messages went to {record['moved'][0]['uri']}")


asyncio.run(main())
