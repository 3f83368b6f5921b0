"""Strategies chosen and combined, and one of our own: a head that lists what the user asked for."""

from dataclasses import dataclass

from transom import Context, chain, clear, digest, reset
from transom.engine.overflow.strategy import Item, Outcome, Span, Strategy

MODEL_FREE = chain(clear(keep_recent=5, exempt=["read_plan"]), digest(max_tokens=1_500), reset())


@dataclass(frozen=True)
class Questions:
    """Replaces the span by the user's requests, each cut at 80 characters."""

    name: str = "questions"
    fingerprint: str = "questions1(80)"  # change it whenever the text below changes

    async def apply(self, span: Span) -> Outcome:
        cut = span.cut
        leaving = span.leaving(cut)
        if not leaving:
            return Outcome()
        asked = [f"- {message.text[:80]}" for message in leaving if message.role == "user"]
        before = [span.previous_head] if span.previous_head else []
        text = "\n".join([*before, f"Asked in {span.lineage.current} (all of it: {span.archive_uri(cut)}):", *asked])
        return Outcome(
            cut=cut,
            items=(Item("head", text=text), *span.kept(cut)),
            span=span.messages(cut),
            evicted=leaving,
            strategy=self.name,
        )


def run(strategy: Strategy) -> str:
    """A session under the strategy; the text of its head."""
    ctx = Context(window=8_000, overflow=strategy)
    history = []
    for part in range(1, 21):
        history.append({"role": "user", "content": f"Look at part {part} of 20."})
        ctx.load(history, format="openai")
        payload = ctx.compile_sync("openai")
        if payload.meta.closed:
            print(f"part {part}: closed by {payload.meta.closed}")
        history.append({"role": "assistant", "content": f"Part {part} is fine. " + "This is what I saw in it. " * 60})
    ctx.close()
    return str(payload.body["messages"][0]["content"])


run(MODEL_FREE)
print(run(chain(Questions(), reset())))
