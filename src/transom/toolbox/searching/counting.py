"""How many files a search leaves out, counted beside it: search processes leave them out without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..access.place import Place
from .query import Query

__all__ = ["left_out"]


def left_out(place: Place, query: Query, halt: Callable[[], None]) -> Iterator[str]:
    """A reason for each file or folder that a search does not look into: ``size`` or ``excluded``.

    Args:
        place: the folder that is searched.
        query: what for.
        halt: called for every name; what it raises ends the work.
    """
    for found in place.below(halt, query.excluded):
        entry = found.entry
        if entry.is_folder:
            if entry.name in query.excluded:
                yield "excluded"
        elif entry.is_file and query.globs.accept("/".join(found.segments)):
            try:
                if found.folder.status(entry.name).st_size > query.file_bytes:
                    yield "size"
            except OSError:
                continue
