"""An agent's loop with Transom in it: the history grows, every payload fits, and what left can be read back."""

import asyncio

from transom import Context, SQLiteBackend, Store


async def main() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        ctx = Context(window=8_000, store=store)
        history = [{"role": "system", "content": "You are a careful engineer."}]
        for step in range(1, 41):
            history.append({"role": "user", "content": f"Look at part {step} of 40."})
            ctx.load(history, format="openai")
            payload = await ctx.compile("anthropic")  # payload.body is for the provider's SDK, payload.json() for HTTP
            answer = f"Part {step} is fine. " + "This is what I saw in it. " * 60  # your model's answer
            history.append({"role": "assistant", "content": answer})
            for moved in payload.meta.moved:
                print(f"step {step}: {moved.bytes:,} bytes left for {moved.uri}")
        print(f"history {payload.meta.tokens_before:,} tokens, payload {payload.meta.tokens_after:,}")

        found = await store.search("part 3")
        print(f"found again: {found[0].uri}")
        print(f"{len(await store.get(payload.meta.archives[0])):,} bytes read back")


asyncio.run(main())
