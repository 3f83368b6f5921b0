"""Search as a model reads it: passages around the matches, over everything it can see, the best first.

What is searched is the original text; a match in an archive names the message. Memory is shown as its facts have it now, so
that no match steps around a lifetime or shows the fact of another project.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InputError, IntegrityError, NotFoundError
from ...store.archive import archive_texts
from ...store.fulltext import excerpt, fold, parse_query
from ...store.packing import unpacked
from ...store.uri import parse_uri
from .addresses import Address
from .host import Host
from .places import ENTRIES, Facts, text_of_data
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
    """One match that the session may see.

    Attributes:
        uri: its address.
        message: which message of an archive, or 0.
        snippet: what the index has of it.
        text: the whole text of a fact; of anything else it is read when it is shown.
    """

    uri: str
    message: int
    snippet: str
    text: str | None = None


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
    texts = _Texts(host)
    for match in hits[offset:]:
        text = await texts.of(match)
        free = room.budget - room.count(build(shown))
        width = max(_LEAST, free * _CHARACTERS_PER_TOKEN // _SHARE)
        while width >= _LEAST and not room.fits(build([*shown, _passage(match, text, needles, width, host)])):
            width //= 2
        if width < _LEAST:
            break
        shown.append(_passage(match, text, needles, width, host))
    if not shown:
        # Not even the shortest passage fits: the address alone.
        shown.append(hits[offset].uri)
    return build(shown)


async def _hits(host: Host, query: str, within: Address | None) -> list[_Match]:
    names = (within.namespace,) if within is not None else host.readable
    filtered = within is not None and bool(within.path)
    found = await host.store.search(query, names, _MOST_FILTERED if filtered else _MOST)
    matches: dict[tuple[str, int], _Match] = {}
    for hit in found:
        at = parse_uri(hit.uri)
        if within is not None and within.path and at.path != within.path and not at.path.startswith(within.prefix):
            continue
        if not host.sees(at.namespace, at.path):
            continue
        match = await _remembered(host, at.path) if at.namespace == "memory" else _Match(hit.uri, hit.line, hit.snippet)
        if match is not None and len(matches) < _MOST:
            matches.setdefault((match.uri, match.message), match)
    return list(matches.values())


async def _remembered(host: Host, path: str) -> _Match | None:
    """A fact or an entry that matched, as it is now; ``None`` for what this session does not see."""
    if path.startswith(ENTRIES):
        entry = await host.entries.at(path) if host.entries is not None else None
        return None if entry is None else _Match(Address("memory", path).uri, 0, "", entry.content)
    if host.facts is None:
        return None
    try:
        fact = await Facts(host.facts, host.turn).find(path)
    except InputError:
        # A fact of another project.
        return None
    if fact is None or fact.path != path:
        return None
    return _Match(Address("memory", fact.key).uri, 0, "", f"{fact.key}\n{fact.value}")


class _Texts:
    """What matches stand in; an archive is read once, however many of its messages match."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._archives: dict[str, list[bytes]] = {}

    async def of(self, match: _Match) -> str:
        """The whole text; of an archive, what can be searched of the message. The snippet where it is gone or damaged."""
        if match.text is not None:
            return match.text
        if not match.message:
            return text_of_data(await self._data(match.uri)) or match.snippet
        if match.uri not in self._archives:
            self._archives[match.uri] = archive_messages(await self._data(match.uri))
        lines = self._archives[match.uri]
        texts = archive_texts(lines[match.message - 1]) if match.message <= len(lines) else ()
        return texts[0] if texts else match.snippet

    async def _data(self, uri: str) -> bytes:
        try:
            data = await self._host.store.get(uri)
            return unpacked(data) if parse_uri(uri).namespace == "sessions" else data
        except (NotFoundError, IntegrityError):
            return b""


def _passage(match: _Match, text: str, needles: Sequence[str], width: int, host: Host) -> str:
    words = host.vocabulary.retrieving
    shown = excerpt(text, needles, width)
    if match.message:
        return f"{match.uri}, {words.in_message.format(number=match.message)}\n{shown}"
    if match.text is not None:
        return f"{match.uri}\n{shown}"
    core = shown.strip("…")
    spots = [at for needle in needles if (at := fold(core).find(needle)) >= 0]
    at = max(0, text.find(core)) + min(spots, default=0)
    return f"{match.uri}, {words.in_line.format(number=text.count(chr(10), 0, at) + 1)}\n{shown}"
