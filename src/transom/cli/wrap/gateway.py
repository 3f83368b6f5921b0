"""A gateway of its own for one run of a client: a process on a free port of this machine, which ends with the client.

Knows how it is started and what it says first; nothing of clients.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...errors import UpstreamError
from ...safety.origins import is_loopback
from ...upstream.address import Address
from .runs import Run

if TYPE_CHECKING:
    from ...upstream.exchange import Answer

__all__ = ["check_gateway", "served_models", "started"]

_CONNECT, _PATIENCE = 3.0, 15.0
"""Seconds in which a gateway that runs takes a connection, and tells of its health: it asks its upstreams and its store."""
_HEALTH = "/_transom/healthz"
_HEADERS = {"Accept": "application/json", "Connection": "close", "User-Agent": "transom"}
_TOKEN = b"x-transom-token"
"""What a gateway names when it asks for its token."""
_MEND = "start it with transom serve, or leave out --gateway"
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def started(
    run: Run, upstreams: Mapping[str, str], *, window: int | None, store: str | None, environment: Mapping[str, str]
) -> tuple[str, str]:
    """Start it, and wait until it takes requests.

    Args:
        run: what it belongs to; it removes it when the client is gone.
        upstreams: addresses by name.
        window: tokens, where the user says so.
        store: the path of the store; the usual one where it is ``None``.
        environment: its variables.

    Returns:
        Its address, and the path of its store.

    Raises:
        UpstreamError: it did not start; says why.
    """
    command = [sys.executable, "-m", "transom", "serve", "--port", "0", "--host", "127.0.0.1", "--json"]
    for name, url in upstreams.items():
        command += ["--upstream", f"{name}={url}"]
    if window is not None:
        command += ["--window", str(window)]
    if store is not None:
        command += ["--store", store]
    command += ["--attend", str(run.held.path)]
    # A token of the settings guards a gateway that others reach; clients of this one could not know it.
    settings = {name: value for name, value in environment.items() if name != "TRANSOM_SERVE_TOKEN"}
    with run.log.open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  # our own module
            command,
            env=settings,
            # Its own session: Ctrl-C at the terminal is meant for the client.
            start_new_session=True,
            stdin=subprocess.PIPE if os.name == "nt" else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            pass_fds=() if os.name == "nt" else (run.held.fileno(),),
        )
    assert process.stdout is not None
    line = process.stdout.readline()
    process.stdout.close()
    try:
        told = json.loads(line)
        return str(told["url"]), str(told["store"])
    except (ValueError, KeyError):
        process.wait()
        said = run.log.read_text("utf-8", errors="replace").strip().splitlines() or ["it said nothing"]
        raise UpstreamError(f"the gateway did not start: {said[-1].removeprefix('transom: ')}") from None


def check_gateway(base: str, environment: Mapping[str, str]) -> None:
    """Refuse an address where no gateway answers; taken for granted where only a proxy leads there.

    Args:
        base: an address that can be read.
        environment: the client's variables.

    Raises:
        UpstreamError: nothing answers, or something that is no gateway; says which.
    """
    # Importing it takes 15 ms, and only who names a gateway needs it.
    from ...upstream.exchange import Exchange, Limits

    address = Address.parse(base)
    if not is_loopback(address.host) and any(environment.get(name) or environment.get(name.upper()) for name in _PROXIES):
        return
    limits = Limits(connect=_CONNECT, read=_PATIENCE, total=_PATIENCE)
    said = ""
    # A path names one of its upstreams, or what a proxy hands on to it.
    for root in dict.fromkeys(("", address.root)):
        place = address.at(root + _HEALTH)
        try:
            answer = Exchange(address, limits).run("GET", root + _HEALTH, None, _HEADERS, place)
        except UpstreamError as error:
            raise UpstreamError(f"no gateway answers at {base}: {error.message}", hint=_MEND) from error
        if _is_ours(answer):
            return
        said = said or f"{place} answered {answer.status}"
    raise UpstreamError(
        f"what answers at {base} is no gateway: {said}", hint="name one that transom serve has started, or use --upstream"
    )


def _is_ours(answer: Answer) -> bool:
    """Whether a gateway tells of its health, well or not; or asks for its token, which the client may have."""
    if answer.status == 401:
        return _TOKEN in answer.body
    try:
        told = json.loads(answer.body)
    except ValueError:
        return False
    return isinstance(told, Mapping) and isinstance(told.get("upstreams"), list)


def served_models(base: str) -> list[str]:
    """What the upstream behind a gateway serves; nothing where it does not say."""
    # Importing it takes 15 ms, and only one client must be told.
    from ...upstream import Client
    from ...upstream.windows import PATIENCE

    try:
        told = asyncio.run(Client(base, limits=PATIENCE).get("/v1/models"))
    except UpstreamError:
        return []
    listed = told.get("data") if isinstance(told, Mapping) else None
    found = [entry.get("id") for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    return [name for name in found if isinstance(name, str)]
