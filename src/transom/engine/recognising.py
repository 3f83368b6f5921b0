"""What a store knows of the history at hand: closings of it by this session and by others, and its own spans behind them.

Knows the compile's state and the store, no phase. What it reads it does not put in force.
"""

from __future__ import annotations

from ..store.backend import Write
from .ledger.records import WindowRecord, decode_record, record_folder
from .overflow.archive import own_archives
from .state import CompileState

__all__ = ["known_records", "store_own_archives"]


async def known_records(state: CompileState) -> list[WindowRecord]:
    """The records of this conversation, in the order of their paths.

    Raises:
        StoreError: the store cannot be read.
        IntegrityError: one of them is damaged.
    """
    prefix = state.session.live.history.prefix
    folder = record_folder(prefix, state.runner.fingerprint, state.settings.window)
    entries = await state.store.read_all("windows", folder)
    return [decode_record(entries[path].data) for path in sorted(entries)]


async def store_own_archives(state: CompileState) -> None:
    """Before a record is reused, this history's own span is stored by its bytes; only what is new is written.

    Raises:
        StoreError: it cannot be stored.
    """
    live = state.session.live
    if not live.base.archives or live.base.k == 0:
        return
    missing: list[Write] = []
    for path, writes in own_archives(live):
        if await state.store.read("archive", path) is None:
            missing.extend(writes())
        state.own_archive = f"context://archive/{path}"
    if missing:
        await state.store.commit(missing)
    if state.own_archive == live.base.archive:
        state.own_archive = ""
