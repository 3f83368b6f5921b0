"""What ``summarize`` and ``anchored`` ask a model, and what they leave in the window, seen through a context."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.unit.engine.sessions import archived, context_of, dialogue, driven, elements, round_of, texts, tool_loop, words
from tests.unit.summarizing.models import Model, answered, sections, within

from transom import Call, Message, Payload, Text, anchored, chain, clear, digest, reset, summarize
from transom.engine.overflow.strategy import Outcome, Span, Strategy
from transom.errors import StrategyError
from transom.messages import Attachment
from transom.store.blobs import blob_uri
from transom.testing.reachability import lost


def head_of(payload: Payload) -> str:
    return str(elements(payload)[0]["content"])


def closings(payloads: Sequence[Payload]) -> list[Payload]:
    return [payload for payload in payloads if payload.meta.closed]


@pytest.mark.feature("O2")
async def test_a_summary_takes_the_place_of_what_leaves_and_says_what_it_is_and_where_that_lies() -> None:
    model = Model()
    context = context_of(overflow=summarize(model), window=8_000)
    messages = dialogue(60, 100)
    payloads = await driven(context, messages)
    closed = closings(payloads)
    assert [payload.meta.closed for payload in closed] == ["summarize"] * 3
    assert [payload.meta.lineage.current for payload in closed] == ["w2", "w3", "w4"]
    last = closed[-1]
    head = head_of(last)
    assert head.startswith("# Summary of earlier conversation: stands for ")
    assert "window w3 (previous: w2)" in head
    assert "may have rephrased" in head, "only a summary paraphrases, and it says so"
    assert [f"archive w{n}: {uri}" in head for n, uri in zip((1, 2, 3), last.meta.archives, strict=True)] == [True] * 3
    assert "Summary number 3." in head
    assert "analysis" not in head
    assert "Summary number 2." not in head
    assert len(model.asked) == 3
    first = await archived(context.store, closed[0].meta.archives[0])
    assert str(first[0]["content"]).startswith("question 0:")
    assert await lost(payloads[-1].body, messages, context.store) == ([], [])


@pytest.mark.feature("O2")
async def test_a_model_is_told_the_form_of_the_answer_five_sections_and_what_the_caller_adds() -> None:
    model = Model()
    strategy = summarize(
        model, instructions="Watch the ports.", guidelines=["Name every file.", "Skip greetings."], max_tokens=300
    )
    context = context_of(overflow=strategy, window=16_000)
    await driven(context, dialogue(60, 100))
    contract, question = model.asked[0]
    assert (contract.role, question.role) == ("system", "user")
    assert "<analysis>" in contract.text
    assert "<summary>" in contract.text
    assert contract.text.count("\n## ") == 5
    assert "Watch the ports." in contract.text
    assert "1. Name every file.\n2. Skip greetings." in contract.text
    assert "at most 150 words, about 300 tokens" in contract.text
    shown = within("messages", question.text)
    assert shown.startswith("[1] user\nquestion 0: ")
    assert "[2] assistant\nanswer 0: " in shown
    assert "question 59" not in shown, "what stays is not summarized"


@pytest.mark.feature("O2")
async def test_by_default_a_summary_has_a_thousand_tokens_and_five_hundred_words() -> None:
    model = Model()
    context = context_of(dialogue(400, 100), overflow=summarize(model), window=60_000)
    await context.compile("openai")
    assert "at most 512 words, about 1024 tokens" in model.asked[0][0].text


@pytest.mark.feature("O2")
async def test_long_results_are_stubbed_with_their_address_and_files_are_described() -> None:
    result = "\n".join(f"line {n}: {words(30)}" for n in range(120))
    uri = blob_uri(result)

    def cites(messages: Sequence[Message], _: int) -> str:
        assert uri in messages[1].text
        return answered(sections(f"The listing is at {uri}, and a made-up one at context://vfs/{'0' * 64}."))

    photo = Attachment("image/png", data="iVBORw0KGgo" * 100, filename="shot.png")
    remote = Attachment("application/pdf", url="https://example.org/a.pdf")
    messages = [
        Message("user", [Text("Look."), photo, remote]),
        Message("assistant", tool_calls=[Call("run", '{"cmd":"ls"}', "c1")]),
        Message("tool", result, tool_call_id="c1", name="run", is_error=True),
        *dialogue(40, 100),
    ]
    model = Model(cites)
    context = context_of(messages, overflow=summarize(model), window=12_000, prune=False)
    payload = await context.compile("openai")
    question = model.questions[0]
    assert "(attached: shot.png image/png, 825 bytes)" in question
    assert "(attached: application/pdf)" in question
    assert "iVBORw0KGgo" not in question
    assert 'calls run: {"cmd":"ls"}' in question
    assert "result of run (failed)" in question
    assert "line 0: " in question
    assert "line 60: " not in question
    assert uri in head_of(payload)
    assert "0" * 64 not in head_of(payload), "an address that the model made up is taken out"
    assert (await context.store.get(uri)).decode() == result
    assert await lost(payload.body, messages, context.store) == ([], [])


@pytest.mark.feature("O2")
async def test_the_summary_before_is_carried_on_and_nothing_else_is_asked_again() -> None:
    model = Model()
    context = context_of(overflow=summarize(model), window=8_000)
    await driven(context, dialogue(60, 100))
    assert within("earlier", model.questions[0]) == ""
    assert within("earlier", model.questions[1]) == sections("Summary number 1."), "without its frame"
    assert "question 0:" not in model.questions[1]


@pytest.mark.feature("O3")
async def test_an_anchor_document_is_kept_up_with_what_leaves_now_and_only_that() -> None:
    def kept_up(messages: Sequence[Message], call: int) -> str:
        document = within("earlier", messages[1].text)
        shown = within("messages", messages[1].text)
        asked = [line.split(":")[0] for line in shown.split("\n") if line.startswith("question ")]
        lines = [*document.split("\n"), f"- window {call}: {asked[0]} to {asked[-1]}"]
        return answered("\n".join(line for line in lines if line))

    model = Model(kept_up)
    context = context_of(overflow=anchored(model), window=8_000)
    closed = closings(await driven(context, dialogue(60, 100)))
    assert [payload.meta.closed for payload in closed] == ["anchored"] * 3
    documents = [head_of(payload).partition("\n\n")[2].split("\n") for payload in closed]
    assert [len(document) for document in documents] == [1, 2, 3]
    assert documents[2][:2] == documents[1], "what stood in it stands there word for word"
    assert documents[1][0] == documents[0][0]
    assert documents[0][0].startswith("- window 1: question 0 to question ")
    assert "bring" not in model.questions[0]
    assert "brought up to date" in model.questions[1]


@pytest.mark.feature("O3")
async def test_an_anchor_moves_only_when_its_closing_lands() -> None:
    def fails_second(_: Sequence[Message], call: int) -> object:
        return RuntimeError("overloaded") if call == 2 else answered(f"Document after call {call}.")

    model = Model(fails_second)
    context = context_of(overflow=chain(anchored(model), reset()), window=8_000)
    closed = closings(await driven(context, dialogue(60, 100)))
    assert [payload.meta.closed for payload in closed][:3] == ["anchored", "reset", "anchored"]
    assert within("earlier", model.questions[1]) == "Document after call 1."
    assert "set aside without a summary" in within("earlier", model.questions[2]), "what stands there now is carried on"
    assert "Document after call 3." in head_of(closed[2])


@pytest.mark.feature("O2", "O3")
@pytest.mark.parametrize("strategy", [summarize, anchored])
async def test_a_digest_before_is_handed_on_as_what_came_earlier(strategy: object) -> None:
    def down_at_first(_: Sequence[Message], call: int) -> object:
        return ConnectionError("refused") if call == 1 else answered(sections("The provider answers again."))

    model = Model(down_at_first)
    assert callable(strategy)
    context = context_of(overflow=chain(strategy(model), digest(), reset()), window=12_000)
    closed = closings(await driven(context, dialogue(80, 100)))
    assert [payload.meta.closed for payload in closed][:2] == ["digest", strategy(model).name]
    assert within("earlier", model.questions[1]).startswith("# Digest of earlier conversation:")
    assert closed[1].meta.archives[0] in head_of(closed[1]), "the archive behind the digest can still be found"


@pytest.mark.feature("O2")
@pytest.mark.parametrize(
    ("keep", "shown"),
    [
        ({}, 14),
        ({"keep_turns": 6}, 6),
        ({"keep_turns": 12}, 12),
        ({"keep_turns": 30}, 14),
        ({"split": 0.5}, 14),
        ({"split": 0.9}, 5),
        ({"split": 1.0}, 1),
    ],
)
async def test_how_deep_it_folds_can_be_said_by_share_or_by_turns_and_is_never_less_than_the_budget_asks(
    keep: dict[str, float], shown: int
) -> None:
    context = context_of(dialogue(20, 100), overflow=summarize(Model(), **keep), window=6_400)  # type: ignore[arg-type]
    payload = await context.compile("openai")
    assert payload.meta.closed == "summarize"
    assert len(elements(payload)) == 1 + shown


@pytest.mark.feature("O2", "O8")
async def test_pinned_turns_and_the_newest_request_stay_word_for_word() -> None:
    rules = Message("user", "Never force-push.", pinned=True)
    messages = [Message("user", "An old question."), Message("assistant", "An old answer."), rules, *tool_loop(24)]
    model = Model()
    context = context_of(overflow=summarize(model), window=6_000)
    closed = closings(await driven(context, messages))
    shown = [str(element["content"]) for element in elements(closed[0])]
    assert shown[1:3] == ["Never force-push.", "Do the work."]
    assert "Never force-push." not in model.questions[0]
    assert "Do the work." in model.questions[0]  # to say what was done for it; no summary stands for it
    assert "An old question." in model.questions[0]


@pytest.mark.feature("O2", "O21")
async def test_a_summary_is_made_once_and_every_later_run_over_the_store_is_given_it() -> None:
    messages = dialogue(60, 100)
    first = Model()
    context = context_of(overflow=chain(clear(), summarize(first), reset()), window=8_000)
    before = await driven(context, messages)
    again = Model()
    over = context_of(overflow=chain(clear(), summarize(again), reset()), window=8_000, store=context.store)
    after = await driven(over, messages)
    assert len(first.asked) == 3
    assert again.asked == []
    assert [payload.json() for payload in after] == [payload.json() for payload in before]
    loaded = context_of(messages, overflow=chain(clear(), summarize(again), reset()), window=8_000, store=context.store)
    assert (await loaded.compile("openai")).json() == before[-1].json()
    assert again.asked == []


async def one(messages: list[Message]) -> str:
    return answered("A summary that says a little.")


def two(messages: list[Message]) -> str:
    return answered("A summary that says a little.")


@pytest.mark.feature("O2")
def test_what_shapes_a_summary_is_in_the_fingerprint_and_patience_is_not() -> None:
    made: list[Strategy] = [
        summarize(one),
        anchored(one),
        summarize(two),
        summarize(Model(fingerprint="other")),
        summarize(Model(fingerprint="small", window=4_000)),
        summarize(one, instructions="x"),
        summarize(one, guidelines=["x"]),
        summarize(one, split=0.5),
        summarize(one, keep_turns=5),
        summarize(one, max_tokens=500),
        summarize(one, window=9_000),
    ]
    assert len({strategy.fingerprint for strategy in made}) == len(made)
    assert summarize(one, timeout=5).fingerprint == summarize(one, timeout=None).fingerprint
    assert summarize(functools.partial(one)).fingerprint == summarize(one).fingerprint
    assert "0x" not in summarize(Model()).fingerprint, "no address of an object: another process would have another"


@pytest.mark.feature("O2")
@pytest.mark.parametrize(
    "wrong",
    [
        {"split": 0.0},
        {"split": 1.5},
        {"split": 0.5, "keep_turns": 3},
        {"keep_turns": 0},
        {"max_tokens": 0},
        {"window": 0},
        {"timeout": 0.0},
        {"guidelines": "one text"},
    ],
)
@pytest.mark.parametrize("strategy", [summarize, anchored])
def test_settings_that_make_no_sense_are_refused_at_once(strategy: object, wrong: dict[str, object]) -> None:
    assert callable(strategy)
    with pytest.raises(StrategyError):
        strategy(one, **wrong)
    with pytest.raises(StrategyError, match="callable"):
        strategy("gpt")


@pytest.mark.feature("O2")
async def test_a_synchronous_model_does_not_hold_up_the_event_loop() -> None:
    asked, answer = threading.Event(), threading.Event()

    def blocking(_: list[Message]) -> str:
        asked.set()
        assert answer.wait(30), "the loop stood still"
        return answered("Said by a model that blocks its thread.")

    async def elsewhere() -> None:
        while not asked.is_set():  # noqa: ASYNC110
            await asyncio.sleep(0)
        answer.set()

    context = context_of(dialogue(20, 100), overflow=summarize(blocking), window=5_000)
    payload, _ = await asyncio.gather(context.compile("openai"), elsewhere())
    assert "Said by a model that blocks its thread." in head_of(payload)


@pytest.mark.feature("O2")
def test_a_synchronous_caller_can_use_models_of_both_kinds() -> None:
    for model in (one, two, functools.partial(one)):
        context = context_of(dialogue(20, 100), overflow=summarize(model), window=5_000)
        assert "says a little" in head_of(context.compile_sync("openai"))
        context.close()


@pytest.mark.feature("O2", "O13")
async def test_where_a_new_window_is_asked_for_everything_that_may_fold_is_summarized() -> None:
    model = Model()
    context = context_of(dialogue(8, 100), overflow=chain(summarize(model), reset()), window=32_000)
    context.request_new_context()
    payload = await context.compile("openai")
    assert payload.meta.closed == "summarize"
    assert len(elements(payload)) == 2
    assert "question 0:" in model.questions[0]
    assert "answer 7:" in model.questions[0]


@pytest.mark.feature("O2")
async def test_no_model_is_asked_about_what_is_not_worth_a_request() -> None:
    model = Model()
    context = context_of(overflow=chain(summarize(model), reset()), window=4_000)
    payload = (await driven(context, [Message("user", "Go."), Message("assistant", "Yes."), Message("user", words(2_500))]))[-1]
    assert model.asked == []
    assert "Go." in texts(payload)


async def test_asked_without_a_chain_a_model_is_left_alone_while_models_are_to_be() -> None:
    seen: list[Outcome] = []
    model = Model()

    class Inside:
        name = "inside"
        fingerprint = "inside"
        model_free = True

        async def apply(self, span: Span) -> Outcome:
            seen.append(await summarize(model).apply(replace(span, model_free=True)))
            return await reset().apply(span)

    await context_of(dialogue(20, 100), overflow=Inside(), window=5_000).compile("openai")
    assert seen == [Outcome()]
    assert model.asked == []


@pytest.mark.feature("O2")
async def test_tool_loops_are_summarized_with_calls_and_results_whole() -> None:
    model = Model()
    context = context_of(overflow=chain(clear(), summarize(model), reset()), window=6_000)
    messages = [*(m for n in range(30) for m in round_of(n, 60, ask=f"request {n}: {words(60)}"))]
    payloads = await driven(context, messages)
    assert any(payload.meta.closed == "summarize" for payload in payloads)
    assert await lost(payloads[-1].body, messages, context.store) == ([], [])
