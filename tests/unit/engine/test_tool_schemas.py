"""Tools are sent as the target takes them, and what a model answers comes back in the form of the original."""

from __future__ import annotations

import pytest

from transom import Context, Message, Tool
from transom.errors import InputError
from transom.wire.schemas import broken_rules

LOOK = Tool(
    "look_up",
    "Looks something up.",
    {
        "type": "object",
        "properties": {
            "word": {"type": "string", "maxLength": 50_000},
            "limit": {"type": "integer", "minimum": 1},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["word"],
    },
)


def sent(target: str, profile: str | None) -> tuple[Context, dict[str, object]]:
    context = Context(window=16_000, tool_schemas=profile, context_tool=True)  # type: ignore[arg-type]
    context.tools(LOOK)
    context.append(Message("user", "look it up"))
    body = context.compile_sync(target).body
    tool = body["tools"][0]  # type: ignore[index]
    function = tool.get("function", tool)
    return context, function["parameters"]


@pytest.mark.feature("M13")
def test_strict_schemas_are_sent_and_arguments_come_back_in_the_original_form() -> None:
    context, schema = sent("openai", "openai-strict")
    assert not broken_rules(schema, "openai-strict")
    assert schema["required"] == ["word", "limit", "labels"]
    call = ("look_up", {"word": "dam", "limit": None, "labels": [{"name": "a", "value": "b"}]})
    given = context.resolve_tool_call(call).arguments
    assert given == {"word": "dam", "labels": {"a": "b"}}
    assert context.check_tool_call(call).allowed
    notes = [note for note in context.compile_sync("openai").meta.notes if note.where.startswith("tools")]
    assert notes
    assert not context.handle_tool_sync(("context", {"command": "view", "path": "notes", "view_range": None})).startswith(
        "Error"
    )
    context.close()


@pytest.mark.feature("M13")
@pytest.mark.parametrize(("target", "profile"), [("openai", "grammar"), ("openai", None)])
def test_a_grammar_carries_no_bounds_and_what_nobody_asked_to_convert_goes_out_as_it_is(
    target: str, profile: str | None
) -> None:
    context, schema = sent(target, profile)
    word = schema["properties"]["word"]  # type: ignore[index]
    assert ("maxLength" in word) == (profile is None)
    assert (schema == LOOK.parameters) == (profile is None)
    context.close()


@pytest.mark.feature("M13")
async def test_each_target_gets_its_own_form_by_itself_and_the_prefix_stands_still() -> None:
    context = Context(window=16_000, tool_schemas="auto")
    context.tools(LOOK)
    for number in range(3):
        context.append(Message("user", f"look {number} up"), Message("assistant", "done"))
        for target in ("openai", "gemini", "anthropic"):
            payload = await context.compile(target)
            assert number == 0 or payload.meta.prefix_bytes > 0
    assert context.head.tools == (LOOK,)


def test_a_way_of_writing_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(InputError, match="openai-strict"):
        Context(window=8_000, tool_schemas="strict")  # type: ignore[arg-type]
