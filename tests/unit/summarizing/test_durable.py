"""Compaction for callers who keep their own history: what would fold, what comes back, and what the store has by then."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.sessions import FailingBackend, archived, dialogue, round_of, tool_loop, words
from tests.unit.summarizing.models import CHARS, Model, answered, sections, within

from transom import (
    Call,
    MemoryBackend,
    Message,
    Store,
    anchored,
    chain,
    clear,
    compact_history,
    digest,
    plan_compaction,
    reset,
    summarize,
    summarize_history,
)
from transom.engine.ledger.records import Item
from transom.engine.overflow.durable import CompactionSettings
from transom.engine.overflow.strategy import Outcome, Span, Strategy
from transom.errors import InputError, StoreError, StrategyError, WindowError
from transom.messages import Text, ensure_valid_history, group_turns, is_user_request
from transom.testing.generators import agent_sessions
from transom.testing.reachability import lost
from transom.tokens.weigh import weigh

SYSTEM = Message("system", "You are careful.")


def store() -> Store:
    return Store(MemoryBackend())


@pytest.mark.feature("O15")
def test_a_plan_says_what_would_fold_and_what_stays_and_asks_nobody() -> None:
    messages = [SYSTEM, *dialogue(60, 100)]
    plan = plan_compaction(messages, window=8_000, tokenizer="chars4")
    assert plan is not None
    assert plan.folds == tuple(range(1, len(plan.folds) + 1)), "from the oldest on, the system prompt left out"
    assert plan.stays == (0, *range(len(plan.folds) + 1, len(messages)))
    assert plan.tokens == sum(weigh(message, CHARS) for message in messages)
    assert plan.tokens_after < 8_000 * 0.7 / 2 + 100


@pytest.mark.feature("O15")
@pytest.mark.parametrize("messages", [[], [SYSTEM], [Message("user", "Hello.")], [SYSTEM, *dialogue(4, 100)]])
async def test_a_history_that_fits_comes_back_as_the_very_same_list(messages: list[Message]) -> None:
    plan = plan_compaction(messages, window=8_000)
    assert plan is None
    model = Model()
    for given_plan in (plan, CompactionSettings(window=8_000)):
        result = await compact_history(messages, given_plan, model=model, store=store())
        assert result.messages is messages
        assert not result.changed
        assert result.apply_to(messages) is messages
    assert model.asked == []


@pytest.mark.feature("O15", "O11")
async def test_what_folds_is_in_the_store_before_the_summary_is_handed_back() -> None:
    messages = [SYSTEM, *dialogue(60, 100)]
    kept = store()
    plan = plan_compaction(messages, window=8_000, tokenizer="chars4")
    assert plan is not None
    result = await compact_history(messages, plan, model=Model(window=40_000), store=kept)
    assert result.changed
    assert result.messages[0] is SYSTEM
    assert result.messages[1].role == "user"
    assert result.messages[1].text == result.summary
    assert [message.text for message in result.messages[2:]] == [messages[index].text for index in plan.stays[1:]]
    assert result.folded == tuple(messages[index] for index in plan.folds)
    assert result.archive in result.summary
    assert [line["content"] for line in await archived(kept, result.archive)] == [message.text for message in result.folded]
    assert len(messages) == 122, "the list handed in is the caller's and stays as it is"
    assert sum(weigh(message, CHARS) for message in result.messages) <= plan.tokens_after


@pytest.mark.feature("O15")
async def test_without_a_store_what_folds_is_handed_back_and_no_address_is_named() -> None:
    result_text = "\n".join(f"line {n}: {words(20)}" for n in range(200))
    messages = [
        Message("user", "List it."),
        Message("assistant", tool_calls=[Call("run", "{}", "c1")]),
        Message("tool", result_text, tool_call_id="c1", name="run"),
        *dialogue(40, 100),
    ]

    def cites(asked: list[Message], _: int) -> str:
        address = asked[1].text.partition("Whole text: ")[2].partition(" ")[0]
        assert address.startswith("context://vfs/")
        return answered(sections(f"The list is at {address}."))

    plan = plan_compaction(messages, window=8_000, tokenizer="chars4")
    result = await compact_history(messages, plan, model=Model(cites, window=40_000))  # type: ignore[arg-type]
    assert result.changed
    assert result.archive == ""
    assert "context://" not in result.summary
    assert "kept by the application" in result.summary
    assert [*result.folded, *result.messages[1:]] == messages
    with pytest.raises(InputError, match="store"):
        await compact_history(messages, plan, model=chain(summarize(Model()), reset()))


@pytest.mark.feature("O15")
async def test_a_history_is_compacted_again_and_again_and_stays_in_reach() -> None:
    kept, model, everything = store(), Model(window=40_000), list[Message]()
    messages = [SYSTEM]
    windows = []
    for number in range(30):
        fresh = round_of(number, 150, ask=f"request {number}: {words(150)}")
        everything += fresh
        messages = [*messages, *fresh]
        settings = CompactionSettings(window=6_000, tokenizer="chars4")
        result = await compact_history(messages, settings, model=model, store=kept)
        messages = result.messages
        if result.changed:
            windows += re.findall(r"\bw\d+\b", result.summary)[:1]
            assert sum(weigh(message, CHARS) for message in messages) < 6_000
    assert windows == [f"w{n}" for n in range(1, len(windows) + 1)]
    assert len(windows) > 3
    assert within("earlier", model.questions[-1]) == sections(f"Summary number {len(model.asked) - 1}.")
    assert await lost([_spelled(message) for message in messages], everything, kept) == ([], [])


@pytest.mark.feature("O15", "O3")
@pytest.mark.parametrize("step", ["anchored", "digest", "reset", "clear"])
async def test_any_strategy_can_fold_a_callers_history_and_its_head_is_known_again(step: str) -> None:
    steps: dict[str, Strategy] = {
        "anchored": anchored(Model(window=40_000)),
        "digest": digest(),
        "reset": reset(),
        "clear": chain(clear(keep_recent=0), reset()),
    }
    kept, everything, messages, changed = store(), list[Message](), list[Message](), 0
    for number in range(30):
        fresh = round_of(number, 250, ask=f"request {number}: {words(60)}")
        everything += fresh
        messages += fresh
        result = await compact_history(
            messages, CompactionSettings(window=8_000, tokenizer="chars4"), model=steps[step], store=kept
        )
        changed += result.changed
        messages = list(result.messages)
    assert changed >= 2
    assert await lost([_spelled(message) for message in messages], everything, kept) == ([], [])
    if step != "clear":
        assert sum(message.text.startswith(("# ", "The ")) and message.role == "user" for message in messages) == 1


@pytest.mark.feature("O15")
async def test_what_came_while_the_model_was_at_work_stays_behind_what_it_folded() -> None:
    messages = [SYSTEM, *dialogue(60, 100)]
    result = await compact_history(messages, CompactionSettings(window=8_000), model=Model(window=40_000), store=store())
    later = [Message("assistant", "Meanwhile."), Message("user", "Go on.")]
    now = result.apply_to([*messages, *later])
    assert now == [*result.messages, *later]
    rebuilt = [Message(message.role, message.text) for message in messages]
    assert result.apply_to([*rebuilt, *later]) == now, "compared by content"


@pytest.mark.feature("O15")
@pytest.mark.parametrize("change", ["edited", "shortened", "other pins", "compacted already"])
async def test_a_beginning_that_is_another_by_now_is_left_alone(change: str) -> None:
    messages = [SYSTEM, *dialogue(60, 100)]
    result = await compact_history(messages, CompactionSettings(window=8_000), model=Model(window=40_000), store=store())
    now = {
        "edited": [*messages[:3], Message("user", "Another question."), *messages[4:]],
        "shortened": messages[:5],
        "other pins": [*messages[:3], messages[3].replace(pinned=True), *messages[4:]],
        "compacted already": result.messages,
    }[change]
    assert result.apply_to(now) is now


@pytest.mark.feature("O15")
async def test_a_plan_holds_for_a_history_that_only_grew_and_for_no_other() -> None:
    messages = [SYSTEM, *dialogue(60, 100)]
    plan = plan_compaction(messages, window=8_000)
    grown = [*messages, Message("assistant", "Yes."), Message("user", "More.")]
    result = await compact_history(grown, plan, model=Model(window=40_000), store=store())
    assert result.messages[-2:] == grown[-2:]
    with pytest.raises(InputError, match="another history"):
        await compact_history(messages[1:], plan, model=Model(), store=store())


@pytest.mark.feature("O15", "O11")
async def test_what_cannot_be_stored_does_not_fold() -> None:
    messages = dialogue(60, 100)
    backend = FailingBackend()
    backend.refused = ("archive",)
    with pytest.raises(StoreError, match="disk is full"):
        await compact_history(messages, CompactionSettings(window=8_000), model=Model(window=40_000), store=Store(backend))


@pytest.mark.feature("O15", "O8")
async def test_forced_compaction_folds_all_but_pinned_turns_the_last_turn_and_the_newest_request() -> None:
    pinned = Message("user", "Never force-push.", pinned=True)
    messages = [SYSTEM, *dialogue(3, 100)[:-1], pinned, *tool_loop(5, 100)]
    assert plan_compaction(messages, window=32_000) is None
    plan = plan_compaction(messages, window=32_000, forced=True)
    assert plan is not None
    result = await compact_history(messages, plan, model=Model(), store=store())
    assert [message.role for message in result.messages] == ["system", "user", "user", "user", "assistant", "tool"]
    assert [message.text for message in result.messages[2:4]] == ["Never force-push.", "Do the work."]


@pytest.mark.feature("O15")
def test_what_makes_no_sense_or_can_never_fit_is_refused() -> None:
    with pytest.raises(InputError):
        plan_compaction([Message("user", "x")], window=8_000, trigger=0)
    with pytest.raises(InputError):
        plan_compaction([Message("user", "x")], window=0)
    with pytest.raises(WindowError):
        plan_compaction([Message("system", words(9_000)), Message("user", "x")], window=8_000, tokenizer="chars4")


@pytest.mark.feature("O15")
async def test_a_history_can_be_summarized_and_nothing_else_done() -> None:
    model = Model()
    text = await summarize_history([SYSTEM, *dialogue(4, 50)], model=model, guidelines=["Be short."])
    assert text == sections("Summary number 1.")
    assert "You are careful." not in model.questions[0]
    assert "1. Be short." in model.asked[0][0].text
    assert await summarize_history([SYSTEM], model=model) == ""
    with pytest.raises(StrategyError, match="an error"):
        await summarize_history(dialogue(4, 50), model=Model(lambda asked, call: "Error: down"))


@pytest.mark.feature("O15", "O20")
@settings(deadline=None, max_examples=60)
@given(agent_sessions(), st.sampled_from([3_000, 6_000, 12_000]), st.booleans(), st.sampled_from(["good", "bad", "chain"]))
async def test_of_a_callers_history_nothing_is_lost_no_pair_split_no_pin_moved(
    messages: tuple[Message, ...], window: int, forced: bool, how: str
) -> None:
    kept = store()
    model = Model(window=40_000) if how == "good" else Model(lambda asked, call: "Error: down")
    history = list(messages)
    try:
        plan = plan_compaction(history, window=window, tokenizer="chars4", forced=forced)
    except WindowError:
        return
    strategy = chain(summarize(model), digest(), reset()) if how == "chain" else model
    result = await compact_history(history, plan, model=strategy, store=kept)
    assert history == list(messages)
    if not result.changed:
        assert result.messages is history
        return
    assert how != "bad"
    after = result.messages
    assert await lost([_spelled(message) for message in after], messages, kept) == ([], [])
    _, repairs = ensure_valid_history(after)
    assert [repair for repair in repairs if repair.kind != "opening"] == [], "pairs are whole"
    protected = [
        message
        for span in group_turns(messages)
        if any(m.pinned for m in messages[span.start : span.stop])
        for message in messages[span.start : span.stop]
    ]
    newest = [message for message in messages if is_user_request(message)][-1:]
    for wanted in (*protected, *newest, messages[-1]):
        assert any(message is wanted for message in after)
    places = [[m is wanted for m in after].index(True) for wanted in protected]
    assert places == sorted(places)
    assert result.apply_to(history) == after


def unanswered(number: int, size: int = 600) -> Message:
    return Message("assistant", tool_calls=[Call("run", f'{{"argument": "{"x" * size}"}}', id=f"c{number}")])


@pytest.mark.feature("O15")
@pytest.mark.parametrize("forced", [False, True])
async def test_where_none_of_the_callers_messages_may_leave_nothing_is_planned_stored_or_put_in_front(forced: bool) -> None:
    messages = [*(unanswered(number) for number in range(40)), Message("user", "Go on.")]
    assert plan_compaction(messages, window=4_000, forced=forced) is None
    backend = MemoryBackend()
    settings_ = CompactionSettings(window=4_000, forced=forced)
    result = await compact_history(messages, settings_, model=chain(digest(), reset()), store=Store(backend))
    assert result.messages is messages
    assert not result.changed
    assert await backend.list("archive") == []
    assert result.apply_to(other := messages[1:]) is other


def shallow(span: Span) -> Outcome:
    return Outcome(1, (Item("head", text="Nothing that anybody said."), *span.kept(1)), span.messages(1), span.leaving(1))


class Shallow:
    """A strategy that closes over the first turn, whatever is proposed."""

    name = fingerprint = "shallow"

    async def apply(self, span: Span) -> Outcome:
        return shallow(span)


@pytest.mark.feature("O15")
async def test_a_strategy_that_closes_over_nothing_of_the_callers_changes_nothing() -> None:
    messages = [Message("assistant", "I begin."), *dialogue(60, 100)]
    assert len(ensure_valid_history(messages)[0]) > len(messages), "repair puts a message in front"
    backend = MemoryBackend()
    result = await compact_history(messages, CompactionSettings(window=8_000), model=Shallow(), store=Store(backend))
    assert result.messages is messages
    assert not result.changed
    assert await backend.list("archive") == []
    assert result.apply_to(other := messages[1:]) is other


@st.composite
def histories_in_pieces(draw: st.DrawFn) -> list[Message]:
    """What callers keep who mend nothing: calls without results, results without calls, anybody first."""
    kinds = st.sampled_from(["user", "assistant", "call", "result", "pinned"])
    found: list[Message] = []
    for number, kind in enumerate(draw(st.lists(kinds, min_size=1, max_size=30))):
        match kind:
            case "call":
                found.append(unanswered(number))
            case "result":
                found.append(Message("tool", f"result {number} " * 40, tool_call_id=f"c{number - 1}", name="run"))
            case "pinned":
                found.append(Message("user", f"rule {number}", pinned=True))
            case _:
                found.append(Message("user" if kind == "user" else "assistant", f"said {number} " * 40))
    return found


@pytest.mark.feature("O15")
@settings(deadline=None, max_examples=80)
@given(histories_in_pieces(), st.sampled_from([2_000, 4_000]), st.booleans(), st.sampled_from(["all", "clear", "shallow"]))
async def test_a_compaction_moves_messages_of_the_callers_or_leaves_the_list_alone(
    messages: list[Message], window: int, forced: bool, how: str
) -> None:
    try:
        plan = plan_compaction(messages, window=window, forced=forced)
    except WindowError:
        return
    assert plan is None or plan.folds
    steps: dict[str, Strategy] = {"all": chain(clear(), digest(), reset()), "clear": clear(), "shallow": Shallow()}
    result = await compact_history(messages, plan, model=steps[how], store=(kept := store()))
    if not result.changed:
        assert result.messages is messages
        return
    assert plan is not None
    gone = [message for message in messages if not any(message is after for after in result.messages)]
    assert gone, "else there was nothing to do"
    assert await kept.get(result.archive)
    assert result.apply_to(other := [Message("user", "Another history.")]) is other


def _spelled(message: Message) -> list[object]:
    found: list[object] = []
    for part in message.parts:
        match part:
            case Text():
                found.append(part.text)
            case Call():
                found += [part.name, part.arguments]
            case _:
                content = getattr(part, "content", (part,))
                found += [getattr(item, "text", None) or getattr(item, "data", None) for item in content]
    return found
