"""``transom memory``: what is remembered, looked at and changed by hand.

Knows facts and entries by their verbs; decides nothing about them. Only ``set`` and ``register`` make a store where there is
none. A name may be a fact's key, an entry's id, or the address of either.
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from ..engine.memory.entry import Entry, is_id
from ..engine.memory.fact import Fact, check_key
from ..engine.memory.kinds import MOST
from ..engine.memory.memory import MemoryHit
from ..engine.memory.stored import NAMESPACE
from ..engine.memory.switching import MemoryScope
from ..errors import InputError, MemoryRefusedError, NotFoundError, URIError, UsageError
from ..store.blobs import encode_text
from ..store.uri import SCHEME, parse_uri
from . import output
from .numbers import positive
from .options import JSON, StorePath
from .project import Project, moment, with_memory
from .sessions import projects, register, restore, sessions

__all__ = ["app"]

app = App(name="memory", help="List, read, write, forget and search what is remembered; its projects and sessions.")

SHOWN = 72
"""Characters of a text that a list shows."""


def _share(_type: object, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise ValueError("it is a number from 0 to 1")


def _few(_type: object, value: int | None) -> None:
    positive(_type, value)
    if value is not None and value > MOST:
        raise ValueError(f"it is at most {MOST}")


Prefix = Annotated[str, Parameter(name="--prefix", help="What the keys (of entries: the ids) begin with.")]
Family = Annotated[
    Literal["all", "facts", "entries"], Parameter(name="--scope", help="Facts (by key), entries (by id), or both.")
]
Source = Annotated[Path | None, Parameter(name="--file", help="Take the value from this file.")]
Value = Annotated[str | None, Parameter(allow_leading_hyphen=True, help="The text; - for stdin.")]
Description = Annotated[str | None, Parameter(name="--description", help="What it is about, in a few words.")]
Importance = Annotated[
    float | None, Parameter(name="--importance", validator=_share, help="0 to 1; the most important facts stand first.")
]
Lasting = Annotated[float | None, Parameter(name="--ttl", validator=positive, help="Seconds that it lasts.")]
Hits = Annotated[int, Parameter(name="--limit", validator=_few, help=f"Hits at most, up to {MOST}.")]


@app.command(name="list")
def list_(
    *, prefix: Prefix = "", scope: Family = "all", project: Project = "", store: StorePath = None, json: JSON = False
) -> None:
    """List facts, in the order of their keys, and entries, what matters most first."""

    async def listed(opened: MemoryScope) -> tuple[list[Fact], list[Entry]]:
        facts = await opened.memory.facts.list(prefix) if scope != "entries" else []
        entries = await opened.memory.entries.ranked() if scope != "facts" else []
        return facts, [entry for entry in entries if entry.id.startswith(prefix)]

    facts, entries = with_memory(store, project, listed)
    if json:
        output.json_line({"facts": [_fact(fact) for fact in facts], "entries": [_entry(entry) for entry in entries]})
        return
    rows = [("fact", fact.key, fact.project or "global", moment(fact.updated), _short(fact.value)) for fact in facts]
    rows += [(entry.type, entry.id, entry.owner or "global", moment(entry.created), _about(entry)) for entry in entries]
    output.table(("kind", "key or id", "whose", "written", "text"), rows, spare=(3, 2))


@app.command
def get(key: str, /, *, project: Project = "", store: StorePath = None, json: JSON = False) -> None:
    """Write the exact bytes of a fact's value, or of an entry's text, to stdout.

    Parameters
    ----------
    key:
        The key of a fact, or the id of an entry.
    """

    async def read(opened: MemoryScope) -> tuple[Fact | Entry, bytes]:
        found = await _find(opened, key)
        return found, await opened.sessions.store.get(found.uri)

    found, data = with_memory(store, project, read)
    if json:
        output.json_line(_fact(found) if isinstance(found, Fact) else _entry(found))
    else:
        output.raw(data)


@app.command(name="set")
def set_(
    key: str,
    value: Value = None,
    /,
    *,
    file: Source = None,
    description: Description = None,
    importance: Importance = None,
    ttl: Lasting = None,
    project: Project = "",
    store: StorePath = None,
    json: JSON = False,
) -> None:
    """Write a fact; it is stored when this ends.

    A fact that is there gets the new value. Its description and importance stay if none is given, its lifetime does not. With
    --project the fact is the project's own and goes before a global one of the same key.

    Parameters
    ----------
    key:
        Like a path: style/quotes. Nothing begins with entries/ or projects/.
    """
    try:
        check_key(key)
    except (URIError, MemoryRefusedError) as error:
        raise UsageError(error.message, hint=error.hint) from None
    text = _text(value, file)

    async def write(opened: MemoryScope) -> Fact:
        return await opened.memory.facts.set(key, text, description=description, importance=importance, ttl=ttl)

    # In a store that is yet to be made no project is registered.
    fact = with_memory(store, project, write, create=not project)
    if json:
        output.json_line(_fact(fact))
    else:
        output.line(f"{fact.key}: {output.counted(len(encode_text(fact.value)), 'byte')} at {fact.uri}")


@app.command
def forget(key: str, /, *, project: Project = "", store: StorePath = None, json: JSON = False) -> None:
    """Delete a fact or an entry, and say which of the two it was.

    Parameters
    ----------
    key:
        The key of a fact, or the id of an entry.
    """

    async def take_away(opened: MemoryScope) -> Fact | Entry:
        found = await _find(opened, key)
        await opened.memory.forget(found.uri)
        return found

    gone = with_memory(store, project, take_away)
    family, named, name = ("facts", "key", gone.key) if isinstance(gone, Fact) else ("entries", "id", gone.id)
    if json:
        output.json_line({"deleted": True, "family": family, named: name, "uri": gone.uri})
    else:
        output.line(f"forgot the {'fact' if isinstance(gone, Fact) else 'entry'} {name} ({gone.uri})")


@app.command
def search(query: str, /, *, limit: Hits = 20, project: Project = "", store: StorePath = None, json: JSON = False) -> int:
    """Find facts and entries by their words, the best match first.

    Any of the words may match, the rarest count most; "words in quotes" must follow one another. Exits with 1 if nothing is
    found.

    Parameters
    ----------
    query:
        A question in plain words, an identifier, a path, a number.
    """

    async def find(opened: MemoryScope) -> tuple[MemoryHit, ...]:
        return (await opened.memory.search_context(query, limit)).hits

    hits = with_memory(store, project, find)
    if json:
        output.json_line({"hits": [_hit(hit) for hit in hits]})
    elif hits:
        rows = [("fact" if isinstance(hit.record, Fact) else hit.record.type, hit.id, hit.snippet) for hit in hits]
        output.table(("kind", "key or id", "text"), rows)
    else:
        output.note("nothing found")
    return 0 if hits else 1


for command in (projects, register, sessions, restore):
    app.command(command)


async def _find(opened: MemoryScope, name: str) -> Fact | Entry:
    """The entry of this id, else the fact with this key: in the order in which ``forget`` looks.

    Raises:
        NotFoundError: neither is there.
        UsageError: no name that either could have.
    """
    facts, entries = opened.memory.facts, opened.memory.entries
    try:
        path = parse_uri(name).path if name.startswith(f"{SCHEME}{NAMESPACE}/") else name
        if path.startswith("entries/"):
            found: Fact | Entry | None = await entries.at(path)
        else:
            found = (await entries.get(path) if is_id(path) else None) or await facts.get(path)
    except (URIError, MemoryRefusedError) as error:
        raise UsageError(error.message, hint=error.hint) from None
    if found is None:
        raise NotFoundError(
            f"nothing is remembered as {name!r}: no fact has this key and no entry this id",
            hint="transom memory list shows keys and ids; --project opens those of a project",
        )
    return found


def _text(value: str | None, file: Path | None) -> str:
    """The value meant: an argument, stdin or a file, exactly."""
    if (value is None) == (file is None):
        raise UsageError("one value is needed", hint="give it as an argument, as - with the text on stdin, or by --file PATH")
    if file is not None:
        data, where = file.read_bytes(), str(file)
    elif value == "-":
        data, where = sys.stdin.buffer.read(), "stdin"
    else:
        data, where = os.fsencode(value or ""), "the value"
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{where} is no UTF-8 text", hint="facts are text; convert it first") from None


def _fact(fact: Fact) -> dict[str, object]:
    return {
        "family": "facts",
        "key": fact.key,
        "value": fact.value,
        "description": fact.description,
        "importance": fact.importance,
        "project": fact.project,
        "created": fact.created,
        "updated": fact.updated,
        "updates": fact.updates,
        "expires_at": fact.expires_at,
        "origin": asdict(fact.origin) if fact.origin is not None else None,
        "uri": fact.uri,
    }


def _entry(entry: Entry) -> dict[str, object]:
    return {
        "family": "entries",
        "id": entry.id,
        "title": entry.title,
        "content": entry.content,
        "type": entry.type,
        "tags": entry.tags,
        "scope": entry.scope,
        "project": entry.owner if entry.scope == "project" else "",
        "confidence": entry.confidence,
        "created": entry.created,
        "expires_at": entry.expires_at,
        "origin": asdict(entry.origin) if entry.origin is not None else None,
        "uri": entry.uri,
    }


def _hit(hit: MemoryHit) -> dict[str, object]:
    family, named = ("facts", "key") if isinstance(hit.record, Fact) else ("entries", "id")
    return {"family": family, named: hit.id, "uri": hit.uri, "score": hit.score, "snippet": hit.snippet}


def _about(entry: Entry) -> str:
    return _short(entry.content if entry.content.startswith(entry.title) else f"{entry.title}: {entry.content}")


def _short(text: str) -> str:
    """The first line of a text, as much of it as a table has room for; the rest is what ``get`` is for."""
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    shown = line[:SHOWN].rstrip()
    return shown if shown == text.strip() else f"{shown} …"
