"""*start*: what is already known of this history, by its digests.

Closed windows are found here and applied; new turns get their form. A history met for the first time is looked up in the
store once.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from ...errors import StoreError
from ...messages import Message, Text, meaning_digest
from ..ledger.live import LiveTurn, Sticky
from ..ledger.records import WindowRecord, decode_record, head_path
from ..ledger.stuck import decide, decided, every_decision
from ..ledger.window import EMPTY_RECORD
from ..recognising import known_records, store_own_archives
from ..state import CompileState

__all__ = ["start"]

log = logging.getLogger(__name__)


async def start(state: CompileState) -> None:
    """Bring the live window up to date with the history."""
    session, live = state.session, state.session.live
    live.weigh_new(lambda turn: sum(state.weigh(message, state.tokenizer) for message in turn.messages))
    known = session.agreed is live
    if session.name and not known and live.history.turns:
        await _agree_with_others(state)
    if not session.looked_up and live.history.turns:
        await _recognise(state)
    new = live.take_in(state.former)
    if session.name and known:
        await _see_what_others_put(state, new)
    state.unsettled, pending = live.unsettled(state.former)
    state.pending_tokens = sum(
        state.weigh(message, state.tokenizer) for live_turn in state.unsettled for message in live_turn.source.messages
    )
    _stick(state)
    await _read_additions(state)
    state.repairs = [*live.history.repairs[session.repairs :], *pending]


def _stick(state: CompileState) -> None:
    """Put waiting texts beside the newest message of the user, unless a provider has seen that already without them."""
    session = state.session
    newest = next((live for live in reversed(state.turns) if live.request), None)
    if newest is None or newest.place == session.asked:
        return
    if session.additions.pending:
        before = [newest.sticky.text] if newest.sticky is not None else []
        text = "\n\n".join([*before, *session.additions.pending])
        session.additions.pending.clear()
        session.live.stick(newest, Sticky(text, state.tokenizer.count(text)))


async def _see_what_others_put(state: CompileState, new: Sequence[LiveTurn]) -> None:
    """Another process may have sent messages of this session meanwhile: what it put beside them belongs there."""
    session = state.session
    for live in new:
        if not live.request or live.place in (session.asked, session.decided) or live.sticky is not None:
            continue
        try:
            text = await decided(state.store, session.name, live.place)
        except StoreError as error:
            log.warning("what another process put beside a message is not known: %s", error)
            return
        if text:
            session.live.stick(live, Sticky(text, state.tokenizer.count(text)))


async def _read_additions(state: CompileState) -> None:
    """What memory and the caller add, as of now, and the room it needs."""
    additions = state.session.additions
    additions.look_at_the_clock()
    await additions.read(len(state.session.live.history.turns))
    state.ending = additions.ending(takes_system=state.target.takes_late_system)
    frozen = state.weigh_system(additions.frozen.messages) if additions.frozen is not None else 0
    state.allowance = max(frozen, state.weigh_system(additions.newly_frozen))


async def _recognise(state: CompileState) -> None:
    """Put in force what the store knows of this history. Where it cannot say, the history goes on whole; it is asked again."""
    session, live = state.session, state.session.live
    if live.base is not EMPTY_RECORD:
        session.looked_up = True
        return
    try:
        await _look_up(state)
        live.settle(state.former)
        await store_own_archives(state)
    except StoreError as error:
        if not session.unread:
            session.unread = True
            log.warning("windows closed before are not known, since the store could not be read: %s", error)
        state.failure, state.own_archive = str(error), ""
        live.reopen()
        return
    session.looked_up = True


async def _agree_with_others(state: CompileState) -> None:
    """In a session with a name: take over what other processes put beside its messages, and keep what a snapshot brought."""
    name, live = state.session.name, state.session.live
    try:
        known = await every_decision(state.store, name)
        for place, sticky in live.sticky.items():
            if place not in known:
                await decide(state.store, name, place, sticky.text)
    except StoreError as error:
        log.warning("what stands beside messages of this session could not be looked up or kept: %s", error)
        state.failure = str(error)
        return
    state.session.agreed = live
    for place, text in known.items():
        live.sticky.setdefault(place, Sticky(text, state.tokenizer.count(text)))


async def _look_up(state: CompileState) -> None:
    live = state.session.live
    opened = await _opened_by(state, live.history.turns[0].messages[0])
    if opened is not None and len(live.history.turns[0].messages[0].parts) > 1:
        live.part_first()
    live.records = await known_records(state)
    if opened is not None:
        live.take_in(state.former)
        live.adopt_head(opened)


async def _opened_by(state: CompileState, first: Message) -> WindowRecord | None:
    """The record that opened the window whose head the caller wrote back, at the start of its first message."""
    if first.role != "user" or not first.parts or not isinstance(first.parts[0], Text):
        return None
    meaning = meaning_digest(Message("user", first.parts[0].text))
    if meaning is None:
        return None
    note = await state.store.read("windows", head_path(meaning, state.runner.fingerprint, state.settings.window))
    entry = await state.store.read("windows", note.data.decode()) if note is not None else None
    return decode_record(entry.data) if entry is not None else None
