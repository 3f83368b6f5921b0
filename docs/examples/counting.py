"""Counts with a real vocabulary, learns from what the provider reports, or counts with a function of one's own."""

from transom import Context, Message
from transom.tokens import Custom, Heuristic, bpe

CODE = "def close(self) -> None:\n    self._portal.run(self.aclose())\n" * 20
print("heuristic", Heuristic().count(CODE), "o200k", bpe("o200k").count(CODE))

ctx = Context(window=32_000, tokenizer="o200k")
for turn in range(1, 6):
    ctx.append(Message("user", f"{turn}: {CODE}"))
    payload = ctx.compile_sync("anthropic")
    usage = payload.meta.tokens_after * 118 // 100  # stands for what the provider's answer reports
    ctx.report_usage(usage)
    ctx.append(Message("assistant", "Seen."))
learned = ctx.calibration
print(f"{learned.ratio:.2f} of theirs for one of ours, error {learned.error:.1%}, {len(learned)} reports")
ctx.close()

words = Custom(lambda text: len(text.split()) * 4 // 3, name="words")
ctx = Context(window=32_000, tokenizer=words)
ctx.close()
