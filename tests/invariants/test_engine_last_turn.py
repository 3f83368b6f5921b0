"""What has to stay is made to fit whatever it is made of, each original under an address, on every target."""

from __future__ import annotations

import pytest
from tests.properties.engine_sessions import HEAD, TARGETS, context_for, memory_store

from transom import Message
from transom.errors import WindowError
from transom.jsontext import loads
from transom.messages import Attachment, Call, Result, Text
from transom.testing.generators import prose
from transom.testing.reachability import lost
from transom.wire.format import Request

pytestmark = pytest.mark.feature("O5", "S7")

PHOTO = "iVBORw0KGgo" + "A" * 4_000
CASES: dict[str, list[Message]] = {
    "a request with a photo": [Message("user", [Text(prose(1, 5_000)), Attachment("image/png", data=PHOTO)])],
    "a photo by its address": [Message("user", [Text("look"), Attachment("image/png", url="https://example.org/a.png")])],
    "arguments full of escapes": [
        Message("user", "go"),
        Message("assistant", tool_calls=[Call("run", '{"q":"' + '\\"line\\"\\n' * 900 + '"}', "c1")]),
        Message("tool", "done", tool_call_id="c1"),
    ],
    "a result of text and photo": [
        Message("user", "go"),
        Message("assistant", tool_calls=[Call("run", "{}", "c1")]),
        Message("tool", [Result((Text(prose(2, 18_000)), Attachment("image/png", data=PHOTO)), call_id="c1")]),
    ],
    "a result of two texts": [
        Message("user", "go"),
        Message("assistant", tool_calls=[Call("run", "{}", "c1")]),
        Message("tool", [Result((Text(prose(3, 90)), Text(prose(4, 9_000))), call_id="c1")]),
    ],
    "five long results": [
        Message("user", prose(5, 2_000)),
        Message("assistant", tool_calls=[Call("run", "{}", f"c{number}") for number in range(5)]),
        *(Message("tool", prose(10 + number, 4_000), tool_call_id=f"c{number}") for number in range(5)),
    ],
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
async def test_the_last_turn_and_the_newest_request_fit_and_nothing_of_them_is_lost(name: str, target: str) -> None:
    store = memory_store()
    context = context_for(2_000, store)
    context.append(*CASES[name])
    payload = await context.compile(target)
    assert payload.meta.tokens_after + payload.meta.reserve <= 2_000
    assert await lost(payload.body, CASES[name], store) == ([], [])
    assert context.formats.get(target).validate(payload.body) == []


async def test_shortened_arguments_are_still_a_json_object() -> None:
    context = context_for(2_000, memory_store())
    context.append(*CASES["arguments full of escapes"])
    sent = context.formats.get("openai").parse((await context.compile("openai")).json()).messages
    arguments = [loads(call.arguments) for message in sent for call in message.tool_calls]
    assert [list(value) for value in arguments if isinstance(value, dict)] == [["_offloaded"]]


async def test_what_cannot_be_made_to_fit_is_refused_and_not_sent_too_large() -> None:
    context = context_for(2_000, memory_store())
    many = [Call("run", '{"n":1}', f"c{number}") for number in range(80)]
    answers = [Message("tool", "done", tool_call_id=call.id) for call in many]
    context.append(Message("user", "go"), Message("assistant", tool_calls=many), *answers)
    with pytest.raises(WindowError, match="newest user message weigh"):
        await context.compile("openai")


async def test_what_was_offloaded_stays_offloaded_when_more_has_to_go() -> None:
    store = memory_store()
    context = context_for(2_000, store)
    request = Message("user", prose(20, 9_000))
    context.append(request)
    first = await context.compile("openai")
    assert first.meta.closed == "offload"
    steps = [request]
    for number in range(6):
        call = Message("assistant", tool_calls=[Call("run", "{}", f"c{number}")])
        steps += [call, Message("tool", prose(30 + number, 3_000), tool_call_id=f"c{number}")]
        context.append(*steps[-2:])
        payload = await context.compile("openai")
        assert payload.meta.tokens_after + payload.meta.reserve <= 2_000
        assert await lost(payload.body, steps, store) == ([], [])


@pytest.mark.feature("O14", "O21", "L9")
@pytest.mark.parametrize("target", TARGETS)
async def test_a_head_written_back_is_known_again_even_where_the_format_joins_it_to_the_request(target: str) -> None:
    store = memory_store()
    context = context_for(3_000, store)
    messages = [Message("user", prose(40, 3_000))]
    for number in range(6):
        messages.append(Message("assistant", prose(50 + number, 900)))
        messages.append(Message("user", prose(60 + number, 300)))
    context.append(*messages)
    closed = await context.compile(target)
    assert closed.meta.parts["head"]
    assert closed.meta.window_id == "w2"
    wire = context.formats.get(target)
    own = [*wire.parse(closed.json()).messages, Message("assistant", "Fine."), Message("user", "Go on.")]
    later = context_for(3_000, store)
    later.load(Request(head=HEAD, messages=tuple(own)))
    payload = await later.compile(target)
    assert payload.meta.window_id == "w2"
    assert payload.meta.archives == closed.meta.archives
    assert payload.json().startswith(closed.json().rstrip(b"]}"))


@pytest.mark.feature("O21")
async def test_two_histories_with_the_same_settled_turns_share_no_decision_that_fits_one_of_them() -> None:
    store = memory_store()
    request = Message("user", prose(70, 9_000))
    short, long = context_for(2_000, store), context_for(2_000, store)
    short.append(request)
    alone = (await short.compile("anthropic")).json()
    long.append(request, Message("assistant", prose(71, 300)))
    begun = await long.compile("anthropic")
    assert begun.meta.tokens_after + begun.meta.reserve <= 2_000
    again = context_for(2_000, store)
    again.append(request)
    assert (await again.compile("anthropic")).json() == alone
