"""Names of files: how they are ordered and shown."""

from __future__ import annotations

import re

from ...access.folder import Entry
from ...saying import sayable

__all__ = ["SECONDS", "in_order", "label", "printable"]

SECONDS = 3.0
"""How long folders may take to be read before what there is becomes the answer."""

_UNSHOWABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")


def printable(name: str) -> str:
    """A name on one line and in valid Unicode: control characters, line separators and bytes that are no UTF-8 as escapes."""
    return _UNSHOWABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", sayable(name))


def in_order(entry: Entry) -> tuple[bool, str, str]:
    """What to sort by: folders first, then names without regard to case."""
    return (not entry.is_folder, entry.name.casefold(), entry.name)


def label(entry: Entry) -> str:
    """A name with what it is: a folder ends in ``/``, a link in ``@``."""
    name = printable(entry.name)
    return f"{name}/" if entry.is_folder else f"{name}@" if entry.is_link else name
