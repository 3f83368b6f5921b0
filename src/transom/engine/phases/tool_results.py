"""*tool_results*: what pruning moved out of new results is stored before it is shown shortened.

A text that cannot be stored stays whole, from then on.
"""

from __future__ import annotations

import logging

from ...errors import StoreError
from ...store.blobs import blob_write
from ..ledger.live import LiveTurn
from ..state import CompileState

__all__ = ["tool_results"]

log = logging.getLogger(__name__)


async def tool_results(state: CompileState) -> None:
    """Store pruned originals of turns shown for the first time."""
    session = state.session
    new = [moved for live in state.turns for moved in live.moved if moved.uri not in session.reported]
    if not new:
        return
    unique = {moved.uri: moved for moved in new}
    try:
        await state.store.commit([blob_write(moved.text) for moved in unique.values()])
    except StoreError as error:
        log.warning("%d oversized tool results stay whole, since they could not be stored: %s", len(unique), error)
        state.failure = str(error)
        session.failed.update(unique)
        _form_again(state, set(unique))
        return
    state.report_moved(unique.values())


def _form_again(state: CompileState, uris: set[str]) -> None:
    for turns in (state.settled, state.unsettled):
        for index, live in enumerate(turns):
            if any(moved.uri in uris for moved in live.moved):
                turn, weights, moved = state.former(live.source, live.edits)
                turns[index] = LiveTurn(turn, live.source, live.index, live.place, weights, edits=live.edits, moved=moved)
