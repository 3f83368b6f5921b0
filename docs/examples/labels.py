"""How sure a text is goes along with it, from where it was written down to what the model reads."""

import asyncio

from transom import Context, Labels, Message


async def main() -> None:
    async with Context(window=8_000, memory=True, context_tool=True) as ctx:
        await ctx.memory.facts.set("deploy/day", "Tuesday")
        await ctx.memory.facts.set("deploy/reason", "fewer orders come in", confidence="inferred")
        await ctx.memory.remember("The new printer may be called zephyr.", confidence="ambiguous")
        ctx.append(Message("user", "When do we deploy?"))
        payload = await ctx.compile("openai")
        print(payload.body["messages"][0]["content"])  # type: ignore[index]
        print(await ctx.handle_tool(("context", {"command": "search", "query": "printer"})))

        quiet = Context(window=8_000, memory=True, store=ctx.store, labels=Labels(show="doubtful"))
        quiet.append(Message("user", "When do we deploy?"))
        print((await quiet.compile("openai")).body["messages"][0]["content"])  # type: ignore[index]


asyncio.run(main())
