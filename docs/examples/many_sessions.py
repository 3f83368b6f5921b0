"""A server's sessions: one context a key, few open at a time, each saved before it is given up."""

import asyncio

from transom import Context, ContextPool, Message, Snapshot, SQLiteBackend, Store
from transom.errors import InputError

store = Store(SQLiteBackend("sessions.db"))
saved: dict[str, bytes] = {}  # yours: a table, a file a session


def make(key: str) -> Context:
    ctx = Context(window=16_000, store=store, session=key)
    if key in saved:
        ctx.restore(Snapshot.from_json(saved[key]))
    return ctx


def save(key: str, ctx: Context) -> None:
    saved[key] = ctx.snapshot().to_json()


async def main() -> None:
    pool = ContextPool(make, most_open=2, on_dropped=save)
    for key in ("ada", "bob", "cleo", "ada"):
        async with pool.using(key) as ctx:
            ctx.append(Message("user", f"A question of {key}'s"), Message("assistant", "An answer."))
            payload = await ctx.compile("openai")
        print(f"{key}: {len(ctx.messages)} messages settled, {payload.meta.tokens_after} tokens; open: {', '.join(pool)}")
    try:
        await pool.get("../etc")
    except InputError as error:
        print("refused:", error.message)
    await pool.aclose()


asyncio.run(main())
