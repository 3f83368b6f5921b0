"""Two processes compile one conversation over one store; a third has a scope of its own."""

import asyncio
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from transom import Context, SQLiteBackend, Store


async def session(scope: str) -> bytes:
    async with Store(SQLiteBackend("team.db"), scope=scope) as store:
        ctx = Context(window=8_000, store=store)
        history = []
        for part in range(1, 12):
            history.append({"role": "user", "content": f"Look at part {part}."})
            ctx.load(history, format="openai")
            payload = await ctx.compile("anthropic")
            history.append({"role": "assistant", "content": "This is what I saw in it. " * 60})
        return payload.json()


def in_a_process(scope: str) -> bytes:
    return asyncio.run(session(scope))


async def look() -> None:
    async with Store(SQLiteBackend("team.db")) as store:
        for scope in ("", "anna", "bert"):
            own = store.scoped(scope)
            print(f"{scope or 'nobody in particular'}: {len(await own.list('archive'))} archives")


if __name__ == "__main__":
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        first, second, anna = pool.map(in_a_process, ["", "", "anna"])
    print("the same bytes" if first == second == anna else "different bytes")
    asyncio.run(look())
    sys.exit(first != second)
