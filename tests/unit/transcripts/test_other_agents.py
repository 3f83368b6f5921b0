"""What is particular about the files of each other agent."""

from __future__ import annotations

import json

import pytest

from transom.messages import Attachment, Message, Opaque, RedactedThinking, Text, Thinking
from transom.wire.transcripts import Segment, Transcript, Usage, load

from .conftest import Recorded

pytestmark = pytest.mark.feature("M14")


def only(transcript: Transcript) -> Segment:
    return transcript.conversations[0].segments[0]


def raw(message: Message) -> dict[str, object]:
    assert message.origin is not None
    value: dict[str, object] = json.loads(message.origin.raw)
    return value


def kinds(transcript: Transcript) -> set[str]:
    return {skip.kind for skip in transcript.skipped}


class TestCodex:
    def test_instructions_come_first_and_the_model_is_named(self, recorded: Recorded) -> None:
        segment = only(recorded("codex-rollout.jsonl"))
        assert (segment.messages[0].role, segment.messages[0].text) == ("system", "You are a coding agent.")
        assert segment.head.model == "gpt-x-1"

    def test_each_message_is_taken_once(self, recorded: Recorded) -> None:
        transcript = recorded("codex-rollout.jsonl")
        assert [message.text for message in only(transcript).messages].count("Counting.") == 1
        assert {"event_msg/agent_message", "event_msg/user_message", "event_msg/exec_command_end"} <= kinds(transcript)

    def test_usage_is_that_of_the_event_after_the_run(self, recorded: Recorded) -> None:
        calls = only(recorded("codex-rollout.jsonl")).calls
        assert [call.usage for call in calls] == [Usage(900, 300, 40), Usage(1000, 900, 10)]

    def test_a_hosted_call_without_output_is_opaque_and_the_models_own(self, recorded: Recorded) -> None:
        segment = only(recorded("codex-rollout.jsonl"))
        assert isinstance(segment.messages[9].parts[0], Opaque)
        assert segment.calls[1].at == 9

    def test_encrypted_reasoning_and_free_text_input_are_kept(self, recorded: Recorded) -> None:
        segment = only(recorded("codex-rollout.jsonl"))
        assert any(isinstance(part, RedactedThinking | Thinking) for part in segment.messages[3].parts)
        assert [call.kind for message in segment.messages for call in message.tool_calls] == ["function", "custom"]

    def test_a_compaction_takes_the_summary_or_the_history_that_replaced_it(self, recorded: Recorded) -> None:
        _, second, third = recorded("codex-rollout.jsonl").conversations[0].segments
        assert second.messages[1].text == "Counted: three words."
        assert [message.text for message in third.messages[1:3]] == ["Count the words.", "Summary of all."]
        assert second.calls[0].model == "gpt-x-2"


class TestPi:
    def test_an_empty_turn_is_no_message_and_no_call(self, recorded: Recorded) -> None:
        transcript = recorded("pi-session.jsonl")
        assert [skip.reason for skip in transcript.skipped if skip.kind == "assistant"] == [
            "empty message: Request was aborted."
        ]

    def test_reasoning_that_broke_off_has_no_signature_to_send(self, recorded: Recorded) -> None:
        message = only(recorded("pi-session.jsonl")).messages[5]
        assert message.parts == (Thinking("I was about to"), Text("Half a"))
        assert message.origin is None

    def test_a_command_the_user_ran_is_a_user_message(self, recorded: Recorded) -> None:
        message = only(recorded("pi-session.jsonl")).messages[6]
        assert message.role == "user"
        assert message.text == "Ran `ls`\n```\na.md\n\n```\nCommand exited with code 1"

    def test_a_failed_result_says_so(self, recorded: Recorded) -> None:
        results = [result for message in only(recorded("pi-session.jsonl")).messages for result in message.results]
        assert [(result.call_id, result.is_error) for result in results] == [("q1", False), ("q2", True)]

    def test_after_a_compaction_the_model_sees_the_summary_and_what_was_kept(self, recorded: Recorded) -> None:
        second = recorded("pi-session.jsonl").conversations[0].segments[1]
        assert [message.text for message in second.messages[:4]] == ["Tidied a.md.", "Continue.", "All tidy.", "Thanks."]

    def test_branches_of_a_tree_are_conversations(self, recorded: Recorded) -> None:
        main, branch = recorded("pi-session-tree.jsonl").conversations
        assert [message.text for message in branch.segments[0].messages] == ["Name a bird.", "Heron.", "Another.", "Wren."]
        assert [message.text for message in main.segments[1].messages] == [
            "Heron, then pike.",
            "A fish instead.",
            "Pike.",
            "One more fish.",
            "Tench.",
        ]

    def test_a_kept_entry_is_counted_by_the_line_even_when_one_before_it_is_damaged(self) -> None:
        rows = [
            '{"type":"session","id":"p","cwd":"/"}',
            '{"type":"message","message":{"role":"user","content":"one"}}',
            "{damaged",
            '{"type":"message","message":{"role":"user","content":"kept"}}',
            '{"type":"compaction","summary":"S","firstKeptEntryIndex":3}',
        ]
        segments = load("\n".join(rows).encode()).conversations[0].segments
        assert [message.text for message in segments[1].messages] == ["S", "kept"]


class TestGemini:
    def test_calls_and_results_of_one_message_are_two_contents(self, recorded: Recorded) -> None:
        segment = only(recorded("gemini-cli.json"))
        assert [call.name for call in segment.messages[1].tool_calls] == ["read_file", "read_file"]
        assert [result.call_id for result in segment.messages[2].results] == ["f1", "f2"]
        assert segment.calls[0].usage == Usage(30, 10, 7)

    def test_what_was_for_the_screen_is_named(self, recorded: Recorded) -> None:
        assert {"thoughts", "resultDisplay", "info"} <= kinds(recorded("gemini-cli.json"))

    def test_the_development_kits_keys_are_spelt_as_the_api_spells_them(self, recorded: Recorded) -> None:
        segment = only(recorded("adk-session.json"))
        call = {"id": "af-1", "name": "search", "args": {"mime_type": "kept"}}
        assert raw(segment.messages[1])["parts"] == [
            {"text": "Searching."},
            {"functionCall": call, "thoughtSignature": "c2ln"},
        ]
        assert "function_call" in json.dumps(raw(segment.messages[2]))
        assert segment.calls[1].usage == Usage(40, 8, 6)


class TestChatFiles:
    def test_a_tool_message_gets_the_id_from_the_list_and_keeps_its_line_endings(self, recorded: Recorded) -> None:
        segment = only(recorded("swe-agent.traj"))
        assert raw(segment.messages[3]) == {"role": "tool", "content": "a.md\r\n", "tool_call_id": "h1"}
        assert {"trajectory", "thought", "action"} <= kinds(recorded("swe-agent.traj"))

    def test_the_raw_answer_gives_id_and_usage_and_stays_out(self, recorded: Recorded) -> None:
        segment = only(recorded("mini-swe-agent.traj.json"))
        assert set(raw(segment.messages[2])) == {"role", "content"}
        assert segment.calls[0].id == "gen-1"
        assert segment.calls[0].usage == Usage(20, 6, 4)

    def test_arguments_that_are_an_object_become_json_text(self, recorded: Recorded) -> None:
        segment = only(recorded("openai-chat-lines.jsonl"))
        assert segment.messages[3].tool_calls[0].arguments == '{"element_id":"120"}'
        assert "\ue60a" in segment.messages[1].results[0].text

    def test_lines_that_are_single_messages_are_one_conversation(self) -> None:
        data = b'{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n'
        transcript = load(data)
        assert transcript.format == "openai-chat-lines"
        assert [len(one.segments[0].messages) for one in transcript.conversations] == [2]

    def test_a_log_is_its_request_and_the_answer_is_named(self, recorded: Recorded) -> None:
        transcript = recorded("openai-chat.json")
        segment = only(transcript)
        assert segment.head.model == "claude-x-1"
        assert segment.head.params["temperature"] == 0.0
        assert len(segment.head.tools) == 1
        assert segment.calls[-1].id == "chatcmpl-1"
        assert segment.calls[-1].usage == Usage(70, 30, 5)
        assert "response" in kinds(transcript)

    def test_system_prompts_of_bodies_come_first(self, recorded: Recorded) -> None:
        assert only(recorded("anthropic-messages.json")).messages[0].text == "Be kind."
        assert only(recorded("openai-responses.json")).messages[0].text == "Be brief."


class TestOpenHands:
    def test_parallel_actions_of_one_answer_are_one_message(self, recorded: Recorded) -> None:
        segment = only(recorded("openhands.jsonl"))
        assert [call.id for call in segment.messages[3].tool_calls] == ["o1", "o2"]
        assert segment.calls[0].id == "gen-1"

    def test_an_error_without_a_call_is_kept_as_a_result(self, recorded: Recorded) -> None:
        (result,) = only(recorded("openhands.jsonl")).messages[6].results
        assert (result.call_id, result.text) == ("", "Parameter 'command' is missing.")

    def test_what_a_recall_found_went_to_the_model(self, recorded: Recorded) -> None:
        assert only(recorded("openhands.jsonl")).messages[2].text == "Use tabs.\n\nNever force."

    def test_a_condensation_begins_a_segment_without_what_was_forgotten(self, recorded: Recorded) -> None:
        second = recorded("openhands.jsonl").conversations[0].segments[1]
        assert [message.text for message in second.messages] == [
            "You are an agent.",
            "Fix it.",
            "Listed and read.",
            "Use tabs.\n\nNever force.",
            "Parameter 'command' is missing.",
            "Thinking of finish",
        ]


class TestLetta:
    def test_what_left_the_context_is_the_first_segment_and_nothing_stands_twice(self, recorded: Recorded) -> None:
        left, current = recorded("letta.af").conversations[0].segments
        assert [message.role for message in left.messages] == ["system", "user", "assistant"]
        assert [message.text for message in current.messages[:2]] == [
            "You are kind, v2.",
            '{"type": "system_alert", "message": "3 messages hidden"}',
        ]
        assert [tool.name for tool in current.head.tools] == ["send_message"]


class TestLangChain:
    def test_a_call_that_stands_twice_is_taken_once(self, recorded: Recorded) -> None:
        message = only(recorded("langchain.json")).messages[1]
        assert [(call.id, call.arguments) for call in message.tool_calls] == [("y1", '{"path":"a.md"}')]
        assert isinstance(message.parts[0], Thinking)

    def test_the_providers_id_and_usage_are_those_of_the_call(self, recorded: Recorded) -> None:
        (first, second) = only(recorded("langchain.json")).calls
        assert (first.id, first.usage) == ("msg_1", Usage(50, 20, 9))
        assert (second.id, second.usage) == ("msg_2", None)

    def test_the_older_form_with_data_is_read_too(self) -> None:
        rows = [
            {"type": "human", "data": {"content": "hi"}},
            {"type": "ai", "data": {"content": "", "tool_calls": [{"id": "1", "name": "n", "args": {}}]}},
            {"type": "tool", "data": {"content": "ok", "tool_call_id": "1"}},
        ]
        segment = only(load(json.dumps(rows).encode()))
        assert [message.role for message in segment.messages] == ["user", "assistant", "tool"]


class TestCline:
    def test_a_file_goes_as_text_and_a_record_as_json(self, recorded: Recorded) -> None:
        segment = only(recorded("cline.json"))
        assert segment.messages[1].text.endswith('<file_content path="a.ts">\nlet a = 1\n</file_content>')
        assert not any(isinstance(part, Attachment) for part in segment.messages[1].parts)
        assert segment.messages[3].results[1].text == '[{"query":"a.ts","result":"let a = 2","success":true}]'
        assert segment.calls[0].usage == Usage(90, 30, 7)
