"""Where things stand in a payload: the sandwich, the tail in the form of what it joins, cache markers, the prefix."""

from __future__ import annotations

import json

import pytest
from tests.unit.engine.sessions import HEAD, context_of, driven, elements, model_calls, round_of, texts, tool_loop

from transom import Call, Context, Message, Payload, chain, clear, digest, reset
from transom.jsontext import loads
from transom.messages import RedactedThinking, Text, Thinking
from transom.testing.reachability import lost
from transom.wire.format import Head

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
CONVERSATION = {"openai": "messages", "openai-responses": "input", "anthropic": "messages", "gemini": "contents"}
TAIL = "It is Monday."

Element = dict[str, object]


def last(payload: Payload) -> Element:
    return elements(payload, CONVERSATION[payload.meta.target])[-1]


def body_with(target: str, content: object) -> Element:
    """A request body whose only message is the user's, in the target's own format."""
    match target:
        case "gemini":
            return {"contents": [{"role": "user", "parts": content}]}
        case "openai-responses":
            return {"model": "m", "input": [{"role": "user", "content": content}]}
        case "anthropic":
            return {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": content}]}
        case _:
            return {"model": "m", "messages": [{"role": "user", "content": content}]}


@pytest.mark.feature("L3")
@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic"])
async def test_the_tail_joins_a_string_as_a_string(target: str) -> None:
    context = context_of()
    context.load(body_with(target, "Hello."), target)
    context.tail(TAIL)
    assert last(await context.compile(target)) == {"role": "user", "content": f"Hello.\n\n{TAIL}"}


@pytest.mark.feature("L3")
@pytest.mark.parametrize(
    ("target", "part", "added"),
    [
        ("openai", {"type": "text", "text": "Hello."}, {"type": "text", "text": TAIL}),
        ("openai-responses", {"type": "input_text", "text": "Hello."}, {"type": "input_text", "text": TAIL}),
        ("anthropic", {"type": "text", "text": "Hello."}, {"type": "text", "text": TAIL}),
        ("gemini", {"text": "Hello."}, {"text": TAIL}),
    ],
)
async def test_the_tail_joins_an_array_as_one_more_part(target: str, part: Element, added: Element) -> None:
    context = context_of()
    context.load(body_with(target, [part]), target)
    context.tail(TAIL)
    entry = last(await context.compile(target))
    assert entry["role"] == "user"
    assert entry.get("content", entry.get("parts")) == [part, added]


@pytest.mark.feature("L3")
@pytest.mark.parametrize("target", TARGETS)
async def test_after_tool_results_the_tail_is_the_users_own_message_and_the_results_stay_as_they_were(target: str) -> None:
    context = context_of(tool_loop(1))
    without = await context.compile(target)
    context.append(*round_of(2))
    context.tail(TAIL)
    payload = await context.compile(target)
    assert payload.json().startswith(without.json().rstrip(b"]}"))
    entry = last(payload)
    assert entry["role"] == "user"
    parts = entry.get("content", entry.get("parts"))
    said = parts if isinstance(parts, str) else parts[-1]["text"]  # type: ignore[index]
    assert said == TAIL
    assert texts(payload).count(TAIL) == 1


@pytest.mark.feature("L3")
@pytest.mark.parametrize("target", TARGETS)
async def test_the_tail_stands_before_a_prefill(target: str) -> None:
    context = context_of([Message("user", "Name a colour."), Message("assistant", '{"colour":')])
    context.tail(TAIL)
    body = texts(await context.compile(target))
    assert body.index("Name a colour.") < body.index(TAIL) < body.index('{\\"colour\\":')


@pytest.mark.feature("L3", "L9")
@pytest.mark.parametrize("target", TARGETS)
async def test_a_tail_that_changes_every_compile_moves_nothing_before_it(target: str) -> None:
    context = context_of(window=8_000)
    context.head = HEAD
    context.system("Be brief.")
    before = None
    for number, fresh in enumerate(model_calls(tool_loop(20, 40))):
        context.append(*fresh)
        context.tail(f"Compile {number}.")
        payload = await context.compile(target)
        meta = payload.meta
        assert 0 < meta.tail_bytes < 200
        if before is not None:
            assert meta.prefix_bytes >= before.sequence_bytes - before.tail_bytes
        before = meta


@pytest.mark.feature("L3")
async def test_an_empty_tail_takes_the_text_away_again() -> None:
    context = context_of([Message("user", "hi")])
    context.tail(TAIL)
    assert TAIL in texts(await context.compile("openai"))
    context.tail("")
    payload = await context.compile("openai")
    assert TAIL not in texts(payload)
    assert payload.meta.tail_bytes == 0


@pytest.mark.feature("L1")
@pytest.mark.parametrize("target", TARGETS)
async def test_system_stands_first_then_history_then_the_tail_and_the_conversation_is_the_last_field(target: str) -> None:
    context = context_of(tool_loop(2))
    context.head = HEAD
    context.system("SYSTEM PROMPT")
    context.tail(TAIL)
    payload = await context.compile(target)
    body = texts(payload)
    places = [body.index(text) for text in ("SYSTEM PROMPT", "Do the work.", "result 0:", "result 1:", TAIL)]
    assert places == sorted(places)
    assert body.index('"tools"') < places[1]
    assert list(payload.body)[-1] == CONVERSATION[target]


@pytest.mark.feature("L1")
@pytest.mark.parametrize("target", TARGETS)
async def test_the_order_of_keys_does_not_depend_on_how_the_head_was_made(target: str) -> None:
    bodies = set()
    for params in ({"temperature": 0.5, "top_p": 0.9}, {"top_p": 0.9, "temperature": 0.5}):
        context = context_of([Message("user", "hi")])
        context.head = Head(model="m", max_output_tokens=99, params=dict(params))
        bodies.add(json.dumps((await context.compile(target)).body, sort_keys=True))
    assert len(bodies) == 1
    context = context_of([Message("user", "hi")])
    context.head = HEAD
    first = (await context.compile(target)).json()
    again = context_of([Message("user", "hi")])
    again.head = HEAD
    assert (await again.compile(target)).json() == first


@pytest.mark.feature("L9")
@pytest.mark.parametrize("target", TARGETS)
async def test_within_a_window_each_payload_is_a_byte_prefix_of_the_next(target: str) -> None:
    context = context_of(window=9_000, overflow=chain(clear(), digest(), reset()))
    context.head = HEAD
    context.system("Be brief.")
    messages = [*tool_loop(25, 250), *(m for n in range(30, 60) for m in round_of(n, 250, ask=f"Next {n}."))]
    before: Payload | None = None
    windows = set()
    for payload in await driven(context, messages, target):
        windows.add(payload.meta.window_id)
        if before is not None and before.meta.window_id == payload.meta.window_id:
            assert payload.json().startswith(before.json().rstrip(b"]}"))
            assert payload.meta.prefix_bytes == before.meta.sequence_bytes
        before = payload
    assert len(windows) >= 3


@pytest.mark.feature("M6")
async def test_a_breakpoint_on_the_system_prompt_becomes_anthropics_marker_and_nobody_elses() -> None:
    for target in TARGETS:
        context = context_of([Message("user", "hi")])
        context.system("Be brief.", cache_breakpoint=True)
        payload = await context.compile(target)
        marked = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
        assert (payload.body.get("system") == marked) == (target == "anthropic")
        assert texts(payload).count("cache_control") == (target == "anthropic")


@pytest.mark.feature("M6", "L9")
async def test_at_most_four_markers_go_out_and_moving_one_breaks_no_prefix() -> None:
    context = context_of(window=9_000)
    context.system("Be brief.", cache_breakpoint=True)
    for number in range(8):
        context.append(Message("user", f"question {number}", cache_breakpoint=True), Message("assistant", f"answer {number}"))
        context.append(Message("user", f"more {number}"))
        payload = await context.compile("anthropic")
        assert texts(payload).count("cache_control") <= 4
        assert context.formats.get("anthropic").validate(payload.body) == []
    assert texts(payload).count("cache_control") == 4
    assert '"system":[{"type":"text","text":"Be brief.","cache_control"' in texts(payload)


async def test_a_caller_cannot_corrupt_what_is_sent_next() -> None:
    context = context_of([Message("user", "hi")])
    payload = await context.compile("openai")
    body = payload.body
    body["messages"].clear()  # type: ignore[attr-defined]
    assert loads(payload.json()) == payload.body
    assert elements(await context.compile("openai")) == [{"role": "user", "content": "hi"}]


async def test_two_targets_are_compiled_from_one_context_each_with_a_prefix_of_its_own() -> None:
    context = context_of(window=6_000, overflow=reset())
    single = {target: context_of(window=6_000, overflow=reset()) for target in TARGETS}
    for fresh in [tool_loop(1), *(round_of(n) for n in range(1, 30))]:
        context.append(*fresh)
        for target in TARGETS:
            single[target].append(*fresh)
            together = await context.compile(target)
            assert together.json() == (await single[target].compile(target)).json()


@pytest.mark.feature("M9")
async def test_a_system_message_in_the_middle_stays_where_it_stands() -> None:
    messages = [Message("user", "hi"), Message("assistant", "hello"), Message("system", "Speak German.", positional=True)]
    context = context_of([*messages, Message("user", "and now?")])
    for target in TARGETS:
        body = texts(await context.compile(target))
        assert body.index("hello") < body.index("Speak German.") < body.index("and now?")


@pytest.mark.feature("M8")
@pytest.mark.parametrize(
    ("target", "model", "continued"),
    [
        ("anthropic", "claude-sonnet-4-20250514", True),
        ("anthropic", "claude-opus-4-8", False),
        ("openai", "gpt-4.1", False),
        ("openai-responses", "gpt-4.1", False),
        ("gemini", "gemini-3-pro", False),
    ],
)
async def test_a_prefill_is_sent_where_it_is_continued_and_becomes_a_note_elsewhere(
    target: str, model: str, continued: bool
) -> None:
    context = context_of([Message("user", "Name a colour."), Message("assistant", '{"colour":')])
    context.head = Head(model=model)
    payload = await context.compile(target)
    assert context.formats.get(target).validate(payload.body) == []
    assert (last(payload)["role"] == "assistant") == continued
    assert ("Continue it where it ends" in texts(payload)) != continued
    assert any(note.code == "degraded" and "prefill" in note.detail for note in payload.meta.notes) != continued
    assert (payload.meta.parts["tail"] > 0) != continued, "the note counts"
    # The note is volatile: once the answer is there, the message stands as the assistant's.
    context.append(Message("assistant", ' "red"}'), Message("user", "Thanks."))
    after = texts(await context.compile(target))
    assert "Continue it where it ends" not in after
    assert '{\\"colour\\":' in after


@pytest.mark.feature("M8")
async def test_an_answer_begun_in_the_targets_own_format_is_left_to_servers_that_continue_it() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hel"}]}
    context = context_of()
    context.load(body, "openai")
    assert (await context.compile("openai")).body["messages"] == body["messages"]


@pytest.mark.feature("M8")
async def test_unfinished_server_work_at_the_end_is_no_prefill() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "I search."}, search]},
    ]
    context = context_of()
    context.load({"model": "claude-opus-4-8", "max_tokens": 9, "messages": messages}, "anthropic")
    assert (await context.compile("anthropic")).body["messages"] == messages


@pytest.mark.feature("M8")
async def test_reasoning_becomes_text_only_on_request_and_what_is_redacted_never_does() -> None:
    answer = Message("assistant", [Thinking("A thought."), RedactedThinking("c2VjcmV0"), Text("Well.")])
    for thinking, shown in (("drop", False), ("text", True)):
        context = Context(window=8_000, thinking=thinking)  # type: ignore[arg-type]
        context.append(Message("user", "hi"), answer, Message("user", "so?"))
        payload = await context.compile("openai")
        assert ("A thought." in texts(payload)) == shown
        assert "c2VjcmV0" not in texts(payload)
        assert any("encrypted reasoning" in note.detail for note in payload.meta.notes)


@pytest.mark.feature("M12")
@pytest.mark.parametrize("target", ["openai", "openai-responses"])
async def test_a_tool_choice_without_a_tool_that_the_target_can_carry_is_dropped_and_reported(target: str) -> None:
    context = context_of()
    hosted = {"type": "web_search_20250305", "name": "web_search"}
    context.load(
        {
            "model": "claude-sonnet-4-20250514",
            "max_tokens": 99,
            "tools": [hosted],
            "tool_choice": {"type": "auto"},
            "messages": [{"role": "user", "content": "hi"}],
        },
        "anthropic",
    )
    payload = await context.compile(target)
    assert "tool_choice" not in payload.body
    assert any(note.code == "dropped" and note.where == "tool_choice" for note in payload.meta.notes)
    assert context.formats.get(target).validate(payload.body) == []


@pytest.mark.feature("M3")
async def test_an_empty_content_list_leaves_the_engine_as_openai_takes_it() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[object] = [
        {"role": "system", "content": []},
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": []},
        {"role": "assistant", "content": []},
        {"role": "user", "content": "hi"},
    ]
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    context = context_of()
    context.load({"model": "m", "tools": [tool], "messages": messages}, "openai")
    payload = await context.compile("openai")
    assert context.formats.get("openai").validate(payload.body) == []
    assert [element["content"] for element in elements(payload)] == ["a", None, "", "hi"]
    said = [*payload.meta.repairs, *payload.meta.notes]
    assert sum(note.code == "repaired" for note in said) == 3


@pytest.mark.feature("M7")
async def test_parallel_calls_keep_their_order_and_each_its_result() -> None:
    calls = [Call("read_file", f'{{"path":"{n}"}}', f"c{n}") for n in range(3)]
    results = [Message("tool", f"content {n}", tool_call_id=f"c{n}", name="read_file") for n in (2, 0, 1)]
    context = context_of([Message("user", "go"), Message("assistant", tool_calls=calls), *results, Message("user", "so?")])
    context.head = HEAD
    for target in TARGETS:
        payload = await context.compile(target)
        body = texts(payload)
        assert [body.index(f"content {n}") for n in range(3)] == sorted(body.index(f"content {n}") for n in range(3))
        assert context.formats.get(target).validate(payload.body) == []


async def test_white_space_that_a_provider_refuses_is_left_out_with_a_note_that_names_its_message() -> None:
    context = Context(window=20_000)
    context.system("You are careful.")
    context.append(
        Message("user", "hi"),
        Message("assistant", "yes"),
        Message("user", " \n "),
        Message("user", [Text("more"), Text("  ")]),
        Message("assistant", "and"),
        Message("user", "\t"),
        Message("user", "go on"),
    )
    payload = await context.compile("anthropic")
    places = [note.where for note in payload.meta.notes if "white space" in note.detail]
    assert places == ["messages[2].parts[0]", "messages[3].parts[1]", "messages[5].parts[0]"]
    assert await lost(payload.body, context.messages, context.store, more=payload.meta.archives) == ([], [])
