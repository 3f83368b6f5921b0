"""Anthropic's own memory tool, answered from the memory of the context."""

import asyncio

from transom import Context, Message, Retrieval, SQLiteBackend, Store


async def main() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        ctx = Context(window=32_000, store=store, context_tool=Retrieval(native_memory=True))
        ctx.append(Message("user", "Remember that we deploy on Fridays."))
        payload = await ctx.compile("anthropic")
        print(payload.body["tools"][-1])

        # What the model answers: a block of type tool_use.
        block = {
            "type": "tool_use",
            "id": "toolu_1",
            "name": "memory",
            "input": {"command": "create", "path": "/memories/deploy.md", "file_text": "We deploy on Fridays.\n"},
        }
        print(await ctx.handle_tool(block))
        print((await ctx.memory.facts.get("deploy.md")).value.strip())


asyncio.run(main())
