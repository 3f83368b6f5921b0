"""Whether a store keeps its promise: every address ever cited resolves, every entry is what was written.

Knows where addresses are cited, not what they mean. Two kinds of citation: what the store's own records name in a field of its
own and the references inside archives are promises; an address in somebody's text, which a record may quote, may just be talk
(it may come from another store), so a dangling one is listed but is no fault. Both keep a blob from being collected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..errors import IntegrityError, JSONError
from ..jsontext import loads
from .archive import references
from .backend import AccessIndex, Check, StorageBackend, StoredEntry
from .blobs import is_digest
from .packing import is_packed, unpack
from .uri import NAMESPACES, SCHEME, Address, backend_namespace, format_uri, mentions

__all__ = ["Citations", "GCReport", "Holding", "VerifyReport", "citations", "collect", "verify"]

_RECORDS = frozenset({"windows", "decisions", "flights", "intents", "models", "sessions", "projects", "plans"})


class Holding(Protocol):
    """What upkeep needs of a store."""

    @property
    def backend(self) -> StorageBackend:
        """Where the bytes lie."""
        ...

    @property
    def scope(self) -> str:
        """Whose part of the backend it is."""
        ...

    async def list(self, namespace: str, prefix: str = "") -> Sequence[str]:
        """Paths, sorted."""
        ...

    async def peek(self, namespace: str, path: str) -> StoredEntry | None:
        """An entry; ``IntegrityError`` where it is damaged."""
        ...

    async def delete(self, namespace: str, path: str) -> bool:
        """Remove an entry."""
        ...


@dataclass(frozen=True, slots=True)
class Citations:
    """Who cites what: cited address → the first entry that cites it."""

    promised: dict[str, str]
    mentioned: dict[str, str]

    @property
    def all(self) -> dict[str, str]:
        """Both kinds."""
        return {**self.mentioned, **self.promised}


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What a check of the whole store found.

    Attributes:
        entries, bytes: how much was read.
        cited: how many different addresses are cited.
        digests: how many entries were compared with the digest that their address or the store holds.
        unchecked: how many have none: an earlier release wrote them, or the backend keeps none. Only what they cite is known.
        missing: promised addresses that do not resolve, each with who cites it.
        damaged: entries that are not what was written.
        dangling: addresses in texts that do not resolve here; no fault.
        faults: what the backend says is wrong with its files, where entries may be that nobody sees; asked for the local user's
            part only, since it is the same for all.
    """

    entries: int
    bytes: int
    cited: int
    digests: int
    unchecked: int
    missing: tuple[tuple[str, str], ...]
    damaged: tuple[str, ...]
    dangling: tuple[tuple[str, str], ...]
    faults: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the store keeps its promise."""
        return not (self.missing or self.damaged or self.faults)


@dataclass(frozen=True, slots=True)
class GCReport:
    """What a collection removed (or would): addresses, bytes, and how many blobs are cited or too young."""

    removed: tuple[str, ...]
    bytes: int
    kept: int


@dataclass(slots=True)
class _Walk:
    present: set[str]
    cited: Citations
    damaged: list[str]
    entries: int = 0
    bytes: int = 0
    digests: int = 0
    unchecked: int = 0


async def citations(store: Holding) -> Citations:
    """Every address that something in this scope cites.

    Raises:
        IntegrityError: an entry is damaged; what it cites is not known.
    """
    walk = await _walk(store)
    unread = [uri for uri in walk.damaged if not uri.startswith(f"{SCHEME}vfs/")]
    if unread:
        raise IntegrityError(
            f"damaged, so that nobody knows what they cite: {', '.join(unread)}", hint="restore the store from a copy first"
        )
    return walk.cited


async def verify(store: Holding) -> VerifyReport:
    """Read everything and check it."""
    walk = await _walk(store)
    cited = walk.cited
    missing = tuple(sorted((uri, by) for uri, by in cited.promised.items() if uri not in walk.present))
    dangling = tuple(
        sorted((uri, by) for uri, by in cited.mentioned.items() if uri not in walk.present and uri not in cited.promised)
    )
    return VerifyReport(
        entries=walk.entries,
        bytes=walk.bytes,
        cited=len(cited.all),
        digests=walk.digests,
        unchecked=walk.unchecked,
        missing=missing,
        damaged=tuple(walk.damaged),
        dangling=dangling,
        faults=await _faults(store),
    )


async def collect(store: Holding, *, now: float, dry_run: bool, min_age: float) -> GCReport:
    """Remove blobs that nothing cites. Young ones stay: a session may be about to cite them."""
    cited = (await citations(store)).all
    ages: dict[str, float] = {}
    if isinstance(store.backend, AccessIndex):
        stats = await store.backend.stats(backend_namespace(store.scope, "vfs"))
        ages = {stat.path: now - max(stat.created, stat.accessed) for stat in stats}
    removed: list[str] = []
    freed = kept = 0
    for path in await store.list("vfs"):
        uri = format_uri("vfs", path)
        if uri in cited or (min_age > 0 and ages.get(path, min_age) < min_age):
            kept += 1
            continue
        entry = await _blob(store, path)
        if entry is None:
            kept += 1
            continue
        if not dry_run:
            await store.delete("vfs", path)
        removed.append(uri)
        freed += len(entry.data)
    return GCReport(tuple(removed), freed, kept)


async def _faults(store: Holding) -> tuple[str, ...]:
    if store.scope or not isinstance(store.backend, Check):
        return ()
    said = await store.backend.check()
    return () if said == "ok" else (said,)


async def _blob(store: Holding, path: str) -> StoredEntry | None:
    try:
        return await store.peek("vfs", path)
    except IntegrityError:
        # Kept for whoever looks into the damage.
        return None


async def _walk(store: Holding) -> _Walk:
    walk = _Walk(set(), Citations({}, {}), [])
    for namespace in NAMESPACES:
        for path in await store.list(namespace):
            uri = format_uri(namespace, path)
            try:
                entry = await store.peek(namespace, path)
                if entry is None:
                    continue
                record, data = _texts(namespace, entry.data)
            except IntegrityError:
                entry = None
                walk.damaged.append(uri)
            walk.present.add(uri)
            walk.entries += 1
            is_checked = entry is None or entry.checked or namespace == "vfs"
            walk.digests += is_checked
            walk.unchecked += not is_checked
            if entry is not None:
                walk.bytes += len(entry.data)
                _cite(walk.cited, namespace, uri, data, record)
    return walk


def _texts(namespace: str, data: bytes) -> tuple[bytes, bytes]:
    """Where an entry's own fields are, and all of it."""
    if namespace != "sessions" or not is_packed(data):
        return data, data
    unpacked = unpack(data)
    # Its first line is the record, the rest is somebody's text.
    return unpacked.partition(b"\n")[0], unpacked


def _cite(cited: Citations, namespace: str, by: str, data: bytes, record: bytes) -> None:
    if b"context://" not in data:
        return
    if namespace == "archive":
        for uri in references(data):
            cited.promised.setdefault(uri, by)
    text = data.decode("utf-8", "replace")
    if namespace in _RECORDS:
        for address in mentions(_fields(record, text)):
            _note(cited.promised, address, by)
    for address in mentions(text):
        _note(cited.mentioned, address, by)


def _note(target: dict[str, str], address: Address, by: str) -> None:
    if address.namespace == "vfs" and not is_digest(address.path):
        return
    uri = format_uri(*address)
    if uri != by:
        target.setdefault(uri, by)


def _fields(data: bytes, text: str) -> str:
    """The strings of a record that are an address and nothing else, a line each; all of a record that is not JSON."""
    try:
        waiting: list[object] = [loads(data)]
    except JSONError:
        return text
    found: list[str] = []
    while waiting:
        match waiting.pop():
            case str() as value if value.startswith(SCHEME) and not any(char.isspace() for char in value):
                found.append(value)
            case Mapping() as value:
                waiting.extend(value.values())
            case list() as value:
                waiting.extend(value)
            case _:
                pass
    return "\n".join(reversed(found))
