"""Many files changed as one: all of them or none, also for whoever comes after a kill.

Knows places and the journal. Every step walks to its file anew, so that a thousand files need no thousand descriptors; a file
that a step finds elsewhere than it was written down (a folder was swapped) counts as changed by somebody else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .atomic import Stale, check, discard, land, put, stage
from .intents import Intents, Named, Planned, digest_of, temporary_name
from .place import Place
from .walk import Spot

__all__ = ["Change", "Together"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What becomes of one file in a change of many.

    Attributes:
        place: the file. The folder it is in must exist.
        data: its new bytes; ``None`` when it is to be removed.
        expected: the bytes that must be there still; ``None`` for no file.
        mode: permission bits of a file that is not there yet; what the system gives by default where there are none.
    """

    place: Place
    data: bytes | None
    expected: bytes | None
    mode: int | None = None


class Together:
    """Makes changes as one.

    Args:
        changes: one a file.
        intents: where they are written down first, if anywhere.
    """

    def __init__(self, changes: Sequence[Change], intents: Intents | None) -> None:
        self._changes = changes
        self._intents = intents
        self._plan: list[Planned] = []

    def apply(self) -> None:
        """Make them; see ``Workspace.apply``."""
        for change in self._changes:
            with change.place.to_change(removing=change.data is None) as spot:
                self._plan.append(
                    Planned(
                        target=Named.of(spot, spot.name),
                        temporary=temporary_name() if change.data is not None else "",
                        before=digest_of(change.expected),
                        after=digest_of(change.data),
                    )
                )
        number = self._intents.begin_plan(self._plan) if self._intents is not None else 0
        try:
            self._carry_out(number)
        finally:
            if self._intents is not None:
                self._intents.end(number)

    def _carry_out(self, number: int) -> None:
        landed = 0
        try:
            for change, planned in zip(self._changes, self._plan, strict=True):
                with _at(change, planned) as spot:
                    check(spot.folder, spot.name, change.expected)
                    if change.data is not None:
                        stage(spot, planned.temporary, change.data, change.mode)
            if self._intents is not None:
                self._intents.decide(number)
            for change, planned in zip(self._changes, self._plan, strict=True):
                with _at(change, planned) as spot:
                    if change.data is not None:
                        land(spot, planned.temporary, change.expected)
                    else:
                        check(spot.folder, spot.name, change.expected)
                        spot.folder.unlink(spot.name)
                landed += 1
        except BaseException:
            self._take_back(landed)
            raise
        self._sync()

    def _take_back(self, landed: int) -> None:
        """Put back the files that were changed, and take the temporary names away."""
        for number, (change, planned) in reversed(list(enumerate(zip(self._changes, self._plan, strict=True)))):
            # What somebody else has written there by now, or moved away, is not ours to change.
            with contextlib.suppress(Exception), _at(change, planned) as spot:
                if number < landed:
                    _undo(change, spot, self._intents)
                elif planned.temporary:
                    discard(spot, planned.temporary)

    def _sync(self) -> None:
        synced = set()
        for change, planned in zip(self._changes, self._plan, strict=True):
            folder = (planned.target.root, planned.target.folder)
            if folder not in synced:
                synced.add(folder)
                with _at(change, planned) as spot:
                    spot.folder.sync()


@contextlib.contextmanager
def _at(change: Change, planned: Planned) -> Iterator[Spot]:
    """The spot of a file, if it is still where it was written down."""
    place = change.place
    with place.written() as spot:
        try:
            if Named.of(spot, spot.name) != planned.target or spot.beyond:
                raise Stale
            yield spot
        except Stale:
            raise place.stale() from None


def _undo(change: Change, spot: Spot, intents: Intents | None) -> None:
    if change.expected is None:
        check(spot.folder, spot.name, change.data)
        spot.folder.unlink(spot.name)
    else:
        put(spot, change.expected, change.data, intents)
