"""Imports memory of an earlier system from a program, and says what became of it."""

import asyncio
import base64
import json
from pathlib import Path

from transom import SQLiteBackend, Store
from transom.engine.memory.facts import Facts
from transom.importers import import_memory


async def main() -> None:
    memory = Path("app") / ".context_memory"
    memory.mkdir(parents=True, exist_ok=True)
    name = base64.urlsafe_b64encode(b"style/quotes").decode().rstrip("=")
    entry = {"value": "double", "createdAt": 1_758_600_000_000, "updatedAt": 1_758_600_000_000, "updateCount": 1}
    (memory / f"{name}.mem").write_text(json.dumps(entry), encoding="utf-8")

    async with Store(SQLiteBackend("agent.db")) as store:
        report = await import_memory(Path("app"), store)
        for taken in report.taken:
            print(f"{taken.kind} {taken.origin.id}: {taken.uri}{'' if taken.fresh else ' (was here already)'}")
        for left in report.left:
            print(f"left {left.origin.file}: {left.reason}")

        fact = await Facts(store).get("style/quotes")
        assert fact is not None
        print(fact.value, fact.origin)


asyncio.run(main())
