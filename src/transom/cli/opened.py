"""The store that a command works on: the one that its option or a setting names, else the usual one.

Opened for the length of the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..errors import UsageError
from ..runtime import default_store_path, open_store
from ..settings import load
from ..store.store import Store

__all__ = ["with_every_scope", "with_store"]

T = TypeVar("T")


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
    """

    async def each(opened: Store) -> list[tuple[str, T]]:
        if opened.scope or scope is not None:
            return [(opened.scope, await work(opened.scope, opened))]
        return [(name, await work(name, opened.scoped(name))) for name in sorted({"", *await opened.scopes()})]

    return with_store(path, scope, each)
