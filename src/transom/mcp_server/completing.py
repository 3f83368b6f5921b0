"""Completion of what a user types: addresses of the store. Few, sorted, and never a search."""

from __future__ import annotations

from mcp_types import CompleteRequestParams, CompleteResult, Completion, PromptReference

from ..errors import TransomError
from ..store.store import Store
from ..store.uri import SCHEME
from .prompts import READ_BACK
from .resources import LISTED
from .sessions import Context

__all__ = ["Completing"]

MOST = 100
"""What the protocol allows in one answer."""


class Completing:
    """The completions of one server.

    Args:
        store: where addresses are.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def handle(self, _: Context, params: CompleteRequestParams) -> CompleteResult:
        """``completion/complete``."""
        argument, written = params.argument.name, params.argument.value
        if isinstance(params.ref, PromptReference):
            found = await self._addresses(written) if params.ref.name == READ_BACK and argument == "uri" else []
        elif argument == "namespace":
            found = [name for name in LISTED if name.startswith(written)]
        else:
            known = params.context.arguments if params.context is not None else None
            found = await self._paths((known or {}).get("namespace", ""), written)
        return CompleteResult(completion=Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST))

    async def _addresses(self, written: str) -> list[str]:
        namespace, slash, path = written.removeprefix(SCHEME).partition("/")
        if not slash:
            return [f"{SCHEME}{name}/" for name in LISTED if name.startswith(namespace)]
        return [self._store.uri(namespace, found) for found in await self._paths(namespace, path)]

    async def _paths(self, namespace: str, written: str) -> list[str]:
        try:
            return await self._store.list(namespace, written)
        except TransomError:
            return []
