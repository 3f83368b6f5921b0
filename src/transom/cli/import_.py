"""``transom import``: memory that an earlier system left, brought into the store.

Knows the import by its one verb; decides nothing about what is taken.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..engine.memory.projects import Projects
from ..errors import NotFoundError, UsageError
from ..importers import Report, import_memory
from ..runtime import open_store
from ..settings import load
from ..store.store import Store
from . import output
from .options import JSON, Scope, StorePath

__all__ = ["import_"]

For = Annotated[str, Parameter(name="--project", help="The project to file it for, by id or name; everybody if left out.")]
DryRun = Annotated[bool, Parameter(name="--dry-run", negative="", show_default=False, help="Only say what would be taken.")]


def import_(
    path: Path,
    /,
    *,
    project: For = "",
    dry_run: DryRun = False,
    store: StorePath = None,
    scope: Scope = None,
    json: JSON = False,
) -> int:
    """Bring memory along that an earlier system left.

    Read are AI Toolbox (.session_context, .ai_toolbox/compaction) and the directories of the TypeScript context library
    (.context_memory, .context_vfs, or memory, vfs, notes and archive in one folder). The source is never changed, and what is
    there already stays as it is: to import again adds nothing. Exits with 1 if anything could not be read.

    Parameters
    ----------
    path:
        The folder that the system worked in, or one file of its.
    """
    settings = load({"store": store, "scope": scope}).settings
    if settings.store is None and not dry_run:
        raise UsageError("no store named", hint="--store PATH, or: transom config set store PATH")
    is_new = settings.store is not None and not Path(settings.store).exists()
    where = settings.store if settings.store is not None and not (dry_run and is_new) else None

    async def bring() -> Report:
        if where is None:
            return await _imported(path, None, project, dry_run=dry_run)
        if is_new:
            # What cannot be imported leaves no store behind.
            await _imported(path, None, project, dry_run=True)
        async with open_store(str(where), scope=settings.scope, create=not dry_run) as opened:
            return await _imported(path, opened, project, dry_run=dry_run)

    report = asyncio.run(bring())
    if json:
        output.json_line(_account(report, dry_run))
    else:
        _tell(report, dry_run)
    return 1 if report.faults else 0


async def _imported(path: Path, store: Store | None, project: str, *, dry_run: bool) -> Report:
    try:
        return await import_memory(path, store, project=project, dry_run=dry_run)
    except NotFoundError as error:
        known = ", ".join(each.id for each in await Projects(store).list()) if store is not None else ""
        have = f"registered are {known}" if known else "none is"
        raise NotFoundError(error.message, hint=f"{have}; transom memory register NAME adds one") from None


def _account(report: Report, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "counts": {kind: {"taken": new, "already": old} for kind, (new, old) in report.counts.items()},
        "taken": [
            {"kind": each.kind, "uri": each.uri, "new": each.fresh, "remarks": each.remarks, "origin": asdict(each.origin)}
            for each in report.taken
        ],
        "left": [{"reason": each.reason, "fault": each.fault, "origin": asdict(each.origin)} for each in report.left],
    }


def _tell(report: Report, dry_run: bool) -> None:
    rows = [(kind, f"{new:,}", f"{old:,}") for kind, (new, old) in report.counts.items()]
    output.table(("kind", "would be taken" if dry_run else "taken", "already here"), rows, right=(1, 2))
    for each in report.taken:
        for remark in each.remarks:
            output.note(f"{_where(each.origin.file, each.origin.id)}: {remark}")
    for left in report.left:
        output.note(f"{'not read' if left.fault else 'left'}: {_where(left.origin.file, left.origin.id)}: {left.reason}")


def _where(file: str, name: str) -> str:
    return f"{file} ({name})" if name else file
