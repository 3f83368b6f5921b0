"""Asks a long conversation who said what, and when: the turn that answers says none of the words of the question."""

import asyncio
import json

from transom import SQLiteBackend, Store
from transom.store.archive import archive_texts
from transom.store.showing import passages
from transom.tokens import Heuristic


async def main() -> None:
    turns = [
        ("user", None, "[Session of 4 March 2023]"),
        ("user", "Ben", "How was the pottery evening?"),
        ("user", "Ann", "The bowl came out of the kiln in one piece, I was thrilled."),
        ("user", "Ben", "No way! My jug broke in two."),
        ("user", None, "[Session of 9 May 2023]"),
        ("user", "Ben", "And pottery, still your favourite hour?"),
        ("user", "Ann", "A teapot this time, all in blue."),
        ("user", "Ben", "I want one."),
    ]
    messages = [{"role": role, "content": text} | ({"name": name} if name else {}) for role, name, text in turns]
    archive = "".join(json.dumps(message) + "\n" for message in messages).encode()

    async with Store(SQLiteBackend("talk.db")) as store:
        await store.put("archive", archive, path="talk", text=archive_texts(archive))
        for question in ("What did Ann make at pottery in May?", "What did Ann make at pottery in March?"):
            hits = await store.search(question, namespaces=["archive"])
            print(question, "->", messages[hits[0].line - 1]["content"])

        question = "What broke at Ben's pottery?"
        hits = await store.search(question)
        print(await passages(store, question, hits, budget=200, count=Heuristic().count))


asyncio.run(main())
