"""The tutorial's loop: a session that does not fit, and the answer that left the window found again."""

import asyncio

from transom import Context, SQLiteBackend, Store


def model(body: dict[str, object]) -> str:
    """Stands for your provider: client.chat.completions.create(model=…, **body)."""
    assert body["messages"]
    return "I read it and found nothing odd. " + "Here is what it says. " * 80


async def main() -> None:
    async with Store(SQLiteBackend("first.db")) as store:
        ctx = Context(window=8_000, store=store)
        history = [{"role": "system", "content": "You read reports."}]
        for week in range(1, 31):
            question = f"Read the report of week {week}. The invoice is number {7000 + week}."
            history.append({"role": "user", "content": question})
            ctx.load(history, format="openai")
            payload = await ctx.compile("openai")
            history.append({"role": "assistant", "content": model(payload.body)})
            if payload.meta.closed:
                print(f"week {week}: {payload.meta.tokens_before:,} tokens became {payload.meta.tokens_after:,}")

        print("in the payload:", "number 7002" in payload.json().decode())
        hits = await store.search("which invoice was week 2?", namespaces=["archive"])
        print("in the store:", hits[0].snippet)


asyncio.run(main())
