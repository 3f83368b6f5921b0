"""Tool search: tasks in plain words over 120 tools, how often the right tool is among the first, and what a search costs.

The 100 marked tasks were written before the ranker; its weights were chosen with them, and none with the 30 held-out ones.
Everyday words that moved a tool in the answers to either set were left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from figures import HERE, Figure, median_ms

from transom.engine.selection.ranking import ToolIndex
from transom.testing.toolset import tools

TASKS = HERE.parent / "tests" / "fixtures" / "tool_search"
LIMITS = (1, 3, 5)


def measure() -> Iterator[Figure]:
    """Shares found among the first 1, 3 and 5, and times."""
    given = tools()
    index = ToolIndex(given)
    for name, least in (("marked", 0.95), ("held_out", 0.9)):
        rows = [line.split("\t") for line in (TASKS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]
        found = [[hit.tool.name for hit in index.search(task, max(LIMITS))] for task, _ in rows]
        for limit in LIMITS:
            yield Figure(
                f"right tool among the first {limit}, {name.replace('_', ' ')}",
                _share(found, [tool for _, tool in rows], limit),
                "",
                at_least=least if limit == max(LIMITS) else None,
                note=f"{len(rows)} tasks, {len(given)} tools",
            )
    yield Figure("index of 120 tools", median_ms(lambda: ToolIndex(given), repeat=5), "ms")
    yield Figure("one search", median_ms(lambda: index.search("find all files that changed this week"), repeat=20), "ms")


def _share(found: Sequence[Sequence[str]], wanted: Sequence[str], limit: int) -> float:
    return sum(tool in names[:limit] for names, tool in zip(found, wanted, strict=True)) / len(wanted)
