"""How messages from elsewhere, and messages made by hand, are written as Gemini contents."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

import pytest

from transom.messages import (
    Attachment,
    Call,
    Message,
    Opaque,
    Origin,
    RedactedThinking,
    Result,
    Text,
    Thinking,
    Tool,
    ToolChoice,
)
from transom.wire.format import Element, Head, RenderOptions, join_elements
from transom.wire.gemini import Gemini
from transom.wire.report import Report

FORMAT = Gemini()


def entries(elements: Sequence[Element]) -> list[dict[str, object]]:
    """The elements as the entries of ``contents``."""
    return [json.loads(opened + b",".join(blocks) + closed) for opened, blocks, closed in join_elements(elements)]


def render(*turn: Message, options: RenderOptions | None = None, report: Report | None = None) -> list[dict[str, object]]:
    return entries(FORMAT.render_turn(turn, options or RenderOptions(), report or Report(), "messages[4]"))


def parts(*turn: Message, options: RenderOptions | None = None, report: Report | None = None) -> list[dict[str, object]]:
    """The parts of the only content."""
    (entry,) = render(*turn, options=options, report=report)
    found = entry["parts"]
    assert isinstance(found, list)
    return found


def foreign(role: str, *content: object, **marks: object) -> Message:
    """A message as another format's parser leaves it."""
    message: Message = Message.of(role, content, Origin("openai", b"{}"), **marks)  # type: ignore[arg-type]
    return message


def codes(report: Report) -> list[str]:
    return [note.code for note in report.notes]


@pytest.mark.feature("M7", "M12")
def test_a_turn_becomes_one_model_content_and_one_of_responses_in_call_order() -> None:
    report = Report()
    written = render(
        foreign("assistant", Text("both:")),
        foreign("assistant", Call("f", '{"x":1}', "a"), Call("g", "{}", "b")),
        foreign("tool", Result((Text("for g"),), "b")),
        foreign("tool", Result((Text("for f"), Text("and more")), "a", is_error=True)),
        report=report,
    )
    assert written == [
        {
            "role": "model",
            "parts": [
                {"text": "both:"},
                {"functionCall": {"id": "a", "name": "f", "args": {"x": 1}}},
                {"functionCall": {"id": "b", "name": "g", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "a", "name": "f", "response": {"error": "for f\nand more"}}},
                {"functionResponse": {"id": "b", "name": "g", "response": {"output": "for g"}}},
            ],
        },
    ]
    assert codes(report) == ["reordered"]
    assert FORMAT.validate([{"role": "user", "parts": [{"text": "x"}]}, *written]) == []


@pytest.mark.feature("M7")
def test_neighbours_of_one_role_become_one_content() -> None:
    turns = [[Message("user", "a")], [Message("user", "b")], [Message("assistant", "c")], [Message("user", "d")]]
    elements = [element for turn in turns for element in FORMAT.render_turn(turn, RenderOptions(), Report())]
    assert [(entry["role"], len(entry["parts"])) for entry in entries(elements)] == [("user", 2), ("model", 1), ("user", 1)]  # type: ignore[arg-type]


@pytest.mark.feature("M7")
def test_calls_without_ids_get_none_and_are_told_apart_by_name_and_order() -> None:
    written = render(
        foreign("assistant", Call("f", '{"n":1}'), Call("f", '{"n":2}'), Call("g")),
        foreign("tool", Result((Text("g"),), name="g")),
        foreign("tool", Result((Text("f1"),), name="f")),
        foreign("tool", Result((Text("f2"),), name="f")),
    )
    assert "id" not in json.dumps(written)
    answers = [part["functionResponse"]["response"]["output"] for part in written[1]["parts"]]  # type: ignore[attr-defined]
    assert answers == ["f1", "f2", "g"]


@pytest.mark.feature("M7")
def test_the_signature_of_a_call_goes_out_with_it() -> None:
    (part,) = parts(Message("assistant", tool_calls=[Call("f", id="a", signature="c2ln")]))
    assert part == {"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": "c2ln"}


@pytest.mark.parametrize("arguments", ["not json", "[1]", '"text"', '{"cut": "of'])
@pytest.mark.feature("M12")
def test_arguments_that_are_no_object_are_wrapped_reported_and_found_again(arguments: str) -> None:
    report = Report()
    (entry,) = render(foreign("assistant", Call("f", arguments, "a")), report=report)
    assert codes(report) == ["degraded"]
    (back,) = FORMAT.parse_items([entry])
    assert back.tool_calls[0].arguments == arguments


@pytest.mark.feature("M8")
def test_reasoning_is_dropped_or_becomes_text_on_request_and_is_never_forged() -> None:
    message = foreign("assistant", Thinking("hm", "their signature"), Text("so"))
    report = Report()
    assert parts(message, report=report) == [{"text": "so"}]
    assert [(note.code, note.where) for note in report.notes] == [("dropped", "messages[4].parts[0]")]
    assert parts(message, options=RenderOptions(thinking="text"))[0] == {"text": "<thinking>\nhm\n</thinking>"}


@pytest.mark.feature("M8")
def test_redacted_thinking_is_never_text_and_warns_once() -> None:
    report = Report()
    turn = foreign("assistant", RedactedThinking("x"), RedactedThinking("y"), Text("so"))
    assert parts(turn, options=RenderOptions(thinking="text"), report=report) == [{"text": "so"}]
    assert codes(report) == ["dropped"]


@pytest.mark.feature("M9")
def test_a_positional_system_message_becomes_a_marked_user_text_in_its_place() -> None:
    report = Report()
    written = render(Message("system", "today is Tuesday", positional=True), report=report)
    assert written == [{"role": "user", "parts": [{"text": "<system>\ntoday is Tuesday\n</system>"}]}]
    assert codes(report) == ["degraded"]


@pytest.mark.feature("M12")
def test_items_of_another_provider_are_reported_with_their_kind() -> None:
    report = Report()
    assert render(foreign("assistant", Opaque("anthropic", "server_tool_use", {})), report=report) == []
    assert report.notes[0].detail.startswith("server_tool_use")


@pytest.mark.parametrize(
    "part, expected",
    [
        (Attachment("image/png", data="AA=="), {"inlineData": {"mimeType": "image/png", "data": "AA=="}}),
        (Attachment("image/*", data="iVBORw=="), {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}),
        (Attachment("image/*", url="data:image/webp;base64,AA=="), {"inlineData": {"mimeType": "image/webp", "data": "AA=="}}),
        (Attachment("application/json", data="e30="), {"inlineData": {"mimeType": "text/plain", "data": "e30="}}),
        (
            Attachment("image/*", url="https://x/y.jpg?z=1"),
            {"fileData": {"mimeType": "image/jpeg", "fileUri": "https://x/y.jpg?z=1"}},
        ),
        (Attachment("image/*", url="https://x/y"), {"fileData": {"fileUri": "https://x/y"}}),
        (Attachment("video/mp4", url="files/abc"), {"fileData": {"mimeType": "video/mp4", "fileUri": "files/abc"}}),
    ],
)
@pytest.mark.feature("M7")
def test_files_are_written_inline_or_by_address(part: Attachment, expected: dict[str, object]) -> None:
    assert parts(foreign("user", part)) == [expected]


@pytest.mark.feature("M12")
def test_a_file_that_cannot_be_carried_leaves_a_line_and_a_note_and_in_a_result_a_note() -> None:
    zipped = Attachment("application/zip", data=base64.b64encode(b"PK").decode(), filename="a.zip")
    report = Report()
    assert parts(foreign("user", zipped), report=report) == [{"text": "[attachment left out: a.zip, application/zip]"}]
    assert codes(report) == ["degraded"]
    report = Report()
    answer = foreign("tool", Result((Text("see"), zipped), "a", "f"))
    assert parts(answer, report=report)[0]["functionResponse"] == {"id": "a", "name": "f", "response": {"output": "see"}}
    assert codes(report) == ["dropped"]


@pytest.mark.feature("M7")
def test_pictures_of_a_result_stand_beside_its_text() -> None:
    answer = foreign("tool", Result((Attachment("image/png", data="AA=="),), "a", "f"))
    assert parts(answer)[0]["functionResponse"] == {
        "id": "a",
        "name": "f",
        "response": {},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}],
    }


def test_a_response_always_has_a_name() -> None:
    report = Report()
    (part,) = parts(foreign("tool", Result((Text("x"),), "a")), report=report)
    assert part["functionResponse"]["name"] == "unknown_tool"  # type: ignore[index]
    assert codes(report) == ["degraded"]


def test_tool_names_are_made_fit_on_both_sides() -> None:
    written = render(foreign("assistant", Call("1 tool/x", id="a")), foreign("tool", Result((), "a")))
    names = [written[0]["parts"][0]["functionCall"]["name"], written[1]["parts"][0]["functionResponse"]["name"]]  # type: ignore[index]
    assert names == ["_1_tool_x"] * 2


def head_of(head: Head, *system: Message) -> tuple[dict[str, object], Report]:
    report = Report()
    frame, first = FORMAT.render_head(head, system, RenderOptions(), report)
    assert first == ()
    body: dict[str, object] = json.loads(frame.before + frame.after)
    assert list(body)[-1] == "contents"
    return body, report


def test_a_head_from_elsewhere_is_written_in_this_formats_terms() -> None:
    schema = {"type": "object", "properties": {"x": {"type": ["string", "null"]}}, "additionalProperties": False}
    body, report = head_of(
        Head(
            format="openai",
            model="m",
            max_output_tokens=5,
            params={
                "top_p": 0.5,
                "stop": ["a"],
                "stream": True,
                "user": "u",
                "reasoning_effort": "xhigh",
                "json_schema": {"schema": schema},
            },
            tools=(Tool("f", "does", schema), Tool("free", kind="custom"), Tool("search", kind="native")),
            tool_choice=ToolChoice("tool", "f", parallel=False),
            unshared=("logit_bias",),
        ),
        Message("system", "be good"),
        Message("system", "and brief"),
    )
    assert body == {
        "generationConfig": {
            "maxOutputTokens": 5,
            "topP": 0.5,
            "stopSequences": ["a"],
            "thinkingConfig": {"thinkingLevel": "high"},
            "responseMimeType": "application/json",
            "responseJsonSchema": schema,
        },
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "f", "description": "does", "parametersJsonSchema": schema},
                    {
                        "name": "free",
                        "parametersJsonSchema": {
                            "type": "object",
                            "properties": {"input": {"type": "string"}},
                            "required": ["input"],
                        },
                    },
                ]
            }
        ],
        "systemInstruction": {"parts": [{"text": "be good"}, {"text": "and brief"}]},
        "contents": [],
    }
    named = ["logit_bias", "model", "reasoning_effort", "stream", "tool_choice", "tools[free]", "tools[search]", "user"]
    assert sorted(note.where for note in report.notes) == named


def test_own_tools_join_the_declarations_that_are_there() -> None:
    body = {"tools": [{"function_declarations": [{"name": "f"}]}, {"googleSearch": {}}], "contents": []}
    head = FORMAT.parse(body).head
    written, _ = head_of(Head(format="gemini", fields=head.fields, tools=(*head.tools, Tool("g"))))
    assert written["tools"] == [{"function_declarations": [{"name": "f"}, {"name": "g"}]}, {"googleSearch": {}}]


def test_a_changed_limit_wins_over_the_field_it_was_read_from_in_its_spelling() -> None:
    head = FORMAT.parse({"generation_config": {"max_output_tokens": 64000, "x": 1}, "contents": []}).head
    written, _ = head_of(Head(format="gemini", fields=head.fields, max_output_tokens=1000))
    assert written == {"generation_config": {"max_output_tokens": 1000, "x": 1}, "contents": []}


def test_a_tool_choice_without_tools_is_dropped() -> None:
    body, report = head_of(Head(tool_choice=ToolChoice("auto")))
    assert body == {"contents": []}
    assert codes(report) == ["dropped"]


def test_the_clients_instruction_and_what_is_added_to_it_share_its_field() -> None:
    own = FORMAT.parse({"system_instruction": {"parts": [{"text": "mine", "x": 1}]}, "contents": []}).messages[0]
    body, _ = head_of(Head(), own, Message("system", "memory"))
    assert body["system_instruction"] == {"parts": [{"text": "mine", "x": 1}, {"text": "memory"}]}


def test_a_user_element_holds_its_text() -> None:
    assert entries([FORMAT.user_element("hi")]) == [{"role": "user", "parts": [{"text": "hi"}]}]
