"""*memory*: what stands behind the system prompt is taken when a window opens, and stays until that closes: skill,
memory and state.

In a session with a name the text is kept in the store, so that another process that goes on with it shows the same.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from ...errors import StoreError
from ...jsontext import dumps, loads
from ...messages.digest import ROOT
from ..additions import Frozen
from ..memory.block import decode_block, encode_block
from ..skills.block import decode_placed, encode_placed
from ..state import CompileState

__all__ = ["memory"]

log = logging.getLogger(__name__)


async def memory(state: CompileState) -> None:
    """Freeze what stands behind the system prompt where a window opens: as one, so that all processes show the same."""
    session, additions = state.session, state.session.additions
    if additions.frozen is None or state.closed:
        if state.closed:
            await _refresh(state)
        fresh = additions.fresh
        kept = await _kept(state, fresh) if session.name else fresh
        additions.frozen = kept if _fits(state, kept) else fresh
        state.ending = additions.ending(takes_system=state.target.takes_late_system)
    additions.shown.update(message.text for message in additions.frozen.messages)
    session.rebuild_prompt()


async def _refresh(state: CompileState) -> None:
    """Take over what others wrote to memory, where it fits; this is the moment at which the prefix moves anyhow."""
    additions = state.session.additions
    if additions.memory is None:
        return
    before = additions.fresh
    try:
        await additions.memory.refresh()
        await additions.read(len(state.session.live.history.turns))
    except StoreError as error:
        log.warning("memory could not be read again: %s", error)
        state.failure = state.failure or str(error)
        return
    if not _fits(state, additions.fresh):
        additions.fresh = before


def _fits(state: CompileState, frozen: Frozen) -> bool:
    budget = state.budget
    assert budget is not None
    more = state.weigh_system(frozen.messages) - state.allowance
    return more <= 0 or more <= budget.available - state.movable


async def _kept(state: CompileState, fresh: Frozen) -> Frozen:
    """What this session shows in this window: what was written first, by whichever process."""
    session, memory = state.session, state.session.additions.memory
    if session.live.root == ROOT:
        # Nothing is settled that would tell this conversation from another of the same name.
        return fresh
    project = memory.facts.project if memory is not None else ""
    place = f"{session.live.root.hex()[:32]}/{session.live.base.p_k.hex()}"
    path = f"frozen/{session.name}/{project or '_'}/{state.settings.window}/{place}"
    value: dict[str, object] = {"state": fresh.state, "memory": encode_block(fresh.memory)}
    if fresh.skill.text:
        value["skill"] = encode_placed(fresh.skill)
    try:
        first = await state.store.put_if_absent("decisions", path, dumps(value))
    except StoreError as error:
        log.warning("what stands behind the system prompt could not be kept: %s", error)
        return fresh
    if first is None or first.data == dumps(value):
        return fresh
    known = loads(first.data)
    assert isinstance(known, Mapping)
    return Frozen(decode_block(known["memory"]), str(known["state"]), decode_placed(known.get("skill")))
