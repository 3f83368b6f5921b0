"""The tools for memory over a conversation of one's own: what a model calls works on its windows and its memory."""

import asyncio

from transom import Context, Message, Store
from transom.store.backends.memory import MemoryBackend
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.memory import FAMILY as MEMORY
from transom.toolbox.families.memory import Conversation, memory_services


async def main() -> None:
    store = Store(MemoryBackend())
    ctx = Context(window=32_000, store=store, context_tool=True, memory=True)
    caller = Caller(session="s1", services={Conversation: Conversation(ctx)})
    toolbox = Toolbox([MEMORY], services={Store: store, **memory_services(store)})
    ctx.append(Message("user", "Port the lexer, then the tests."))
    arguments = {"command": "create", "path": "memory/style/quotes", "file_text": "double"}
    print((await toolbox.call("context", arguments, caller)).text)
    print([fact.key for fact in await ctx.memory.facts.list()])
    print((await toolbox.call("context_stats", {}, caller)).text)
    print((await toolbox.call("new_context", {}, caller)).text)


if __name__ == "__main__":
    asyncio.run(main())
