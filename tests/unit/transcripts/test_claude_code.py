"""Claude Code: a tree of lines, messages cut over lines, compactions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from transom.messages import Message
from transom.wire.transcripts import Conversation, Transcript, Usage, load

from .conftest import Recorded

pytestmark = pytest.mark.feature("M14")


@pytest.fixture
def session(recorded: Recorded) -> Transcript:
    return recorded("claude-code.jsonl")


def conversation(transcript: Transcript, name: str) -> Conversation:
    (found,) = [one for one in transcript.conversations if one.id == name]
    return found


def raw(message: Message) -> Any:
    assert message.origin is not None
    return json.loads(message.origin.raw)


def test_one_api_message_over_several_lines_is_one_message_and_one_call(session: Transcript) -> None:
    first = conversation(session, "main").segments[0]
    assert [block["type"] for block in raw(first.messages[2])["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert first.calls[0].id == "msg_1"
    assert first.calls[0].usage == Usage(input_tokens=123, cached_tokens=100, output_tokens=7)


def test_parallel_results_follow_their_message_in_call_order(session: Transcript) -> None:
    first = conversation(session, "main").segments[0]
    assert [message.tool_call_id for message in first.messages[3:5]] == ["t1", "t2"]
    assert first.messages[4].results[0].text == "Ärger im Büro 🙂"


def test_only_role_and_content_are_kept_of_a_line(session: Transcript) -> None:
    for one in session.conversations:
        for segment in one.segments:
            assert all(set(raw(message)) == {"role", "content"} for message in segment.messages)


def test_what_the_client_wrote_in_the_models_name_is_no_call(session: Transcript) -> None:
    first = conversation(session, "main").segments[0]
    assert "No response requested." in [message.text for message in first.messages]
    assert "syn-1" not in [call.id for call in first.calls]
    assert [skip.kind for skip in session.skipped if "error notice" in skip.reason] == ["assistant/error"]


def test_a_branch_has_its_whole_path_and_its_own_calls_only(session: Transcript) -> None:
    (segment,) = conversation(session, "branch-1").segments
    assert segment.messages[0].text == "<command-name>/notes</command-name>"
    assert [call.id for call in segment.calls] == ["msg_3", "msg_4"]
    assert segment.messages[-2].results[0].is_error


def test_a_branch_on_which_no_model_was_called_is_named(session: Transcript) -> None:
    assert [skip.where for skip in session.skipped if "left branch" in skip.reason] == ["line 24"]


def test_a_side_chain_is_a_conversation_of_its_own(session: Transcript) -> None:
    (segment,) = conversation(session, "side-1").segments
    assert [message.text for message in segment.messages] == ["Find typos.", "None found."]


def test_a_compaction_begins_a_segment_with_the_summary(session: Transcript) -> None:
    second = conversation(session, "main").segments[1]
    assert second.messages[0].text == "Summary: two notes, butter added."
    assert second.messages[1].attachments[0].media_type == "image/png"
    assert second.head.model == "claude-x-1"


def test_lines_that_are_no_messages_are_named_with_a_reason(session: Transcript) -> None:
    kinds = {skip.kind for skip in session.skipped}
    assert {"summary", "progress", "file-history-snapshot", "toolUseResult", "system/compact_boundary"} <= kinds
    (copies,) = [skip for skip in session.skipped if skip.kind == "toolUseResult"]
    assert copies.where == "line 10 and 1 more"
    assert all(skip.reason and not skip.damaged for skip in session.skipped)


def lines(*rows: dict[str, object]) -> bytes:
    return "\n".join(json.dumps({"sessionId": "s", "isSidechain": False, **row}) for row in rows).encode()


def user(uuid: str, parent: str | None, content: object, **more: object) -> dict[str, object]:
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"role": "user", "content": content}, **more}


def assistant(uuid: str, parent: str | None, identity: str, *blocks: Mapping[str, object]) -> dict[str, object]:
    message = {"id": identity, "role": "assistant", "model": "m", "content": list(blocks)}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message}


def test_a_result_whose_call_is_not_in_the_file_stays() -> None:
    result = [{"type": "tool_result", "tool_use_id": "gone", "content": "left over"}]
    transcript = load(lines(user("a", "missing", result), assistant("b", "a", "m1", {"type": "text", "text": "ok"})))
    (segment,) = transcript.conversations[0].segments
    assert segment.messages[0].results[0].text == "left over"


def test_a_line_whose_parent_is_missing_goes_on_where_the_file_stood() -> None:
    said = {"type": "text", "text": "x"}
    transcript = load(
        lines(user("a", None, "1"), assistant("b", "a", "m1", said), user("c", "lost", "2"), assistant("d", "c", "m2", said))
    )
    assert [len(segment.messages) for segment in transcript.conversations[0].segments] == [4]


def test_a_summary_without_a_boundary_line_begins_a_segment_too() -> None:
    said = {"type": "text", "text": "x"}
    transcript = load(
        lines(
            user("a", None, "1"),
            assistant("b", "a", "m1", said),
            user("c", None, "all so far", isCompactSummary=True),
            assistant("d", "c", "m2", said),
        )
    )
    assert [len(segment.messages) for segment in transcript.conversations[0].segments] == [2, 2]


def test_the_same_line_twice_is_taken_once(session_files: Path) -> None:
    data = (session_files / "claude-code.jsonl").read_bytes()
    once, twice = load(data), load(data + data)
    assert twice.conversations == once.conversations
    assert sum("same uuid" in skip.reason for skip in twice.skipped) == 26


def test_a_message_whose_results_come_between_its_lines_stays_one_call() -> None:
    def call(identity: str) -> dict[str, object]:
        return {"type": "tool_use", "id": identity, "name": "n", "input": {}}

    def result(identity: str) -> list[dict[str, object]]:
        return [{"type": "tool_result", "tool_use_id": identity, "content": identity}]

    transcript = load(
        lines(
            user("a", None, "go"),
            assistant("b", "a", "m1", call("t1")),
            user("c", "b", result("t1")),
            assistant("d", "c", "m1", call("t2")),
            user("e", "d", result("t2")),
            assistant("f", "e", "m2", {"type": "text", "text": "done"}),
        )
    )
    (segment,) = transcript.conversations[0].segments
    assert [call.at for call in segment.calls] == [1, 4]
    assert [message.tool_call_id for message in segment.messages[2:4]] == ["t1", "t2"]


def test_a_message_that_cannot_be_read_costs_that_line_only() -> None:
    transcript = load(
        lines(user("a", None, [17]), user("b", "a", "fine"), assistant("c", "b", "m1", {"type": "text", "text": "y"}))
    )
    assert [message.text for message in transcript.conversations[0].segments[0].messages] == ["fine", "y"]
    assert [(skip.where, skip.damaged) for skip in transcript.skipped] == [("line 1", True)]


def test_a_stray_line_without_parent_at_the_end_does_not_become_the_main_conversation() -> None:
    said = {"type": "text", "text": "x"}
    transcript = load(lines(user("a", None, "1"), assistant("b", "a", "m1", said), user("c", None, "stray")))
    assert [one.id for one in transcript.conversations] == ["main"]
    assert [skip.where for skip in transcript.skipped] == ["line 3"]
