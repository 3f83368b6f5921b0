"""Stores a text, finds it again by its words, reads it back, and checks the store."""

import asyncio

from transom import SQLiteBackend, Store


async def main() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        uri = await store.put("notes", "The staging database listens on port 5433.\n", path="staging/database")
        for hit in await store.search("which port does staging use?"):
            print(hit.uri, "|", hit.snippet)
        print((await store.get(uri)).decode(), end="")
        report = await store.verify()
        print("all is well" if report.ok else report.missing)


asyncio.run(main())
