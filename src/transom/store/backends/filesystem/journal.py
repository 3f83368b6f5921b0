"""The journal: what is still to be done to finish a write of several files.

Knows how it is spelled; carries out nothing. It was synced before it got its name, so one that does not read as it was written
was damaged afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....errors import JSONError
from ....jsontext import dumps, loads, typed

__all__ = ["Journal"]

Names = Sequence[str]


@dataclass(frozen=True, slots=True)
class Journal:
    """Files to move into place, then files to remove, each by its names below the root.

    Attributes:
        moves: whence and whither.
        gone: what is removed.
    """

    moves: Sequence[tuple[Names, Names]]
    gone: Sequence[Names]

    def spelled(self) -> bytes:
        """Its file's bytes."""
        return dumps({"moves": [[list(one), list(other)] for one, other in self.moves], "gone": [list(it) for it in self.gone]})

    @classmethod
    def read(cls, raw: bytes) -> Journal:
        """What ``spelled`` gave.

        Raises:
            JSONError: these bytes are no journal, or lead out of the root.
        """
        found = typed(loads(raw), cls)
        for names in (*(names for move in found.moves for names in move), *found.gone):
            if not names or any(name in {"", ".", ".."} or "/" in name or "\0" in name for name in names):
                raise JSONError("not the name of a file in a store")
        return found
