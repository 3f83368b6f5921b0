"""*recall*: it is decided, once, what stands beside the newest message of the user: passages it refers to and the window lacks.

It comes after the window has closed, so that what has just left can be recalled at once. In a session with a name the outcome
is kept in the store before anything is shown, so that another process that goes on with it shows the same; that something was
to stand there, or nothing, is for whoever compiles the message first to say.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace

from ...errors import StoreError
from ...messages import Message, Result, Text
from ..events import Recalled
from ..ledger.live import LiveTurn, Sticky
from ..ledger.stuck import decide, decided
from ..ledger.window import EMPTY_RECORD
from ..placement.labels import Provenance, label
from ..retrieval.recall import SMALLEST, Recollection, recollect
from ..state import CompileState

__all__ = ["recall"]

log = logging.getLogger(__name__)


async def recall(state: CompileState) -> None:
    """Decide what stands beside the newest message of the user, unless that was decided."""
    session = state.session
    newest = next((live for live in reversed(state.turns) if live.request), None)
    if newest is None or newest.place in (session.asked, session.decided):
        return
    wanted = state.settings.recall
    on = wanted is not None and wanted.mode != "off"
    if not on and not (session.name and newest.sticky is not None):
        return
    before = newest.sticky.text if newest.sticky is not None else ""
    try:
        known = await decided(state.store, session.name, newest.place) if session.name else None
        if known is None:
            recollection = await _recollect(state, newest) if on else None
            text = "\n\n".join(filter(None, (before, recollection.text if recollection is not None else "")))
            known = await decide(state.store, session.name, newest.place, text) if session.name else text
            if recollection is not None and known == text:
                state.recollection = recollection
        elif before and before not in known:
            # What the caller has put here since is not taken away again.
            known = f"{known}\n\n{before}" if known else before
    except StoreError as error:
        log.warning("what belongs beside a message could not be kept or looked up: %s", error)
        state.failure = state.failure or str(error)
        session.decided = newest.place
        return
    session.decided = newest.place
    if known and known != before:
        _stick(state, newest, known)
    if state.recollection is not None:
        state.bus.emit(Recalled(state.recollection))


def _stick(state: CompileState, newest: LiveTurn, text: str) -> None:
    sticky, budget = Sticky(text, state.tokenizer.count(text)), state.budget
    assert budget is not None
    there = newest.sticky.tokens if newest.sticky is not None else 0
    if sticky.tokens - there > budget.available - state.movable:
        # Decided in a process whose window had more room.
        log.warning("there is no room for the %d tokens that belong beside a message", sticky.tokens)
        return
    state.session.live.stick(newest, sticky)


async def _recollect(state: CompileState, newest: LiveTurn) -> Recollection | None:
    """What the session itself says to the message; ``None`` where nothing has left the window."""
    wanted, words = state.settings.recall, state.vocabulary
    assert wanted is not None
    uris = _own(state)
    if not uris:
        return None
    evicted = state.session.evicted
    await evicted.bring_up(state.store, uris)
    asked = "\n".join(part.text for message in newest.source.messages if message.role == "user" for part in _texts(message))
    labels = state.settings.labels
    assert state.budget is not None
    room = state.budget.available - state.movable

    def said(uri: str) -> str:
        where = Provenance("conversation" if uri.startswith("context://archive/") else "text")
        return label("extracted", where, words.placing, labels)

    found = recollect(
        asked,
        evicted,
        replace(wanted, budget=min(wanted.budget, max(room, SMALLEST))),
        window="\n".join(_shown(state.turns)),
        words=words.retrieving,
        count=state.tokenizer.count,
        label=said,
        tool=bool(state.session.additions.tool),
    )
    return found.silenced("no room") if found.text and found.tokens > room else found


def _own(state: CompileState) -> list[str]:
    """The addresses of what this very conversation has out of its window: archives, the oldest first, then texts."""
    session, live = state.session, state.session.live
    if session.listed is None or session.listed[0] is not live.base:
        records = live.applicable() if live.base is not EMPTY_RECORD else []
        archives = dict.fromkeys((*(record.archive for record in records), *live.base.archives))
        session.listed = live.base, tuple(uri for uri in archives if uri)
    moved = (moved.uri for moved in state.moved)
    return list(dict.fromkeys((*session.listed[1], *moved)))


def _texts(message: Message) -> Iterable[Text]:
    return (part for part in message.parts if isinstance(part, Text))


def _shown(turns: Iterable[LiveTurn]) -> Iterable[str]:
    """Every text that the window shows."""
    for live in turns:
        for message in live.turn.messages:
            for part in message.parts:
                if isinstance(part, Text | Result):
                    yield part.text
        if live.sticky is not None:
            yield live.sticky.text
