"""Asking parsed JSON for what it ought to hold. Knows no format.

Session files are written by many versions of many programs, so a reader never trusts a type: a wrong one reads as absent.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsontext import EMPTY

__all__ = ["count", "mapping", "pick", "sequence", "text"]


def mapping(value: object) -> Mapping[str, object]:
    """``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else EMPTY


def sequence(value: object) -> list[object]:
    """``value`` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """``value`` if it is text, else the empty text."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    """``value`` if it is a whole number of something, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def pick(source: Mapping[str, object], *keys: str) -> dict[str, object]:
    """The named fields of ``source`` that are there and not null, in the order named."""
    return {key: value for key in keys if (value := source.get(key)) is not None}
