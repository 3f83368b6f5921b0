"""The gateway put together from settings, and served until it is asked to end.

Knows every part by how it is made; decides nothing that passes through.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack

from ..errors import UsageError
from ..runtime import build_context, build_summarizer, lasting_store_path, memory_store, open_store
from ..safety import origins
from ..servers import listen, url_of
from ..settings import Resolved
from ..upstream.address import Address
from ..wire.registry import builtin_registry
from .access import Access
from .app import Gateway, build_app
from .calibrations import Calibrations
from .guard import Guard
from .listening import Listener
from .operations import Book, Keeping, Switch, build_operations, try_to_keep
from .upstreams import Routes, Upstream
from .windows import Windows

__all__ = ["assembled", "serve"]

_ANY = 1 << 20
_PATIENCE = 2.0
"""Seconds that requests wait for another process that keeps the store locked; then they go on as they came."""


async def assembled(stack: AsyncExitStack, resolved: Resolved, routes: Routes, access: Access, *, dry: bool = False) -> Gateway:
    """The application, with all that it uses, for as long as the stack is open.

    Args:
        stack: what is opened is closed with it.
        resolved: how contexts are made, and where they are kept.
        routes: who answers.
        access: who may ask.
        dry: tell what would be done, and do nothing.

    Raises:
        SettingError: a strategy that there is not, or that needs a model where there is none.
        StoreError: nothing can be kept in the store.
    """
    settings = resolved.settings
    registry = builtin_registry()
    keeping: Keeping | None = None
    if dry:
        # Nothing leaves, so nothing is to be kept beyond the run.
        store = await stack.enter_async_context(memory_store())
    else:
        # As it was written: a separator at its end asks for a folder.
        place = lasting_store_path(settings)
        store = await stack.enter_async_context(open_store(settings.store or place, scope=settings.scope, patience=_PATIENCE))
        await try_to_keep(store)
        keeping = Keeping(place, store)
    summarizer = await build_summarizer(resolved)
    # A strategy that there is not should show now, and not with the first request.
    build_context(settings, store, registry, window=_ANY, summarizer=summarizer, prunes=False)
    windows = Windows(store)
    stack.push_async_callback(windows.aclose)
    guard = Guard(
        lambda scope, window: build_context(
            settings,
            store.scoped(scope) if scope else store,
            registry,
            window=window,
            summarizer=summarizer,
            prunes=False,
            usage_preference="feed-first",
        ),
        windows,
        registry,
        calibrations=Calibrations(store),
    )
    stack.push_async_callback(guard.aclose)
    book = Book()
    gateway = build_app(
        routes,
        guard=Switch(guard, dry=dry, keeping=keeping),
        operations=build_operations(routes, book, keeping),
        journal=book,
        access=access,
    )
    stack.push_async_callback(gateway.close)
    return gateway


async def serve(
    resolved: Resolved,
    upstreams: Sequence[Upstream],
    *,
    host: str,
    port: int,
    token: str | None = None,
    dry: bool = False,
    ready: Callable[[str, Mapping[str, str]], None] = lambda _, __: None,
    ending: Callable[[int], None] = lambda _: None,
    until: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Serve until the process is asked to end, or ``until`` returns; what runs is finished first.

    Args:
        resolved: see ``assembled``.
        upstreams: who answers, the default first.
        host, port: where; port 0 takes one that is free. Upstreams' own ports are on the same host.
        token: what clients must send; needed where others can reach it.
        dry: tell what would be done, and do nothing.
        ready: told the address once requests are taken, and those of upstreams that have a port to themselves, by name.
        ending: told how many answers are still being made when it is asked to end.
        until: returns when there is nobody left to serve.

    Raises:
        UsageError: a port is taken, others could reach it and there is no token, or it would ask itself.
        SettingError, StoreError: see ``assembled``.
    """
    if token is None and not origins.is_loopback(host):
        raise UsageError(f"{host} can be reached by others, and there is no token", hint="add --token TOKEN, or use 127.0.0.1")
    access = Access(host, token=token)
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(listen(host, port))
        own = {each.name: stack.enter_context(listen(host, each.port)) for each in upstreams if each.port is not None}
        for each in upstreams:
            if any(_leads_to(opened, each.address) for opened in (listener, *own.values())):
                raise UsageError(
                    f"the upstream {each.name!r} at {each.address.shown} is this gateway itself",
                    hint="give the address of the server that answers, or another --port",
                )
        routes = Routes(upstreams, {opened.getsockname()[1]: name for name, opened in own.items()})
        app = await assembled(stack, resolved, routes, access, dry=dry)
        urls = {name: url_of(host, opened) for name, opened in own.items()}
        server = Listener(app, lambda: ready(url_of(host, listener), urls), ending)
        watching = asyncio.ensure_future(_ended(until, server)) if until is not None else None
        try:
            await server.serve([listener, *own.values()])
        finally:
            if watching is not None:
                watching.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await watching


def _leads_to(listener: socket.socket, address: Address) -> bool:
    """Whether an address is plainly where a server of this process listens."""
    bound, port = listener.getsockname()[:2]
    if address.port != port:
        return False
    try:
        found = {each[4][0] for each in socket.getaddrinfo(address.host, port, type=socket.SOCK_STREAM)}
    except OSError:
        return False
    here = ipaddress.ip_address(bound)
    # Who listens everywhere is reached at every address of this machine, and "everywhere" as an address means this machine.
    return bound in found or any(
        (here.is_unspecified and ip.is_loopback) or (ip.is_unspecified and (here.is_loopback or here.is_unspecified))
        for ip in (ipaddress.ip_address(str(each).partition("%")[0]) for each in found)
    )


async def _ended(until: Callable[[], Awaitable[None]], server: Listener) -> None:
    await until()
    # Whoever asked is gone, and nobody reads what is still being said.
    server.end()
    server.end()
