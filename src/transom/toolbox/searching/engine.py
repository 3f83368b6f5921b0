"""One search: a process that finds, a reader that looks whether it is so, a count of what was left out; all within one time.

ripgrep searches where it is there and understands the pattern, a process of our own otherwise. Both run in the folder itself,
given by descriptor where the system can do that, so that a link put in its place leads nowhere.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...jsontext import dumps
from ..access.place import Place
from ..access.walk import Spot
from ..access.walls import gather
from ..sandbox import Ended, Limits, Sandbox, child_environment
from ..tool import Refused, ToolContext
from . import ripgrep
from .counting import left_out
from .query import Found, Hit, Query
from .reading import hits
from .records import Records
from .running import run

__all__ = ["search"]

_WORKER = Path(__file__).parent / "worker.py"
_DESCRIPTORS = Path("/proc/self/fd")
_RESERVE = 0.3
"""Seconds kept back from the process for reading what it found."""
_ENDING = 0.05
_COUNTING = 0.5
"""Seconds that counting may take."""
_COUNTING_MORE = 0.1
"""The same where there are more hits than anybody asked for, so that little depends on what was left out."""
_MEMORY = 1 << 30

Engine = Literal["ripgrep", "python"]


@dataclass(frozen=True, kw_only=True)
class _Search:
    """A search on its way.

    Attributes:
        context: on whose behalf.
        query: what for.
        folder: where the process starts.
        file: the one file in that folder, by name; ``None`` for all of it.
        end: when the time is up.
    """

    context: ToolContext
    query: Query
    folder: Path
    file: str | None
    end: float

    @property
    def left(self) -> float:
        return self.end - time.monotonic()


def search(context: ToolContext, place: Place, query: Query, *, engine: Engine | None = None) -> Found:
    """Search a file, or all files below a folder. To be called from a plain tool.

    Args:
        context: on whose behalf; cancelling it ends the search.
        place: where.
        query: what for. Its pattern is one that ``safety.regexes`` allows, or literal.
        engine: what searches; by default ripgrep where it can.

    Raises:
        Refused: as ``Place.open``; ``runtime_error``: the search broke.
    """
    end = time.monotonic() + query.seconds
    if not place.is_dir():
        with place.open():  # says of everything else why not
            pass
    with place.there() as spot, _started(spot) as (folder, file):
        one = _Search(context=context, query=query, folder=folder, file=file, end=end)
        records, ended, used = _found(one, engine)
    skipped: Counter[str] = Counter()
    # ripgrep begins so what it says of a file, our own process writes a list.
    skipped["unreadable"] += sum(line.startswith(("rg: ", "[")) for line in ended.stderr.text().splitlines())
    where = (lambda _: place) if file is not None else _below(place)
    read = gather(
        lambda halt: hits(where, records.hits, query, skipped, halt),
        seconds=max(one.left - _ENDING, 0.05),
        go_on=context.check,
    )
    counted = _counted(one, place, skipped, _COUNTING_MORE if records.capped else _COUNTING)
    if file is not None and place.stat().st_size > query.file_bytes:
        skipped["size"] = 1
    kept: list[Hit] = read.items
    fuller = {os.fsdecode(path).removeprefix("." + os.sep).replace(os.sep, "/") for path in records.fuller}
    return Found(
        hits=kept,
        complete=read.complete and ended.killed in {None, "enough"},
        capped=records.capped,
        # Only of files that were read anew: all else is what a process says.
        fuller=frozenset(fuller.intersection(hit.path for hit in kept)),
        searched=records.searched,
        skipped={name: number for name, number in sorted(skipped.items()) if number},
        counted=counted,
        engine=used,
    )


def _below(folder: Place) -> Callable[[Sequence[str]], Place]:
    def where(segments: Sequence[str]) -> Place:
        place = folder
        for name in segments:
            place = place.child(name)
        return place

    return where


@contextlib.contextmanager
def _started(spot: Spot) -> Iterator[tuple[Path, str | None]]:
    """The folder that a process starts in, and the name of the only file it looks at."""
    inside = spot.is_kind(stat.S_IFDIR)
    folder, file = (spot.entered(), None) if inside else (spot.folder, spot.name)
    by_descriptor = folder.descriptor is not None and _DESCRIPTORS.is_dir()
    yield _DESCRIPTORS / str(folder.descriptor) if by_descriptor else Path(folder.path), file


def _found(one: _Search, engine: Engine | None) -> tuple[Records, Ended, Engine]:
    environment = _environment(one.context)
    rg = ripgrep.program(environment) if engine != "python" else None
    asked = ripgrep.arguments(rg, one.query, one.file) if rg is not None else None
    if asked is not None:
        records = _records(one.query)
        with contextlib.suppress(OSError):
            ended = _run(one, asked, environment, records)
            # Whatever it cannot do, Python can: a pattern it does not know, a build that does not start here.
            if ended.killed or ended.exit_code in {0, 1} or records.hits or records.searched is not None:
                return records, ended, "ripgrep"
    records = _records(one.query)
    try:
        ended = _run(one, [sys.executable, "-I", "-S", "-W", "ignore", str(_WORKER)], environment, records, _order(one))
    except OSError as error:
        raise Refused("runtime_error", one.context.words.seeking.broke) from error
    if ended.exit_code and not ended.killed:
        raise Refused("runtime_error", one.context.words.seeking.broke)
    return records, ended, "python"


def _records(query: Query) -> Records:
    return Records(query.most, query.per_file)


def _environment(context: ToolContext) -> dict[str, str]:
    try:
        return context.use(Sandbox).environment
    except Refused:
        return child_environment({})


def _order(one: _Search) -> bytes:
    query = one.query
    return dumps(
        {
            "pattern": query.pattern,
            "literal": query.literal,
            "ignore_case": query.ignore_case,
            "inside": query.globs.inside,
            "outside": query.globs.outside,
            "excluded": sorted(query.excluded),
            "depth": query.depth,
            "file_bytes": query.file_bytes,
            "per_file": query.per_file + 1,
            "line_bytes": ripgrep.LINE_BYTES,
            "file": one.file,
        }
    )


def _run(
    one: _Search, argv: Sequence[str], environment: Mapping[str, str], records: Records, stdin: bytes | None = None
) -> Ended:
    limits = Limits(seconds=max(one.left - _RESERVE, 0.1), memory=_MEMORY, processes=64, output=1 << 16)
    return run(one.context, argv, cwd=one.folder, environment=environment, limits=limits, stdin=stdin, take=records.take)


def _counted(one: _Search, place: Place, skipped: Counter[str], seconds: float) -> bool:
    if one.file is not None:
        return True
    seconds = min(seconds, one.left)
    if seconds <= 0:
        return False
    reasons = gather(lambda halt: left_out(place, one.query, halt), seconds=seconds, go_on=one.context.check)
    skipped.update(reasons.items)
    return reasons.complete
