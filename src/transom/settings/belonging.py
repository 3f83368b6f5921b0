"""What one setting says of another: a key goes only to the address that it was set with.

Knows where values came from; not what they mean.
"""

from __future__ import annotations

import re

from ..errors import SettingError
from .sources import Resolved

__all__ = ["belonging"]

_HOST = re.compile(r"https?://(\[[^\]]*\]|[^/:\s,?#]*)", re.IGNORECASE)
_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})


def belonging(resolved: Resolved, key: str, to: str) -> str | None:
    """The value of ``key`` where it was set in the place that ``to`` was set in. A folder's file may be anybody's: its address
    must not get what the user's own settings hold for another, nor may it name a variable of the user's for a server on another
    machine. An address of the command line takes nothing from elsewhere.

    Args:
        resolved: the settings.
        key: the setting that is asked for.
        to: the setting that it belongs to.

    Raises:
        SettingError: the two were set in different places, or a project's file sends a key to another machine.
    """
    told, there = resolved.entries[key], resolved.entries[to]
    if told.value is None:
        return None
    if told.source == there.source:
        leaves = any(host.lower() not in _HERE for host in _HOST.findall(str(there.value)))
        if leaves and key.endswith("_key") and told.source == "project":
            raise SettingError(
                f"{told.where} names a key for a server on another machine, and whoever wrote that file may not be you",
                hint=f"set {to} and {key} in your own settings: transom config set {key} VARIABLE --user",
            )
        return str(told.value)
    if there.source == "command line":
        return None
    raise SettingError(
        f"{key} is set by {told.where}, and {to} by {there.where}: they belong together",
        hint=f"set both in one place, or unset {key}",
    )
