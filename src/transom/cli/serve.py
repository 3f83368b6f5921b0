"""``transom serve``: the gateway between clients and the servers of models.

Knows options, and says what is served; all else is the gateway's.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from ..errors import MissingExtraError, UsageError
from ..runtime import lasting_store_path
from ..settings import load
from ..settings.secrets import secret
from . import output
from .addresses import check_address, split_name
from .logs import log_to_stderr
from .options import JSON, StorePath, Upstreams, Window, check_token
from .wrap.runs import attended, forget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from ..gateway.upstreams import Upstream

__all__ = ["serve_"]

Keys = Annotated[
    tuple[str, ...],
    Parameter(
        name="--upstream-key",
        negative="",
        show_default=False,
        help="The environment variable with an upstream's key: VARIABLE or NAME=VARIABLE. Else the client's key goes on.",
    ),
]
Ports = Annotated[
    tuple[str, ...],
    Parameter(
        name="--upstream-port",
        negative="",
        show_default=False,
        help="A port that belongs to an upstream: NAME=PORT. What comes to it is for that upstream; 0 takes a free one.",
    ),
]
Edits = Annotated[
    tuple[str, ...],
    Parameter(
        name="--upstream-edits",
        negative="",
        show_default=False,
        help="What is edited for an upstream: NAME=usage, billing or ttl, as often as there are edits; NAME=none for nothing.",
    ),
]
Profile = Annotated[
    Literal["guard", "agent", "chat"],
    Parameter(
        name="--profile", help="What it does: guard keeps conversations within their windows. The others are not built yet."
    ),
]
Host = Annotated[str | None, Parameter(name="--host", help="Where to listen; beyond this machine it needs a token.")]
Port = Annotated[int | None, Parameter(name="--port", help="The port; 0 takes a free one.")]
Token = Annotated[str | None, Parameter(name="--token", help="What clients must send as their key.")]
Dry = Annotated[
    bool, Parameter(name="--dry-run", negative="", show_default=False, help="Send all as it came, and tell what would be done.")
]
Quiet = Annotated[
    bool,
    Parameter(name="--quiet", negative="", show_default=False, help="Log what goes wrong, and not a line for each request."),
]
Attended = Annotated[Path | None, Parameter(name="--attend", show=False)]

_EXTRA = frozenset({"aiohttp", "brotli", "starlette", "uvicorn", "multidict", "yarl", "backports", "backports.zstd"})


async def serve_(
    *,
    upstream: Upstreams = (),
    upstream_key: Keys = (),
    upstream_port: Ports = (),
    upstream_edits: Edits = (),
    window: Window = None,
    store: StorePath = None,
    profile: Profile = "guard",
    host: Host = None,
    port: Port = None,
    token: Token = None,
    dry_run: Dry = False,
    quiet: Quiet = False,
    json: JSON = False,
    attend: Attended = None,
) -> None:
    """Serve clients through the guard, so that no conversation outgrows its window.

    Point a client's base URL at it: whatever protocol it speaks, requests go to the upstream as they came, until one would not
    fit. Ask it to end (Ctrl-C) and it finishes what runs; ask again and it goes at once.
    """
    if profile != "guard":
        raise UsageError(f"the profile {profile} is not built yet", hint="leave out --profile, or use guard")
    for option, given in {"key": upstream_key, "port": upstream_port, "edits": upstream_edits}.items():
        if given and not upstream:
            raise UsageError(f"--upstream-{option} is for --upstream", hint="name the upstream that it belongs to")
    for text in upstream:
        for part in filter(None, map(str.strip, text.split(","))):
            name, address = split_name(part)
            check_address(address, "--upstream", name)
    check_token(token, "--token")
    if port is not None and not 0 <= port <= 65535:
        raise UsageError(f"--port cannot be {port}", hint="it is a number from 0 to 65535")
    log_to_stderr(None if quiet else "transom.gateway")
    resolved = load(
        {
            "upstream": ",".join(upstream) or None,
            "upstream_key": ",".join(upstream_key) or None,
            "upstream_port": ",".join(upstream_port) or None,
            "upstream_edits": ",".join(upstream_edits) or None,
            "window": window,
            "store": store,
            "serve_host": host,
            "serve_port": port,
        }
    )
    gateway = _gateway()
    from ..gateway.attending import gone
    from ..gateway.configured import configured

    settings = resolved.settings
    upstreams = configured(resolved)
    if token is None and settings.serve_token is not None:
        token = secret(settings.serve_token, "serve_token")
    parent = 0 if attend is None else attended(attend)
    is_ready = False

    def ready(url: str, own: Mapping[str, str]) -> None:
        nonlocal is_ready
        is_ready = True
        # In a dry run nothing leaves a window, and nothing is kept.
        _say(url, own, upstreams, None if dry_run else lasting_store_path(settings), json=json)

    try:
        await gateway.serve(
            resolved,
            upstreams,
            host=settings.serve_host,
            port=settings.serve_port,
            token=token,
            dry=dry_run,
            ready=ready,
            ending=lambda running: output.note(f"finishing {running} answer{'s' * (running > 1)}; once more to end at once"),
            until=None if attend is None else functools.partial(gone, parent),
        )
    finally:
        # Until then, who started us is still there, and reads why.
        if attend is not None and is_ready:
            forget(attend)


def _gateway() -> ModuleType:
    try:
        from ..gateway import serving
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        raise MissingExtraError("the gateway is not installed", hint='pip install "transom[gateway]"') from None
    return serving


def _say(url: str, own: Mapping[str, str], upstreams: Sequence[Upstream], store: Path | None, *, json: bool) -> None:
    if json:
        told = [
            {"name": each.name, "url": each.address.shown, "window": each.window, "served_at": own.get(each.name)}
            for each in upstreams
        ]
        output.json_line(
            {"url": url, "upstreams": told, "store": None if store is None else str(store), "dry_run": store is None}
        )
        return
    output.line(f"serving on {url} ({url}/v1 for clients that want a base URL with a version)")
    for index, each in enumerate(upstreams):
        window = f"window {each.window:,} tokens" if each.window is not None else "window as it tells, else as errors show"
        places = [own[each.name]] if each.name in own else []
        if len(upstreams) > 1:
            places += [f"{url}/{each.name}", *(["by default"] if not index else [])]
        where = f" at {' and '.join(places)}" if places else ""
        output.line(f"  {each.name}: {each.address.at(each.address.root) or '/'}{where}; {window}")
    output.line("  dry run: all is sent as it came, and nothing is kept" if store is None else f"  store: {store}")
    sys.stdout.flush()
