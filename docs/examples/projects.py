"""Two projects over one store: sessions saved, restored in a dossier, kept apart; the memory of a running context switched."""

import asyncio

from transom import Context, Message, SQLiteBackend, Store, TransomError
from transom.engine.memory.managing import manage_projects
from transom.engine.memory.projects import Projects
from transom.engine.memory.switching import open_memory, switch_context
from transom.tokens import Heuristic


async def monday() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        projects = Projects(store)
        await projects.register("Harbour", root="/srv/harbour", description="berths and cranes")
        await manage_projects(projects, "register", name="Lighthouse")

        scope = await open_memory(store, "harbour")
        await scope.memory.facts.set("depth", "12 m at low tide", importance=0.9)
        await scope.memory.remember("The old quay is closed until May.", title="Old quay")
        await scope.sessions.save(
            "Dredged the outer basin. The survey of the inner one is half done.",
            title="Dredging",
            tags=["survey"],
            decisions=["the inner basin waits for the spring tide"],
            next_steps=["[x] tell the pilots", "finish the survey"],
            files=["survey/inner.csv"],
        )


async def tuesday() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        scope = await open_memory(store, "Harbour")
        dossier = await scope.restore(max_tokens=600, count=Heuristic().count)
        print(dossier.text)
        for info in await scope.sessions.list():
            print(f"{info.title}: {info.open_steps} step to do")
        for found in await scope.sessions.search("spring tide"):
            print("found in", found.session.title)

        other = await switch_context(scope, "lighthouse")
        print(len(await other.sessions.list()), "sessions of the lighthouse")
        try:
            await switch_context(other, "harbor")
        except TransomError as refused:
            print(refused)


async def in_a_context() -> None:
    store = Store(SQLiteBackend("agent.db"))
    async with Context(window=8_000, store=store, memory=True) as ctx:
        await open_memory(store, "harbour", memory=ctx.memory)
        ctx.append(Message("user", "How deep is the basin?"))
        payload = await ctx.compile("openai")
        print(payload.body["messages"][0]["content"])


async def remove() -> None:
    async with Store(SQLiteBackend("agent.db")) as store:
        removal = await Projects(store).remove("harbour")
        for kept in removal.memory:
            print(f"{kept.entries} at {kept.uri}")


if __name__ == "__main__":
    for part in (monday, tuesday, in_a_context, remove):
        asyncio.run(part())
