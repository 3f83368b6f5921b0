"""Search as a model reads it: the matches and what stands beside them, over everything it can see, the best first.

What is searched is the original text; a match in an archive names the message. Memory is shown as its facts have it now, so
that no match steps around a lifetime or shows the fact of another project.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...errors import InputError, IntegrityError, NotFoundError
from ...store.archive import archive_texts
from ...store.fulltext import parse_query
from ...store.neighbours import Step, grouped, steps
from ...store.packing import unpacked
from ...store.passages import Passage, passage_of
from ...store.question import Question
from ...store.showing import LEAST, width_of
from ...store.uri import parse_uri
from ...vocabulary.placing import Confidence
from ...vocabulary.retrieving import RetrievalWords
from ..placement.labels import Provenance, Source, day_of, label
from .addresses import Address
from .host import Host
from .places import ENTRIES, Facts, text_of_data
from .refusal import Refused, sayable
from .transcript import archive_messages
from .views import next_mark

__all__ = ["find"]

_MOST, _MOST_FILTERED = 100, 1_000
"""Matches asked for; more where only those below a folder count."""
_QUERY_SHOWN = 120


@dataclass(frozen=True, slots=True)
class _Match:
    """One match that the session may see.

    Attributes:
        uri: its address.
        message: which message of an archive, or 0.
        snippet: what the index has of it.
        text: the whole text of a fact; of anything else it is read when it is shown.
        label: how sure it is, in words; may be empty.
        score, meta: what the search says of it.
    """

    uri: str
    message: int
    snippet: str
    text: str | None = None
    label: str = ""
    score: float = 0.0
    meta: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A passage and where it stands; a fact has no lines."""

    step: Step
    passage: Passage
    fact: bool
    label: str = ""


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
        return sayable(words.found_none.format(query=query[:_QUERY_SHOWN], where=where))
    if offset >= len(hits):
        raise Refused("bad_number", given=offset, total=len(hits))
    call: dict[str, object] = {"command": "search", "query": query[:_QUERY_SHOWN]}
    call |= {"path": within.uri} if within is not None else {}
    question = Question.of(parse_query(query))

    def build(shown: Sequence[_Shown]) -> str:
        last = offset + sum(1 for each in shown if each.step.hit is not None)
        heading = words.found.format(total=len(hits), first=offset + 1, last=last)
        page = "\n\n".join([heading, *_written(shown, words)])
        left = len(hits) - last
        if not left or len(query) > _QUERY_SHOWN:
            return page
        return f"{page}\n\n{next_mark(call | {'offset': last}, words.to_come_matches.format(count=left), words)}"

    shown: list[_Shown] = []
    texts = _Texts(host)
    order = steps([(match.uri, match.message, match.score, match.meta) for match in hits[offset:]])
    for at, step in enumerate(order):
        match = hits[offset + step.hit] if step.hit is not None else _Match(step.uri, step.line, "")
        text = await texts.of(match)
        if not text and step.hit is None:
            continue
        width = width_of(step, text, room.budget - room.count(build(shown)), len(order) - at)
        least = min(LEAST, len(text))
        while width >= least:
            longer = [*shown, _Shown(step, passage_of(question, text, width), match.text is not None, match.label)]
            if room.fits(build(longer)):
                shown = longer
                break
            # What stands beside a match is shown whole or not at all.
            width = width * 3 // 4 if step.hit is not None and width > 1 else -1
        if width < least and step.hit is not None:
            break
    if not any(each.step.hit is not None for each in shown):
        # Not even the shortest passage fits: the address alone.
        shown = [_Shown(Step(hits[offset].uri, 0, 0), Passage(""), fact=True)]
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
        if at.namespace == "memory":
            match = await _remembered(host, at.path)
        else:
            # What a session left is an account of it; anything else stands as it was said.
            told = _label(host, "inferred", "summary") if at.namespace == "sessions" else ""
            match = _Match(hit.uri, hit.line, hit.snippet, label=told)
        if match is not None and len(matches) < _MOST:
            matches.setdefault((match.uri, match.message), replace(match, score=hit.score, meta=hit.meta))
    return list(matches.values())


async def _remembered(host: Host, path: str) -> _Match | None:
    """A fact or an entry that matched, as it is now; ``None`` for what this session does not see."""
    if path.startswith(ENTRIES):
        entry = await host.entries.at(path) if host.entries is not None else None
        if entry is None:
            return None
        return _Match(Address("memory", path).uri, 0, "", entry.content, _label(host, entry.confidence, "entry", entry.created))
    if host.facts is None:
        return None
    try:
        fact = await Facts(host.facts, host.turn).find(path)
    except InputError:
        # A fact of another project.
        return None
    if fact is None or fact.path != path:
        return None
    said = _label(host, fact.confidence, "fact", fact.updated)
    return _Match(Address("memory", fact.key).uri, 0, "", f"{fact.key}\n{fact.value}", said)


def _label(host: Host, confidence: Confidence, source: Source, written: float = 0.0) -> str:
    return label(confidence, Provenance(source, day=day_of(written)), host.vocabulary.placing, host.labels)


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


def _written(shown: Sequence[_Shown], words: RetrievalWords) -> list[str]:
    """What is shown, entry by entry: the address, where in it the match stands, and the text."""
    first = {each.step.uri: each for each in reversed(shown)}
    pages = []
    for uri, numbers, page in grouped([(each.step, each.passage.text) for each in shown]):
        each = first[uri]
        if each.step.line:
            place = words.in_message.format(number=numbers) if numbers.isdigit() else words.in_messages.format(numbers=numbers)
        else:
            place = "" if each.fact else words.in_line.format(number=each.passage.line)
        heading = f"{uri}, {place}" if place else uri
        pages.append("\n".join(filter(None, (f"{heading} {each.label}" if each.label else heading, page))))
    return pages
