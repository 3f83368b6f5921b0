"""Oversized tool results as they are first seen: stored, then shortened; and the portal for callers without a loop."""

from __future__ import annotations

import pytest
from tests.unit.engine.sessions import FailingBackend, context_of, driven, elements, round_of, texts, tool_loop

from transom import Call, Context, Message, Result, Store, Text, reset
from transom.engine.events import OffloadCreated
from transom.engine.offload.payloads import PruneSettings
from transom.messages import Attachment

BIG = "".join(f"line {number} of a long listing\n" for number in range(900))


def answered(text: str, *, tool: str = "run", call: str = "c1") -> list[Message]:
    return [
        Message("user", "go"),
        Message("assistant", tool_calls=[Call(tool, "{}", call)]),
        Message("tool", text, tool_call_id=call, name=tool),
    ]


@pytest.mark.feature("S8")
async def test_a_result_is_pruned_only_above_the_threshold_and_the_report_says_what_it_saved() -> None:
    threshold = len(BIG.encode())
    for settings, pruned in ((PruneSettings(threshold=threshold), False), (PruneSettings(threshold=threshold - 1), True)):
        context = Context(window=64_000, prune=settings)
        context.append(*answered(BIG))
        told: list[OffloadCreated] = []
        context.on(OffloadCreated, told.append)
        payload = await context.compile("openai")
        assert [(moved.kind, moved.bytes, moved.label) for moved in payload.meta.moved] == [
            ("prune", threshold, "run")
        ] * pruned
        assert [event.moved for event in told] == list(payload.meta.moved)
        assert (str(elements(payload)[-1]["content"]) == BIG) != pruned
        for moved in payload.meta.moved:
            assert (await context.store.get(moved.uri)).decode() == BIG


@pytest.mark.feature("S8")
async def test_only_tool_results_are_pruned_and_files_in_them_stay() -> None:
    picture = Attachment("image/png", data="aGVsbG8=")
    context = context_of([Message("user", BIG), Message("assistant", BIG)], window=64_000)
    context.append(*answered("x", call="c0")[1:])
    context.append(Message("assistant", tool_calls=[Call("run", '{"text":"' + "a" * 20_000 + '"}', "c1")]))
    context.append(Message("tool", [Result((Text(BIG), picture), call_id="c1", name="run")]))
    payload = await context.compile("anthropic")
    assert len(payload.meta.moved) == 1
    body = texts(payload)
    assert body.count("line 450 of a long listing") == 2
    assert "a" * 20_000 in body
    assert "aGVsbG8=" in body


@pytest.mark.feature("S8")
async def test_a_pruned_form_is_decided_once_and_the_same_in_every_compile_and_process() -> None:
    context = context_of([*answered(BIG), Message("assistant", "ok"), Message("user", "go on")], window=64_000)
    first = await context.compile("openai")
    context.append(Message("assistant", "yes"), Message("user", "more"))
    second = await context.compile("openai")
    assert second.json().startswith(first.json().rstrip(b"]}"))
    assert second.meta.moved == (), "what moved is told once"
    again = context_of([*answered(BIG), Message("assistant", "ok"), Message("user", "go on")], window=64_000)
    assert (await again.compile("openai")).json() == first.json()


@pytest.mark.feature("S8")
async def test_an_excerpt_that_comes_in_again_is_not_pruned_again() -> None:
    context = context_of(answered(BIG * 3), window=64_000)
    shown = str(elements(await context.compile("openai"))[-1]["content"])
    other = Context(window=64_000, prune=PruneSettings(threshold=256))
    other.append(*answered(shown))
    assert str(elements(await other.compile("openai"))[-1]["content"]) == shown


@pytest.mark.feature("S8")
async def test_what_cannot_be_stored_stays_whole_from_then_on() -> None:
    backend = FailingBackend()
    backend.refused = ("vfs",)
    context = context_of(answered(BIG), window=64_000, store=Store(backend))
    payload = await context.compile("openai")
    assert str(elements(payload)[-1]["content"]) == BIG
    assert payload.meta.moved == ()
    assert "disk is full" in payload.meta.failure
    backend.refused = ()
    context.append(Message("assistant", "ok"), *round_of(2))
    later = await context.compile("openai")
    assert BIG in [element["content"] for element in elements(later)], "its form was decided"
    assert later.json().startswith(payload.json().rstrip(b"]}"))


@pytest.mark.feature("S7")
async def test_head_and_tail_end_with_lines_and_lines_of_failure_stay() -> None:
    lines = BIG.splitlines(keepends=True)
    lines[500:500] = ["FATAL: cannot open shared object file\n"]
    context = context_of(answered("".join(lines)), window=64_000)
    shown = str(elements(await context.compile("openai"))[-1]["content"])
    visible = [line for line in shown.splitlines(keepends=True) if not line.startswith("[… ")]
    assert set(visible) <= set(lines)
    assert "FATAL: cannot open shared object file\n" in visible
    assert visible[0] == lines[0]
    assert visible[-1] == lines[-1]


async def test_pruning_can_be_switched_off() -> None:
    context = context_of(answered(BIG), window=64_000, prune=False)
    assert str(elements(await context.compile("openai"))[-1]["content"]) == BIG


def test_compile_sync_works_without_a_loop_and_gives_the_same_bytes() -> None:
    context = context_of(overflow=reset())
    context.append(*tool_loop(20))
    try:
        first = context.compile_sync("openai")
        assert first.meta.window_id == "w2"
        context.append(*round_of(50))
        assert context.compile_sync("openai").json().startswith(first.json().rstrip(b"]}"))
    finally:
        context.close()


async def test_compile_sync_inside_a_loop_says_what_to_do_instead() -> None:
    context = context_of([Message("user", "hi")])
    with pytest.raises(RuntimeError, match="await the async method"):
        context.compile_sync("openai")
    assert elements(await context.compile("openai")) == [{"role": "user", "content": "hi"}]


async def test_a_context_closes_its_store_and_still_compiles_what_fits() -> None:
    async with context_of([Message("user", "hi")]) as context:
        await context.compile("openai")
    assert elements(await context.compile("openai")) == [{"role": "user", "content": "hi"}]


@pytest.mark.feature("K2", "K5")
async def test_the_correction_learned_from_usage_moves_weights_only_when_a_window_closes() -> None:
    context = context_of(window=16_000, overflow=reset())
    before = await driven(context, tool_loop(10, 100))
    context.report_usage(int(before[-1].meta.tokens_after * 1.3))
    assert context.calibration.ratio == pytest.approx(1.3, abs=0.01)
    context.append(*round_of(20, 100))
    after = await context.compile("openai")
    assert after.meta.window_id == "w1"
    assert after.meta.tokens_after - before[-1].meta.tokens_after < 200, "uncorrected within the window"
    later = await driven(context, [message for n in range(30, 120) for message in round_of(n, 100)])
    closed = next(payload for payload in later if payload.meta.closed)
    plain = context_of(window=16_000, overflow=reset())
    uncorrected = await driven(plain, [*tool_loop(10, 100), *round_of(20, 100)])
    assert uncorrected[-1].meta.tokens_after == after.meta.tokens_after
    assert len(closed.json()) / 4 < closed.meta.tokens_after * 0.95, "corrected from the closing on"
