"""A session taken out as a value goes on as it was: in another process, over another store, and in branches of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom import Call, Context, FilesystemBackend, MemoryBackend, Message, Snapshot, SQLiteBackend, Store, reset
from transom.errors import FormatError
from transom.jsontext import dumps, loads
from transom.messages import Tool
from transom.testing.generators import agent_sessions
from transom.wire.format import Head

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")


def rounds(first: int, last: int, words: int = 60) -> list[Message]:
    found = []
    for number in range(first, last):
        call = Call("read", f'{{"path": "file-{number}.txt"}}', f"c{number}")
        found += [
            Message("user", f"question {number}"),
            Message("assistant", [call]),
            Message("tool", f"line of file {number}\n" * words, tool_call_id=call.id, name="read"),
            Message("assistant", f"answer {number}" + " word" * words),
        ]
    return found


def full(store: Store | None = None) -> Context:
    """A context with everything switched on."""
    context = Context(window=6_000, store=store, memory=True)
    context.system("You are careful.", cache_breakpoint=True)
    context.tools(Tool("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}}))
    return context


async def lived(store: Store | None = None, count: int = 12) -> Context:
    context = full(store)
    await context.memory.facts.set("colour", "The colour is teal.", importance=0.9)
    for number in range(count):
        context.append(*rounds(number, number + 1))
        payload = await context.compile("anthropic")
        context.report_usage(int(payload.meta.tokens_after * 1.1))
    await context.memory.facts.set("colour", "The colour is ochre.", importance=0.9)
    context.state({"town": "Rome"}, place="system")
    context.guardrail("Only JSON.")
    context.announce("a", "A deployment is running.")
    context.append(Message("user", "what now?"))
    context.sticky("a passage")
    context.tail("the caller's tail")
    await context.compile("anthropic")
    return context


@pytest.mark.feature("S12")
@pytest.mark.parametrize("target", TARGETS)
async def test_restored_over_another_store_it_compiles_to_the_same_bytes(target: str, tmp_path: Path) -> None:
    one = await lived()
    written = one.snapshot().to_json()
    other = full(Store(SQLiteBackend(tmp_path / "other.db")))
    other.restore(Snapshot.from_json(written))
    expected, got = await one.compile(target), await other.compile(target)
    assert got.json() == expected.json()
    assert other.lineage == one.lineage
    assert got.meta.archives == expected.meta.archives
    for uri in got.meta.archives:
        assert await other.store.expand(uri) == await one.store.expand(uri)
    assert (await other.store.verify()).ok
    assert [fact.value for fact in await other.memory.facts.list()] == ["The colour is ochre."]
    await other.aclose()


@pytest.mark.feature("S12")
async def test_what_goes_on_after_a_restore_is_what_would_have_gone_on() -> None:
    one = await lived()
    two = full()
    two.restore(one.snapshot())
    for number in range(20, 40):
        for context in (one, two):
            context.append(Message("assistant", "fine"), *rounds(number, number + 1))
        assert (await one.compile("openai")).json() == (await two.compile("openai")).json()
    assert one.lineage == two.lineage


@pytest.mark.feature("S12")
def test_another_process_goes_on_over_its_own_store(tmp_path: Path) -> None:
    one = Context(window=4_000, store=Store(SQLiteBackend(tmp_path / "one.db")))
    one.append(*rounds(0, 14))
    payload = one.compile_sync("openai")
    (tmp_path / "session.json").write_bytes(one.snapshot().to_json())
    program = (
        "import sys\n"
        "from transom import Context, FilesystemBackend, Snapshot, Store\n"
        "context = Context(window=4_000, store=Store(FilesystemBackend(sys.argv[2])))\n"
        "context.restore(Snapshot.from_json(open(sys.argv[1], 'rb').read()))\n"
        "sys.stdout.buffer.write(context.compile_sync('openai').json())\n"
        "context.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "session.json"), str(tmp_path / "files")],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == payload.json()
    archived = Store(FilesystemBackend(tmp_path / "files"))
    assert payload.meta.archives
    assert asyncio.run(archived.exists(payload.meta.archives[-1]))
    one.close()


@pytest.mark.feature("S12")
async def test_a_branch_goes_its_own_way_and_can_be_compared() -> None:
    one = await lived()
    branch = one.branch()
    assert (await branch.compile("gemini")).json() == (await one.compile("gemini")).json()
    one.append(Message("assistant", "this way"))
    branch.append(Message("assistant", "that way"), Message("user", "further"))
    branch.guardrail()
    difference = one.snapshot().diff(branch.snapshot())
    assert [message.text for message in difference.removed] == ["this way"]
    assert [message.text for message in difference.added] == ["that way", "further"]
    assert set(difference.changed) == {"guardrail"}
    assert not one.snapshot().diff(one.snapshot())


@pytest.mark.feature("S12")
async def test_a_snapshot_is_not_reached_by_what_comes_later() -> None:
    one = await lived()
    snapshot = one.snapshot()
    before = snapshot.to_json()
    one.append(Message("assistant", "later"))
    one.retract("a")
    await one.compile("openai")
    assert snapshot.to_json() == before
    one.restore(snapshot)
    assert [item.id for item in one.announcements] == ["a"]
    assert "later" not in (await one.compile("openai")).json().decode()


async def test_a_loaded_body_is_recognised_again_after_a_restore() -> None:
    body: dict[str, object] = {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "one"}],
    }
    one = Context(window=8_000)
    one.load(body, format="openai")
    await one.compile("openai")
    two = Context(window=8_000)
    two.restore(one.snapshot())
    turns = [*body["messages"], {"role": "assistant", "content": "yes"}, {"role": "user", "content": "two"}]  # type: ignore[misc]
    for context in (one, two):
        context.load({**body, "messages": turns})
    assert two.head == one.head
    assert (await two.compile("openai")).json() == (await one.compile("openai")).json()


async def test_a_context_of_another_window_takes_the_conversation_and_closes_by_itself() -> None:
    one = await lived()
    other = Context(window=4_000, overflow=reset(), memory=True)
    other.restore(one.snapshot())
    payload = await other.compile("openai")
    assert payload.meta.tokens_after + payload.meta.reserve <= 4_000
    assert other.messages == one.messages


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"{}", b'{"transom_snapshot": "1"}', b'{"transom_snapshot": 2}', b'{"transom_snapshot": 1}']
)
def test_what_is_no_snapshot_is_refused_and_the_context_stays_as_it_was(data: bytes) -> None:
    context = Context(window=8_000)
    context.append(Message("user", "kept"))
    with pytest.raises(FormatError):
        context.restore(Snapshot.from_json(data))
    assert "kept" in context.compile_sync("openai").json().decode()
    context.close()


@pytest.mark.parametrize("damaged", ["messages", "window", "session", "additions", "head", "loader"])
async def test_a_damaged_snapshot_is_refused_whole(damaged: str) -> None:
    value = loads((await lived()).snapshot().to_json())
    assert isinstance(value, dict)
    for broken in (7, [7], {"x": 1}):
        context = Context(window=6_000, memory=True)
        context.append(Message("user", "kept"))
        context.head = Head(model="kept")
        try:
            context.restore(Snapshot.from_json(dumps({**value, damaged: broken})))
        except FormatError:
            assert "kept" in (await context.compile("openai")).json().decode()
            assert context.head.model == "kept"


@settings(max_examples=25, deadline=None)
@given(agent_sessions(), st.integers(0, 10_000), st.sampled_from(TARGETS))
async def test_any_session_restored_anywhere_compiles_to_the_same_bytes(
    messages: list[Message], seed: int, target: str
) -> None:
    one = Context(window=4_000)
    cut = seed % (len(messages) + 1)
    one.append(*messages[:cut])
    try:
        await one.compile(target)
    except Exception:  # noqa: BLE001  # a window that cannot hold it: nothing to compare
        return
    two = Context(window=4_000, store=Store(MemoryBackend()))
    two.restore(Snapshot.from_json(one.snapshot().to_json()))
    assert (await two.compile(target)).json() == (await one.compile(target)).json()
    for context in (one, two):
        context.append(*messages[cut:])
    for name in TARGETS:
        outcomes = []
        for context in (one, two):
            try:
                outcomes.append((await context.compile(name)).json())
            except Exception as error:  # noqa: BLE001
                outcomes.append(repr(error).encode())
        assert outcomes[0] == outcomes[1]
    assert (await two.store.verify()).ok


@pytest.mark.feature("S12")
async def test_a_text_that_was_shortened_before_anything_left_is_not_shortened_anew_after_a_restore() -> None:
    one, two = (Context(window=4_000) for _ in range(2))
    one.append(Message("user", "a long text " * 4_000))
    sent = await one.compile("openai")
    two.restore(one.snapshot())
    again = await two.compile("openai")
    assert sent.meta.closed == "offload"
    assert (again.meta.window_id, again.meta.closed) == (sent.meta.window_id, "")
    assert again.json() == sent.json()


@pytest.mark.feature("S12")
async def test_facts_go_along_with_a_session_that_is_only_looked_at_on_the_way() -> None:
    one = await lived()
    two, three = full(), full()
    two.restore(one.snapshot())
    assert not one.snapshot().diff(two.snapshot())
    assert not one.snapshot().diff(one.branch().snapshot())
    three.restore(two.snapshot())
    assert (await three.compile("openai")).json() == (await one.compile("openai")).json()
    assert [fact.value for fact in await three.memory.facts.list()] == ["The colour is ochre."]
