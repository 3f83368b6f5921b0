"""Search as a model reads it: passages around the matches, over everything it can see, the best first.

What is searched is the original text; a match in an archive names the message. Memory is shown as its facts have it now, so
that no match steps around a lifetime or shows the fact of another project.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InputError, IntegrityError, NotFoundError
from ...store.archive import archive_texts
from ...store.fulltext import excerpt, parse_query
from ...store.search import SearchHit
from ...store.uri import SCHEME, parse_uri
from .addresses import Address
from .host import Host
from .places import Facts, text_of_data
from .refusal import Refused
from .transcript import archive_messages
from .views import next_mark

__all__ = ["find"]

_MOST, _MOST_FILTERED = 100, 1_000
"""Matches asked for; more where only those below a folder count."""
_CHARACTERS_PER_TOKEN = 4
_LEAST, _SHARE = 80, 4
"""A passage has that many characters at least, and a quarter of the room that is left."""
_QUERY_SHOWN = 120


@dataclass(frozen=True, slots=True)
class _Match:
    """One match and what it stands in.

    Attributes:
        uri: its address.
        text: the whole text: of an archive, of that message.
        message: which message of an archive, or 0.
    """

    uri: str
    text: str
    message: int


async def find(host: Host, query: str, within: Address | None, offset: int) -> str:
    """The passages that fit.

    Args:
        host: whose store.
        query: what is looked for.
        within: a namespace, folder or entry; everything the session sees where it is ``None``.
        offset: matches to leave out.

    Raises:
        Refused: the offset is beyond the end.
        StoreError: the store cannot be read.
    """
    words, room = host.vocabulary.retrieving, host.room
    hits = await _hits(host, query, within)
    where = within.uri if within is not None else ", ".join(host.readable)
    if not hits:
        return words.found_none.format(query=query[:_QUERY_SHOWN], where=where)
    if offset >= len(hits):
        raise Refused("bad_number", given=offset, total=len(hits))
    call: dict[str, object] = {"command": "search", "query": query[:_QUERY_SHOWN]}
    call |= {"path": within.uri} if within is not None else {}
    needles = parse_query(query).needles

    def build(shown: Sequence[str]) -> str:
        last = offset + len(shown)
        heading = words.found.format(total=len(hits), first=offset + 1, last=last)
        page = "\n\n".join([heading, *shown])
        left = len(hits) - last
        if not left or len(query) > _QUERY_SHOWN:
            return page
        return f"{page}\n\n{next_mark(call | {'offset': last}, words.to_come_matches.format(count=left), words)}"

    shown: list[str] = []
    for match in hits[offset:]:
        free = room.budget - room.count(build(shown))
        width = max(_LEAST, free * _CHARACTERS_PER_TOKEN // _SHARE)
        while width >= _LEAST and not room.fits(build([*shown, _passage(match, needles, width, host)])):
            width //= 2
        if width < _LEAST:
            break
        shown.append(_passage(match, needles, width, host))
    if not shown:
        # Not even the shortest passage: the address alone.
        shown.append(hits[offset].uri)
    return build(shown)


async def _hits(host: Host, query: str, within: Address | None) -> list[_Match]:
    names = (within.namespace,) if within is not None else host.readable
    filtered = within is not None and bool(within.path)
    found = await host.store.search(query, names, _MOST_FILTERED if filtered else _MOST)
    matches: list[_Match] = []
    archives: dict[str, list[bytes]] = {}
    seen: set[tuple[str, int]] = set()
    for hit in found:
        at = parse_uri(hit.uri)
        if within is not None and within.path and at.path != within.path and not at.path.startswith(within.prefix):
            continue
        match = await _match(host, hit, archives)
        if match is not None and (match.uri, match.message) not in seen and len(matches) < _MOST:
            seen.add((match.uri, match.message))
            matches.append(match)
    return matches


async def _match(host: Host, hit: SearchHit, archives: dict[str, list[bytes]]) -> _Match | None:
    """A hit with its text; ``None`` for what this session does not see."""
    at = parse_uri(hit.uri)
    if at.namespace == "memory":
        return await _fact(host, at.path)
    if at.namespace == "archive":
        if hit.uri not in archives:
            archives[hit.uri] = archive_messages(await _data(host, hit.uri))
        lines = archives[hit.uri]
        texts = archive_texts(lines[hit.line - 1]) if 0 < hit.line <= len(lines) else ()
        return _Match(hit.uri, texts[0] if texts else hit.snippet, hit.line)
    text = text_of_data(await _data(host, hit.uri))
    return _Match(hit.uri, text or hit.snippet, 0)


async def _fact(host: Host, path: str) -> _Match | None:
    if host.facts is None:
        return None
    try:
        fact = await Facts(host.facts, host.turn).find(path)
    except InputError:
        # An entry, or a fact of another project: not for this session.
        return None
    if fact is None or fact.path != path:
        return None
    return _Match(Address("memory", fact.key).uri, f"{fact.key}\n{fact.value}", 0)


async def _data(host: Host, uri: str) -> bytes:
    try:
        return await host.store.get(uri)
    except (NotFoundError, IntegrityError):
        # Gone or damaged since it was indexed: the index still has the words.
        return b""


def _passage(match: _Match, needles: Sequence[str], width: int, host: Host) -> str:
    words = host.vocabulary.retrieving
    shown = excerpt(match.text, needles, width)
    if match.message:
        where = words.in_message.format(number=match.message)
    else:
        at = match.text.find(shown.strip("…"))
        where = words.in_line.format(number=match.text.count("\n", 0, max(0, at)) + 1)
        if match.uri.startswith(f"{SCHEME}memory/"):
            return f"{match.uri}\n{shown}"
    return f"{match.uri}, {where}\n{shown}"
