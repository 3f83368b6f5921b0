"""The real transcripts beside the checkout, against what their manifest says of each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from transom.messages import Message
from transom.wire.transcripts import Transcript, load

pytestmark = pytest.mark.feature("M14")


@dataclass(frozen=True)
class Expected:
    """What a file holds: tool calls and results as its manifest counts them, the rest as the replay contract defines it."""

    format: str
    segments: dict[str, list[tuple[int, int]]]
    tools: tuple[int, int]


EXPECTED = {
    "anthropic-messages-web-search.json": Expected("anthropic-messages", {"main": [(2, 2)]}, (0, 0)),
    "claude-code-after-compact.jsonl": Expected("claude-code", {"main": [(3, 1), (92, 46)]}, (46, 47)),
    "claude-code-attribution.jsonl": Expected("claude-code", {"main": [(116, 50), (161, 77), (197, 93), (12, 5)]}, (206, 206)),
    "claude-code-cctrace.jsonl": Expected("claude-code", {"main": [(270, 100)]}, (152, 151)),
    "claude-code-orchestrator-ja.jsonl": Expected(
        "claude-code", {"main": [(25, 10)], "side-1": [(6, 3)], "side-2": [(14, 7)]}, (21, 21)
    ),
    "claude-code-session-end-image.jsonl": Expected("claude-code", {"main": [(189, 89)]}, (74, 74)),
    "cline-sidebar.json": Expected("cline-messages", {"main": [(33, 16)]}, (11, 11)),
    "codex-rollout-agent-plugins.jsonl": Expected("codex-rollout", {"main": [(104, 17)]}, (33, 33)),
    "codex-rollout-codemie.jsonl": Expected("codex-rollout", {"main": [(250, 66)]}, (102, 102)),
    "gemini-adk-shopping.json": Expected("adk-session", {"main": [(40, 20)]}, (12, 12)),
    "gemini-cli-assistants.json": Expected("gemini-cli", {"main": [(22, 11)]}, (10, 10)),
    "gemini-contents-image.json": Expected("gemini-contents", {"main": [(7, 4)]}, (3, 3)),
    "langchain-summarize.json": Expected("langchain-dump", {"main": [(6, 3)]}, (2, 2)),
    "letta-memgpt-convo.af": Expected("letta-agent-file", {"main": [(80, 25), (11, 3)]}, (28, 28)),
    "mini-swe-agent-django-15629.traj.json": Expected("mini-swe-agent", {"main": [(104, 51)]}, (0, 0)),
    "openai-chat-openhands-sdk.json": Expected("openai-chat", {"main": [(12, 6)]}, (5, 5)),
    "openai-chat-taubench-airline.json": Expected(
        "tau-bench-runs",
        {"run-1": [(62, 30)], "run-2": [(62, 30)], "run-3": [(24, 11)], "run-4": [(56, 27)], "run-5": [(62, 30)]},
        (87, 87),
    ),
    "openai-chat-webarena.jsonl": Expected("openai-chat-lines", {"line-2": [(7, 2)], "line-3": [(22, 7)]}, (9, 9)),
    "openai-responses-compaction.json": Expected("openai-responses", {"main": [(8, 4)]}, (0, 0)),
    "openhands-multi-swe.jsonl": Expected(
        "openhands-output", {"run-1": [(48, 23)], "run-2": [(68, 33)], "run-3": [(101, 49)]}, (105, 105)
    ),
    "pi-refactor.jsonl": Expected("pi-session", {"main": [(352, 171), (328, 123), (442, 177)]}, (454, 448)),
    "swe-agent-marshmallow-1867.traj": Expected("swe-agent-traj", {"main": [(28, 13)]}, (13, 13)),
}


@cache
def _read(path: Path) -> Transcript:
    return load(path.read_bytes(), name=path.name)


def _messages(transcript: Transcript) -> list[Message]:
    """Every message once, also where several segments or branches share it."""
    found = {
        id(message): message
        for conversation in transcript.conversations
        for segment in conversation.segments
        for message in segment.messages
    }
    return list(found.values())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_file_is_read_whole(transcripts: Path, name: str) -> None:
    transcript = _read(transcripts / name)
    messages = _messages(transcript)
    found = Expected(
        transcript.format,
        {one.id: [(len(segment.messages), len(segment.calls)) for segment in one.segments] for one in transcript.conversations},
        (sum(len(message.tool_calls) for message in messages), sum(len(message.results) for message in messages)),
    )
    assert found == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_calls_stand_in_order_and_nothing_of_a_real_file_is_damaged(transcripts: Path, name: str) -> None:
    transcript = _read(transcripts / name)
    for conversation in transcript.conversations:
        for segment in conversation.segments:
            positions = [call.at for call in segment.calls]
            assert positions == sorted(set(positions))
            assert all(0 <= at <= len(segment.messages) for at in positions)
    assert not any(skip.damaged for skip in transcript.skipped)
    assert all(skip.where and skip.kind and skip.reason for skip in transcript.skipped)


def test_no_real_file_is_left_out(transcripts: Path) -> None:
    assert {path.name for path in transcripts.iterdir()} - {"MANIFEST.md"} == set(EXPECTED)


def _rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def _blocks(content: object) -> Iterator[str]:
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return (json.dumps(block, sort_keys=True) for block in blocks)


CLAUDE_LINES = {
    "claude-code-after-compact.jsonl": 133,
    "claude-code-attribution.jsonl": 778,
    "claude-code-cctrace.jsonl": 496,
    "claude-code-orchestrator-ja.jsonl": 53,
    "claude-code-session-end-image.jsonl": 247,
}


@pytest.mark.parametrize("name", CLAUDE_LINES)
def test_every_block_of_a_claude_code_session_stands_in_exactly_one_message(transcripts: Path, name: str) -> None:
    rows = [row for row in _rows(transcripts / name) if row["type"] in {"user", "assistant"}]
    assert len(rows) == CLAUDE_LINES[name]
    written = Counter(block for row in rows for block in _blocks(row["message"]["content"]))
    read: Counter[str] = Counter()
    for message in _messages(_read(transcripts / name)):
        assert message.origin is not None
        read.update(_blocks(json.loads(message.origin.raw)["content"]))
    assert read == written


@pytest.mark.parametrize("name", CLAUDE_LINES)
def test_each_provider_id_of_a_claude_code_session_is_one_call(transcripts: Path, name: str) -> None:
    rows = [row["message"] for row in _rows(transcripts / name) if row["type"] == "assistant"]
    ids = {row["id"] for row in rows if row["model"] != "<synthetic>"}
    transcript = _read(transcripts / name)
    calls = [call.id for one in transcript.conversations for segment in one.segments for call in segment.calls]
    assert sorted(calls) == sorted(ids)
    assert all(call.usage for one in transcript.conversations for segment in one.segments for call in segment.calls)


@pytest.mark.parametrize(("name", "count"), [("codex-rollout-agent-plugins.jsonl", 103), ("codex-rollout-codemie.jsonl", 249)])
def test_every_response_item_of_a_codex_rollout_is_a_message(transcripts: Path, name: str, count: int) -> None:
    items = [row["payload"] for row in _rows(transcripts / name) if row["type"] == "response_item"]
    (segment,) = _read(transcripts / name).conversations[0].segments
    assert len(items) == count
    assert [json.loads(message.origin.raw) for message in segment.messages[1:] if message.origin] == [
        {key: value for key, value in item.items() if value is not None} for item in items
    ]
    assert all(call.usage for call in segment.calls)


def test_every_call_of_a_codex_rollout_has_the_usage_reported_for_it(transcripts: Path) -> None:
    for name in ("codex-rollout-agent-plugins.jsonl", "codex-rollout-codemie.jsonl"):
        reports = [
            info["last_token_usage"]["input_tokens"]
            for row in _rows(transcripts / name)
            if row["payload"].get("type") == "token_count" and (info := row["payload"]["info"])
        ]
        fresh = [report for index, report in enumerate(reports) if index == 0 or report != reports[index - 1]]
        calls = _read(transcripts / name).conversations[0].segments[0].calls
        assert [call.usage.input_tokens for call in calls if call.usage] == fresh


def test_the_entries_of_a_pi_session_are_messages_or_empty_turns(transcripts: Path) -> None:
    path = transcripts / "pi-refactor.jsonl"
    entries = [row["message"] for row in _rows(path) if row["type"] == "message"]
    transcript = _read(path)
    empty = [skip for skip in transcript.skipped if skip.reason.startswith("empty message")]
    assert (len(entries), len(empty)) == (990, 13)
    assert len(_messages(transcript)) == 990 - 13 + 2
    thoughts = [block["thinking"] for entry in entries for block in _content(entry) if block["type"] == "thinking"]
    assert Counter(message.thinking for message in _messages(transcript) if message.thinking) == Counter(thoughts)


def _content(entry: Mapping[str, Any]) -> list[Any]:
    content = entry.get("content", [])
    return content if isinstance(content, list) else []


def test_the_messages_of_gemini_cli_are_as_many_as_its_manifest_says(transcripts: Path) -> None:
    messages = _messages(_read(transcripts / "gemini-cli-assistants.json"))
    results = sum(len(message.results) for message in messages)
    assert sum(not message.results for message in messages) + results == 24


def test_every_event_of_openhands_is_a_message_or_named(transcripts: Path) -> None:
    path = transcripts / "openhands-multi-swe.jsonl"
    transcript = _read(path)
    events = sum(len(row["history"]) for row in _rows(path))
    named = sum("history[" in skip.where for skip in transcript.skipped)
    assert len(_messages(transcript)) + named == events == 222


def test_every_message_of_a_letta_agent_stands_in_one_segment(transcripts: Path) -> None:
    path = transcripts / "letta-memgpt-convo.af"
    stored = json.loads(path.read_text(encoding="utf-8"))["messages"]
    texts = Counter(message["content"][0]["text"] for message in stored)
    assert Counter(message.text for message in _messages(_read(path))) == texts
