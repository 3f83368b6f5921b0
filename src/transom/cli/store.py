"""``transom store``: what left the window, listed, read, searched, checked, tidied and copied out.

Knows the store's verbs; opens what is there and never makes a store by looking at it.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

from cyclopts import App, Parameter

from ..errors import NotFoundError, StoreError, URIError, UsageError
from ..runtime import LOCAL_SCOPE, open_store
from ..store.showing import passages
from ..store.store import Store
from ..store.uri import NAMESPACES, SCHEME, parse_uri
from ..store.verify import GCReport, VerifyReport
from ..tokens import Heuristic
from . import output
from .numbers import Budget, Limit, not_negative
from .opened import require_scope, with_every_scope, with_store
from .options import JSON, Scope, StorePath

__all__ = ["app"]

app = App(name="store", help="List, read, search, check, tidy and export what left the window.")

Where = Annotated[str, Parameter(help="A namespace, or an address to start with; everything if left out.")]
Expand = Annotated[
    bool,
    Parameter(
        name="--expand",
        negative="",
        show_default=False,
        help="Put the texts that an archive refers to back in it; unpack a session.",
    ),
]
Namespace = Annotated[
    list[str] | None, Parameter(name="--ns", negative="", help="A namespace to look in; may be given several times.")
]
DryRun = Annotated[bool, Parameter(name="--dry-run", negative="", show_default=False, help="Only say what would be removed.")]
MinAge = Annotated[
    float,
    Parameter(name="--min-age", validator=not_negative, help="Seconds since the last use under which nothing is removed."),
]


@app.command
def ls(where: str = "", /, *, ns: Namespace = None, store: StorePath = None, scope: Scope = None, json: JSON = False) -> None:
    """List what is stored, with its size.

    Parameters
    ----------
    where:
        A namespace (notes), or the beginning of an address (context://notes/plans); everything if left out.
    """
    if where and ns:
        raise UsageError(f"{where} says where to look", hint="leave out --ns, or name the namespace there alone")
    namespaces, prefix = (tuple(map(_check, ns)), "") if ns else _place(where)

    async def listed(opened: Store) -> list[tuple[str, int]]:
        await require_scope(opened)
        return [
            (opened.uri(namespace, stat.path), stat.size)
            for namespace in namespaces
            for stat in await opened.stats(namespace, prefix)
        ]

    rows = with_store(store, scope, listed)
    if json:
        output.json_line({"entries": [{"uri": uri, "bytes": size} for uri, size in rows]})
    else:
        output.table(("bytes", "address"), [(f"{size:,}", uri) for uri, size in rows], right=(0,))


@app.command
def scopes(*, store: StorePath = None, json: JSON = False) -> None:
    """List whose parts of the store hold something, and how many archives each.

    Behind the gateway each client's key has a part of its own. The scope "default" is yours: what was done without a key, and
    without --scope.
    """

    async def listed(opened: Store) -> list[tuple[str, int]]:
        return [(name or LOCAL_SCOPE, len(await opened.scoped(name).list("archive"))) for name in await opened.scopes()]

    rows = with_store(store, LOCAL_SCOPE, listed)
    if json:
        output.json_line({"scopes": [{"scope": name, "archives": count} for name, count in rows]})
    else:
        output.table(("archives", "scope"), [(f"{count:,}", name) for name, count in rows], right=(0,))


@app.command
def get(uri: str, /, *, expand: Expand = False, store: StorePath = None, scope: Scope = None, json: JSON = False) -> None:
    """Write the exact bytes under an address to stdout.

    An archive comes as JSON Lines, one message a line in the format it came in.

    Parameters
    ----------
    uri:
        context://namespace/path
    """
    try:
        parse_uri(uri)
    except URIError as error:
        raise UsageError(error.message, hint=error.hint) from None

    async def read(opened: Store) -> bytes:
        try:
            return await (opened.expand(uri) if expand else opened.get(uri))
        except NotFoundError as error:
            hint = "check the address, or name its part of the store with --scope: transom store scopes lists them"
            raise NotFoundError(error.message, hint=hint) from None

    data = with_store(store, scope, read)
    if not json:
        output.raw(data)
        return
    try:
        body = {"text": data.decode()}
    except UnicodeDecodeError:
        body = {"base64": b64encode(data).decode("ascii")}
    output.json_line({"uri": uri, "bytes": len(data), **body})


@app.command
def search(
    query: str,
    /,
    *,
    ns: Namespace = None,
    budget: Budget = 2000,
    limit: Limit = 20,
    store: StorePath = None,
    scope: Scope = None,
    json: JSON = False,
) -> int:
    """Find texts by their words.

    Any of the words may match, the rarest count most; "words in quotes" must follow one another. Exits with 1 if nothing is
    found.

    Parameters
    ----------
    query:
        A question in plain words, an identifier, a path, a number.
    """
    for namespace in ns or ():
        _check(namespace)

    async def find(opened: Store) -> dict[str, object]:
        await require_scope(opened)
        hits = await opened.search(query, tuple(ns or ()), limit)
        shown = await passages(opened, query, hits, budget=budget, count=Heuristic().count)
        return {
            "shown": shown,
            "hits": [
                {"uri": hit.uri, "score": hit.score, "snippet": hit.snippet} | ({"line": hit.line} if hit.line else {})
                for hit in hits
            ],
        }

    found = with_store(store, scope, find)
    if json:
        output.json_line(found)
    elif found["shown"]:
        for line in str(found["shown"]).split("\n"):
            output.line(line)
    else:
        output.note("nothing found" if scope is not None else "nothing found (transom store scopes lists where else it may be)")
    return 0 if found["hits"] else 1


@app.command
def verify(*, store: StorePath = None, scope: Scope = None, json: JSON = False) -> int:
    """Check that every address ever cited resolves and every entry is what was written, in all scopes unless one is named.

    Exits with 1 if not. Addresses that somebody's text mentions and that are not here are listed, but are no fault.
    """
    reports = with_every_scope(store, scope, lambda _, opened: opened.verify())
    well = all(report.ok for _, report in reports)
    if json:
        output.json_line({"ok": well, **_together(reports)})
        return 0 if well else 1
    among = f" in {len(reports):,} scopes" if len(reports) > 1 else ""
    entries, size = (sum(counts) for counts in zip(*((report.entries, report.bytes) for _, report in reports), strict=True))
    cited, digests = (sum(counts) for counts in zip(*((report.cited, report.digests) for _, report in reports), strict=True))
    unchecked = sum(report.unchecked for _, report in reports)
    held = f"{output.counted(entries, 'entry', 'entries')}{among}, {output.counted(size, 'byte')}"
    checked = f"{output.counted(cited, 'address', 'addresses')} cited, {output.counted(digests, 'digest')} checked"
    output.line(f"{held}; {checked}")
    if unchecked:
        output.line(f"{unchecked:,} without a digest, written by an earlier release: nothing tells whether they were changed")
    for name, report in reports:
        where = _in_scope(name)
        for uri, by in report.missing:
            output.line(f"missing{where}: {uri}, cited by {by}")
        for said in report.faults:
            output.line(f"damaged: {said}")
        for uri in report.damaged:
            output.line(f"damaged{where}: {uri}")
        for uri, by in report.dangling:
            output.line(f"mentioned, not here{where}: {uri}, in {by}")
    output.line("all is well" if well else "the store is damaged")
    return 0 if well else 1


@app.command
def gc(
    *, dry_run: DryRun = False, min_age: MinAge = 3600.0, store: StorePath = None, scope: Scope = None, json: JSON = False
) -> None:
    """Remove texts and files that nothing stored cites any more, in all scopes unless one is named."""
    reports = with_every_scope(store, scope, lambda _, opened: opened.gc(dry_run=dry_run, min_age=min_age))
    if json:
        output.json_line({"dry_run": dry_run, **_together(reports)})
        return
    for name, report in reports:
        for uri in report.removed:
            output.line(f"{uri}{_in_scope(name)}")
    done = "would be removed" if dry_run else "removed"
    removed, size = sum(len(report.removed) for _, report in reports), sum(report.bytes for _, report in reports)
    kept = sum(report.kept for _, report in reports)
    output.line(f"{removed:,} {done} ({output.counted(size, 'byte')}), {kept:,} kept")


@app.command
def export(directory: Path, /, *, store: StorePath = None, scope: Scope = None, json: JSON = False) -> None:
    """Copy everything, of all scopes unless one is named, into a directory of plain files, which is a store itself.

    Parameters
    ----------
    directory:
        A new or an empty directory.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise StoreError(f"{directory} is there and not empty", hint="name a new directory")

    async def copy(name: str, opened: Store) -> int:
        # What one scope alone is asked for becomes the new store's own.
        async with open_store(f"{directory}/") as target:
            return await opened.export(target.scoped("" if scope is not None else name))

    count = sum(copied for _, copied in with_every_scope(store, scope, copy))
    if json:
        output.json_line({"entries": count, "directory": str(directory)})
    else:
        output.line(f"{output.counted(count, 'entry', 'entries')} in {directory}")


def _together(reports: list[tuple[str, VerifyReport]] | list[tuple[str, GCReport]]) -> dict[str, object]:
    """What was found in all scopes; where there are several, by scope too."""
    each = [(name or LOCAL_SCOPE, asdict(report)) for name, report in reports]
    # Counts are added up, lists put one behind the other.
    whole = {key: sum((found[key] for _, found in each), start=type(value)()) for key, value in each[0][1].items()}
    return whole | ({"scopes": [{"scope": name, **found} for name, found in each]} if len(each) > 1 else {})


def _in_scope(name: str) -> str:
    return f" (scope {name})" if name else ""


def _place(where: str) -> tuple[tuple[str, ...], str]:
    """The namespaces and the prefix that ``ls`` is asked for."""
    if not where:
        return NAMESPACES, ""
    namespace, _, prefix = where.removeprefix(SCHEME).partition("/")
    return (_check(namespace),), unquote(prefix) if where.startswith(SCHEME) else prefix


def _check(namespace: str) -> str:
    if namespace not in NAMESPACES:
        raise UsageError(f"there is no namespace {namespace!r}", hint=f"one of {', '.join(NAMESPACES)}")
    return namespace
