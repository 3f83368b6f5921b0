"""``transom mcp``: the toolbox as a server that clients start, or reach over HTTP.

Knows options and how the parts are put together; stdout belongs to the protocol, so everything it says goes to stderr.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..errors import MissingExtraError, UsageError
from ..runtime import open_toolbox
from ..store.store import Store
from . import output
from .logs import log_to_stderr
from .options import JSON, StorePath, check_token
from .tools import Disabled, Enabled, Project, Roots, Target, report_missing_roots

if TYPE_CHECKING:
    from ..mcp_server.server import Face

__all__ = ["mcp_"]

Discovery = Annotated[
    bool,
    Parameter(
        name="--discovery", negative="", show_default=False, help="List two tools only: one finds the others, one calls them."
    ),
]
Most = Annotated[
    int | None, Parameter(name="--max-tools", help="How many tools the client can take; the less needed go first.")
]
Address = Annotated[
    str | None, Parameter(name="--http", help="Serve HTTP on HOST:PORT instead of stdin and stdout; port 0 takes a free one.")
]
Token = Annotated[
    str | None,
    Parameter(name="--http-token", help="What HTTP clients must send as their bearer token. Needed beyond loopback."),
]
Fixtures = Annotated[bool, Parameter(name="--conformance", negative="", show=False)]


async def mcp_(
    *,
    root: Roots = (),
    enable: Enabled = (),
    disable: Disabled = (),
    schema: Target = "default",
    discovery: Discovery = False,
    max_tools: Most = None,
    http: Address = None,
    http_token: Token = None,
    project: Project = None,
    store: StorePath = None,
    json: JSON = False,
    conformance: Fixtures = False,
) -> None:
    """Serve the tools to a client that speaks the Model Context Protocol.

    A client starts it and speaks over stdin and stdout; with --http it waits for clients. It works in the folders that --root
    names, or in those that the client names instead. What a schema profile weakened is listed on stderr.
    """
    where = None if http is None else _address(http)
    if http is None and http_token is not None:
        raise UsageError("--http-token is for HTTP", hint="add --http HOST:PORT")
    check_token(http_token, "--http-token")
    log_to_stderr()
    async with AsyncExitStack() as stack:
        with _uncollected():
            build = _server()
            toolbox = await stack.enter_async_context(
                open_toolbox(roots=root, store=store, enable=enable, disable=disable, project=project)
            )
            report_missing_roots(toolbox)
            kept = toolbox.services[Store]
            assert isinstance(kept, Store)
            face = build(
                toolbox,
                kept,
                version=version("transom"),
                profile=schema,
                discovery=discovery,
                most=max_tools,
            )
        events = None
        if conformance:
            from ..mcp_server.conformance import add_fixtures

            events = add_fixtures(face)
        if schema != "default":
            for note in face.tools.report().weakened:
                if json:
                    output.json_note({"where": note.where, "change": note.change, "detail": note.detail})
                else:
                    output.note(f"{note.where}: {note.detail}")
        if where is None:
            from ..mcp_server.stdio import serve_stdio

            await serve_stdio(face)
            return
        from ..mcp_server.http import serve_http

        def ready(url: str) -> None:
            if json:
                output.json_note({"url": url})
            else:
                output.note(f"serving on {url}")

        await serve_http(face, *where, token=http_token, ready=ready, events=events)


def _server() -> Callable[..., Face]:
    try:
        from ..mcp_server.loading import load_server_half

        load_server_half()
        from ..mcp_server.server import build
    except ModuleNotFoundError as error:
        if error.name not in {"mcp", "mcp_types"}:
            raise
        raise MissingExtraError("the Model Context Protocol is not installed", hint='pip install "transom[mcp]"') from None
    return build


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let the garbage collector rest while all is imported: what comes stays, and looking at it takes a sixth of the start."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--http cannot be {text!r}", hint="it is HOST:PORT, for example 127.0.0.1:8765")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)
