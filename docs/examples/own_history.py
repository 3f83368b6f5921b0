"""An agent that keeps its own history, and folds it when it grows too long."""

import asyncio

from transom import MemoryBackend, Message, Store, compact_history, plan_compaction, summarize_history

history = [Message("system", "You are a careful engineer.")]
for part in range(1, 41):
    history.append(Message("user", f"Look at part {part} of 40."))
    history.append(Message("assistant", f"Part {part} is fine. " + "This is what I saw in it. " * 60))


async def cheap_model(messages: list[Message]) -> str:
    """A scripted model: put your provider's SDK here."""
    assert [message.role for message in messages] == ["system", "user"]
    return "<summary>\n## Goal and requests\nLook at every part and report.\n## Next steps\nThe next part.\n</summary>"


async def main() -> None:
    store = Store(MemoryBackend())
    plan = plan_compaction(history, window=8_000)  # asks nobody; None while there is room
    assert plan is not None
    print(f"{len(plan.folds)} of {len(history)} messages would fold: {plan.tokens:,} tokens become {plan.tokens_after:,}")

    result = await compact_history(history, plan, model=cheap_model, store=store)
    print(f"{len(result.messages)} messages left, changed: {result.changed}")
    print(result.summary)
    print(f"{len(result.folded)} messages are kept at {result.archive}")

    meanwhile = [*history, Message("user", "One more thing.")]  # what came while the model was at work
    print(f"{len(result.apply_to(meanwhile))} messages with what came meanwhile")

    print(await summarize_history(history[:9], model=cheap_model))


asyncio.run(main())
