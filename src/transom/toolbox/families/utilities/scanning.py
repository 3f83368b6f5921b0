"""``secret_scan``: where in files something stands that should not be shared, without showing it.

Knows places and ``safety.secrets``, which knows what a secret looks like. Links are not followed; what was not read is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ....safety import secrets
from ...access.excluded import REMADE, REPOSITORIES
from ...access.place import Place
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


@tool(family="utilities", title="Look for secrets", read_only=True, idempotent=True)
def secret_scan(context: ToolContext, path: str = ".") -> Result:
    """Find keys, tokens, passwords and private keys in a file or folder; values are masked.

    Args:
        path: the file or folder.
    """
    place = context.use(Workspace).place(path)
    scan, begun = _Scan(), context.clock()
    for file in _files(context, place):
        context.check()
        if scan.files >= MOST_FILES or context.clock() - begun > SECONDS:
            scan.stopped = True
            break
        _look(context, file, scan)
        context.report(scan.files, None, file.shown)
    return _told(context, place, scan)


def _files(context: ToolContext, place: Place) -> Iterator[Place]:
    if not place.is_dir():
        place.stat()
        yield place
        return
    waiting = [place]
    while waiting:
        folder = waiting.pop()
        inner = []
        for entry in sorted(folder.children(), key=lambda entry: entry.name):
            if entry.is_folder and entry.name not in _PASSED_OVER:
                inner.append(folder.child(entry.name))
            elif entry.is_file:
                yield folder.child(entry.name)
        waiting += reversed(inner)


def _look(context: ToolContext, file: Place, scan: _Scan) -> None:
    from .converting import text_of

    try:
        text, _ = text_of(file.read(LARGEST), file.shown, context.words.converting, guess=True)
    except Refused:
        scan.unread += 1
        return
    scan.files += 1
    found = secrets.find(text)
    scan.number += len(found)
    scan.findings += [(file.shown, item) for item in found[: MOST_SHOWN - len(scan.findings)]]


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
