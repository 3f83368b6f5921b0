"""What of our environment a child gets to see: a list of names, and nothing that is not on it; and where our interpreter lies.

Whatever may hold a credential stays out by not being named (D-ENV of the shared cases).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["ALLOWED", "child_environment", "interpreter"]

ALLOWED = frozenset({
    "PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "USER", "LOGNAME",
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
})  # fmt: skip
"""Names that are handed on; those of Windows are what programs there do not start without."""
_PREFIX = "LC_"


def child_environment(environment: Mapping[str, str], extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child.

    Args:
        environment: ours.
        extra: set on top, whatever the name.
    """
    allowed = {name: value for name, value in environment.items() if name.upper() in ALLOWED or name.startswith(_PREFIX)}
    allowed.setdefault("PATH", "/usr/local/bin:/usr/bin:/bin")
    return {**allowed, **(extra or {})}


def interpreter() -> tuple[Path, ...]:
    """What the running interpreter needs to be started again: its prefix, and that of the environment it was started in."""
    found = {Path(prefix).resolve() for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)}
    return tuple(sorted(path for path in found if path != Path("/")))
