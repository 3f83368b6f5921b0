"""Reads back what left a window: by address, by words, an archive message by message."""

import asyncio
import json

from transom import Context, SQLiteBackend, Store


async def main() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        ctx = Context(window=8_000, store=store)
        history = []
        for part in range(1, 16):
            history.append({"role": "user", "content": f"Look at part {part}. Its port is {5400 + part}."})
            ctx.load(history, format="openai")
            payload = await ctx.compile("openai")
            history.append({"role": "assistant", "content": f"Part {part}: " + "this is what I saw in it. " * 60})

        oldest = payload.meta.archives[0]
        lines = (await store.expand(oldest)).splitlines()
        assert json.loads(lines[0]) == history[0]
        print(len(lines), "messages in", oldest)

        for hit in await store.search('"port is 5403"', namespaces=["archive"], limit=3):
            message = json.loads((await store.expand(hit.uri)).splitlines()[hit.line - 1])
            print(f"{hit.uri} line {hit.line}: {message['content']}")


asyncio.run(main())
