"""Listings: what stands in a namespace or folder, one level at a time, as many entries as fit.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...store.uri import SCHEME
from ...vocabulary.retrieving import RetrievalWords
from .addresses import Address, shortened
from .refusal import Refused
from .room import Room
from .views import next_mark

__all__ = ["children", "listing", "namespaces"]


def children(paths: Sequence[str], prefix: str) -> list[tuple[str, int]]:
    """The entries and folders right below a prefix, in order: path (a folder's ends in a slash) and entries below it, 0 for an
    entry itself.
    """
    found: dict[str, int] = {}
    for path in paths:
        name, slash, _ = path.removeprefix(prefix).partition("/")
        where = f"{prefix}{name}{slash}"
        found[where] = found.get(where, 0) + (1 if slash else 0)
    return sorted(found.items())


def namespaces(names: Sequence[str]) -> str:
    """The addresses of the namespaces themselves."""
    return "\n".join(f"{SCHEME}{name}/" for name in names)


def listing(at: Address, paths: Sequence[str], offset: int, room: Room, words: RetrievalWords) -> str:
    """The page of a listing.

    Args:
        at: the folder.
        paths: every path below it.
        offset: entries to leave out.
        room: what it must fit into.
        words: how it is told.

    Raises:
        Refused: the offset is beyond the end.
    """
    where = shortened(at.uri, brief=room.brief)
    if not paths:
        return words.nothing_listed.format(where=where)
    entries = children(paths, at.prefix)
    if offset >= len(entries):
        raise Refused("bad_number", given=offset, total=len(entries))
    rest = [_shown(at.namespace, path, count, words) for path, count in entries[offset : offset + room.characters]]
    call = {"command": "view", "path": at.uri} if where == at.uri else {"command": "view"}

    def build(count: int) -> str:
        last = offset + count
        page = "\n".join([words.listing.format(where=where, first=offset + 1, last=last, total=len(entries)), *rest[:count]])
        if last == len(entries):
            return page
        left = words.to_come_entries.format(count=len(entries) - last)
        return f"{page}\n{next_mark({**call, 'offset': last}, left, words)}"

    whole = build(len(rest))
    return whole if room.fits(whole) else build(max(1, room.most(len(rest) - 1, build)))


def _shown(namespace: str, path: str, count: int, words: RetrievalWords) -> str:
    uri = Address(namespace, path.removesuffix("/")).uri
    return words.folder.format(uri=f"{uri}/", count=count) if count else uri
