"""``secret_scan``: where in files something stands that should not be shared, without showing it.

Knows places and ``safety.secrets``, which knows what a secret looks like. Links are not followed; what was not read is counted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ....safety import secrets
from ...access.excluded import REMADE, REPOSITORIES
from ...access.place import Place
from ...access.trees import Found
from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["secret_scan"]

MOST_SHOWN = 100
MOST_FILES, SECONDS = 20_000, 30.0
"""Where a scan stops and says so."""
LARGEST = 1_000_000
"""Bytes of a file that is read."""
_PASSED_OVER = REPOSITORIES | REMADE
"""What is built is looked at: a secret that gets there gets out."""


@dataclass(slots=True)
class _Scan:
    files: int = 0
    unread: int = 0
    number: int = 0
    stopped: bool = False
    findings: list[tuple[str, secrets.Finding]] = field(default_factory=list)


class _Enough(Exception):
    """The scan has read as much as it may."""


@tool(family="utilities", title="Look for secrets", read_only=True, idempotent=True)
def secret_scan(context: ToolContext, path: str = ".") -> Result:
    """Find keys, tokens, passwords and private keys in a file or folder; values are masked.

    Args:
        path: the file or folder.
    """
    place = context.use(Workspace).place(path)
    scan, begun = _Scan(), context.clock()

    def go_on() -> None:
        context.check()
        if scan.files >= MOST_FILES or context.clock() - begun > SECONDS:
            raise _Enough

    try:
        for shown, read in _files(place, go_on):
            _look(context, shown, read, scan)
            context.report(scan.files, None, shown)
    except _Enough:
        scan.stopped = True
    return _told(context, place, scan)


def _files(place: Place, go_on: Callable[[], None]) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Each file as a model sees it, and what reads it. A tree is gone down once, however deep it is."""
    if not place.is_dir():
        place.stat()
        yield place.shown, lambda: place.read(LARGEST)
        return
    for found in place.below(go_on, _PASSED_OVER):
        if found.entry.is_file:
            yield place.child("/".join(found.segments)).shown, functools.partial(_bytes, found)


def _bytes(found: Found) -> bytes:
    try:
        with open(found.folder.open(found.entry.name), "rb") as file:  # noqa: PTH123 - a descriptor
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Refused("io_error", str(error)) from None
    if len(data) > LARGEST:
        raise Refused("too_large", found.entry.name)
    return data


def _look(context: ToolContext, shown: str, read: Callable[[], bytes], scan: _Scan) -> None:
    from .converting import text_of

    try:
        text, _ = text_of(read(), shown, context.words.converting, guess=True)
    except Refused:
        scan.unread += 1
        return
    scan.files += 1
    found = secrets.find(text)
    scan.number += len(found)
    scan.findings += [(shown, item) for item in found[: MOST_SHOWN - len(scan.findings)]]


def _told(context: ToolContext, place: Place, scan: _Scan) -> Result:
    words = context.words.converting
    first = words.scan_found if scan.number else words.scan_clean
    lines = [first.format(number=scan.number, files=scan.files)]
    lines += [
        words.scan_line.format(path=path, line=item.line, kind=item.kind, excerpt=item.excerpt) for path, item in scan.findings
    ]
    if scan.number > len(scan.findings):
        lines.append(words.scan_more.format(number=scan.number - len(scan.findings), path=place.shown))
    if scan.unread:
        lines.append(words.scan_unread.format(number=scan.unread, limit=f"{LARGEST:,}"))
    if scan.stopped:
        lines.append(words.scan_stopped.format(files=scan.files, seconds=SECONDS, path=place.shown))
    findings = [
        {
            "path": path,
            "line": item.line,
            "column": item.column,
            "kind": item.kind,
            "length": item.length,
            "excerpt": item.excerpt,
        }
        for path, item in scan.findings
    ]
    data = {
        "findings": findings,
        "total": scan.number,
        "files": scan.files,
        "unread": scan.unread,
        "complete": not scan.stopped,
    }
    return Result(data=data, text="\n".join(lines), provenance=place.shown)
