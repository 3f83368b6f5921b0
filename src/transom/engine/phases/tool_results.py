"""*tool_results*: what pruning and repair take out is stored before anything is shown without it.

A result that cannot be stored stays whole, from then on. A message that repair took out cannot be sent to any provider, stored
or not; where it cannot be stored the history still holds it, and the account says so.
"""

from __future__ import annotations

import logging

from ...errors import StoreError
from ...store.blobs import blob_uri, blob_write
from ..ledger.decisions import decision_writes
from ..ledger.window import form_again
from ..overflow.archive import original_line
from ..state import CompileState

__all__ = ["tool_results"]

log = logging.getLogger(__name__)


async def tool_results(state: CompileState) -> None:
    """Store pruned originals of turns shown for the first time."""
    await _store_removed(state)
    session = state.session
    new = [moved for moved in state.moved if moved.uri not in session.reported]
    if not new:
        return
    unique = {moved.uri: moved for moved in new}
    try:
        cited = decision_writes(state.session.live.root, [("prune", moved.uri) for moved in unique.values()])
        await state.store.commit([*(blob_write(moved.text) for moved in unique.values()), *cited])
    except StoreError as error:
        log.warning("%d oversized tool results stay whole, since they could not be stored: %s", len(unique), error)
        state.failure = str(error)
        session.failed.update(unique)
        session.live.form_again(state.former, unique)
        form_again(state.unsettled, state.former, unique)
        return
    state.report_moved(unique.values())


async def _store_removed(state: CompileState) -> None:
    """Store, as they came, messages that the history is valid without."""
    lines = [(repair.kind, original_line(repair.removed)) for repair in state.repairs if repair.removed is not None]
    fresh = {blob_uri(line): (kind, line) for kind, line in lines if blob_uri(line) not in state.session.removed}
    if not fresh:
        return
    cited = decision_writes(state.session.live.root, [(kind, uri) for uri, (kind, _) in fresh.items()])
    try:
        await state.store.commit(
            [*(blob_write(line, text=line.decode("utf-8", "replace")) for _, line in fresh.values()), *cited]
        )
    except StoreError as error:
        log.warning("%d messages that repair took out could not be stored: %s", len(fresh), error)
        state.failure = str(error)
        return
    state.session.removed.update(fresh)
