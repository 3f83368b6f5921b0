"""The cache audit: what keeps one of Anthropic's breakpoints from hitting is named with its place, once; nothing else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.engine.sessions import context_of, dialogue, driven, round_of, tool_loop, words

from transom import Context, Message, Tool, reset
from transom.cli.conversation import read_source
from transom.engine.events import CacheWarned
from transom.engine.placement.cache_audit import CacheAudit, Finding, Mark, Section, minimum_tokens
from transom.jsontext import dumps
from transom.wire.format import Head
from transom.wire.registry import builtin_registry

LONG = words(5_000)
HEAD = Head(model="claude-opus-5-5", tools=(Tool("read_file", "Reads.", {"type": "object", "properties": {}}),))


def context(*messages: Message, system: str = LONG, breakpoint: bool = True, check: bool = False, head: Head = HEAD) -> Context:  # noqa: A002
    made = Context(window=60_000, tokenizer="chars4", check=check)
    made.head = head
    made.append(*(messages or dialogue(2)))
    made.system(system, cache_breakpoint=breakpoint)
    return made


async def keys(made: Context) -> list[str]:
    return [finding.key for finding in (await made.compile("anthropic")).meta.audit]


VOLATILE = {
    "datetime": [
        "It is 2026-11-30T12:04:05Z.",
        "Generated 2026-11-30 12:04.",
        "Started November 30, 2026, 12:04",
        "[Zeit: 30.11.2026, 12:04]",
    ],
    "date": [
        "Today's date is 2026-11-30.",
        "Today is Monday, November 30, 2026.",
        "Current date: 11/30/2026",
        "Heute ist Montag, 30. November 2026",
        "Hoy es lunes, 30 de noviembre de 2026",
        "今天是2026年11月30日",
    ],
    "clock": ["Local time: 12:04", "现在 12:04"],
    "uuid": ["Session 9f1c2d3e-4b5a-6978-8a9b-0c1d2e3f4a5b."],
    "epoch": ["now=1764504245", "ts 1764504245123"],
    "request-id": ["req_8Fd02kLm9", "Request-ID: a81-b22c", "session_01HZX4T9Q8"],
    "counter": ["Turn 3 of 20", "attempt 2/5", "tokens left: 1200"],
}


@pytest.mark.feature("L7")
@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in VOLATILE.items() for text in texts])
async def test_what_changes_from_request_to_request_is_named_with_its_place(kind: str, text: str) -> None:
    made = context(system=f"You are careful.\n{text}\n{LONG}")
    told: list[CacheWarned] = []
    made.on(CacheWarned, told.append)
    payload = await made.compile("anthropic")
    assert [finding.key for finding in payload.meta.audit] == [f"{kind}:system[0]"]
    assert payload.meta.audit[0].where == "system[0]"
    assert [event.finding for event in told] == list(payload.meta.audit)
    assert told[0].target == "anthropic"


STEADY = [
    "Follow these steps. Step 1: read. Step 2: write. Answer in 3 parts.",
    "The API is dated 2023-06-01; use claude-opus-4-5-20251101 and Python 3.12.",
    "Copyright 2019-2026. Version 1.2.3-45. Call +49 30 123456 if in doubt. See RFC 3339, section 5.6.",
    "Write times as HH:MM and dates as YYYY-MM-DD. Never reveal msg_id or request id.",
    "Port 8080, 100000 rows, 1234567890123456 is a card number, #1a2b3c4d is a colour.",
    "run_in_background, session_timeout_seconds and trace_configuration are options.",
]


@pytest.mark.feature("L7")
@pytest.mark.parametrize("text", STEADY)
async def test_what_stands_still_is_not_taken_for_volatile(text: str) -> None:
    assert await keys(context(system=f"{text}\n{LONG}")) == []


@pytest.mark.feature("L7")
async def test_a_tool_is_named_by_its_index() -> None:
    stamped = Tool("write_file", "Writes. Time: 2026-11-30 12:00", {"type": "object", "properties": {}})
    made = context(head=replace(HEAD, tools=(*HEAD.tools, stamped)))
    assert await keys(made) == ["datetime:tools[1]"]


@pytest.mark.feature("L7")
async def test_one_thing_is_told_once_in_a_session_and_stays_in_the_account() -> None:
    made = context(system=f"Today is 2026-11-30. {LONG}")
    told: list[CacheWarned] = []
    made.on("cache_warned", told.append)
    for number in range(4):
        made.append(*round_of(number, ask="Next."))
        assert await keys(made) == ["date:system[0]"]
    assert len(told) == 1


@pytest.mark.unstable_prefix("the system prompt changes on purpose")
@pytest.mark.feature("L7")
async def test_a_prompt_that_changes_each_time_is_found_whatever_changes_in_it() -> None:
    made = context()
    found = []
    for mood in ("calm", "tense", "merry", "merry", "merry"):
        made.system(f"You are {mood}. {LONG}", cache_breakpoint=True)
        found.append(await keys(made))
    assert found == [[], [], ["changes:system[0]"], [], []]


@pytest.mark.unstable_prefix("the first message changes on purpose")
@pytest.mark.feature("L7")
async def test_dates_that_were_talked_about_count_only_once_the_message_changes() -> None:
    history = [*dialogue(1)[:-1], Message("user", "And now?", cache_breakpoint=True)]
    made = context(Message("user", "Today is 2026-11-29. Fix it."), *history, breakpoint=False)
    assert await keys(made) == []
    made.load([Message("user", "Today is 2026-11-30. Fix it."), *history])
    assert await keys(made) == ["date:messages[0]"]


@pytest.mark.unstable_prefix("an earlier message changes on purpose")
@pytest.mark.feature("L7")
async def test_a_past_that_is_rewritten_each_time_is_found() -> None:
    made = context()
    found: list[list[str]] = []
    for number in range(5):
        history = dialogue(3)
        history[3] = Message("assistant", f"rewritten {number}")
        made.load([*history, Message("assistant", "ok", cache_breakpoint=True), Message("user", f"next {number}")])
        found.append(await keys(made))
    assert found[-1] == ["changes:message"]
    assert found[:2] == [[], []]


@pytest.mark.unstable_prefix("an earlier message changes on purpose")
async def test_what_moves_the_prefix_of_another_target_is_not_held_against_a_breakpoint() -> None:
    made = context()
    await made.compile("anthropic")
    for number in range(3):
        history = dialogue(3)
        history[3] = Message("assistant", f"rewritten {number}")
        made.load(history)
        await made.compile("openai")
    assert await keys(made) == []


@pytest.mark.feature("L7")
async def test_what_stands_behind_the_last_breakpoint_does_not_count() -> None:
    tool: dict[str, object] = {
        "name": "clock",
        "description": f"Time: 2026-11-30 12:00 {LONG}",
        "input_schema": {"type": "object"},
    }
    body: dict[str, object] = {
        "model": "claude-opus-5-5",
        "max_tokens": 100,
        "tools": [tool | {"cache_control": {"type": "ephemeral"}}],
        "system": "Today is 2026-11-30.",
        "messages": [{"role": "user", "content": "Hello."}],
    }
    made = Context(window=60_000, tokenizer="chars4")
    made.load(body, "anthropic")
    assert await keys(made) == ["datetime:tools[0]"]


@pytest.mark.feature("L7")
async def test_without_breakpoints_nothing_is_looked_for_unless_the_developer_asks() -> None:
    assert await keys(context(system=f"Today is 2026-11-30. {LONG}", breakpoint=False)) == []
    assert await keys(context(system=f"Today is 2026-11-30. {LONG}", breakpoint=False, check=True)) == ["date:system[0]"]


@pytest.mark.parametrize("target", ["openai", "openai-responses", "gemini"])
async def test_other_targets_have_no_breakpoints(target: str) -> None:
    made = context(system=f"Today is 2026-11-30. {LONG}", check=True)
    assert (await made.compile(target)).meta.audit == ()


@pytest.mark.feature("L7")
async def test_a_breakpoint_before_too_little_text_is_named_with_the_models_minimum() -> None:
    made = context(system="You are careful.")
    (finding,) = (await made.compile("anthropic")).meta.audit
    assert finding.key == "short:system[0]"
    assert "none below 512" in finding.detail
    assert await keys(context(system=words(600))) == []
    assert await keys(context(system=words(600), head=replace(HEAD, model="claude-haiku-4-5"))) == ["short:system[0]"]


@pytest.mark.feature("L7")
async def test_breakpoints_beyond_the_fourth_are_named() -> None:
    messages = [Message(message.role, message.text, cache_breakpoint=True) for message in dialogue(3)]
    made = context(*messages)
    (finding,) = (await made.compile("anthropic")).meta.audit
    assert finding.key == "too-many"
    assert finding.detail.startswith("8 breakpoints were set and 4 are allowed")


@pytest.mark.feature("L7")
async def test_the_tail_behind_a_breakpoint_costs_nothing_and_before_one_it_is_named() -> None:
    head = replace(HEAD, model="claude-sonnet-4-5")
    made = context(*dialogue(2)[:-1], Message("user", "And now?", cache_breakpoint=True), head=head)
    made.tail("It is 12:04.")
    assert await keys(made) == []
    made.append(Message("assistant", "The answer is", cache_breakpoint=True))
    assert await keys(made) == ["tail:messages[-1]"]


@pytest.mark.feature("L7")
async def test_a_breakpoint_of_the_whole_request_stands_behind_the_tail() -> None:
    body: dict[str, object] = {
        "model": "claude-opus-5-5",
        "max_tokens": 100,
        "cache_control": {"type": "ephemeral"},
        "system": LONG,
        "messages": [{"role": "user", "content": "Hello."}],
    }
    made = Context(window=60_000, tokenizer="chars4")
    made.load(body, "anthropic")
    assert await keys(made) == []
    made.tail("It is 12:04.")
    assert await keys(made) == ["tail:cache_control"]


@pytest.mark.feature("L7")
async def test_a_long_session_that_holds_to_the_rules_has_no_findings() -> None:
    made = context_of(overflow=reset(), window=20_000)
    made.head = HEAD
    made.system(words(600), cache_breakpoint=True)
    made.tail("It is 12:04.")
    payloads = await driven(made, tool_loop(120), "anthropic")
    assert sum(1 for payload in payloads if payload.meta.closed) > 1
    assert {finding.key for payload in payloads for finding in payload.meta.audit} == set()


@pytest.mark.feature("L7")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("codex-rollout-codemie.jsonl", []),
        ("openai-chat-openhands-sdk.json", []),
        ("openhands-multi-swe.jsonl", []),
        ("swe-agent-marshmallow-1867.traj", []),
        ("cline-sidebar.json", ["date:system"]),
        ("letta-memgpt-convo.af", ["datetime:system[0]"]),
        ("openai-chat-taubench-airline.json", ["datetime:system[0]"]),
    ],
)
async def test_in_the_prompts_of_real_agents_what_changes_is_found_and_nothing_else(
    transcripts: Path, name: str, expected: list[str]
) -> None:
    source = read_source(str(transcripts / name), None, builtin_registry())
    request = source.wire.parse(source.data) if source.wire is not None else next(source.segments())[1]
    made = Context(window=1_000_000, check=True)
    made.load(request)
    assert await keys(made) == expected


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-4-5-20251101", 4096),
        ("anthropic/claude-haiku-4.5", 4096),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 1024),
        ("claude-sonnet-4-20250514", 1024),
        ("claude-opus-4-7", 2048),
        ("claude-opus-5", 512),
        ("claude-sonnet-5", 1024),
        ("claude-3-5-haiku-20241022", 2048),
        ("claude-mythos-preview", 2048),
        ("claude-opus-9", 512),
        ("my-own-model", 512),
        (None, 512),
    ],
)
def test_the_minimum_is_that_of_the_model(model: str | None, tokens: int) -> None:
    assert minimum_tokens(model) == tokens


def test_what_did_not_change_is_not_looked_at_again() -> None:
    audit = CacheAudit()
    data = dumps({"text": "Today is 2026-11-30."})
    marks = [Mark("system[0]", 1, 9_999)]
    first = audit.check([Section("system[0]", data)], marks)
    again = audit.check([Section("system[0]", bytes(data))], marks)
    assert again == first
    assert again[0] is first[0]
    assert audit.fresh(first) == list(first)
    assert audit.fresh(again) == []


def test_a_finding_shows_only_the_beginning_of_what_it_found() -> None:
    long = "trace id: x1" + "y" * 500
    (finding,) = CacheAudit().check([Section("system[0]", dumps({"text": long}))], [Mark("system[0]", 1)])
    assert isinstance(finding, Finding)
    assert len(finding.detail) < 220
