"""A local model writes the summaries; while its server is down, the window closes without it."""

import asyncio
import logging

from transom import Context, Message, chain, clear, digest, reset, summarize
from transom.testing.provider import Fault, ScriptedProvider, says
from transom.upstream import ChatModel

# Stands for LM Studio, Ollama, llama.cpp or vLLM: answers once, then fails.
SUMMARY = (
    "## Goal\nLook at all forty parts, in order, and say what is wrong with each.\n\n## State\nSo far every part was fine."
)
SERVER = ScriptedProvider([says(SUMMARY), *[Fault.refuses(500, "out of memory")] * 3], window=16_000, model="qwen3-4b")

logging.getLogger("transom").setLevel(logging.ERROR)  # a failure is a warning in the log too


async def main(url: str) -> None:
    model = ChatModel(url, "qwen3-4b")
    print(f"window of the summarizing model: {await model.learn_window()}")
    overflow = chain(clear(), summarize(model), digest(), reset())
    async with Context(window=8_000, overflow=overflow) as ctx:
        for part in range(1, 41):
            ctx.append(Message("user", f"Look at part {part} of 40."))
            payload = await ctx.compile("openai")
            if payload.meta.closed:
                print(f"part {part}: closed by {payload.meta.closed}")
            if payload.meta.failure:
                print(f"  {payload.meta.failure.replace(url, 'http://…')}")
            ctx.append(Message("assistant", f"Part {part} is fine. " + "This is what I saw in it. " * 60))


with SERVER as server:
    asyncio.run(main(server.url))
