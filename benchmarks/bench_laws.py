"""Ten thousand random sessions with everything switched on: what was lost, split, forgotten or broken."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterable

from figures import HERE, Figure

sys.path.insert(0, str(HERE.parent))
from tests.properties.agent_laws import LAWS, PAIRS, STRATEGIES, TARGETS, Account, session

SESSIONS = 10_000
SEED = 2026


def measure() -> Iterable[Figure]:
    """Counts over all sessions."""
    logging.getLogger("transom").setLevel(logging.CRITICAL)  # summaries that fail are part of it
    account = Account()
    asyncio.run(_sessions(account))
    seen = account.seen
    note = f"{len(STRATEGIES)} strategies, {len(TARGETS)} targets; {seen['refused']} compiles refused: too much had to stay"
    yield Figure("random sessions", seen["histories"], "", note=note)
    yield Figure("payloads compiled", seen["compiles"], "", note=f"{seen['windows closed']:,} windows closed")
    looked_for = {
        "pinned turns lost": f"of {seen['pinned messages looked for']:,} looked for",
        "pairs split": f"of {seen['pairs looked at']:,}",
        "facts written and not shown": f"of {seen['facts looked for']:,} looked for in payloads",
        "facts written and not recalled": f"of {seen['facts recalled']:,} recalled, half of them by a second context",
        "texts lost": f"of {seen['messages looked for']:,} messages",
        "prefixes broken": f"of {seen['prefixes compared']:,} compared",
    }
    for law in LAWS:
        said = next((line for line in account.said if line.startswith(law)), "")
        yield Figure(law, account.wrong[law], "", at_most=0, note=said or looked_for.get(law, ""))


async def _sessions(account: Account) -> None:
    for at in range(SESSIONS):
        await session(SEED + at, *PAIRS[at % len(PAIRS)], account)
