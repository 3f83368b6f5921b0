"""When a window closes, how far, what is kept free, and what happens when nothing more can leave."""

from __future__ import annotations

import re

import pytest
from tests.unit.engine.sessions import (
    HEAD,
    FailingBackend,
    context_of,
    dialogue,
    driven,
    elements,
    round_of,
    texts,
    tool_loop,
    words,
)

from transom import Call, Context, Message, Result, Store, Text, Tool, reset
from transom.engine.overflow.budget import Budget, reserve_for
from transom.errors import InputError, StoreError, WindowError
from transom.messages import Attachment
from transom.wire.format import Head


@pytest.mark.feature("O9")
def test_trigger_and_low_water_mark_apply_to_what_the_fixed_parts_leave_over() -> None:
    budget = Budget(window=32_000, reserve=3_200, system=1_000, tools=5_000, tail=300, pinned=500)
    assert budget.available == 32_000 - 3_200 - 1_000 - 5_000 - 300 - 500
    assert budget.trigger == int(budget.available * 0.7)
    assert budget.low_water == int(budget.trigger * 0.5)
    assert budget.head == int(budget.low_water * 0.2)


@pytest.mark.parametrize(
    ("window", "requested", "counted", "reserve"),
    [
        (32_000, None, False, 3_200),
        (4_000, None, False, 1_024),
        (32_000, 2_000, False, 2_000),
        (32_000, 64_000, False, 3_200),
        (32_000, 100, False, 1_024),
        (32_000, 8_000, True, 8_000),
        (32_000, 100, True, 1_024),
        (32_000, 64_000, True, 16_000),
    ],
)
def test_the_reserve_is_the_smaller_of_request_and_a_tenth_except_where_the_provider_counts_it_whole(
    window: int, requested: int | None, counted: bool, reserve: int
) -> None:
    assert reserve_for(window, requested, counted=counted) == reserve


async def test_chat_reserves_the_whole_requested_output_and_other_targets_a_tenth() -> None:
    reserves = {}
    for target in ("openai", "openai-responses", "anthropic", "gemini"):
        context = context_of([Message("user", "hi")], window=32_000)
        context.head = Head(model="a-model", max_output_tokens=8_000)
        reserves[target] = (await context.compile(target)).meta.reserve
    assert reserves == {"openai": 8_000, "openai-responses": 3_200, "anthropic": 3_200, "gemini": 3_200}


@pytest.mark.feature("O9")
async def test_a_window_closes_above_the_trigger_and_goes_down_to_the_low_water_mark_in_one_step() -> None:
    context = context_of(window=16_000, overflow=reset())
    payloads = await driven(context, dialogue(100, 100))
    before = None
    for payload in payloads:
        meta = payload.meta
        assert meta.tokens_after <= meta.trigger
        if meta.closed:
            assert before is not None
            assert meta.tokens_after < 0.6 * before.meta.tokens_after
        before = payload
    closings = sum(1 for payload in payloads if payload.meta.closed)
    assert 1 <= closings <= len(payloads) / 20


@pytest.mark.feature("O9")
async def test_trigger_and_low_water_are_the_callers_to_choose() -> None:
    first_closing = {}
    for trigger in (0.3, 0.95):
        payloads = await driven(context_of(window=16_000, trigger=trigger, overflow=reset()), dialogue(80, 100))
        first_closing[trigger] = [payload.meta.closed for payload in payloads].index("reset")
    assert first_closing[0.3] < first_closing[0.95] / 2
    for wrong in ({"trigger": 0.0}, {"trigger": 1.5}, {"low_water": 1.0}, {"window": 0}):
        with pytest.raises(InputError):
            Context(**{"window": 8_000, **wrong})  # type: ignore[arg-type]


async def test_a_large_tool_list_leaves_less_room_but_does_not_make_windows_close_all_the_time() -> None:
    context = context_of(window=12_000, overflow=reset())
    context.tools(*(Tool(f"tool_{n}", words(150), {"type": "object", "properties": {}}) for n in range(35)))
    payloads = await driven(context, tool_loop(60, 100))
    assert payloads[0].meta.parts["tools"] > 5_000
    assert all(payload.meta.tokens_after + payload.meta.reserve <= 12_000 for payload in payloads)
    assert sum(1 for payload in payloads if payload.meta.closed) < 8


async def test_a_window_without_room_is_an_error_that_names_every_part() -> None:
    context = context_of([Message("user", "Rules. " + words(900), pinned=True), Message("user", "hi")], window=6_000)
    context.system(words(2_000))
    context.tools(Tool("t", words(2_300), {"type": "object", "properties": {}}))
    context.tail(words(300))
    with pytest.raises(WindowError) as caught:
        await context.compile("openai")
    said = str(caught.value)
    assert caught.value.code == "window"
    for part in ("the window of 6,000", "system 2,", "tools 2,", "pinned turns 9", "tail 3", "reserve 1,024"):
        assert part in said
    assert "use a larger window" in caught.value.hint


async def test_after_an_error_the_context_goes_on_where_it_was() -> None:
    context = context_of(tool_loop(3), window=4_000)
    context.system(words(4_000))
    with pytest.raises(WindowError):
        await context.compile("openai")
    context.system("Be brief.")
    payload = await context.compile("openai")
    assert all(message.text in texts(payload) for message in tool_loop(3))
    assert [element["content"] for element in elements(payload) if element["role"] == "system"] == ["Be brief."]


def last_turn(*, user: int, arguments: int, result: int) -> list[Message]:
    call = Call("write_file", '{"path":"a.py","text":"' + words(arguments) + '"}', "c1")
    return [
        Message("user", "USER " + words(user) + " END OF USER"),
        Message("assistant", "I write.", tool_calls=[call]),
        Message("tool", "RESULT " + words(result) + " END OF RESULT", tool_call_id="c1", name="write_file"),
    ]


@pytest.mark.parametrize(
    ("sizes", "shortened", "whole"),
    [
        ({"user": 600, "arguments": 500, "result": 4_000}, {"write_file"}, {"user", "arguments"}),
        ({"user": 4_000, "arguments": 500, "result": 500}, {"user"}, {"arguments", "result"}),
        ({"user": 500, "arguments": 4_000, "result": 500}, {"write_file arguments"}, {"user", "result"}),
        ({"user": 3_000, "arguments": 500, "result": 3_000}, {"write_file", "user"}, {"arguments"}),
    ],
)
async def test_the_last_step_offloads_results_first_then_the_users_text_then_arguments(
    sizes: dict[str, int], shortened: set[str], whole: set[str]
) -> None:
    context = context_of(last_turn(**sizes), prune=False)
    payload = await context.compile("anthropic")
    assert payload.meta.tokens_after + payload.meta.reserve <= 4_000
    assert {moved.label for moved in payload.meta.moved} == shortened
    body = texts(payload)
    marks = {"user": "USER " + words(sizes["user"]), "arguments": words(sizes["arguments"]), "result": words(sizes["result"])}
    assert [name for name in whole if marks[name] not in body] == []
    for moved in payload.meta.moved:
        assert moved.kind == "offload"
        assert moved.uri in body
        assert len(await context.store.get(moved.uri)) == moved.bytes


async def test_what_is_no_text_leaves_last_and_can_be_had_back() -> None:
    picture = "aGVsbG8h" * 400
    files = tuple(Attachment("image/png", data=picture + str(n).zfill(4)) for n in range(4))
    context = context_of([Message("user", [Text("Compare these."), *files])], window=4_000)
    payload = await context.compile("openai")
    assert payload.meta.tokens_after + payload.meta.reserve <= 4_000
    assert "Compare these." in texts(payload)
    offloaded = [moved for moved in payload.meta.moved if moved.kind == "offload"]
    assert offloaded
    for moved in offloaded:
        assert (await context.store.get(moved.uri)).startswith(picture.encode())


async def test_what_is_shown_of_an_offloaded_text_is_verbatim_with_its_gap_marked() -> None:
    context = context_of(last_turn(user=20, arguments=10, result=6_000), prune=False)
    payload = await context.compile("openai")
    shown = str(elements(payload)[-1]["content"])
    whole = "RESULT " + words(6_000) + " END OF RESULT"
    pieces = re.split(r"\n?\[… [^\n]*? …\]\n?", shown)
    assert len(pieces) >= 2
    assert whole.startswith(pieces[0])
    assert whole.endswith(pieces[-1])


@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "gemini"])
async def test_no_payload_exceeds_the_window_in_any_calling_style(target: str) -> None:
    messages = [*tool_loop(12, 500), *(m for n in range(20, 50) for m in round_of(n, 350, ask=f"Next {n}."))]
    appended, loaded = context_of(window=8_000), context_of(window=8_000)
    for context in (appended, loaded):
        context.head = HEAD
        context.system("Be brief.")
    given = 0
    for stop in [i for i, m in enumerate(messages) if m.role == "assistant"]:
        appended.append(*messages[given:stop])
        given = stop
        loaded.load(messages[:stop])
        first, second = await appended.compile(target), await loaded.compile(target)
        assert first.json() == second.json()
        assert first.meta.tokens_after + first.meta.reserve <= 8_000


async def test_a_result_that_cannot_be_stored_is_not_offloaded_silently() -> None:
    backend = FailingBackend()
    backend.refused = ("vfs",)
    messages = last_turn(user=20, arguments=10, result=6_000)
    context = context_of(messages, prune=False, store=Store(backend))
    with pytest.raises(StoreError, match="disk is full"):
        await context.compile("openai")
    assert Result((Text(messages[2].text),), call_id="c1", name="write_file") in context.messages[2].parts
