"""What each ready-made strategy leaves in the window, seen in payloads."""

from __future__ import annotations

import re

import pytest
from tests.unit.engine.sessions import (
    Scripted,
    archived,
    context_of,
    dialogue,
    driven,
    elements,
    round_of,
    texts,
    tool_loop,
    words,
)

from transom import Call, MemoryBackend, Message, Result, Store, Text, chain, clear, digest, reset
from transom.engine.ledger.records import Item
from transom.engine.overflow.strategy import Outcome, Span
from transom.errors import StrategyError
from transom.messages import Attachment, RedactedThinking, Thinking

CLEARED = re.compile(r"result of (\w[\w-]*) cleared")


def results(payload_elements: list[dict[str, object]]) -> list[str]:
    return [str(element["content"]) for element in payload_elements if element["role"] == "tool"]


@pytest.mark.feature("O16")
async def test_clear_takes_old_results_and_keeps_the_newest_whole() -> None:
    context = context_of(overflow=clear(keep_recent=3), window=6_000)
    payloads = await driven(context, tool_loop(17))
    closed = next(payload for payload in payloads if payload.meta.closed)
    shown = results(elements(closed))
    assert closed.meta.closed == "clear"
    assert all("cleared" not in text for text in shown[-3:])
    cleared = [text for text in shown if CLEARED.search(text)]
    assert len(cleared) > 5
    assert cleared == shown[: len(cleared)], "the oldest go first"
    for moved in closed.meta.moved:
        assert moved.kind == "clear"
        assert moved.label == "read_file"
        assert (await context.store.get(moved.uri)).decode().startswith("result ")
        assert moved.uri in texts(closed)
    assert len([element for element in elements(closed) if element["role"] == "assistant"]) == len(shown), "turns stay"


@pytest.mark.feature("O16")
@pytest.mark.parametrize("how", ["names", "predicate", "exempt"])
async def test_clear_leaves_tools_alone_that_it_was_not_given(how: str) -> None:
    strategy = {
        "names": clear(keep_recent=1, tools=["read_file"]),
        "predicate": clear(keep_recent=1, tools=lambda name: name == "read_file"),
        "exempt": clear(keep_recent=1, exempt=["ask"]),
    }[how]
    messages = [Message("user", "go"), *(m for n in range(16) for m in round_of(n, tool="ask" if n % 2 else "read_file"))]
    context = context_of(overflow=strategy, window=6_000)
    payloads = await driven(context, messages)
    assert any(payload.meta.closed == "clear" for payload in payloads)
    cleared = CLEARED.findall(texts(next(payload for payload in payloads if payload.meta.closed)))
    assert set(cleared) == {"read_file"}


@pytest.mark.feature("O16")
async def test_clear_takes_reasoning_and_think_tags_but_none_that_is_signed() -> None:
    messages: list[Message] = []
    for n in range(12):
        reasoning = Thinking(f"signed {n} " + words(60), signature=f"sig{n}") if n % 2 else Thinking(f"plain {n} " + words(60))
        said = f"<think>inner {n} {words(60)}</think>Answer {n}."
        messages += [
            Message("user", f"question {n}"),
            Message("assistant", [reasoning, RedactedThinking("c2VjcmV0"), Text(said)]),
        ]
    context = context_of([*messages, Message("user", "now?")], overflow=clear(), window=3_000)
    payload = await context.compile("anthropic")
    body = texts(payload)
    assert payload.meta.closed == "clear"
    assert "plain 0 " not in body
    assert "inner 0 " not in body
    assert "Answer 0." in body
    assert [n for n in range(12) if n % 2 and f"signed {n} " not in body] == []
    assert body.count("c2VjcmV0") == 12
    stored = await context.store.expand(payload.meta.archives[-1])
    assert b"plain 0 " in stored
    assert b"inner 0 " in stored


@pytest.mark.feature("O16", "O8")
async def test_clear_never_touches_a_pinned_turn() -> None:
    kept = [
        Message("user", "Read the rules.", pinned=True),
        Message("assistant", tool_calls=[Call("read_file", '{"path":"RULES"}', "pin")]),
        Message("tool", f"RULES {words(220)}", tool_call_id="pin", name="read_file", pinned=True),
    ]
    context = context_of(overflow=clear(keep_recent=1), window=6_000)
    payloads = await driven(context, [*kept, *tool_loop(15)])
    closed = [payload for payload in payloads if payload.meta.closed]
    assert closed
    assert all(f"RULES {words(220)}" in texts(payload) for payload in payloads[1:])


@pytest.mark.feature("O19")
async def test_a_digest_stays_within_its_budget_and_cites_what_it_stands_for() -> None:
    context = context_of(overflow=digest(max_tokens=300), window=6_000)
    payloads = await driven(context, dialogue(60, 100))
    closed = [payload for payload in payloads if payload.meta.closed == "digest"]
    assert len(closed) >= 3
    for payload in closed:
        head = str(elements(payload)[0]["content"])
        assert len(head) <= 300 * 4
        assert payload.meta.parts["head"] <= 300 + 8
        assert payload.meta.archives[-1] in head
        assert await context.store.exists(payload.meta.archives[-1])


@pytest.mark.feature("O5")
async def test_reset_keeps_pinned_turns_the_last_turn_and_the_newest_user_message_and_names_the_window() -> None:
    pinned = Message("user", "Project rules: never force-push.", pinned=True)
    messages = [Message("user", "an old question"), Message("assistant", "an old answer"), pinned, *tool_loop(20)]
    context = context_of(overflow=reset())
    closed = next(payload for payload in await driven(context, messages) if payload.meta.closed)
    shown = elements(closed)
    notice = str(shown[0]["content"])
    assert "(w1)" in notice
    assert closed.meta.archives[-1] in notice
    assert [str(element["content"]) for element in shown[1:3]] == ["Project rules: never force-push.", "Do the work."]
    assert [element["role"] for element in shown[3:]] == ["assistant", "tool"]
    assert "an old question" not in texts(closed)
    lines = await archived(context.store, closed.meta.archives[-1])
    assert lines[0]["content"] == "an old question"


@pytest.mark.feature("O5")
async def test_the_newest_user_message_stays_verbatim_however_long_the_tool_loop_after_it() -> None:
    asked = "Do exactly this: " + words(150)
    context = context_of(overflow=chain(clear(), digest(), reset()))
    payloads = await driven(context, tool_loop(80, ask=asked))
    assert len({payload.meta.window_id for payload in payloads}) > 3
    assert all(asked in texts(payload) for payload in payloads)


@pytest.mark.feature("O6")
async def test_a_chain_stops_at_the_first_step_that_reaches_the_low_water_mark() -> None:
    later = Scripted(Outcome(), name="later")
    context = context_of(tool_loop(16, 1_000), overflow=chain(clear(keep_recent=0), later), window=24_000)
    payload = await context.compile("openai")
    assert payload.meta.closed == "clear"
    assert later.applied == 0


@pytest.mark.feature("O6")
async def test_a_chain_goes_on_when_a_step_changed_nothing() -> None:
    context = context_of(dialogue(9), overflow=chain(clear(), reset()))
    assert (await context.compile("openai")).meta.closed == "reset", "there was nothing to clear"


@pytest.mark.feature("O6")
async def test_a_chain_goes_on_while_history_is_above_the_low_water_mark() -> None:
    """Clearing shortens one small result of a history that is mostly talk."""
    messages = [Message("user", "go"), *round_of(1, 150), *dialogue(9)]
    context = context_of(messages, overflow=chain(clear(keep_recent=0), reset()))
    payload = await context.compile("openai")
    assert payload.meta.closed == "reset"
    assert payload.meta.lineage.current == "w2", "one pass closes one window, whatever it tried"
    assert len(payload.meta.archives) == 1


@pytest.mark.feature("O6")
async def test_where_no_step_reaches_the_mark_the_mildest_that_stays_under_the_trigger_wins() -> None:
    def half(span: Span) -> Outcome:
        cut = span.deepest // 2
        items = (Item("head", text="HALF"), *span.kept(cut))
        return Outcome(cut, items, span.messages(cut), span.leaving(cut), (), "half")

    def nearly_all(span: Span) -> Outcome:
        cut = span.deepest - 9
        items = (Item("head", text="MORE"), *span.kept(cut))
        return Outcome(cut, items, span.messages(cut), span.leaving(cut), (), "more")

    mild, harder = Scripted(half, name="half"), Scripted(nearly_all, name="more")
    context = context_of(dialogue(10, 110), overflow=chain(mild, harder))
    payload = await context.compile("openai")
    assert (mild.applied, harder.applied) == (1, 1)
    assert payload.meta.closed == "half"


@pytest.mark.feature("O6")
@pytest.mark.parametrize("size", [4_300, 4_750, 4_850, 4_920])
async def test_a_digest_that_misses_the_mark_by_less_than_a_head_wins_over_reset_and_closes_no_more_often(size: int) -> None:
    """What must stay comes near the mark by itself: reset would reach it, and tell nothing of what left."""
    messages = tool_loop(12, size)
    payloads = await driven(context_of(window=16_000, prune=False), messages)
    alone = await driven(context_of(window=16_000, prune=False, overflow=reset()), messages)
    closed = [payload.meta.closed for payload in payloads if payload.meta.closed]
    assert set(closed) == {"digest"}
    assert len(closed) == sum(1 for payload in alone if payload.meta.closed)


@pytest.mark.feature("O6")
async def test_a_step_that_leaves_more_than_a_head_over_what_reaches_the_mark_does_not_win() -> None:
    def longer(span: Span) -> Outcome:
        cut = span.deepest
        items = (Item("head", text=words(span.room.head + 200)), *span.kept(cut))
        return Outcome(cut, items, span.messages(cut), span.leaving(cut), (), "longer")

    context = context_of(tool_loop(3, 4_700), window=16_000, prune=False, overflow=chain(Scripted(longer), reset()))
    assert (await context.compile("openai")).meta.closed == "reset"


@pytest.mark.feature("O6")
async def test_a_closing_by_reset_that_was_recorded_is_applied_again_although_a_digest_would_win_now() -> None:
    def notice(span: Span) -> Outcome:
        cut = span.deepest
        return Outcome(
            cut, (Item("head", text="ALL LEFT"), *span.kept(cut)), span.messages(cut), span.leaving(cut), (), "reset"
        )

    as_before = Scripted(notice, name=chain(clear(), digest(), reset()).fingerprint)
    store, messages = Store(MemoryBackend()), tool_loop(3, 4_900)
    before = await context_of(messages, window=16_000, prune=False, store=store, overflow=as_before).compile("openai")
    after = await context_of(messages, window=16_000, prune=False, store=store).compile("openai")
    assert before.meta.closed == "reset"
    assert after.json() == before.json()


@pytest.mark.feature("O6")
async def test_where_what_must_stay_is_above_the_trigger_a_digest_still_tells_what_left() -> None:
    """Reset would save only the digest's own tokens, and the next closing comes as soon either way."""
    context = context_of([*dialogue(20), Message("user", words(2_300))])
    payload = await context.compile("openai")
    assert payload.meta.tokens_after > payload.meta.trigger
    assert payload.meta.tokens_after + payload.meta.reserve <= 4_000
    assert payload.meta.closed == "digest"


@pytest.mark.feature("O6")
def test_a_chain_without_steps_is_refused() -> None:
    with pytest.raises(StrategyError, match="at least one"):
        chain()


@pytest.mark.feature("O5", "O16")
async def test_where_a_strategy_does_not_make_room_enough_reset_does() -> None:
    """Clear alone cannot shrink talk, and what it leaves of a long tool loop fills the window in the end."""
    context = context_of(dialogue(40), overflow=clear())
    payload = await context.compile("openai")
    assert payload.meta.closed == "reset"
    assert [moved.kind for moved in payload.meta.moved] == ["evict"]
    for payload in await driven(context_of(overflow=clear()), tool_loop(150)):
        assert payload.meta.tokens_after + payload.meta.reserve <= 4_000
        assert {moved.kind for moved in payload.meta.moved} <= {"clear", "evict"}


@pytest.mark.feature("O8")
async def test_any_pinned_message_protects_its_whole_turn_and_pinned_turns_keep_their_order() -> None:
    call = Message("assistant", "I look.", tool_calls=[Call("read_file", '{"path":"P"}', "p1")])
    result = Message("tool", "PINNED RESULT", tool_call_id="p1", name="read_file", pinned=True)
    first, second = Message("user", "PIN ONE", pinned=True), Message("user", "PIN TWO", pinned=True)
    messages = [*dialogue(2), first, *dialogue(2), call, result, *dialogue(2), second, *tool_loop(60)]
    for strategy in (reset(), digest(), chain(clear(), digest(), reset())):
        context = context_of(overflow=strategy)
        payloads = await driven(context, messages)
        assert payloads[-1].meta.window_id not in ("w1", "w2")
        body = texts(payloads[-1])
        places = [body.index(text) for text in ("PIN ONE", "I look.", "PINNED RESULT", "PIN TWO")]
        assert places == sorted(places)
        assert '"id":"p1"' in body


@pytest.mark.feature("O19")
async def test_a_digest_needs_no_model_and_is_the_same_in_every_run() -> None:
    bodies = [[p.json() for p in await driven(context_of(overflow=digest()), tool_loop(40))] for _ in range(2)]
    assert bodies[0] == bodies[1]


@pytest.mark.feature("O16")
async def test_a_result_of_several_parts_is_cleared_with_every_file_kept_readable() -> None:
    picture = "aGVsbG8=" * 100

    def shot(n: int) -> list[Message]:
        result = Result((Text(f"shot {n}"), Attachment("image/png", data=picture)), call_id=f"s{n}", name="screenshot")
        return [
            Message("assistant", tool_calls=[Call("screenshot", "{}", f"s{n}")]),
            Message("tool", [result]),
        ]

    messages = [Message("user", "look"), *(m for n in range(8) for m in shot(n)), *tool_loop(3)]
    context = context_of(messages, overflow=clear(keep_recent=1), window=8_000)
    payload = await context.compile("anthropic")
    assert payload.meta.closed == "clear"
    cited = re.findall(r"characters of base64: (context://vfs/[0-9a-f]+)", texts(payload))
    assert cited
    assert {await context.store.get(uri) for uri in cited} == {picture.encode()}
