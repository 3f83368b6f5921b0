"""What users of other context engines complained about, each as a test named after what they saw.

The issues are public; the numbers in the docstrings are theirs. What a test drives is made up here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from tests.unit.engine.sessions import (
    HEAD,
    FailingBackend,
    Scripted,
    context_of,
    dialogue,
    driven,
    elements,
    model_calls,
    round_of,
    texts,
    tool_loop,
    words,
)

from transom import Call, Context, MemoryBackend, Message, Payload, Store, Tool, chain, clear, digest, reset
from transom.engine.ledger.records import Item
from transom.engine.overflow.strategy import Outcome, Span
from transom.errors import NotFoundError, StoreError
from transom.tokens.chars import Chars
from transom.tokens.named import tokenizer_named

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
MARK = re.compile(r"\n?\[… ([^\n]*?) …\]\n?")
URI = re.compile(r"context://[a-z]+/[0-9a-f]+")

LOG = "".join(
    f"{n:05d} step {n} of the build finished in {n % 7}.{n % 10} s\n"
    + ("Error: unit 917 failed: timed out\n" if n == 917 else "")
    for n in range(1_800)
)


def with_result(text: str, tool: str = "run") -> list[Message]:
    call = Call(tool, "{}", "c1")
    return [
        Message("user", "What happened?"),
        Message("assistant", tool_calls=[call]),
        Message("tool", text, tool_call_id="c1", name=tool),
    ]


def shown_result(payload: Payload) -> str:
    return next(str(element["content"]) for element in elements(payload) if element["role"] == "tool")


async def reachable(context: Context, payload: Payload, wanted: Sequence[str]) -> list[str]:
    """Those of ``wanted`` that are neither in the payload nor in anything it leads to."""
    everything = [texts(payload)]
    queue, seen = [*payload.meta.archives, *URI.findall(everything[0])], set()
    while queue:
        uri = queue.pop()
        if uri not in seen:
            seen.add(uri)
            stored = (await context.store.expand(uri)).decode()
            everything.append(stored)
            queue.extend(URI.findall(stored))
    return [text for text in wanted if not any(text in place for place in everything)]


@pytest.mark.feature("S7")
async def test_compressed_output_dropped_whole_lines_and_their_absence_was_read_as_evidence() -> None:
    """headroom 2586. Every gap says which lines it hides, how many bytes, and where the whole text is."""
    context = context_of(with_result(LOG), window=32_000)
    shown = shown_result(await context.compile("openai"))
    marks = MARK.findall(shown)
    assert marks
    hidden: set[int] = set()
    for mark in marks:
        found = re.match(r"lines (\d+)-(\d+) not shown: \d+ ", mark)
        assert found is not None, mark
        hidden.update(range(int(found[1]), int(found[2]) + 1))
    lines = LOG.splitlines()
    visible = MARK.sub("\n", shown).splitlines()
    assert [line for number, line in enumerate(lines, 1) if number not in hidden] == [line for line in visible if line]
    uri = URI.findall(marks[0])[0]
    assert (await context.store.get(uri)).decode() == LOG
    assert "Error: unit 917 failed" in shown, "what failed is what a reader looks for"


@pytest.mark.feature("S7", "S8")
async def test_grep_and_ls_results_were_turned_into_plausible_false_facts() -> None:
    """headroom 1307, 3545. What is shown is cut, never rewritten: byte-exact slices in their order."""
    listing = "".join(f"src/module_{n}/file_{n * 7 % 1000}.py:{n}:    return value_{n}  # tab\there\r\n" for n in range(900))
    context = context_of(with_result(listing, "grep"), window=32_000)
    shown = shown_result(await context.compile("openai"))
    position = 0
    for piece in re.split(r"\[… [^\n]*? …\]\n?", shown):
        found = listing.find(piece, position)
        assert found >= 0, piece[:80]
        position = found + len(piece)


@pytest.mark.feature("S8")
async def test_originals_expired_while_their_markers_stayed_and_an_agent_asked_for_a_dead_one_25_times() -> None:
    """headroom 2604, 1776. What a session cites is not collected; a miss is final and says so."""
    now = 1_000_000.0
    store = Store(MemoryBackend(clock=lambda: now), clock=lambda: now)
    context = context_of(store=store, overflow=chain(clear(), digest(), reset()), window=12_000)
    payloads = await driven(context, [*with_result(LOG), *tool_loop(80)])
    assert payloads[-1].meta.window_id != "w1"
    young = context_of(with_result(LOG + "young"), store=store, window=12_000)
    payloads.append(await young.compile("openai"))
    assert payloads[-1].meta.window_id == "w1"
    cited = {uri for payload in payloads for uri in URI.findall(texts(payload))}
    assert len(cited) >= 3
    now += 400 * 24 * 3600
    for namespace in ("vfs", "archive"):
        store.eviction(namespace, max_age=60, max_count=1, max_bytes=1)
    await store.cleanup()
    await store.gc(min_age=0)
    for uri in cited:
        assert await store.get(uri)
    with pytest.raises(NotFoundError, match="asking again will not help"):
        await store.get("context://vfs/" + "0" * 64)


@pytest.mark.feature("L9")
@pytest.mark.parametrize("target", TARGETS)
async def test_rewriting_old_turns_broke_the_provider_cache_and_cost_up_to_seven_times_as_much(target: str) -> None:
    """headroom 2438, 327. Earlier bytes change at a closing and nowhere else, and the account proves it."""
    context = context_of(window=16_000)
    context.head = HEAD
    context.system("Be brief.")
    context.tail("step 0")
    sent = resent = closings = 0
    before: Payload | None = None
    for number, payload in enumerate(await driven(context, tool_loop(150, 150), target)):
        context.tail(f"step {number}")
        if before is not None:
            stable = before.meta.sequence_bytes - before.meta.tail_bytes
            if payload.meta.window_id == before.meta.window_id:
                assert payload.meta.prefix_bytes >= stable
            else:
                closings += 1
                resent += stable - payload.meta.prefix_bytes
            sent += stable
        before = payload
    assert 1 <= closings <= 6
    assert resent / sent < 0.06


@pytest.mark.feature("M6")
async def test_a_body_written_anew_invalidated_signed_reasoning_and_every_later_turn_failed() -> None:
    """headroom 2251. Whatever nobody edits goes out in the very bytes it came in."""
    turn = (
        b'{ "role":"assistant", "content":[ {"signature":"RXhhbXBsZQ==","thinking":"caf\\u00e9 \\/ 1.0e2","type":"thinking"},'
        b' {"type":"tool_use","id":"toolu_1","name":"run","input":{ "b":1.50, "a":[] }} ] }'
    )
    answer = b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok \\u2713"}]}'
    tool = b'{"name":"run","input_schema":{"type":"object"}}'
    first = b'{"role":"user","content":"go"}'
    body = b'{"model":"claude-sonnet-4-5","max_tokens":99,"tools":[%s],"messages":[%s, %s ,%s]}' % (tool, first, turn, answer)
    context = context_of(window=8_000)
    context.load(body, "anthropic")
    for number in range(3):
        payload = await context.compile("anthropic")
        assert turn in payload.json()
        assert answer in payload.json()
        context.append(Message("assistant", f"answer {number}"), Message("user", f"question {number}"))


@pytest.mark.feature("S8", "O16")
async def test_what_was_fetched_back_was_compressed_again_in_an_endless_loop() -> None:
    """headroom 1077. Results of our own retrieval tool are neither pruned nor cleared."""
    page = "PAGE " + words(5_000)
    call = Call("context", '{"command":"view","path":"context://vfs/1"}', "c1")
    messages = [Message("user", "go"), Message("assistant", tool_calls=[call])]
    messages += [Message("tool", page, tool_call_id="c1", name="context")]
    context = context_of(messages, window=16_000, overflow=clear(keep_recent=0))
    assert page in texts(await context.compile("openai"))
    payloads = await driven(context, [message for n in range(40) for message in round_of(n, 200)])
    closed = next(payload for payload in payloads if payload.meta.closed == "clear")
    assert page in texts(closed)
    assert "result of read_file cleared" in texts(closed)


class CountingChars(Chars):
    """A counter that notes how much it was given to read."""

    def __init__(self) -> None:
        super().__init__()
        self.read = 0

    def count(self, text: str) -> int:
        self.read += len(text)
        return super().count(text)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        self.read += sum(map(len, texts))
        return super().count_batch(texts)


@pytest.mark.feature("K4")
async def test_compression_on_the_request_path_took_seconds_and_grew_with_the_history() -> None:
    """headroom 1025, 1054. The next compile reads what is new in it, however long the history is."""
    reads = []
    for rounds in (50, 500):
        counter = CountingChars()
        context = Context(window=64_000, tokenizer=counter)
        context.append(*tool_loop(rounds, 100))
        await context.compile("openai")
        context.append(*round_of(rounds + 1, 100))
        await context.compile("openai")
        counter.read = 0
        context.append(*round_of(rounds + 2, 100))
        payload = await context.compile("openai")
        assert not payload.meta.closed
        reads.append(counter.read)
    assert reads[1] <= reads[0] * 1.1


@pytest.mark.feature("O8", "O11")
@pytest.mark.parametrize("failure", ["raises", "says nothing", "changes nothing"])
async def test_the_summarizer_was_never_called_and_the_history_replaced_by_a_placeholder(failure: str) -> None:
    """langchain 39261. What leaves was archived first, whatever became of its summary."""

    def outcome(span: Span) -> object:
        if failure == "raises":
            return RuntimeError("no model")
        if failure == "changes nothing":
            return Outcome()

        return Outcome(
            span.deepest, (Item("head", text=""), *span.kept(span.deepest)), (), span.leaving(span.deepest), (), "empty"
        )

    messages = dialogue(40)
    context = context_of(messages, overflow=chain(Scripted(outcome), reset()))
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w2"
    assert await reachable(context, payload, [message.text for message in messages]) == []


@pytest.mark.feature("O9", "O16")
async def test_clearing_fired_again_every_turn_and_rewrote_the_cache_to_free_two_kilobytes() -> None:
    """langchain 37815. One step down to a low-water mark, then nothing moves for a long time."""
    context = context_of(window=24_000, overflow=clear(keep_recent=2))
    payloads = await driven(context, tool_loop(60, 1_000))
    closings = [number for number, payload in enumerate(payloads) if payload.meta.closed]
    assert closings
    assert all(later - earlier >= 3 for earlier, later in pairwise(closings))
    for number in closings:
        moved = payloads[number].meta.moved
        assert len(moved) >= 5
        assert payloads[number - 1].meta.tokens_after - payloads[number].meta.tokens_after > 4_000
    quiet = [payload for number, payload in enumerate(payloads) if number not in closings]
    assert all(payload.meta.moved == () for payload in quiet)


@pytest.mark.feature("M3")
@pytest.mark.parametrize("target", TARGETS)
async def test_an_orphaned_tool_result_blocked_the_agent_for_good(target: str) -> None:
    """langchain 38352, letta 3250. A broken history is repaired, said so, and goes on."""
    context = context_of(window=8_000)
    context.head = HEAD
    context.load([Message("tool", "whose?", tool_call_id="gone"), Message("user", "hello"), *tool_loop(2)])
    payload = await context.compile(target)
    assert context.formats.get(target).validate(payload.body) == []
    assert any("orphan_result" in note.detail for note in payload.meta.repairs)
    for number in range(3):
        context.append(*round_of(10 + number))
        payload = await context.compile(target)
        assert context.formats.get(target).validate(payload.body) == []


@pytest.mark.feature("K3")
@pytest.mark.parametrize("target", TARGETS)
async def test_the_budget_ignored_tools_and_system_prompt(target: str) -> None:
    """langchain 34664. All of the payload and the room for the answer fit into the window."""
    context = context_of(window=16_000)
    context.system("SYSTEM " + words(3_000))
    context.tools(*(Tool(f"tool_{n}", words(100), {"type": "object", "properties": {}}) for n in range(30)))
    context.tail("TAIL " + words(300))
    payloads = await driven(context, tool_loop(60, 200), target)
    assert payloads[-1].meta.window_id != "w1"
    for payload in payloads:
        assert payload.meta.tokens_after + payload.meta.reserve <= 16_000
        assert len(payload.json()) / 4 <= 16_000
    assert payloads[0].meta.parts["system"] > 3_000
    assert payloads[0].meta.parts["tools"] > 3_000


@pytest.mark.feature("O1")
async def test_what_was_written_during_compaction_was_deleted() -> None:
    """openai-agents 4679. The result takes the place of the prefix it read, and of nothing else."""
    reached, gate = asyncio.Event(), asyncio.Event()

    class Slow(Scripted):
        async def apply(self, span: Span) -> Outcome:
            reached.set()
            await gate.wait()
            return await reset().apply(span)

    context = context_of(dialogue(9), overflow=Slow(None))
    compiling = asyncio.create_task(context.compile("openai"))
    await reached.wait()
    late = [message for n in range(5) for message in (Message("assistant", f"late {n}"), Message("user", f"later {n}"))]
    context.append(*late)
    gate.set()
    await compiling
    payload = await context.compile("openai")
    assert [message.text for message in late if message.text not in texts(payload)] == []


@pytest.mark.parametrize("size", [10_000, 200_000])
async def test_a_session_was_too_long_to_continue_and_too_long_to_compact(size: int) -> None:
    """claude-code 26317, letta 3279. The last step needs no model and always fits."""
    messages = [*dialogue(30), Message("user", "HUGE " + words(size) + " END"), *round_of(1, size)]
    context = context_of(messages, overflow=Scripted(RuntimeError("prompt is too long")), prune=False)
    payload = await context.compile("openai")
    assert payload.meta.tokens_after + payload.meta.reserve <= 4_000
    assert "HUGE" in texts(payload)
    assert await reachable(context, payload, [message.text for message in messages]) == []
    context.append(Message("assistant", "done"), Message("user", "go on"))
    assert "go on" in texts(await context.compile("openai"))


@pytest.mark.feature("O8")
@pytest.mark.parametrize("strategy", [clear(), digest(), reset(), chain(clear(), digest(), reset())], ids=lambda s: s.name)
async def test_project_rules_were_summarized_away(strategy: object) -> None:
    """claude-code 68636, 19736. Pinned text survives every strategy word for word."""
    rules = "# Rules\n1. Never force-push.\n2. `make check` before each commit — auch freitags.\n"
    messages = [Message("user", rules, pinned=True), *tool_loop(30), *dialogue(20), *tool_loop(30, ask="More.")]
    context = context_of(overflow=strategy)
    payloads = await driven(context, messages)
    assert payloads[-1].meta.window_id != "w1"
    for payload in payloads:
        assert [element["content"] for element in elements(payload)].count(rules) == 1


@pytest.mark.feature("O11")
async def test_a_summary_cited_an_archive_that_was_never_written() -> None:
    """deepagentsjs 621. No address is shown before what it names is stored, wherever the store fails."""
    for refused in ("archive", "vfs", "windows"):
        backend = FailingBackend()
        context = context_of(store=Store(backend), window=6_000)
        for number, fresh in enumerate(model_calls([*with_result(LOG), *tool_loop(40, 150)])):
            context.append(*fresh)
            backend.refused = (refused,) if number % 3 else ()
            try:
                payload = await context.compile("openai")
            except StoreError:
                continue
            for uri in URI.findall(texts(payload)):
                assert await context.store.exists(uri), uri


@pytest.mark.feature("S8")
async def test_a_you_already_have_it_stub_went_to_an_agent_that_never_had_it() -> None:
    """lean-ctx 1478. The same text is shown in the same form each time, in every session; only its storage is shared."""
    store = Store(MemoryBackend())
    shown = []
    for _ in range(2):
        context = context_of(with_result(LOG), window=32_000, store=store)
        context.append(Message("assistant", tool_calls=[Call("run", "{}", "c2")]))
        context.append(Message("tool", LOG, tool_call_id="c2", name="run"))
        results = [str(e["content"]) for e in elements(await context.compile("openai")) if e["role"] == "tool"]
        shown.extend(results)
    assert len(shown) == 4
    assert len(set(shown)) == 1
    assert shown[0].startswith(LOG[:1_000])


@pytest.mark.feature("K1", "K6")
async def test_four_characters_a_token_undercounted_chinese_and_japanese_two_to_three_times() -> None:
    """pi 2562. The estimate knows scripts, so that a window that is full by the provider's count is full by ours."""
    chinese = "上下文窗口已经满了,请把较早的工具结果移到存储中,并保留地址。"
    japanese = "会話が長くなりすぎたので、古い結果を保存先に移して、住所だけを残してください。"
    exact = tokenizer_named("o200k")
    estimate, naive = tokenizer_named("heuristic"), tokenizer_named("chars4")
    for text in (chinese * 20, japanese * 20):
        assert naive.count(text) < 0.6 * exact.count(text)
        assert exact.count(text) <= estimate.count(text) <= 2 * exact.count(text)
    context = Context(window=8_000)
    for number in range(60):
        context.append(Message("user", f"{number}: {chinese * 6}"), Message("assistant", f"{number}: {japanese * 6}"))
        payload = await context.compile("openai")
        assert exact.count(texts(payload)) + payload.meta.reserve <= 8_000
    assert payload.meta.window_id != "w1"
