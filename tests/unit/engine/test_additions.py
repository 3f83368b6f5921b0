"""What a session adds to its conversation: where it stands, how long it stands still, and that it fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from transom import Context, MemoryBackend, Message, Payload, SQLiteBackend, Store, Tool, chain, digest, reset
from transom.engine.memory.hooks import MemorySettings
from transom.engine.placement.temporal import Temporal
from transom.errors import InputError
from transom.wire.format import Head

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")


def rounds(first: int, last: int, words: int = 40) -> list[Message]:
    found = []
    for number in range(first, last):
        found += [Message("user", f"question {number}"), Message("assistant", f"answer {number}" + " word" * words)]
    return found


def body(payload: Payload) -> str:
    return payload.json().decode()


def holds(one: Payload, two: Payload) -> bool:
    """Whether the second payload begins with the first up to its tail."""
    joined = b"".join(two.sequence.pieces)
    return joined.startswith(b"".join(one.sequence.pieces)[: one.sequence.stable])


@dataclass
class Weather:
    town: str
    rain: bool


@pytest.mark.feature("L4")
@pytest.mark.parametrize("target", TARGETS)
async def test_memory_stands_behind_the_system_prompt_and_stays_until_the_window_closes(target: str) -> None:
    context = Context(window=6_000, memory=True)
    context.system("You are careful.")
    await context.memory.facts.set("colour", "The colour is teal.", importance=0.9)
    context.append(*rounds(0, 2))
    first = await context.compile(target)
    text = body(first)
    assert text.index("You are careful.") < text.index("The colour is teal.") < text.index("question 0")
    await context.memory.facts.set("colour", "The colour is ochre.", importance=0.9)
    await context.memory.facts.set("size", "The size is nine.")
    context.append(*rounds(2, 3))
    second = await context.compile(target)
    changed = body(second)
    assert holds(first, second)
    assert changed.index("The colour is teal.") < changed.index("question 2") < changed.index("The colour is ochre.")
    assert changed.index("question 2") < changed.index("The size is nine.")
    for number in range(3, 60):
        context.append(*rounds(number, number + 1))
        last = await context.compile(target)
        if last.meta.closed:
            break
    after = body(last)
    assert last.meta.closed
    assert "The colour is teal." not in after
    assert after.index("The colour is ochre.") < after.index(f"question {number}")
    assert set(last.meta.memory) == {"colour", "size"}


@pytest.mark.feature("L4")
async def test_memory_in_the_tail_is_always_as_it_is_now() -> None:
    context = Context(window=8_000, memory=MemorySettings(place="tail"))
    await context.memory.facts.set("colour", "The colour is teal.")
    context.append(*rounds(0, 2), Message("user", "and now?"))
    first = body(await context.compile("anthropic"))
    assert first.index("and now?") < first.index("The colour is teal.")
    await context.memory.facts.set("colour", "The colour is ochre.")
    second = body(await context.compile("anthropic"))
    assert "teal" not in second
    assert second.index("and now?") < second.index("The colour is ochre.")


@pytest.mark.feature("L4")
async def test_what_a_fact_takes_is_counted_and_bounded() -> None:
    context = Context(window=6_000, memory=MemorySettings(max_tokens=300))
    for number in range(200):
        await context.memory.facts.set(f"fact-{number:03}", f"this is what fact {number} says", importance=number / 200)
    context.append(*rounds(0, 3))
    payload = await context.compile("openai")
    assert payload.meta.parts["system"] <= 310
    assert "fact 199 says" in body(payload)
    assert "fact 3 says" not in body(payload)
    assert 0 < len(payload.meta.memory) < 200


async def test_a_session_without_memory_says_nothing_of_a_store_full_of_facts() -> None:
    store = Store(MemoryBackend())
    writer = Context(window=8_000, store=store, memory=True)
    await writer.memory.facts.set("colour", "The colour is teal.")
    reader = Context(window=8_000, store=store)
    reader.append(Message("user", "hello"))
    assert "teal" not in body(await reader.compile("openai"))


@pytest.mark.feature("L2")
@pytest.mark.parametrize("target", TARGETS)
async def test_state_in_the_system_prompt_stands_still_and_what_changes_goes_to_the_tail(target: str) -> None:
    context = Context(window=8_000)
    context.state(Weather("Rome", rain=False), place="system", tag="weather")
    context.append(Message("user", "first"))
    first = await context.compile(target)
    assert body(first).index("Rome") < body(first).index("first")
    context.state(Weather("Oslo", rain=True), place="system", tag="weather")
    context.append(Message("assistant", "so"), Message("user", "second"))
    second = await context.compile(target)
    assert holds(first, second)
    text = body(second)
    assert text.index("Rome") < text.index("second") < text.index("Oslo")


@pytest.mark.feature("L2")
async def test_state_at_the_end_is_written_anew_each_time() -> None:
    context = Context(window=8_000)
    context.append(Message("user", "first"))
    context.state({"town": "Rome"})
    first = await context.compile("openai")
    assert first.body["messages"] == [{"role": "user", "content": "first\n\n<state>\n  <town>Rome</town>\n</state>"}]
    context.state(None)
    second = await context.compile("openai")
    assert second.body["messages"] == [{"role": "user", "content": "first"}]


@pytest.mark.parametrize("target", TARGETS)
async def test_a_sticky_text_stays_beside_its_message(target: str) -> None:
    context = Context(window=8_000)
    context.append(Message("user", "what does it say?"))
    context.sticky("PASSAGE one")
    first = await context.compile(target)
    context.append(Message("assistant", "this"), Message("user", "and then?"))
    second = await context.compile(target)
    context.append(Message("assistant", "that"), Message("user", "and last?"))
    context.sticky("PASSAGE two")
    third = await context.compile(target)
    assert holds(first, second)
    assert holds(second, third)
    text = body(third)
    places = [text.index(part) for part in ("what does it say?", "PASSAGE one", "and then?", "and last?", "PASSAGE two")]
    assert places == sorted(places)


async def test_a_sticky_text_waits_in_the_tail_for_a_message_that_was_not_sent_yet() -> None:
    context = Context(window=8_000)
    context.append(Message("user", "first"))
    one = await context.compile("openai")
    context.sticky("LATE")
    two = await context.compile("openai")
    assert two.body["messages"] == [{"role": "user", "content": "first\n\nLATE"}]
    assert holds(one, two)
    context.append(Message("assistant", "so"), Message("user", "second"))
    three = await context.compile("openai")
    assert [message["content"] for message in three.body["messages"]] == ["first", "so", "second\n\nLATE"]  # type: ignore[attr-defined]


@pytest.mark.feature("L5")
@pytest.mark.parametrize("target", TARGETS)
async def test_a_guardrail_is_said_last_and_begins_the_answer(target: str) -> None:
    context = Context(window=8_000)
    context.head = Head(model="some-model", max_output_tokens=500)
    context.append(Message("user", "list the towns"))
    context.guardrail("Only JSON.", prefill='{"towns":')
    payload = await context.compile(target)
    text = body(payload)
    assert text.index("list the towns") < text.index("Only JSON.") < text.rindex("towns")
    assert context.formats.get(target).validate(payload.body) == []
    context.guardrail()
    assert "Only JSON." not in body(await context.compile(target))


@pytest.mark.feature("L6")
@pytest.mark.parametrize("target", TARGETS)
async def test_announcements_stand_at_the_end_and_cost_no_cache(target: str) -> None:
    context = Context(window=8_000)
    context.head = Head(model="some-model", max_output_tokens=500)
    context.append(Message("user", "go on"))
    before = await context.compile(target)
    context.announce("deploy", "A deployment is running.")
    context.announce("note", "Speak softly.", channel="tail")
    during = await context.compile(target)
    context.announce("deploy", "The deployment is done.")
    assert [item.id for item in context.announcements] == ["deploy", "note"]
    done = await context.compile(target)
    assert context.retract("deploy")
    assert not context.retract("deploy")
    after = await context.compile(target)
    assert "A deployment is running." in body(during)
    assert "A deployment is running." not in body(done)
    assert "The deployment is done." in body(done)
    assert "deployment" not in body(after)
    assert all(holds(one, two) for one, two in pairwise((before, during, done, after)))
    assert all(context.formats.get(target).validate(payload.body) == [] for payload in (during, done, after))
    if target == "openai":
        assert during.body["messages"][-1] == {"role": "system", "content": "A deployment is running."}  # type: ignore[index]


@pytest.mark.feature("L10")
async def test_the_date_stands_in_the_tail_and_comes_from_the_clock_handed_in() -> None:
    moments = iter([datetime(2026, 3, 1, 9, 5, tzinfo=UTC), datetime(2026, 3, 1, 9, 6, tzinfo=UTC)])
    context = Context(window=8_000, temporal=Temporal("prominent", "de", clock=lambda: next(moments)))
    context.append(Message("user", "hallo"))
    first = await context.compile("openai")
    assert first.body["messages"] == [{"role": "user", "content": "hallo\n\nHEUTE IST Sonntag, 1. März 2026, 09:05 Uhr"}]
    context.append(Message("assistant", "hallo"), Message("user", "und?"))
    second = await context.compile("openai")
    assert "09:06" in body(second)
    assert "09:05" not in body(second)
    assert holds(first, second)


async def test_another_process_goes_on_with_a_named_session_and_shows_what_it_showed(tmp_path: object) -> None:
    def opened() -> Context:
        return Context(window=8_000, store=Store(SQLiteBackend(f"{tmp_path}/s.db")), memory=True, session="night-watch")

    one = opened()
    await one.memory.facts.set("colour", "The colour is teal.")
    one.append(*rounds(0, 2))
    first = await one.compile("anthropic")
    await one.memory.facts.set("colour", "The colour is ochre.")
    await one.aclose()
    two = opened()
    two.append(*rounds(0, 3))
    second = await two.compile("anthropic")
    await two.aclose()
    assert holds(first, second)
    assert "ochre" in body(second)
    assert second.meta.memory == ("colour",)


async def test_what_a_named_session_left_out_is_not_called_shown_by_the_process_that_goes_on(tmp_path: object) -> None:
    def opened() -> Context:
        store = Store(SQLiteBackend(f"{tmp_path}/s.db"))
        return Context(window=8_000, store=store, memory=MemorySettings(max_tokens=200), session="night-watch", project="dam")

    one = opened()
    for number in range(60):
        await one.memory.facts.set(f"fact-{number}", f"this is what fact {number} says", importance=number / 60)
    one.append(*rounds(0, 2))
    first = await one.compile("anthropic")
    await one.aclose()
    two = opened()
    two.append(*rounds(0, 2))
    second = await two.compile("anthropic")
    await two.aclose()
    assert body(second) == body(first)
    assert second.meta.memory == first.meta.memory
    assert 0 < len(first.meta.memory) < 60


def test_a_session_name_is_one_part_of_a_path() -> None:
    with pytest.raises(InputError):
        Context(window=8_000, session="a/b")


@pytest.mark.parametrize(("target", "limit"), [("openai", "max_completion_tokens"), ("anthropic", "max_tokens")])
async def test_a_context_says_which_model_it_asks_and_for_how_long_an_answer(target: str, limit: str) -> None:
    context = Context(window=8_000)
    context.model("some-model", max_output_tokens=500, stop=["END"])
    context.append(Message("user", "hello"))
    payload = await context.compile(target)
    assert (payload.body["model"], payload.body[limit]) == ("some-model", 500)
    assert payload.body["stop" if target == "openai" else "stop_sequences"] == ["END"]
    assert context.formats.get(target).validate(payload.body) == []
    with pytest.raises(InputError):
        context.model("some-model", max_output_tokens=0)


@pytest.mark.feature("S11")
async def test_nothing_of_one_project_stands_in_the_payloads_of_another_under_the_same_session_name() -> None:
    store = Store(MemoryBackend())

    def opened(project: str) -> Context:
        return Context(window=16_000, store=store, memory=True, session="main", project=project)

    acme = opened("acme")
    await acme.memory.facts.set("phone", "SECRET-NUMBER")
    acme.state({"customer": "SECRET-NAME"}, place="system")
    acme.append(Message("user", "question"))
    assert "SECRET-NUMBER" in body(await acme.compile("openai"))
    for project, said in (("globex", "question"), ("", "question"), ("globex", "another question")):
        other = opened(project)
        other.append(Message("user", said))
        assert "SECRET" not in body(await other.compile("openai"))
    await acme.memory.switch(project="globex", session="main")
    acme.state(None)
    acme.append(Message("assistant", "answer"), Message("user", "next"))
    assert "SECRET" not in body(await acme.compile("openai"))


@pytest.mark.parametrize("target", TARGETS)
async def test_memory_that_a_caller_writes_back_with_the_rest_does_not_pile_up(target: str) -> None:
    context = Context(window=6_000, memory=True, overflow=chain(digest(), reset()))
    await context.memory.facts.set("colour", "The colour is teal.")
    field = {"openai": "messages", "anthropic": "messages", "openai-responses": "input", "gemini": "contents"}[target]
    context.load(
        {"model": "m", **({"messages": [{"role": "system", "content": "s"}]} if target == "openai" else {field: []})}, target
    )
    history: list[object] = []
    for number in range(40):
        context.append(Message("user", f"part {number}"))
        payload = await context.compile(target)
        assert body(payload).count("The colour is teal.") == 1
        history = payload.body[field]  # type: ignore[assignment]
        said = Message("assistant", "Fine. " * 120)
        context.load({**payload.body, field: history}, target)
        context.append(said)
    assert payload.meta.window_id not in ("w1", "w2")


@pytest.mark.parametrize(
    "arguments",
    [
        {"memory": "x"},
        {"memory": {"max_tokens": 5}},
        {"temporal": True},
        {"temporal": "de"},
        {"session": 5},
        {"project": None},
    ],
)
def test_a_setting_of_the_wrong_kind_is_refused_when_the_context_is_made(arguments: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Context(window=8_000, **arguments)  # type: ignore[arg-type]


def test_what_is_no_text_is_refused_at_once() -> None:
    context = Context(window=8_000)
    told: tuple[Callable[[], object], ...] = (
        lambda: context.tail(5),  # type: ignore[arg-type]
        lambda: context.sticky(None),  # type: ignore[arg-type]
        lambda: context.announce("a", None),  # type: ignore[arg-type]
        lambda: context.guardrail(5),  # type: ignore[arg-type]
        lambda: context.report_usage("5"),  # type: ignore[arg-type]
        lambda: context.report_usage(-5),
    )
    for say in told:
        with pytest.raises(InputError):
            say()


@pytest.mark.parametrize("thinking", ["enabled", "adaptive", "disabled"])
async def test_an_answer_is_begun_only_where_anthropic_takes_that(thinking: str) -> None:
    context = Context(window=8_000)
    asked = {"type": thinking, **({"budget_tokens": 2_000} if thinking == "enabled" else {})}
    context.load(
        {"model": "claude-sonnet-4-5", "max_tokens": 3_000, "thinking": asked, "messages": [{"role": "user", "content": "go"}]},
        "anthropic",
    )
    context.guardrail("rules", prefill="Answer: ")
    payload = await context.compile("anthropic")
    last = payload.body["messages"][-1]  # type: ignore[index]
    assert context.formats.get("anthropic").validate(payload.body) == []
    if thinking == "disabled":
        assert last == {"role": "assistant", "content": [{"type": "text", "text": "Answer:"}]}
    else:
        assert last["role"] == "user"
        assert "Answer:" in str(last)
        begun = {**payload.body, "messages": [*payload.body["messages"], {"role": "assistant", "content": "Answer:"}]}  # type: ignore[misc]
        assert [found.rule for found in context.formats.get("anthropic").validate(begun)]


async def test_what_a_caller_changes_on_purpose_is_no_broken_law() -> None:
    context = Context(window=8_000, check=True)
    broken: list[object] = []
    context.on("invariant_broken", broken.append)
    context.tools(Tool("one", "One."), Tool("two", "Two."))
    context.append(Message("user", "go on"))
    await context.compile("anthropic")
    context.select_tools(allow=["two"])
    await context.compile("anthropic")
    context.system("Another prompt.")
    moved = await context.compile("anthropic")
    assert broken == []
    assert moved.meta.prefix_bytes < moved.meta.sequence_bytes
