"""What a provider's prefix cache would keep: prefix reuse, prefix breaks and payloads over the window."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

from figures import Figure
from turns import STYLES, TARGETS, Account, conversations, generated, run_turns, source

from transom import Context

WINDOW = 32_000


def measure() -> Iterable[Figure]:
    """A generated session of 1,000 messages, then every recorded session in every calling style for every target."""
    talk = generated(1_000)
    for tokenizer in ("heuristic", "o200k"):
        for window in (128_000, 64_000, 32_000):
            account = Account()
            asyncio.run(run_turns(talk, Context(window=window, tokenizer=tokenizer), "openai", "appended", account))
            bound = 0.97 if window == 128_000 else None
            note = f"{account.turns} turns, {account.closings} closings, {account.prefix_breaks} breaks"
            yield Figure(f"prefix reuse, {window:,} window, {tokenizer}", account.reuse, "of 1", at_least=bound, note=note)
    talks = list(conversations())
    for style in STYLES:
        account, start = Account(), time.process_time()
        for target in TARGETS:
            for one in talks:
                asyncio.run(run_turns(one, Context(window=WINDOW), target, style, account))
        spent = time.process_time() - start
        note = f"{account.turns} turns of {source()}, four targets, {account.closings} closings, {spent:.0f} s"
        yield Figure(f"prefix breaks, {style}", account.prefix_breaks, "", at_most=0, note=note)
        note = f"{WINDOW:,} window; {account.refused} turns could not fit by themselves"
        yield Figure(f"over the window, {style}", account.over_window, "", at_most=0, note=note)
        yield Figure(f"other errors, {style}", len(account.errors), "", at_most=0, note="; ".join(account.errors[:2]))
