"""Between any two wire formats: every text, call, result, pairing and order is kept, and what is written is valid there."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from transom.errors import JSONError
from transom.jsontext import canonical, loads
from transom.messages import Call, Message, Result, Text, Tool
from transom.messages.turns import group_turns
from transom.testing.generators import TOOL_NAMES, conversations
from transom.wire import transcripts
from transom.wire.convert import convert, convert_request
from transom.wire.detect import detect
from transom.wire.format import Head, Request
from transom.wire.pairing import pair
from transom.wire.registry import builtin_registry
from transom.wire.report import Report

NAMES = ("openai", "openai-responses", "anthropic", "gemini")
PAIRS = list(itertools.permutations(NAMES, 2))
few = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Said:
    """What was said, called and answered: texts in order, calls in order with the user's texts before them, results by call."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self.texts: list[tuple[str, str]] = []
        self.calls: list[tuple[int, str, str]] = []
        self.results: dict[int, str] = {}
        self.orphans: list[str] = []
        heard = 0
        for turn in group_turns(messages):
            part_of_turn = messages[turn.start : turn.stop]
            pairing = pair(part_of_turn)
            first = len(self.calls)
            for at, message in enumerate(part_of_turn):
                for index, part in enumerate(message.parts):
                    match part:
                        case Text() if part.text.strip():
                            # Some providers refuse blank texts, which say nothing.
                            self.texts.append((message.role if message.role != "tool" else "user", part.text))
                            heard += message.role == "user"
                        case Call():
                            self.calls.append((heard, part.name, _arguments(part)))
                        case Result() if pairing.calls[at, index] is None:
                            self.orphans.append(part.text)
                        case Result():
                            self.results[first + pairing.order[at, index]] = part.text
                        case _:
                            pass


def _arguments(call: Call) -> str:
    if call.kind == "custom":
        return canonical({"input": call.arguments}).decode()
    try:
        return canonical(loads(call.arguments)).decode()
    except JSONError:
        return call.arguments


def system_first(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """As a format sees them that has one place for system text."""
    return (*(m for m in messages if m.role == "system"), *(m for m in messages if m.role != "system"))


def compare(back: tuple[Message, ...], messages: tuple[Message, ...], what: str = "") -> None:
    now, then = Said(back), Said(messages)
    assert now.texts == then.texts, what
    assert now.calls == then.calls, what
    assert now.results == then.results, what
    assert now.orphans == then.orphans, what


TOOLS = tuple(Tool(name, "does it", {"type": "object", "properties": {}}) for name in TOOL_NAMES)


@pytest.mark.feature("M12")
@pytest.mark.parametrize("source, target", PAIRS)
def test_everything_said_is_kept_from_one_format_to_another(source: str, target: str) -> None:
    registry = builtin_registry()

    @few
    @given(conversations(attachments=False))
    def law(drawn: tuple[Message, ...]) -> None:
        # A request that ends in the assistant's text asks Anthropic to continue it, which is no part of this law.
        messages = (*drawn, Message("user", "go on"))
        request = Request(head=Head(model="m", max_output_tokens=100, tools=TOOLS), messages=messages)
        first = convert_request(request, registry.get(source), None, Report())
        assert registry.get(source).validate(_with_model(first)) == []
        payload, _ = convert(first, source, target, registry)
        assert registry.get(target).validate(_with_model(payload)) == []
        compare(registry.get(target).parse(payload).messages, messages)

    law()


def _with_model(payload: bytes) -> object:
    """Gemini names the model in the address, so what comes from there has none."""
    value = loads(payload)
    assert isinstance(value, dict)
    return value if "contents" in value else {"model": "m", **value}


def _wire_files(folder: Path) -> list[Path]:
    return [
        folder / name
        for name in ("openai-responses-compaction.json", "anthropic-messages-web-search.json", "gemini-contents-image.json")
    ]


@pytest.mark.feature("M11")
def test_every_real_request_body_comes_back_equal_as_json(transcripts: Path) -> None:
    registry = builtin_registry()
    for file in _wire_files(transcripts):
        data = file.read_bytes()
        name = detect(data, registry).name
        for body in (data, loads(data)):
            payload, report = convert(body, name, name, registry)
            assert loads(payload) == loads(data), file.name
            assert report.notes == []


@pytest.mark.feature("M12")
@pytest.mark.parametrize("target", NAMES)
def test_every_real_session_is_kept_in_every_format(transcripts: Path, target: str) -> None:
    registry = builtin_registry()
    writer = registry.get(target)
    for file in sorted(transcripts.iterdir()):
        if file.suffix == ".md":
            continue
        for conversation in load(file).conversations:
            for segment in conversation.segments:
                request = Request(head=segment.head, messages=segment.messages)
                payload = convert_request(request, writer, None, Report())
                back = writer.parse(payload).messages
                then = system_first(segment.messages) if target == "gemini" else segment.messages
                compare(back, then, f"{file.name}, {conversation.id}")


def load(file: Path) -> transcripts.Transcript:
    return transcripts.load(file.read_bytes(), name=file.name)
