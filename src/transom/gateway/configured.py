"""Upstreams as settings write them: addresses, and what belongs to each by its name.

Knows settings and where keys come from; asks nobody. Source: ``settings.schema`` for the spelling.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import SettingError
from ..settings import Resolved
from ..settings.belonging import belonging
from ..settings.secrets import secret
from ..upstream.address import Address
from .upstreams import Upstream

__all__ = ["UNNAMED", "configured"]

UNNAMED = "upstream"
"""What an upstream is called that has no name."""

_PATHS = ("api", "upload", "v1", "v1alpha", "v1beta", "v2")
"""First parts of paths that clients ask: an upstream of such a name would take them for itself."""
_BELONGING = ("upstream_key", "upstream_models", "upstream_window")


def configured(resolved: Resolved, environment: Mapping[str, str] | None = None) -> list[Upstream]:
    """The upstreams that settings name. Those of the command line take nothing from what other sources say of upstreams.

    Args:
        resolved: the settings.
        environment: where keys are; the variables of the process.

    Raises:
        SettingError: none is named, a name does not fit, or something belongs to none of them.
        InputError: an address that cannot be read.
    """
    settings = resolved.settings
    if settings.upstream is None:
        raise SettingError("no upstream", hint="--upstream URL, for example http://localhost:1234")
    told = {key: belonging(resolved, key, "upstream") or "" for key in _BELONGING}
    addresses = _by_name(settings.upstream, single=True)
    names = list(addresses)
    keys = _by_name(told["upstream_key"], single=len(names) == 1, only=names[0])
    windows = _by_name(told["upstream_window"])
    models = _all_by_name(told["upstream_models"])
    for key, named in zip(_BELONGING, (set(keys), set(models), set(windows)), strict=True):
        if unknown := sorted(named - set(addresses)):
            raise SettingError(f"{key}: there is no upstream {unknown[0]!r}", hint=f"upstreams are {', '.join(names)}")
    made = []
    for name, url in addresses.items():
        Address.parse(url)
        if name in _PATHS:
            raise SettingError(
                f"an upstream cannot be called {name!r}", hint="clients ask for paths that begin so; call it otherwise"
            )
        variable = keys.get(name)
        window = windows.get(name)
        made.append(
            Upstream(
                name=name,
                url=url,
                key=None if variable is None else secret(variable, "upstream_key", environment),
                models=tuple(models.get(name, ())),
                window=int(window) if window is not None else settings.window,
            )
        )
    return made


def _by_name(text: str, *, single: bool = False, only: str = UNNAMED) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _entries(text):
        if not name and not single:
            raise SettingError(f"{value!r} belongs to no upstream", hint=f"write NAME={value}")
        if (name or only) in found:
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
