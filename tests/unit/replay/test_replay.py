"""What a replay tells: the contract's fields, and figures that follow from the payloads themselves."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from tests.unit.replay.recordings import Recorded, chat_body, chat_lines, chat_messages, recorded

from transom.jsontext import raw_items, raw_object
from transom.wire.registry import builtin_registry

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
TURN = {
    "turn": int,
    "conversation": str,
    "segment": int,
    "messages": int,
    "input_tokens": int,
    "output_tokens": int,
    "window_id": str,
    "payload_bytes": int,
    "prefix_bytes": int,
    "tail_bytes": int,
    "prefix_break": bool,
    "compile_ms": float,
    "valid": bool,
    "moved": list,
}
MOVED = {"kind": str, "uri": str, "bytes": int, "messages": int}
TOTALS = {
    "input_tokens": int,
    "output_tokens": int,
    "peak_output_tokens": int,
    "moved_bytes": int,
    "windows": int,
    "conversations": int,
    "segments": int,
    "compile_ms_p50": float,
    "compile_ms_p99": float,
    "prefix_breaks": int,
    "prefix_reuse": float,
    "over_window": int,
    "errors": int,
    "counter": str,
}
DOCUMENT = {
    "format": str,
    "target": str,
    "window": int,
    "strategy": str,
    "messages": int,
    "turns": list,
    "totals": dict,
    "store": str,
    "archive": list,
}


def wrong(value: object, shape: dict[str, type]) -> list[str]:
    """The fields that are missing or of another type than the contract says."""
    assert isinstance(value, dict)
    return [name for name, kind in shape.items() if type(value.get(name)) is not kind]


def check_document(document: object) -> None:
    """Names and types of the contract, all the way down."""
    assert wrong(document, DOCUMENT) == []
    assert isinstance(document, dict)
    assert wrong(document["totals"], TOTALS) == []
    for turn in document["turns"]:
        assert wrong(turn, TURN) == [], turn
        for moved in turn["moved"]:
            assert wrong(moved, MOVED) == []
            assert moved["kind"] in {"offload", "prune", "clear", "evict"}
    assert [turn["turn"] for turn in document["turns"]] == list(range(1, len(document["turns"]) + 1))
    assert all(uri.startswith("context://archive/") for uri in document["archive"])


@pytest.mark.feature("X6")
@pytest.mark.parametrize("target", TARGETS)
async def test_the_account_has_the_contracts_names_and_types(target: str) -> None:
    document = (await recorded(chat_body(40), target=target)).outcome.document()
    check_document(document)
    check_document(json.loads(json.dumps(document)))


async def test_there_is_one_turn_for_each_call_the_agent_made() -> None:
    found = await recorded(chat_body(12))
    messages = chat_messages(12)
    calls = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    assert [turn["messages"] for turn in found.turns] == [*calls, len(messages)], "and one for the body itself"
    for turn, payload in zip(found.turns, found.payloads, strict=True):
        assert turn["payload_bytes"] == len(payload.json())


def sequence(body: bytes) -> bytes:
    """Tools, then the conversation's elements, as they stand in a chat body."""
    members = raw_object(body)
    return members.get("tools", b"") + b",".join(raw_items(members["messages"]))


def common(one: bytes, two: bytes) -> int:
    return next((index for index, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


async def test_prefix_figures_follow_from_the_payloads_alone() -> None:
    found = await recorded(chat_body(45))
    bodies = [payload.json() for payload in found.payloads]
    assert len({turn["window_id"] for turn in found.turns}) >= 3
    held = possible = 0
    for number, turn in enumerate(found.turns):
        assert turn["tail_bytes"] == 0
        if number == 0:
            assert turn["prefix_bytes"] == 0
            assert turn["prefix_break"] is False
            continue
        before, now = sequence(bodies[number - 1]), sequence(bodies[number])
        assert turn["prefix_bytes"] == common(before, now)
        same_window = turn["window_id"] == found.turns[number - 1]["window_id"]
        assert turn["prefix_break"] == (same_window and common(before, now) < len(before))
        held += common(before, now)
        possible += len(before)
    totals = found.outcome.totals()
    assert totals["prefix_breaks"] == 0
    assert totals["prefix_reuse"] == pytest.approx(held / possible, abs=1e-4)


@pytest.mark.parametrize("target", TARGETS)
async def test_within_a_window_every_body_extends_the_one_before_on_every_target(target: str) -> None:
    found = await recorded(chat_body(45), target=target)
    for (one, earlier), (two, later) in pairwise(zip(found.turns, found.payloads, strict=True)):
        if one["window_id"] == two["window_id"]:
            assert later.json().startswith(earlier.json().rstrip(b"]}"))
    assert found.outcome.totals()["prefix_breaks"] == 0
    assert {turn["valid"] for turn in found.turns} == {True}


async def test_over_window_follows_from_the_tokens_and_the_reserve() -> None:
    for data in (chat_body(45), chat_body(45, max_completion_tokens=2_500)):
        found = await recorded(data)
        reserve = 2_500 if b"max_completion_tokens" in data else 1_024
        for turn, payload in zip(found.turns, found.payloads, strict=True):
            assert payload.meta.reserve == reserve
            assert turn["over_window"] == (payload.meta.tokens_after + reserve > 6_000)
            assert turn["output_tokens"] == payload.meta.tokens_after
        assert found.outcome.totals()["over_window"] == 0


async def test_totals_add_up() -> None:
    found = await recorded(chat_body(45, 3_000))
    turns, totals = found.turns, found.outcome.totals()

    def column(name: str) -> list[int]:
        return [value for turn in turns if isinstance(value := turn[name], int)]

    assert totals["input_tokens"] == sum(column("input_tokens"))
    assert totals["output_tokens"] == sum(column("output_tokens"))
    assert totals["peak_output_tokens"] == max(column("output_tokens"))
    moved = [item for turn in turns if isinstance(turn["moved"], list) for item in turn["moved"]]
    assert totals["moved_bytes"] == sum(item["bytes"] for item in moved) > 0
    assert totals["windows"] == len({turn["window_id"] for turn in turns})
    assert len({item["uri"] for item in moved}) == len(moved), "what moved is told once, with the turn that moved it"
    for item in moved:
        assert len(await found.store.get(item["uri"])) == item["bytes"]
    assert found.outcome.document()["archive"] == list(dict.fromkeys(i["uri"] for i in moved if i["kind"] == "evict"))
    times = sorted(turn["compile_ms"] for turn in turns if isinstance(turn["compile_ms"], float))
    assert totals["compile_ms_p50"] in times
    assert totals["compile_ms_p99"] in times[-2:]


async def test_input_tokens_are_what_the_history_weighs_as_it_came() -> None:
    found = await recorded(chat_body(30))
    whole = await recorded(chat_body(30), window=1_000_000, prune=False)
    assert [turn["input_tokens"] for turn in found.turns] == [turn["input_tokens"] for turn in whole.turns]
    assert [turn["output_tokens"] for turn in whole.turns] == [turn["input_tokens"] for turn in whole.turns]


async def test_a_turn_that_cannot_fit_is_listed_and_the_replay_goes_on() -> None:
    messages = chat_messages(10)
    messages[0]["content"] = "long system prompt " * 2_000
    data = json.dumps({"model": "m", "messages": messages}).encode()
    found = await recorded(data, window=4_000)
    assert len(found.turns) == 11
    check_document(found.outcome.document())
    for turn in found.turns:
        assert "has no room for a conversation" in str(turn["error"])
        assert turn["code"] == "window"
        assert isinstance(turn["input_tokens"], int)
    assert found.outcome.totals()["errors"] == 11
    assert found.outcome.totals()["over_window"] == 0


async def test_conversations_are_sessions_of_their_own_in_one_store() -> None:
    found = await recorded(chat_lines(20, 3, 20), window=5_000)
    assert found.outcome.totals()["conversations"] == 3
    assert found.outcome.totals()["segments"] == 3
    names = list(dict.fromkeys(turn["conversation"] for turn in found.turns))
    assert len(names) == 3
    for name in names:
        own = [turn for turn in found.turns if turn["conversation"] == name]
        assert own[0]["prefix_bytes"] == 0
        assert own[0]["window_id"] == "w1"
        assert own[0]["prefix_break"] is False
    for number, context in enumerate(found.contexts):
        others = [f"run{other}x result" for other in range(3) if other != number]
        assert not any(text.encode() in payload.json() for payload in context.kept for text in others)
    windows = [len({turn["window_id"] for turn in found.turns if turn["conversation"] == name}) for name in names]
    assert found.outcome.totals()["windows"] == sum(windows)


async def test_segments_begin_anew_where_the_agent_compacted_by_itself(repository: Path) -> None:
    data = (repository / "tests" / "fixtures" / "transcripts" / "claude-code.jsonl").read_bytes()
    found = await recorded(data, target="anthropic", window=60_000)
    segments = [(turn["conversation"], turn["segment"]) for turn in found.turns]
    assert found.outcome.totals()["segments"] == len(found.contexts) >= 2
    for before, now in pairwise(found.turns):
        if (before["conversation"], before["segment"]) != (now["conversation"], now["segment"]):
            assert now["prefix_bytes"] == 0
            assert now["prefix_break"] is False
    assert segments == sorted(segments, key=segments.index), "in the order of the file"


@pytest.mark.feature("S8")
async def test_pruning_can_be_left_out() -> None:
    data = chat_body(6, 30_000)
    kinds: dict[bool, set[str]] = {}
    for prune in (True, False):
        found = await recorded(data, window=400_000, prune=prune)
        moved = [item for turn in found.turns if isinstance(turn["moved"], list) for item in turn["moved"]]
        kinds[prune] = {item["kind"] for item in moved}
    assert kinds == {True: {"prune"}, False: set()}


async def test_a_second_replay_gives_the_bytes_of_the_first() -> None:
    one, two = await recorded(chat_body(40)), await recorded(chat_body(40))
    assert [payload.json() for payload in one.payloads] == [payload.json() for payload in two.payloads]

    def timeless(found: Recorded) -> object:
        document = found.outcome.document()
        totals = {key: value for key, value in found.outcome.totals().items() if not key.startswith("compile_ms")}
        turns = [{key: value for key, value in turn.items() if key != "compile_ms"} for turn in found.turns]
        return {**document, "totals": totals, "turns": turns}

    assert timeless(one) == timeless(two)


async def test_every_real_transcript_holds_prefix_and_window_on_its_own_kind_of_target(transcripts: Path) -> None:
    """A sample small enough for every run; the whole matrix is a benchmark's."""
    sample = {
        "cline-sidebar.json": ("anthropic", "openai"),
        "anthropic-messages-web-search.json": ("anthropic", "openai"),
        "openai-chat-openhands-sdk.json": ("openai", "gemini"),
        "claude-code-after-compact.jsonl": ("anthropic",),
        "gemini-adk-shopping.json": ("gemini",),
        "openai-responses-compaction.json": ("openai-responses",),
    }
    for name, targets in sample.items():
        for target in targets:
            found = await recorded((transcripts / name).read_bytes(), target=target, window=24_000)
            totals = found.outcome.totals()
            assert (totals["prefix_breaks"], totals["over_window"], totals["errors"]) == (0, 0, 0), (name, target)
            validate = builtin_registry().get(target).validate
            invalid = [violation for payload in found.payloads for violation in validate(payload.body)]
            assert invalid == [], (name, target)
