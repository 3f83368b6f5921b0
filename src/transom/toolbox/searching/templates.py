"""What a regular expression's matches are replaced with: text, and groups as ``$1``, ``${name}``; ``$$`` is a dollar sign."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["NoSuchGroup", "parts"]

_GROUP = re.compile(r"\$(?:(\$)|(\d{1,2})|\{(\w+)\})")


class NoSuchGroup(Exception):
    """A group that the pattern does not have.

    Args:
        group: it, as it was written.
    """

    def __init__(self, group: str) -> None:
        super().__init__(group)
        self.group = group


def parts(template: str, pattern: re.Pattern[str]) -> Iterator[str | int]:
    """Its texts, and its groups by number.

    Raises:
        NoSuchGroup: it names one that the pattern does not have.
    """
    at = 0
    for found in _GROUP.finditer(template):
        yield template[at : found.start()]
        at = found.end()
        dollar, digits, name = found.groups()
        if dollar:
            yield "$"
            continue
        known = pattern.groupindex.get(name or "")
        number = int(digits or name) if (digits or name).isdecimal() else known
        if number is None or number > pattern.groups:
            raise NoSuchGroup(found.group())
        yield number
    yield template[at:]
