"""Writing: what a model changes in memory and notes, each change under a claim, nothing lost where a step fails.

Gives back what was done; says nothing. What may not be done raises ``Refused``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack

from ...errors import InputError, StoreError
from ...store.blobs import encode_text
from .addresses import Address
from .claims import claimed
from .editing import Edited, insert, lines_of, occurrences, replace_once
from .host import Host
from .places import Writable, text_of_data, writable_place
from .reading import not_found
from .refusal import Refused

__all__ = ["MOST_BYTES", "create", "delete", "insert_lines", "rename", "str_replace"]

MOST_BYTES = 1_000_000
"""Bytes of UTF-8 that an entry written by a model may have."""

_LINES_SHOWN = 40


async def create(host: Host, at: Address, text: str) -> None:
    """Make a new entry.

    Raises:
        Refused: there is one, or it cannot be made.
    """
    place = _file(host, at)
    _check_size(text)
    async with claimed(host, at.uri):
        if not await place.create(at.path, text):
            raise Refused("exists", uri=at.uri)


async def str_replace(host: Host, at: Address, old: str, new: str) -> Edited:
    """Replace a text that occurs once.

    Raises:
        Refused: it does not, or nothing is there.
    """

    def edit(text: str) -> Edited:
        if not old:
            raise Refused("missing", command="str_replace", name="old_str")
        if old == new:
            raise Refused("same")
        lines = occurrences(text, old)
        if not lines:
            raise Refused("no_match", uri=at.uri)
        if len(lines) > 1:
            some = ", ".join(map(str, lines[:_LINES_SHOWN])) + (", …" if len(lines) > _LINES_SHOWN else "")
            raise Refused("several", uri=at.uri, count=len(lines), lines=some)
        return replace_once(text, old, new)

    return await _edit(host, at, edit)


async def insert_lines(host: Host, at: Address, after: int, text: str) -> Edited:
    """Insert lines after line ``after``.

    Raises:
        Refused: there is no such line, or nothing is there.
    """

    def edit(present: str) -> Edited:
        edited = insert(present, after, text)
        if edited is None:
            raise Refused("bad_line", line=after, uri=at.uri, lines=len(lines_of(present)))
        return edited

    return await _edit(host, at, edit)


async def delete(host: Host, at: Address) -> None:
    """Remove an entry.

    Raises:
        Refused: nothing is there.
    """
    place = _file(host, at)
    async with claimed(host, at.uri):
        if await place.read(at.path) is None:
            raise await _nothing(place, at)
        await place.delete(at.path)


async def rename(host: Host, old: Address, new: Address) -> None:
    """Move an entry, to the other namespace too. It is stored anew before it leaves its old place.

    Raises:
        Refused: nothing is there, or the new place is taken.
    """
    source, target = _file(host, old), _file(host, new)
    async with AsyncExitStack() as claims:
        for uri in sorted({old.uri, new.uri}):
            await claims.enter_async_context(claimed(host, uri))
        data = await source.read(old.path)
        if data is None:
            raise await _nothing(source, old)
        if old.namespace == new.namespace:
            moved = await source.rename(old.path, new.path)
        else:
            moved = await _move(old, new, source, target, _text(data, old))
        if not moved:
            raise Refused("taken", uri=new.uri)


async def _move(old: Address, new: Address, source: Writable, target: Writable, text: str) -> bool:
    if not await target.create(new.path, text):
        return False
    try:
        await source.delete(old.path)
    except (InputError, StoreError):
        # It may not leave its old place: then it is not to be in two.
        await target.delete(new.path)
        raise
    return True


async def _edit(host: Host, at: Address, edit: Callable[[str], Edited]) -> Edited:
    place = _file(host, at)
    async with claimed(host, at.uri):
        data = await place.read(at.path)
        if data is None:
            raise await _nothing(place, at)
        edited = edit(_text(data, at))
        _check_size(edited.text)
        await place.replace(at.path, edited.text)
        return edited


def _file(host: Host, at: Address) -> Writable:
    place = writable_place(host, at)
    if not at.path or at.folder:
        raise Refused("is_folder", uri=at.uri)
    return place


async def _nothing(place: Writable, at: Address) -> Refused:
    return Refused("is_folder", uri=at.uri) if await place.paths(at.prefix) else not_found(at)


def _text(data: bytes, at: Address) -> str:
    text = text_of_data(data)
    if text is None:
        raise Refused("not_text", uri=at.uri)
    return text


def _check_size(text: str) -> None:
    size = len(encode_text(text))
    if size > MOST_BYTES:
        raise Refused("too_large", size=size, most=MOST_BYTES)
