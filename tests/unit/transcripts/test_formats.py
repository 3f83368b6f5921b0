"""Every format is recognised by content and read into conversations, segments and model calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from transom.wire.transcripts import READERS, Transcript, load, reader_names

from .conftest import Recorded

pytestmark = pytest.mark.feature("M14")

SHAPES = {
    "adk-session.json": ("adk-session", {"main": [(4, [1, 3])]}),
    "anthropic-messages.json": ("anthropic-messages", {"main": [(3, [2, 3])]}),
    "claude-code.jsonl": (
        "claude-code",
        {"main": [(9, [2, 5, 8]), (3, [2])], "branch-1": [(11, [8, 10])], "side-1": [(2, [1])]},
    ),
    "cline.json": ("cline-messages", {"main": [(5, [2, 4])]}),
    "codex-rollout.jsonl": ("codex-rollout", {"main": [(11, [3, 9]), (4, [3]), (4, [3])]}),
    "gemini-cli.json": ("gemini-cli", {"main": [(4, [1, 3])]}),
    "gemini-contents.json": ("gemini-contents", {"main": [(3, [1, 3])]}),
    "langchain.json": ("langchain-dump", {"main": [(4, [1, 3])]}),
    "letta.af": ("letta-agent-file", {"main": [(3, [2]), (5, [3])]}),
    "mini-swe-agent.traj.json": ("mini-swe-agent", {"main": [(4, [2])]}),
    "openai-chat-lines.jsonl": ("openai-chat-lines", {"line-2": [(5, [2])], "line-3": [(2, [1])]}),
    "openai-chat.json": ("openai-chat", {"main": [(4, [2, 4])]}),
    "openai-responses.json": ("openai-responses", {"main": [(7, [2, 5, 7])]}),
    "openhands.jsonl": ("openhands-output", {"run-1": [(7, [3]), (6, [5])], "run-2": [(2, [1])]}),
    "pi-session-tree.jsonl": ("pi-session", {"main": [(4, [1, 3]), (5, [4])], "branch-1": [(4, [3])]}),
    "pi-session.jsonl": ("pi-session", {"main": [(9, [1, 5, 8]), (5, [4])]}),
    "swe-agent.traj": ("swe-agent-traj", {"main": [(6, [2, 4])], "reviewer": [(2, [1])]}),
    "tau-bench.json": ("tau-bench-runs", {"run-1": [(6, [2, 4])], "run-2": [(2, [1])]}),
}


def shape(transcript: Transcript) -> dict[str, list[tuple[int, list[int]]]]:
    """For each conversation its segments: how many messages, and before which of them the model was called."""
    return {
        conversation.id: [(len(part.messages), [call.at for call in part.calls]) for part in conversation.segments]
        for conversation in transcript.conversations
    }


@pytest.mark.parametrize("name", SHAPES)
def test_a_file_is_recognised_and_its_calls_stand_where_the_agent_made_them(recorded: Recorded, name: str) -> None:
    transcript = recorded(name)
    assert (transcript.format, shape(transcript)) == SHAPES[name]


@pytest.mark.parametrize("name", SHAPES)
def test_naming_the_format_reads_the_same_as_detecting_it(session_files: Path, recorded: Recorded, name: str) -> None:
    assert load((session_files / name).read_bytes(), SHAPES[name][0]) == recorded(name)


@pytest.mark.parametrize("name", SHAPES)
def test_only_one_reader_claims_a_file_of_another_program(session_files: Path, recorded: Recorded, name: str) -> None:
    expected = SHAPES[name][0]
    data = (session_files / name).read_bytes()
    rows = [reader.name for reader in READERS if _claims(reader.name, data)]
    wire = {"openai-chat", "anthropic-messages", "gemini-contents", "openai-responses", "openai-chat-lines"}
    assert rows[0] == expected
    assert expected in wire or set(rows) - wire == {expected}


def _claims(name: str, data: bytes) -> bool:
    from transom.wire.transcripts.source import read_source

    source = read_source(data)
    (reader,) = [reader for reader in READERS if reader.name == name]
    return reader.detect(source.document, lines=source.lines)


def test_every_format_has_a_file_here() -> None:
    assert {name for name, _ in SHAPES.values()} == set(reader_names())


@pytest.mark.parametrize("name", SHAPES)
def test_windows_line_endings_and_a_byte_order_mark_change_nothing(session_files: Path, recorded: Recorded, name: str) -> None:
    data = (session_files / name).read_bytes()
    assert load(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")) == recorded(name)


@pytest.mark.parametrize("name", SHAPES)
def test_every_message_comes_from_wire_bytes_that_may_be_sent(recorded: Recorded, name: str) -> None:
    for conversation in recorded(name).conversations:
        for segment in conversation.segments:
            for message in segment.messages:
                if message.origin is not None:
                    assert message.origin.format in {"openai", "anthropic", "gemini", "openai-responses"}
                elif message.role != "assistant":
                    pytest.fail(f"no wire bytes for {message}")
