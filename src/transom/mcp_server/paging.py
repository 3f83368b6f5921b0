"""Lists in pages. A cursor names the last item that was shown, so a list that grows meanwhile shows nothing twice."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import TypeVar

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

__all__ = ["page"]

Item = TypeVar("Item")


def page(items: Sequence[Item], cursor: str | None, size: int, key: Callable[[Item], str]) -> tuple[Sequence[Item], str | None]:
    """One page of a list, and the cursor of the next one.

    Args:
        items: the whole list, in an order that stays.
        cursor: what the page before gave.
        size: items of a page.
        key: what an item is known by.

    Raises:
        MCPError: a cursor that no page gave, or one whose item is gone.
    """
    start = 0
    if cursor is not None:
        last = _read(cursor)
        start = next((index + 1 for index, item in enumerate(items) if key(item) == last), 0)
        if not start:
            raise MCPError(INVALID_PARAMS, "This cursor is not from this list as it is now. Ask for the list again.")
    shown = items[start : start + size]
    more = start + size < len(items)
    return shown, urlsafe_b64encode(key(shown[-1]).encode()).decode() if more else None


def _read(cursor: str) -> str:
    try:
        return urlsafe_b64decode(cursor.encode()).decode()
    except ValueError:
        return ""
