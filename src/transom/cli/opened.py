"""The store that a command works on: the one that its option or a setting names, else the usual one.

Opened for the length of the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..errors import NotFoundError, UsageError
from ..runtime import LOCAL_SCOPE, default_store_path, open_store
from ..settings import load
from ..store.store import Store

__all__ = ["require_scope", "with_every_scope", "with_store"]

T = TypeVar("T")

_NAMED = 10
"""Scopes that are named one by one."""


def with_store(path: str | None, scope: str | None, work: Callable[[Store], Awaitable[T]], *, create: bool = False) -> T:
    """Open the store that is meant, work with it, close it.

    Args:
        path: what ``--store`` says; ``None`` leaves it to the setting, and where nothing is set to the store in the user's data
            directory, if there is one.
        scope: what ``--scope`` says; likewise.
        work: gets the store.
        create: make a store where there is none. Looking at one never makes it.

    Raises:
        UsageError: no source names a store, and the usual one is not there.
        StoreError: there is none, or it cannot be opened.
    """
    settings = load({"store": path, "scope": scope}).settings
    place = settings.store
    if place is None:
        usual = default_store_path()
        if not usual.exists():
            raise UsageError(f"no store named, and none at {usual}", hint="--store PATH, or: transom config set store PATH")
        place = str(usual)

    async def opened() -> T:
        async with open_store(place, scope=settings.scope, create=create) as store:
            return await work(store)

    return asyncio.run(opened())


def with_every_scope(path: str | None, scope: str | None, work: Callable[[str, Store], Awaitable[T]]) -> list[tuple[str, T]]:
    """What the work gives of each part of the store that holds something, the local user's first; of one where one is named.

    Args:
        path, scope: as for ``with_store``.
        work: gets the name of a scope, empty for the local user's, and that part of the store.

    Raises:
        UsageError, StoreError: as ``with_store``.
        NotFoundError: as ``require_scope``.
    """

    async def each(opened: Store) -> list[tuple[str, T]]:
        await require_scope(opened)
        if opened.scope or scope is not None:
            return [(opened.scope, await work(opened.scope, opened))]
        return [(name, await work(name, opened.scoped(name))) for name in sorted({"", *await opened.scopes()})]

    return with_store(path, scope, each)


async def require_scope(opened: Store) -> None:
    """Refuse a scope that holds nothing: whose name is mistyped would be told that all is well. The local user's may be empty.

    Raises:
        NotFoundError: names those that hold something.
    """
    if not opened.scope:
        return
    there = [name or LOCAL_SCOPE for name in await opened.scoped("").scopes()]
    if opened.scope not in there:
        more = f" and {len(there) - _NAMED:,} more: transom store scopes lists them" if len(there) > _NAMED else ""
        hint = f"there are {', '.join(there[:_NAMED])}{more}" if there else "the store is empty"
        raise NotFoundError(f"no scope {opened.scope!r} is in the store", hint=hint)
