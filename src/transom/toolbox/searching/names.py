"""Files by their names: every name below a folder, as far as time and a bound on their number allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..access.folder import Entry
from ..access.place import Place
from ..access.walls import gather

__all__ = ["Kind", "Named", "Names", "names_below"]

Kind = Literal["file", "folder", "any"]


@dataclass(frozen=True, slots=True)
class Named:
    """One name.

    Attributes:
        segments: its path from where the search began.
        entry: what it is, without its status.
    """

    segments: tuple[str, ...]
    entry: Entry

    @property
    def path(self) -> str:
        """Its path, with ``/``."""
        return "/".join(self.segments)


@dataclass(frozen=True, slots=True)
class Names:
    """What was found.

    Attributes:
        all: sorted by path.
        complete: the time was not up.
        capped: there are more than were asked for.
    """

    all: list[Named]
    complete: bool
    capped: bool


def names_below(
    place: Place,
    accept: Callable[[Named], bool],
    *,
    kind: Kind = "file",
    excluded: frozenset[str] = frozenset(),
    hidden: bool = True,
    most: int = 10_000,
    seconds: float = 3.0,
    go_on: Callable[[], None] = lambda: None,
) -> Names:
    """Names in a folder at every depth; links are not followed.

    Args:
        place: the folder.
        accept: which of them.
        kind: files (with links to them), folders or both.
        excluded: names of folders that are not looked into.
        hidden: with those whose name begins with a dot, and what is in such folders.
        most: how many.
        seconds: how long.
        go_on: asked while waiting; what it raises ends the work.

    Raises:
        Refused: as ``Place.below``.
    """

    def find(halt: Callable[[], None]) -> Iterator[Named]:
        for number, found in enumerate(_accepted(halt)):
            yield found
            if number >= most:
                return

    def _accepted(halt: Callable[[], None]) -> Iterator[Named]:
        for found in place.below(halt, excluded):
            if not hidden and any(name.startswith(".") for name in found.segments):
                continue
            if kind != "any" and (kind == "folder") != found.entry.is_folder:
                continue
            named = Named(found.segments, found.entry)
            if accept(named):
                yield named

    gathered = gather(find, seconds=seconds, go_on=go_on)
    capped = len(gathered.items) > most
    return Names(sorted(gathered.items[:most], key=lambda named: named.segments), gathered.complete, capped)
