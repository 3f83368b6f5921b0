"""Upstreams as settings write them: addresses, and what belongs to each by its name.

Knows settings and where keys come from; asks nobody. Source: ``settings.schema`` for the spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args
from urllib.parse import unquote_plus

from ..errors import SettingError
from ..settings import Resolved
from ..settings.belonging import belonging
from ..settings.schema import LARGEST_WINDOW, SMALLEST_WINDOW
from ..settings.secrets import secret
from ..upstream.address import Address
from .keys import is_key_name
from .upstreams import Edit, Upstream

__all__ = ["UNNAMED", "configured"]

UNNAMED = "upstream"
"""What an upstream is called that has no name."""

_PATHS = ("api", "upload", "v1", "v1alpha", "v1beta", "v2")
"""First parts of paths that clients ask: an upstream of such a name would take them for itself."""
_BELONGING = ("upstream_key", "upstream_models", "upstream_window", "upstream_port", "upstream_edits")
_NONE = "none"
_HIGHEST_PORT = 65535


def configured(resolved: Resolved, environment: Mapping[str, str] | None = None) -> list[Upstream]:
    """The upstreams that settings name. Those of the command line take nothing from what other sources say of upstreams.

    Args:
        resolved: the settings.
        environment: where keys are; the variables of the process.

    Raises:
        SettingError: none is named, a name does not fit, something belongs to none of them, a port is used twice, edits
            exclude each other, a window is none, a key stands in an address or can stand in no header.
        InputError: an address that cannot be read.
    """
    settings = resolved.settings
    if settings.upstream is None:
        raise SettingError("no upstream", hint="--upstream URL, for example http://localhost:1234")
    told = {key: belonging(resolved, key, "upstream") or "" for key in _BELONGING}
    addresses = _by_name(settings.upstream, single=True)
    names = list(addresses)
    keys = _by_name(told["upstream_key"], key="upstream_key", single=len(names) == 1, only=names[0])
    windows = _by_name(told["upstream_window"], key="upstream_window")
    models = _all_by_name(told["upstream_models"])
    ports = {name: int(port) for name, port in _by_name(told["upstream_port"], key="upstream_port").items()}
    edits = _all_by_name(told["upstream_edits"])
    for key, named in zip(_BELONGING, (set(keys), set(models), set(windows), set(ports), set(edits)), strict=True):
        if unknown := sorted(named - set(addresses)):
            raise SettingError(f"{key}: there is no upstream {unknown[0]!r}", hint=f"upstreams are {', '.join(names)}")
    _check_ports(ports, settings.serve_port)
    made = []
    for name, url in addresses.items():
        _check_query(name, Address.parse(url).query)
        if name in _PATHS:
            raise SettingError(
                f"an upstream cannot be called {name!r}", hint="clients ask for paths that begin so; call it otherwise"
            )
        variable = keys.get(name)
        window = windows.get(name)
        upstream = Upstream(
            name=name,
            url=url,
            key=None if variable is None else _key(variable, environment),
            models=tuple(models.get(name, ())),
            window=_window(name, window) if window is not None else settings.window,
            port=ports.get(name),
            chosen=_edits(name, edits[name]) if name in edits else None,
        )
        if upstream.is_anthropic and "billing" in upstream.edits:
            raise SettingError(
                f"upstream_edits: {name!r} is Anthropic's own API, which wants the billing line",
                hint=f"leave out {name}=billing",
            )
        made.append(upstream)
    return made


def _check_query(name: str, query: str) -> None:
    for pair in query.split("&"):
        parameter, equals, _ = pair.partition("=")
        if equals and is_key_name(unquote_plus(parameter)):
            raise SettingError(
                f"upstream: the address of {name!r} holds a key ({parameter}=…)",
                hint="leave it out there, and name the variable that holds it: --upstream-key VARIABLE",
            )


def _key(variable: str, environment: Mapping[str, str] | None) -> str:
    key = secret(variable, "upstream_key", environment)
    if not (key.isascii() and key.isprintable()):
        raise SettingError(
            f"upstream_key: what {variable} holds can stand in no header",
            hint="set it to the key alone: one line, no character that is not ASCII",
        )
    return key


def _window(name: str, told: str) -> int:
    digits = told.replace("_", "")
    if not digits or not SMALLEST_WINDOW <= int(digits) <= LARGEST_WINDOW:
        raise SettingError(
            f"upstream_window: the window of {name!r} cannot be {told}",
            hint=f"it is a whole number of tokens, {SMALLEST_WINDOW} or more, {LARGEST_WINDOW} at most",
        )
    return int(digits)


def _check_ports(ports: Mapping[str, int], main: int) -> None:
    taken = {main: "the gateway itself"}
    for name, port in ports.items():
        if port > _HIGHEST_PORT:
            raise SettingError(f"upstream_port: {port} is no port", hint="it is a number from 0 to 65535")
        if port and port in taken:
            raise SettingError(
                f"upstream_port: {name!r} cannot have port {port}, which is for {taken[port]}",
                hint="give each a port of its own; 0 takes one that is free",
            )
        taken[port] = repr(name)


def _edits(name: str, words: list[str]) -> frozenset[Edit]:
    if _NONE in words and len(set(words)) > 1:
        raise SettingError(f"upstream_edits: {name}={_NONE} and others exclude each other", hint=f"leave out {name}={_NONE}")
    return frozenset(edit for edit in get_args(Edit) if edit in words)


def _by_name(text: str, *, key: str = "", single: bool = False, only: str = UNNAMED) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _entries(text):
        if not name and not single:
            raise SettingError(f"{value!r} belongs to no upstream", hint=f"write NAME={value}")
        if (name or only) in found:
            if key:
                raise SettingError(f"{key} names {name or only!r} twice", hint=f"leave out {name or only}={value}")
            raise SettingError("two upstreams of one name", hint="name each: --upstream NAME=URL")
        found[name or only] = value
    return found


def _all_by_name(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in _entries(text):
        found.setdefault(name, []).append(value)
    return found


def _entries(text: str) -> list[tuple[str, str]]:
    """Name and value of each; a ``=`` within an address is none of ours."""
    entries = []
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = part.partition("=")
        entries.append((name, value) if equals and ":" not in name and "/" not in name else ("", part))
    return entries
