"""What pruning and repair take out is stored, cited by a record, and survives garbage collection."""

from __future__ import annotations

import pytest

from transom import Call, Context, MemoryBackend, Message, Store
from transom.jsontext import loads
from transom.store.blobs import blob_uri

LONG = "a line of output\n" * 2_000


async def _compiled(store: Store) -> Context:
    context = Context(window=8_000, store=store)
    context.append(
        Message("user", "Begin."),
        Message("tool", "an answer to nothing", tool_call_id="gone"),
        Message("assistant", "Yes."),
        Message("user", "Read it."),
        Message("assistant", tool_calls=[Call("read", id="1")]),
        Message("tool", LONG, tool_call_id="1"),
    )
    return context


@pytest.mark.feature("M3")
async def test_an_orphan_result_is_stored_and_its_address_reported() -> None:
    async with Store(MemoryBackend()) as store:
        context = await _compiled(store)
        payload = await context.compile("openai")
        (repair,) = payload.meta.repairs
        uri = repair.detail.rpartition(" ")[2]
        kept = loads(await store.get(uri))
    assert "orphan_result" in repair.detail
    assert isinstance(kept, dict)
    assert "an answer to nothing" in str(kept["content"])
    assert b"an answer to nothing" not in payload.json()


@pytest.mark.feature("S8")
@pytest.mark.feature("S16")
async def test_garbage_collection_leaves_what_a_conversation_still_cites() -> None:
    async with Store(MemoryBackend()) as store:
        context = await _compiled(store)
        await context.compile("openai")
        stray = await store.put("vfs", "cited by nobody")
        swept = await store.gc(min_age=0)
        assert (await store.get(blob_uri(LONG))).decode() == LONG
        report = await store.verify()
        assert not await store.exists(stray)
    assert len(swept.removed) == 1
    assert (report.missing, report.damaged) == ((), ())
