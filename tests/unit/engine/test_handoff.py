"""The word before a window closes, and new windows on request."""

from __future__ import annotations

from collections.abc import Callable

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

from transom import Handoff, Message, chain, clear, digest, reset
from transom.engine.events import NewContextDropped
from transom.errors import InputError

NOTICE = "[Context notice]"
TARGETS = ("openai", "openai-responses", "anthropic", "gemini")


@pytest.mark.feature("O12")
@pytest.mark.parametrize("target", TARGETS)
async def test_the_model_is_told_once_a_window_that_it_will_close_soon(target: str) -> None:
    context = context_of(overflow=reset(), handoff=Handoff(600))
    payloads = await driven(context, tool_loop(40), target)
    told = [payload for payload in payloads if payload.meta.handoff]
    assert len({payload.meta.window_id for payload in payloads}) > 2
    assert len(told) == len({payload.meta.window_id for payload in told})
    for payload in payloads:
        assert (NOTICE in texts(payload)) == payload.meta.handoff
        assert not (payload.meta.handoff and payload.meta.closed)
    for payload in told:
        assert 0 < payload.meta.trigger - payload.meta.tokens_after + payload.meta.parts["tail"] <= 700
    assert not any(NOTICE in message.text for message in context.messages)


@pytest.mark.feature("O12")
async def test_the_notice_names_the_tokens_left_in_the_words_of_the_application() -> None:
    context = context_of(tool_loop(7), overflow=reset(), handoff=Handoff(800, "Only {n_remaining} left, {name}."))
    payload = await context.compile("openai")
    assert payload.meta.handoff
    left = int(texts(payload).split("Only ")[1].split(" left")[0].replace(",", ""))
    assert 0 < left <= 800
    assert " left, {name}." in texts(payload)
    counted = payload.meta.trigger - (payload.meta.tokens_after - payload.meta.parts["tail"])
    assert left == pytest.approx(counted, abs=20)


@pytest.mark.feature("O12")
async def test_the_notice_alone_closes_no_window_and_fits() -> None:
    """Whatever it weighs: it counts for what fits, and not for when the window closes."""
    for rounds in range(4, 12):
        silent = await context_of(tool_loop(rounds), overflow=reset()).compile("openai")
        told = context_of(tool_loop(rounds), overflow=reset(), handoff=Handoff(1_500, words(500)))
        payload = await told.compile("openai")
        assert payload.meta.closed == silent.meta.closed
        assert payload.meta.tokens_after + payload.meta.reserve <= 4_000


@pytest.mark.feature("O12")
async def test_another_conversation_is_told_anew_and_a_cancelled_compile_told_nobody() -> None:
    context = context_of(tool_loop(7), overflow=reset(), handoff=Handoff(800))
    with pytest.raises(Exception, match="cancelled"):
        await context.compile("openai", cancelled=_at_the_end())
    assert (await context.compile("openai")).meta.handoff
    assert not (await context.compile("openai")).meta.handoff
    context.load([Message("user", "Something else."), *tool_loop(7)[1:]])
    assert (await context.compile("openai")).meta.handoff


def _at_the_end() -> Callable[[], bool]:
    asked = iter(range(100))
    return lambda: next(asked) >= 8


@pytest.mark.feature("O12")
@pytest.mark.parametrize("wrong", [0, -5, 2.5, "many", True])
def test_a_handoff_budget_is_a_number_of_tokens(wrong: int) -> None:
    with pytest.raises(InputError, match="handoff budget"):
        Handoff(wrong)


@pytest.mark.feature("O12")
def test_a_handoff_that_makes_no_sense_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="empty handoff prompt"):
        Handoff(500, "  ")
    with pytest.raises(InputError, match="where the window closes at 2,800"):
        context_of(handoff=Handoff(3_000))
    with pytest.raises(InputError, match="handoff is no Handoff but a int"):
        context_of(handoff=500)


@pytest.mark.feature("O13")
@pytest.mark.parametrize("strategy", [None, reset(), digest(), clear(), chain(clear(), digest(), reset())])
async def test_a_new_window_on_request_folds_all_but_what_stays(strategy: object) -> None:
    messages = [
        Message("user", "Rules.", pinned=True),
        *tool_loop(4, ask="Old work."),
        *round_of(7, ask="New work."),
        *round_of(8),
    ]
    context = context_of(messages, window=16_000, overflow=strategy)
    before = await context.compile("openai")
    context.request_new_context()
    payload = await context.compile("openai")
    assert (before.meta.window_id, payload.meta.window_id, payload.meta.lineage.previous) == ("w1", "w2", "w1")
    body = texts(payload)
    assert "Rules." in body
    assert "New work." in body
    assert "result 8:" in body
    assert "result 0:" not in body
    assert payload.meta.failure == ""
    lines = await archived(context.store, payload.meta.archives[-1])
    assert "result 0:" in str(lines)
    context.append(Message("assistant", "Done."), Message("user", "More."))
    assert (await context.compile("openai")).meta.window_id == "w2", "a request holds for one compile"


@pytest.mark.feature("O13")
async def test_a_dropped_request_says_why() -> None:
    context = context_of(tool_loop(4), window=16_000, overflow=reset())
    dropped: list[NewContextDropped] = []
    context.on("new_context_dropped", dropped.append)
    off = context.use("before-overflow", lambda state: False)
    context.request_new_context()
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w1"
    assert payload.meta.failure == "new_context: a function in the slot before-overflow vetoed it"
    off()
    assert (await context.compile("openai")).meta.window_id == "w1", "a dropped request is not made up for"
    context.request_new_context()
    assert (await context.compile("openai")).meta.window_id == "w2"
    context.request_new_context()
    again = await context.compile("openai")
    assert again.meta.failure == "new_context: there is nothing to set aside"
    assert [event.reason for event in dropped] == [
        "a function in the slot before-overflow vetoed it",
        "there is nothing to set aside",
    ]


@pytest.mark.feature("O13")
async def test_an_open_breaker_leaves_the_model_alone_on_request_too() -> None:
    strategy = Scripted(RuntimeError("model is down"))
    context = context_of(tool_loop(4), window=16_000, overflow=strategy)
    for number in range(5):
        context.append(*round_of(100 + number, ask="Go on."))
        context.request_new_context()
        payload = await context.compile("openai")
        assert payload.meta.closed == "reset"
        assert ("model is down" in payload.meta.failure) == (number < 3)
    assert strategy.applied == 3


@pytest.mark.feature("O13")
async def test_a_window_that_is_full_and_asked_for_closes_once() -> None:
    context = context_of(dialogue(9), overflow=reset(), handoff=Handoff(500))
    context.request_new_context()
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w2"
    assert len(elements(payload)) == 2


@pytest.mark.feature("O14")
@pytest.mark.parametrize("strategy", [reset(), digest(), clear(), chain(clear(), digest(), reset())])
async def test_the_lineage_stands_in_the_metadata_under_every_strategy(strategy: object) -> None:
    context = context_of(overflow=strategy, window=6_000)
    windows: list[tuple[str, str | None]] = []
    for payload in await driven(context, tool_loop(60)):
        lineage = payload.meta.lineage
        assert lineage.first == "w1"
        if (lineage.current, lineage.previous) not in windows:
            assert payload.meta.closed or not windows
            windows.append((lineage.current, lineage.previous))
    assert windows == [(f"w{n}", f"w{n - 1}" if n > 1 else None) for n in range(1, len(windows) + 1)]
    assert len(windows) > 2
