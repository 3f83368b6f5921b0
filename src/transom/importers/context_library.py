"""Reads the directories of the TypeScript context library: ``memory``, ``vfs``, ``notes`` and ``archive``.

Up to version 4.1 memory lies in ``.context_memory``: ``<base64url of the key>.mem`` with ``{value, description, createdAt, …}``
and an ``_index.json`` of keys beside them; what was offloaded lies in ``.context_vfs`` as ``vfs_<digest>.txt`` (before that
``vfs_<time>_<digest>.txt``), archived spans too, as ``{version, messages}``. From 4.2 on one folder holds a folder for each
namespace; memory and notes are ``{content, meta}`` under their own names there, the others plain text. Times are milliseconds.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from ..engine.memory.fact import Fact, check_key
from ..engine.memory.origin import Origin
from ..errors import InputError, JSONError
from ..jsontext import dumps, loads
from .findings import Archive, Finding, Found, Left, Note, Text
from .source import Refused, Source
from .values import day, digest, moment, number, object_of, text_of

__all__ = ["NAME", "read_context_library"]

NAME = "context-library"

_MEMORY = ("", ".context_memory", "memory")
_OFFLOADED = ("", ".context_vfs", "vfs")
_ENDING, _KEYS = ".mem", "_index.json"
_BLOB = re.compile(r"vfs_(?:(?P<time>\d{10,16})_)?[0-9a-f]+\.txt")
_SCRATCH = ".tmp_"
_TELLING = 32


def read_context_library(source: Source, now: float) -> Iterator[Finding]:
    """Everything of the library in a source; nothing where it left nothing here.

    Args:
        source: the folder that the library kept its namespaces in, the one above ``.context_memory`` and ``.context_vfs``, one
            of these, or one file of them.
        now: unix time in seconds; what was to last until then has ended.
    """
    for folder in _MEMORY:
        yield from _old_memory(source, folder, now)
    if _is_root(source):
        yield from _new_memory(source, now)
        yield from _notes(source)
        for path in source.walk("archive"):
            yield _offloaded(source, path)
    for folder in _OFFLOADED:
        for name in source.names(folder):
            if _BLOB.fullmatch(name):
                yield _offloaded(source, f"{folder}/{name}" if folder else name)
            elif folder and name.startswith(_SCRATCH):
                yield Left(Origin(NAME, f"{folder}/{name}"), "a file whose writing was not finished", fault=False)


def _is_root(source: Source) -> bool:
    """Whether this folder is one that the library of today keeps its namespaces in. Other folders have ``notes`` as well."""
    if any(_BLOB.fullmatch(name) for name in source.names("vfs")):
        return True
    memory = (path for path in source.walk("memory") if not path.endswith(_ENDING))
    # Other projects have a folder of this name as well, with anything in it: a few files tell.
    return any(_envelope(source, path) is not None for path in islice(memory, _TELLING))


# ── memory ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _old_memory(source: Source, folder: str, now: float) -> Iterator[Finding]:
    names = source.names(folder)
    files = [name for name in names if name.endswith(_ENDING) and not name.startswith(".")]
    where = f"{folder}/" if folder else ""
    found = set()
    for name in files:
        origin = Origin(NAME, where + name)
        try:
            key = _decoded(name.removesuffix(_ENDING))
            body = object_of(source.read(where + name))
        except (Refused, binascii.Error, ValueError) as error:
            yield Left(origin, error.message if isinstance(error, Refused) else "its name is no key in base64url")
            continue
        found.add(key)
        origin = Origin(NAME, where + name, key)
        if body is None or not isinstance(body.get("value"), str):
            yield Left(origin, "it is no entry of memory")
        else:
            yield _fact(key, text_of(body["value"]), body, origin, now)
    if _KEYS in names and (files or folder):
        yield from _missing(source, where + _KEYS, found)


def _missing(source: Source, path: str, found: set[str]) -> Iterator[Left]:
    try:
        keys = loads(source.read(path))
    except (Refused, JSONError) as error:
        yield Left(Origin(NAME, path), error.message, fault=False)
        return
    for key in keys if isinstance(keys, list) else ():
        if isinstance(key, str) and key not in found:
            yield Left(Origin(NAME, path, key), "the index names it, but its file is gone")


def _new_memory(source: Source, now: float) -> Iterator[Finding]:
    for path in source.walk("memory"):
        name = path.rpartition("/")[2]
        if name.endswith(_ENDING) or name == _KEYS:
            continue
        key = path.removeprefix("memory/")
        origin = Origin(NAME, path, key)
        body = _envelope(source, path)
        if body is None:
            yield Left(origin, "it is no entry of memory")
        else:
            meta = body.get("meta")
            yield _fact(key, text_of(body["content"]), meta if isinstance(meta, Mapping) else {}, origin, now)


def _fact(key: str, value: str, about: Mapping[str, object], origin: Origin, now: float) -> Finding:
    ends = moment(about.get("expiresAt"))
    if ends is not None and ends <= now:
        return Left(origin, f"its time was over on {day(ends)}", fault=False)
    if not value.strip():
        return Left(origin, "it says nothing", fault=False)
    remarks = []
    description = text_of(about.get("description"))
    try:
        named = check_key(key)
    except InputError:
        named = f"imported/{digest(key)}"
        description = f"{key}: {description}" if description else key
        remarks.append(f"its key cannot be one here; it is called {named}")
    if about.get("expiresAtTurn") is not None:
        remarks.append("it was to last some turns of a session that is over; it lasts now")
    created = moment(about.get("createdAt")) or 0.0
    fact = Fact(
        key=named,
        value=value,
        description=description,
        importance=_importance(about.get("importance")),
        created=created,
        updated=moment(about.get("updatedAt")) or created,
        updates=max(0, int(number(about.get("updateCount")) or 0)),
        expires_at=ends,
        origin=origin,
    )
    return Found(fact, origin, remarks=tuple(remarks))


def _importance(value: object) -> float:
    """From 0 to 1. The library left the scale to its users: what is above 1 is taken as one up to 10."""
    found = number(value)
    if found is None:
        return 0.5
    return min(1.0, max(0.0, found / 10 if found > 1 else found))


def _decoded(name: str) -> str:
    raw = base64.b64decode(name + "=" * (-len(name) % 4), altchars=b"-_", validate=True)
    return raw.decode("utf-8", "surrogatepass")


def _envelope(source: Source, path: str) -> Mapping[str, object] | None:
    """An entry as ``{content, meta}``, or ``None`` where the file is none."""
    try:
        body = object_of(source.read(path))
    except Refused:
        return None
    return body if body is not None and isinstance(body.get("content"), str) and "meta" in body else None


# ── notes, offloaded texts, archived spans ─────────────────────────────────────────────────────────────────────────────


def _notes(source: Source) -> Iterator[Finding]:
    for path in source.walk("notes"):
        name = path.removeprefix("notes/")
        origin = Origin(NAME, path, f"context://notes/{name}")
        body = _envelope(source, path)
        if body is None:
            yield Left(origin, "it is no note")
        else:
            yield Found(Note(name, text_of(body["content"])), origin)


def _offloaded(source: Source, path: str) -> Finding:
    namespace = "archive" if path.startswith("archive/") else "vfs"
    origin = Origin(NAME, path, f"context://{namespace}/{path.removeprefix('archive/').rpartition('/')[2]}")
    try:
        data = source.read(path)
    except Refused as error:
        return Left(origin, error.message)
    if not data:
        return Left(origin, "it is empty", fault=False)
    lines = _span(data)
    return Found(Archive(lines) if lines else Text(data), origin)


def _span(data: bytes) -> tuple[bytes, ...]:
    """The messages of an archived span, or nothing where the text is another one."""
    if not data.lstrip().startswith(b"{"):
        return ()
    body = object_of(data)
    messages = body.get("messages") if body is not None and number(body.get("version")) is not None else None
    if not isinstance(messages, list):
        return ()
    if not all(isinstance(message, Mapping) and isinstance(message.get("role"), str) for message in messages):
        return ()
    return tuple(dumps(message) for message in messages)
