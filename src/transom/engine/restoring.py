"""Taking a session out of one context and putting it into another, over whatever store.

Knows session and loader, no policy. What left the window follows from the messages of the session, so that nothing but these
has to travel: ``replenish`` puts into a store what the session cites and the store lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import FormatError, TransomError
from ..jsontext import dumps
from ..messages import Message, Result, Text, leading_system
from ..messages.codec import decode_message, encode_message
from ..store.backend import Write
from ..store.blobs import blob_uri, blob_write
from ..store.store import Store
from ..store.uri import parse_uri
from ..tokens import Calibration
from ..tokens.usage import Reported
from .carried import LoaderShape, SessionShape, WindowShape, check_tools, shaped
from .ledger.decisions import decision_writes
from .ledger.records import WindowRecord, decode_record, encode_record, record_folder, record_path
from .ledger.window import EMPTY_RECORD, Former, LiveWindow
from .loading import Loader
from .memory.fact import Fact
from .memory.facts import Facts
from .overflow.archive import head_notes, original_line, own_archives
from .selection.values import decode_selection, encode_selection
from .snapshot import (
    VERSION,
    Snapshot,
    decode_additions,
    decode_head,
    decode_records,
    encode_additions,
    encode_head,
    encode_records,
)
from .state import Session

__all__ = ["Held", "give", "put_back", "replenish", "take"]


@dataclass(frozen=True, slots=True)
class Held:
    """What a context holds of a session beside ``Session`` and ``Loader``.

    Attributes:
        own_system: the system prompt that was set.
        leading: how many of the loader's messages are a system prompt that was loaded.
        calibration, estimated, target: what reports are compared with, and the last target.
        facts: memory at that moment.
    """

    own_system: tuple[Message, ...]
    leading: int
    calibration: Calibration
    estimated: int
    target: str | None
    facts: tuple[Fact, ...] = ()


def take(session: Session, loader: Loader, held: Held, *, window: int, fingerprint: str) -> Snapshot:
    """The session as a value."""
    live, usage = session.live, session.usage
    in_force = live.base is not EMPTY_RECORD
    return Snapshot(
        {
            "transom_snapshot": VERSION,
            "size": window,
            "fingerprint": fingerprint,
            "own_system": [encode_message(message) for message in held.own_system],
            "leading": held.leading,
            "messages": [encode_message(message) for message in loader.messages],
            "loader": {
                "format": loader.format,
                "system": loader.system,
                "fields": None if loader.fields is None else sorted(loader.fields),
            },
            "head": encode_head(session.head),
            "tools": encode_selection(session.selection),
            "window": {
                "base": encode_records([live.base])[0] if in_force else None,
                "records": encode_records(live.records),
                "parted": live.parted,
                "adopted": live.adopted,
            },
            "session": {
                "ratio": session.ratio,
                "usage": None if usage is None else [usage.reported, usage.counted],
                "calibration": [list(pair) for pair in held.calibration.pairs],
                "estimated": held.estimated,
                "target": held.target,
                "asked": session.asked.hex(),
                "repairs": session.repairs,
                "reported": sorted(session.reported),
                "failed": sorted(session.failed),
                "removed": sorted(session.removed),
                "noticed": session.noticed,
                "warned": session.warned,
                "new_context": session.new_context,
                "managed": session.managed,
            },
            "additions": encode_additions(session.additions, live.sticky, held.facts),
        }
    )


def give(snapshot: Snapshot, session: Session, loader: Loader, former: Former, *, window: int, fingerprint: str) -> Held:
    """Put a snapshot into a fresh session and a fresh loader.

    A context of another window or strategy gets the conversation and what was added to it; it closes its windows by itself.

    Raises:
        FormatError: the snapshot is damaged.
    """
    try:
        return _give(snapshot, session, loader, former, (window, fingerprint))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, TransomError) as error:
        if isinstance(error, FormatError):
            raise
        raise _damaged(str(error)) from error


def _give(snapshot: Snapshot, session: Session, loader: Loader, former: Former, own: tuple[int, str]) -> Held:
    messages = snapshot.messages
    leading = shaped(snapshot.value.get("leading"), int, "leading")
    if not 0 <= leading <= leading_system(messages):
        raise _damaged(f"{leading} messages before the conversation")
    system = tuple(decode_message(item) for item in snapshot.items("own_system"))
    if leading_system(system) != len(system):
        raise _damaged("own_system holds other messages")
    sticky, facts = decode_additions(snapshot.record("additions"), session.additions)
    session.head = decode_head(snapshot.record("head"))
    check_tools(snapshot.value.get("tools"))
    session.selection = decode_selection(snapshot.value.get("tools"), session.selection, session.head.tools)
    session.loads.note(messages, session.selection.words)
    live = session.live
    live.sticky = sticky
    live.extend(messages[leading:])
    state = shaped(snapshot.record("session"), SessionShape, "session")
    window = shaped(snapshot.record("window"), WindowShape, "window")
    size, fingerprint = (shaped(snapshot.value.get(name), kind, name) for name, kind in (("size", int), ("fingerprint", str)))
    if (size, fingerprint) == own:
        _open_window(window, state, session, former)
    _fill(loader, shaped(snapshot.record("loader"), LoaderShape, "loader"), messages)
    session.usage = None if state["usage"] is None else Reported(*state["usage"])
    session.asked = bytes.fromhex(state["asked"])
    session.failed = set(state["failed"])
    session.managed = state["managed"]
    session.new_context = state["new_context"]
    return Held(
        own_system=system,
        leading=leading,
        calibration=Calibration(tuple(state["calibration"])),
        estimated=state["estimated"],
        target=state["target"],
        facts=facts,
    )


def _open_window(window: WindowShape, state: SessionShape, session: Session, former: Former) -> None:
    """Go on in the window that was open. What was decided and said in it is not decided and said again."""
    live = session.live
    if window["parted"]:
        live.part_first()
    live.records = decode_records(window["records"])
    base = decode_record(dumps(window["base"])) if window["base"] is not None else EMPTY_RECORD
    for record in (base, *live.records):
        _check_record(record)
    if base.k or base.fits:
        live.apply(base, former)
    else:
        live.base = base
        live.take_in(former)
    if window["adopted"]:
        live.adopted = True
        if not base.k:
            live.turns[0].own()
    for uri in (*state["reported"], *state["removed"]):
        parse_uri(uri)
    session.looked_up = True
    session.ratio = state["ratio"]
    session.repairs = state["repairs"]
    session.reported, session.removed = set(state["reported"]), set(state["removed"])
    session.noticed, session.warned = state["noticed"], state["warned"]


def _check_record(record: WindowRecord) -> None:
    """Refuse what would only be found out when the next window closes, or when the store is looked into.

    Raises:
        TransomError, ValueError: says why.
    """
    record.lineage.advance()
    for uri in (*record.cites, *record.archives, *([record.archive] if record.archive else [])):
        parse_uri(uri)


def _fill(loader: Loader, known: LoaderShape, messages: tuple[Message, ...]) -> None:
    if known["system"] > len(messages):
        raise _damaged(f"{known['system']} messages of the system prompt")
    loader.messages = list(messages)
    loader.system = known["system"]
    loader.fields = None if known["fields"] is None else frozenset(known["fields"])
    behind = messages[loader.system :]
    if known["format"] and all(message.origin is not None for message in behind):
        loader.format = known["format"]
        loader.raws = [message.origin.raw for message in behind if message.origin is not None]


def _damaged(what: str) -> FormatError:
    return FormatError(f"the snapshot is damaged: {what}", hint="take it from Context.snapshot")


async def replenish(store: Store, session: Session, *, window: int, fingerprint: str) -> None:
    """Put into a store what the session's window rests on: records, archives and texts that it lacks.

    Raises:
        StoreError: it cannot be stored.
    """
    live = session.live
    writes: list[Write] = []
    for path, archive in own_archives(live):
        if await store.read("archive", path) is None:
            writes.extend(archive())
    wanted = {uri for record in live.records for uri in record.cites} | session.reported | session.removed
    missing = {uri for uri in sorted(wanted) if uri.startswith("context://vfs/") and not await store.exists(uri)}
    if missing:
        found = {uri: text for text in _texts(live) if (uri := blob_uri(text)) in missing}
        writes.extend(blob_write(text) for text in found.values())
        writes.extend(decision_writes(live.root, [("restored", uri) for uri in sorted(found)]))
    if len(live.history.prefix) > 1:
        folder = record_folder(live.history.prefix, fingerprint, window)
        for record in live.records:
            writes.extend(await _record_writes(store, record, record_path(folder, record), fingerprint))
    if writes:
        await store.commit(writes)


async def _record_writes(store: Store, record: WindowRecord, path: str, fingerprint: str) -> list[Write]:
    if await store.read("windows", path) is not None:
        return []
    return [*head_notes(record, path, fingerprint), Write("windows", path, encode_record(record), if_absent=True)]


def _texts(live: LiveWindow) -> Iterator[str | bytes]:
    """Everything of the history that may have been set aside by itself."""
    for repair in live.history.repairs:
        if repair.removed is not None:
            yield original_line(repair.removed)
    turns, repairs = live.history.tail()
    for repair in repairs:
        if repair.removed is not None:
            yield original_line(repair.removed)
    for turn in (*live.history.turns, *turns):
        for message in turn.messages:
            for part in message.parts:
                if isinstance(part, Result):
                    yield part.text
                    yield from (item.text for item in part.content if isinstance(item, Text))
                    yield from (data for item in part.content if isinstance(data := getattr(item, "data", None), str))
                for field in ("text", "arguments", "data"):
                    value = getattr(part, field, None)
                    if isinstance(value, str) and not isinstance(part, Result):
                        yield value
            if message.thinking:
                yield message.thinking


async def put_back(facts: Facts, kept: Sequence[Fact]) -> None:
    """Write the facts of a snapshot that memory lacks. What memory says otherwise by now stays as it is.

    Raises:
        StoreError: memory cannot be read or written.
    """
    for fact in kept:
        await facts.put_back(fact)
