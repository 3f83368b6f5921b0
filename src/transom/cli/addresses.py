"""Addresses of servers as options give them, and what is wrong with one in a sentence that says how to write it."""

from __future__ import annotations

import re

from ..errors import InputError, UsageError
from ..upstream.address import Address

__all__ = ["check_address", "split_name"]

_HOST = re.compile(r"(?:localhost|[^\s/:@]+(?=[:.])[^\s/@]*)(?:/\S*)?")
"""What may be an address without its scheme. Anything else is not repeated: it may be a key."""


def split_name(text: str) -> tuple[str, str]:
    """``NAME=URL`` as the two of them; the name is empty where there is none, whatever ``=`` the address has."""
    name, equals, url = text.partition("=")
    return (name, url) if equals and ":" not in name and "/" not in name else ("", text)


def check_address(url: str, option: str, name: str = "") -> None:
    """Refuse what is no address.

    Args:
        url: as it was given.
        option: by which.
        name: what it was called there.

    Raises:
        UsageError: it is none.
    """
    try:
        Address.parse(url)
    except InputError as error:
        # Told before what else is wrong with it: it is nearly always that.
        named = f"{name}=" if name else ""
        forgot = "://" not in url and _HOST.fullmatch(url)
        hint = f"write it as {option} {named}http://{url}" if forgot else error.hint
        raise UsageError(f"{option}: {error.message}", hint=hint) from None
