"""One import: every importer looks at the source, and what they find is taken in order.

Knows the importers by name and no format. Projects come first, so that what was remembered for one finds it registered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..engine.memory.origin import Origin
from ..engine.memory.projects import Project, Projects, unknown_project
from ..errors import InputError, NotFoundError
from ..store.store import Store
from .context_library import read_context_library
from .findings import Finding, Left
from .report import Report
from .source import Source
from .taking import Taking
from .toolbox import read_toolbox

__all__ = ["import_memory"]


async def import_memory(
    path: Path,
    store: Store | None,
    *,
    project: str = "",
    dry_run: bool = False,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Bring what an earlier system left at a path into a store. The source is read and never changed.

    Done again it adds nothing; stopped in the middle, it is done again. Memory is bounded by the largest single text.

    Args:
        path: a folder or one file of AI Toolbox or of the TypeScript context library.
        store: where to; may be ``None`` for a dry run, where there is none yet.
        project: id or name of the project that facts, entries and sessions are filed for, one that the import registers
            included; empty files them for everybody, entries of a registered project for that one.
        dry_run: only say what would be taken.
        clock: unix time in seconds.

    Raises:
        InputError: no such path, or nothing of an earlier system is there.
        NotFoundError: the project is not registered.
        StoreError: the store failed; what was taken so far is in it.
    """
    source = Source(path)
    report = Report()
    taking = Taking(store, report, dry_run=dry_run)
    names: list[Project] = []
    settled = not project
    for finding in _findings(source, clock()):
        if isinstance(finding, Left):
            report.leave(finding)
            continue
        if isinstance(finding.thing, Project):
            names.append(finding.thing)
        elif not settled:
            settled, taking.project = True, await _project(store, project, names)
        await taking.take(finding)
    await taking.finish()
    for folder, reason in source.refused.items():
        report.leave(Left(Origin("", folder or "."), reason))
    if not report.taken and not report.left:
        raise InputError(
            f"nothing of an earlier system is at {path}",
            hint="name the folder that holds .session_context, .context_memory or .context_vfs, or one file of these",
        )
    return report


def _findings(source: Source, now: float) -> Iterator[Finding]:
    for read in (read_toolbox, read_context_library):
        yield from read(source, now)


async def _project(store: Store | None, project: str, found: list[Project]) -> str:
    """The id of the project that is meant.

    Raises:
        NotFoundError: there is none, neither here nor among those that were found.
    """
    # In a dry run those that were found are not registered.
    planned = any(each.name == project for each in found)
    if store is None:
        if not planned:
            raise unknown_project(project, [])
        return ""
    try:
        return (await Projects(store).get(project)).id
    except NotFoundError:
        if not planned:
            raise
        return ""
