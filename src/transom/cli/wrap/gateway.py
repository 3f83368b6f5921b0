"""A gateway of its own for one run of a client: a process on a free port of this machine, which ends with the client.

Knows how it is started and what it says first; nothing of clients.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping

from ...errors import UpstreamError
from ...safety.origins import is_loopback
from ...upstream.address import Address
from .runs import Run

__all__ = ["is_there", "served_models", "started"]

_PATIENCE = 3.0
"""Seconds in which a gateway that runs takes a connection."""
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


def is_there(base: str, environment: Mapping[str, str]) -> bool:
    """Whether anything listens at an address; taken for granted where only a proxy leads there.

    Args:
        base: an address that can be read.
        environment: the client's variables.
    """
    address = Address.parse(base)
    if not is_loopback(address.host) and any(environment.get(name) or environment.get(name.upper()) for name in _PROXIES):
        return True
    try:
        with socket.create_connection((address.host, address.port), timeout=_PATIENCE):
            return True
    except OSError:
        return False


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
