"""Remembers across sessions: facts in the prompt, entries to recall, rules about both."""

import asyncio

from transom import Context, Message, SQLiteBackend, Store
from transom.engine.memory.hooks import Change, MemorySettings


def veto(change: Change) -> str | None:
    if change.new is not None and "password" in change.new.value.lower():
        return "no secrets in memory"
    return None


rules = MemorySettings(
    allowed_keys=["style/", "deploy/*"],
    before_change=veto,
    on_changed=lambda change: print(change.kind, change.key),
)


async def first_session() -> None:
    async with Context(window=8_000, store=Store(SQLiteBackend("agent.db")), memory=rules) as ctx:
        ctx.append(Message("user", "Use double quotes. We deploy on Fridays only until the freeze is over."))
        await ctx.memory.facts.set("style/quotes", "double", description="quotes in Python", importance=0.9)
        await ctx.memory.facts.set("deploy/day", "Friday", ttl=14 * 86_400)
        await ctx.memory.facts.set("style/tone", "terse", ttl_turns=20, turn=1)
        await ctx.memory.remember("CI runs the slow tests at night only.", title="Slow tests", tags=["ci"])


async def second_session() -> None:
    async with Context(window=8_000, store=Store(SQLiteBackend("agent.db")), memory=rules) as ctx:
        ctx.append(Message("user", "Write the release notes."))
        payload = await ctx.compile("openai")
        print(payload.body["messages"][0]["content"])

        recalled = await ctx.memory.recall()
        print(recalled.summary)
        found = await ctx.memory.search_context("when do the slow tests run")
        print(found.hits[0].record.title)
        await ctx.memory.forget(found.hits[0].id)
        await ctx.memory.forget("style/tone")


asyncio.run(first_session())
asyncio.run(second_session())
