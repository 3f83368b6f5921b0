"""Decision records: which addresses a conversation cites outside its closed windows.

Pure. A pruned result or a message that repair took out stands in no window record. What the store keeps for it must not be
collected as long as the conversation may be sent again, so the address is filed under the conversation's first link.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...jsontext import dumps
from ...store.backend import Write

__all__ = ["decision_writes"]


def decision_writes(root: bytes, decisions: Iterable[tuple[str, str]]) -> list[Write]:
    """The records of some decisions.

    Args:
        root: the conversation's first prefix digest.
        decisions: (what was done: ``prune`` or a kind of repair, the address of the original).
    """
    return [
        Write(
            "decisions",
            f"{root.hex()[:32]}/{uri.rpartition('/')[2]}",
            dumps({"kind": kind, "uri": uri}),
            if_absent=True,
        )
        for kind, uri in decisions
    ]
