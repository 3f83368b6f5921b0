"""*done*: the payload and its account."""

from __future__ import annotations

from ...jsontext import dumps, loads
from ...messages import Repair
from ...store.blobs import blob_uri
from ...wire.report import Note
from ..breaks import prefix_of
from ..events import CompileDone
from ..measuring import scaled, weights
from ..overflow.archive import original_line
from ..payload import Payload, PayloadMeta, common_prefix, compared_sequence, payload_pieces
from ..state import CompileState

__all__ = ["done"]


async def done(state: CompileState) -> Payload:
    """Build the payload, remember what the next compile compares with, and tell those who listen."""
    assert state.frame is not None
    session, budget, live = state.session, state.budget, state.session.live
    assert budget is not None
    written = None
    if state.slots.taken("after-adapt"):
        body = loads(b"".join(payload_pieces(state.frame, [*state.elements, *state.volatile])))
        written = dumps(await state.slots.fold("after-adapt", body))
    before = session.compared.get(state.target.name)
    now = compared_sequence(
        state.frame,
        state.elements,
        state.volatile,
        state.kept_of_first,
        state.closing_bytes,
        before=before,
        window=live.base.lineage.current,
        given=(session.head.tools, session.system),
    )
    held = common_prefix(before.pieces, now.pieces, now.resumed) if before is not None else 0
    parts = _parts(state)
    tokens_before, tokens_after = weights(state, budget)
    meta = PayloadMeta(
        target=state.target.name,
        window=state.settings.window,
        lineage=live.base.lineage,
        tokens_before=tokens_before,
        tokens_after=tokens_after,
        reserve=budget.reserve,
        trigger=scaled(budget.fixed + budget.trigger, budget.ratio),
        parts=parts,
        moved=tuple(session.moved),
        archives=live.base.archives,
        own_archive=state.own_archive,
        closed=state.closed,
        closing=state.closing,
        waiting=state.waiting,
        handoff=bool(state.noticed),
        memory=session.additions.injected,
        recalled=state.recollection,
        skill=session.additions.skill.name,
        notes=tuple(state.report.notes),
        repairs=tuple(
            Note("repaired", f"messages[{repair.index}]", f"{repair.kind}: {repair.detail}{_kept(state, repair)}")
            for repair in state.repairs
        ),
        prefix_bytes=held,
        sequence_bytes=now.length,
        tail_bytes=now.volatile,
        prefix=prefix_of(state, before, now, held, tokens_after),
        audit=state.findings,
        failure=state.failure,
        timings=state.timings,
    )
    session.compared[state.target.name] = now
    if state.target.name == "anthropic":
        session.audit.note(meta.prefix, closed=bool(state.closed))
    session.recent.add(meta)
    session.repairs = len(live.history.repairs)
    session.asked = next((turn.place for turn in reversed(state.turns) if turn.request), session.asked)
    session.moved.clear()
    session.noticed = state.noticed or session.noticed
    session.managed = state.managed
    state.bus.emit(CompileDone(meta))
    return Payload(meta, state.frame, now.elements, now, session.heads[state.target.name].betas, written)


def _kept(state: CompileState, repair: Repair) -> str:
    """Where the message is that a repair took out."""
    uri = blob_uri(original_line(repair.removed)) if repair.removed is not None else ""
    return f"; kept at {uri}" if uri in state.session.removed else ""


def _parts(state: CompileState) -> dict[str, int]:
    budget = state.budget
    assert budget is not None
    parts = {"system": budget.system, "tools": budget.tools, **state.session.live.sums.parts, "tail": budget.tail}
    for live in state.unsettled:
        for kind, tokens in live.weights.items():
            parts[kind] += tokens
    return parts
