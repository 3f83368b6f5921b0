"""The store that a command works on: the one that its option or a setting names, opened for the length of the work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..errors import UsageError
from ..runtime import open_store
from ..settings import load
from ..store.store import Store

__all__ = ["with_store"]

T = TypeVar("T")


def with_store(path: str | None, scope: str | None, work: Callable[[Store], Awaitable[T]], *, create: bool = False) -> T:
    """Open the store that is meant, work with it, close it.

    Args:
        path: what ``--store`` says; ``None`` leaves it to the setting.
        scope: what ``--scope`` says; likewise.
        work: gets the store.
        create: make a store where there is none. Looking at one never makes it.

    Raises:
        UsageError: no source names a store.
        StoreError: there is none, or it cannot be opened.
    """
    settings = load({"store": path, "scope": scope}).settings
    if settings.store is None:
        raise UsageError("no store named", hint="--store PATH, or: transom config set store PATH")

    async def opened() -> T:
        async with open_store(str(settings.store), scope=settings.scope, create=create) as store:
            return await work(store)

    return asyncio.run(opened())
