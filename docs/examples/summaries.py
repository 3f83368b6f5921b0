"""A model writes what stands for what leaves; here a scripted one, which is down for a while."""

import asyncio
import logging

from transom import Context, Message, anchored, chain, clear, digest, reset, summarize
from transom.engine.overflow.strategy import Strategy

logging.getLogger("transom").setLevel(logging.ERROR)  # the failure is printed below
questions: list[str] = []


async def cheap_model(messages: list[Message]) -> str:
    """Put your provider's SDK here: a system message and a user message in, the text of the answer out."""
    questions.append(messages[1].text)
    if len(questions) == 3:
        return '{"error": {"code": 429, "message": "rate limit reached"}}'
    return (
        "<analysis>The user goes through the parts one by one.</analysis>\n"
        "<summary>\n## Goal and requests\nLook at every part and report.\n"
        f"## Work done and state\nSeen so far, as of summary {len(questions)}: all fine.\n</summary>"
    )


WITH_A_MODEL = chain(clear(), summarize(model=cheap_model), digest(), reset())

FOR_INVOICES = chain(
    summarize(
        model=cheap_model,
        instructions="These are conversations about invoices. Amounts and invoice numbers matter more than anything else.",
        guidelines=["Give every amount with its currency.", "Name who approved what."],
        max_tokens=600,  # of the summary
        keep_turns=4,  # at the end stay word for word; by default as many as the low-water mark leaves room for
        window=16_000,  # what the model can hold, question and answer together
        timeout=30,  # seconds for all its requests of one closing
    ),
    digest(),
    reset(),
)

ONE_DOCUMENT = chain(anchored(model=cheap_model), digest(), reset())


async def session(strategy: Strategy) -> str:
    """Forty parts under the strategy; the head of the last payload."""
    ctx = Context(window=8_000, overflow=strategy)
    for part in range(1, 41):
        ctx.append(Message("user", f"Look at part {part} of 40."))
        payload = await ctx.compile("openai")
        if payload.meta.closed:
            print(f"part {part}: closed by {payload.meta.closed}")
        if payload.meta.failure:
            print(f"  {payload.meta.failure}")
        ctx.append(Message("assistant", f"Part {part} is fine. " + "This is what I saw in it. " * 60))
    return str(payload.body["messages"][0]["content"])


async def main() -> None:
    print(await session(WITH_A_MODEL))
    await session(FOR_INVOICES)
    await session(ONE_DOCUMENT)


asyncio.run(main())
