"""Taking a session out of one context and putting it into another, over whatever store.

Knows session and loader, no policy. What left the window follows from the messages of the session, so that nothing but these
has to travel: ``replenish`` puts into a store what the session cites and the store lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from ..errors import FormatError, TransomError
from ..jsontext import dumps
from ..messages import Message, Result, Text
from ..messages.codec import decode_message, encode_message
from ..store.backend import Write
from ..store.blobs import blob_uri, blob_write
from ..store.store import Store
from ..tokens import Calibration
from ..tokens.usage import Reported
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
    except (KeyError, TypeError, ValueError, AttributeError, TransomError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"the snapshot is damaged: {error}", hint="take it from Context.snapshot") from error


def _give(snapshot: Snapshot, session: Session, loader: Loader, former: Former, own: tuple[int, str]) -> Held:
    messages = snapshot.messages
    leading = cast("int", snapshot.value["leading"])
    sticky, facts = decode_additions(snapshot.record("additions"), session.additions)
    session.head = decode_head(snapshot.record("head"))
    session.selection = decode_selection(snapshot.value.get("tools"), session.selection, session.head.tools)
    session.loads.note(messages, session.selection.words)
    live = session.live
    live.sticky = sticky
    live.extend(messages[leading:])
    if (snapshot.value["size"], snapshot.value["fingerprint"]) == own:
        _open_window(snapshot, session, live, former)
    _fill(loader, snapshot, messages)
    state = snapshot.record("session")
    usage = cast("Sequence[int] | None", state["usage"])
    session.usage = None if usage is None else Reported(*usage)
    session.asked = bytes.fromhex(str(state["asked"]))
    session.failed = set(cast("Sequence[str]", state["failed"]))
    session.managed = bool(state["managed"])
    session.new_context = bool(state["new_context"])
    pairs = cast("Sequence[Sequence[int]]", state["calibration"])
    return Held(
        own_system=tuple(decode_message(item) for item in snapshot.items("own_system")),
        leading=leading,
        calibration=Calibration(tuple((estimated, reported) for estimated, reported in pairs)),
        estimated=cast("int", state["estimated"]),
        target=cast("str | None", state["target"]),
        facts=facts,
    )


def _open_window(snapshot: Snapshot, session: Session, live: LiveWindow, former: Former) -> None:
    """Go on in the window that was open. What was decided and said in it is not decided and said again."""
    record, state = snapshot.record("window"), snapshot.record("session")
    if record["parted"]:
        live.part_first()
    live.records = decode_records(cast("Sequence[object]", record["records"]))
    base = decode_record(dumps(record["base"])) if record["base"] is not None else EMPTY_RECORD
    if base.k:
        live.apply(base, former)
    else:
        live.base = base
        live.take_in(former)
    if record["adopted"]:
        live.adopted = True
        if not base.k:
            live.turns[0].head = True
    session.looked_up = True
    session.ratio = cast("float", state["ratio"])
    session.repairs = cast("int", state["repairs"])
    session.reported = set(cast("Sequence[str]", state["reported"]))
    session.removed = set(cast("Sequence[str]", state["removed"]))
    session.noticed, session.warned = str(state["noticed"]), str(state["warned"])


def _fill(loader: Loader, snapshot: Snapshot, messages: tuple[Message, ...]) -> None:
    known = snapshot.record("loader")
    fields = cast("Sequence[str] | None", known["fields"])
    loader.messages = list(messages)
    loader.system = cast("int", known["system"])
    loader.fields = None if fields is None else frozenset(fields)
    behind = messages[loader.system :]
    if known["format"] and all(message.origin is not None for message in behind):
        loader.format = str(known["format"])
        loader.raws = [message.origin.raw for message in behind if message.origin is not None]


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
