"""A session saved as JSON, gone on with over another store, and branched."""

import asyncio

from transom import Context, Message, Snapshot, SQLiteBackend, Store


def new_context(store: Store) -> Context:
    return Context(window=4_000, store=store)


ctx = new_context(Store(SQLiteBackend("monday.db")))
for number in range(1, 31):
    ctx.append(Message("user", f"Question {number}?"), Message("assistant", f"Answer {number}. " + "What I saw. " * 40))
    monday = ctx.compile_sync("openai")

with open("session.json", "wb") as file:
    file.write(ctx.snapshot().to_json())

# Another process, another day, another store:
tuesday = new_context(Store(SQLiteBackend("tuesday.db")))
with open("session.json", "rb") as saved:
    tuesday.restore(Snapshot.from_json(saved.read()))
payload = tuesday.compile_sync("openai")
print("the same bytes:", payload.json() == monday.json(), "in window", payload.meta.window_id)

# What the window cites went along:
archive = payload.meta.archives[-1]
store = Store(SQLiteBackend("tuesday.db", create=False))


async def lines_in(uri: str) -> int:
    async with store:
        return len((await store.get(uri)).splitlines())


print("archived messages:", asyncio.run(lines_in(archive)))

tuesday.close()

# Two ways on from the same point:
branch = ctx.branch()
ctx.append(Message("user", "Go left."))
branch.append(Message("user", "Go right."))
difference = ctx.snapshot().diff(branch.snapshot())
print(f"{difference.common} messages in common, then {difference.removed[0].text!r} and {difference.added[0].text!r}")
branch.close()
ctx.close()
