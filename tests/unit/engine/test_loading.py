"""Taking a conversation in: whatever form it has, however it changed since, and what appending adds to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from tests.unit.engine.sessions import HEAD, context_of, dialogue, driven, elements, model_calls, round_of, texts, tool_loop

from transom import Call, Context, Message, Store, reset
from transom.engine.loading import Loaded, Loader
from transom.errors import FormatError
from transom.jsontext import loads
from transom.store.backends.memory import MemoryBackend
from transom.wire.format import Request
from transom.wire.openai_chat import OpenAIChat
from transom.wire.registry import builtin_registry

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
BODY = {
    "model": "gpt-4.1",
    "temperature": 0.5,
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "do it", "x_trace": 7},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "user", "content": "thanks"},
    ],
}


@pytest.mark.parametrize("source", ["dict", "list", "bytes", "text", "messages", "request"])
async def test_every_form_of_a_conversation_can_be_loaded(source: str) -> None:
    request = OpenAIChat().parse(BODY)
    form = {
        "dict": BODY,
        "list": BODY["messages"],
        "bytes": json.dumps(BODY).encode(),
        "text": json.dumps(BODY),
        "messages": list(request.messages),
        "request": request,
    }[source]
    context = Context(window=8_000)
    context.load(form, "openai" if source == "list" else None)
    payload = await context.compile("openai")
    assert payload.body["messages"] == BODY["messages"]
    if source not in ("list", "messages"):
        assert {**payload.body, "messages": 0} == {**BODY, "messages": 0}


async def test_loading_one_message_or_something_unknown_is_refused_with_the_way_out() -> None:
    context = Context(window=8_000)
    with pytest.raises(FormatError, match="use append"):
        context.load(Message("user", "hi"))
    with pytest.raises(FormatError):
        context.load({"what": "is this"})
    with pytest.raises(FormatError):
        context.load(BODY, "no-such-format")
    context.append(Message("user", "hi"))
    assert elements(await context.compile("openai")) == [{"role": "user", "content": "hi"}]


async def test_loading_a_growing_history_gives_the_bytes_of_appending_it() -> None:
    messages = tool_loop(40)
    loaded, appended = context_of(overflow=reset()), context_of(overflow=reset())
    given = 0
    for fresh in model_calls(messages):
        given += len(fresh)
        loaded.load(messages[:given])
        appended.append(*fresh)
        one, two = await loaded.compile("openai"), await appended.compile("openai")
        assert one.json() == two.json()
        assert one.meta.window_id == two.meta.window_id
    assert one.meta.window_id not in ("w1", "w2")


async def test_appending_after_a_load_and_loading_what_was_appended_changes_nothing() -> None:
    chat = OpenAIChat()
    context = Context(window=8_000)
    context.load(BODY)
    await context.compile("openai")
    more = [{"role": "assistant", "content": "Bye."}, {"role": "user", "content": "Wait."}]
    context.append(*chat.parse_items(more))
    appended = await context.compile("openai")
    messages = BODY["messages"]
    assert isinstance(messages, list)
    context.load({**BODY, "messages": [*messages, *more]})
    loaded = await context.compile("openai")
    assert appended.json() == loaded.json()
    assert loaded.meta.prefix_bytes == appended.meta.sequence_bytes


async def test_neutral_messages_appended_after_a_load_are_recognised_when_they_are_loaded_too() -> None:
    messages = tool_loop(4)
    context = context_of()
    context.load(messages[:5])
    await context.compile("openai")
    context.append(*messages[5:])
    before = await context.compile("openai")
    context.load(messages)
    assert (await context.compile("openai")).json() == before.json()


async def test_a_shorter_history_takes_back_what_came_after() -> None:
    messages = dialogue(3)
    context = context_of(messages)
    await context.compile("openai")
    context.load(messages[:3])
    payload = await context.compile("openai")
    assert [element["content"] for element in elements(payload)] == [message.text for message in messages[:3]]
    assert payload.json() == (await context_of(messages[:3]).compile("openai")).json()


async def test_an_edited_message_gets_a_window_of_its_own() -> None:
    store = Store(MemoryBackend())
    messages = dialogue(12)
    context = context_of(overflow=reset(), store=store)
    await driven(context, messages)
    assert context.lineage.current == "w3"
    edited = [Message("user", "another beginning"), *messages[1:]]
    context.load(edited)
    payload = await context.compile("openai")
    fresh = await context_of(edited, overflow=reset()).compile("openai")
    assert payload.json() == fresh.json()
    lines = await store.expand(payload.meta.archives[-1])
    assert b"another beginning" in lines
    assert b"question 0" not in lines


@pytest.mark.feature("O21")
async def test_a_branch_below_the_trigger_is_sent_whole_and_shares_the_windows_of_its_past() -> None:
    store = Store(MemoryBackend())
    messages = dialogue(30, 100)
    main = context_of(overflow=reset(), store=store)
    await driven(main, messages)
    windows = int(main.lineage.current[1:])
    assert windows >= 3
    early = context_of([*messages[:6], Message("user", "a branch")], overflow=reset(), store=store)
    whole = await early.compile("openai")
    assert whole.meta.window_id == "w1"
    assert len(elements(whole)) == 7
    late = context_of([*messages, Message("assistant", "yes"), Message("user", "a branch")], overflow=reset(), store=store)
    shared = await late.compile("openai")
    assert shared.meta.window_id == main.lineage.current
    assert texts(shared).count("a branch") == 1
    # Branching back and forth in one context gives what contexts of their own give.
    for history in (messages[:6], messages, [*messages[:6], Message("user", "a branch")]):
        late.load(history)
        again = await late.compile("openai")
        assert again.json() == (await context_of(history, overflow=reset(), store=store).compile("openai")).json()


@pytest.mark.feature("O21")
async def test_a_second_process_over_the_same_store_closes_no_window_again() -> None:
    store = Store(MemoryBackend())
    messages = tool_loop(40)
    first = [payload.json() for payload in await driven(context_of(overflow=reset(), store=store), messages)]
    paths = await store.list("archive")
    again = context_of(overflow=reset(), store=store)
    assert [payload.json() for payload in await driven(again, messages)] == first
    assert await store.list("archive") == paths
    cold = await context_of(messages, overflow=reset(), store=store).compile("openai")
    assert cold.json() == first[-1], "a history met for the first time is found by what it says"


@pytest.mark.feature("O21")
async def test_histories_of_one_meaning_and_other_bytes_share_the_window_and_not_the_archive() -> None:
    """Ids and reasoning are the client's to change; what a history says of itself is stored by its own bytes."""
    store = Store(MemoryBackend())

    def session(prefix: str) -> list[Message]:
        messages = [Message("user", "Do the work.")]
        for n in range(16):
            messages += [
                Message(
                    "assistant", f"Step {n}.", tool_calls=[Call("read_file", "{}", f"{prefix}{n}")], thinking=f"{prefix} {n}"
                ),
                Message("tool", f"result {n} " + "x" * 800, tool_call_id=f"{prefix}{n}", name="read_file"),
            ]
        return messages

    first = await context_of(session("a"), overflow=reset(), store=store).compile("openai")
    second = await context_of(session("b"), overflow=reset(), store=store).compile("openai")
    assert elements(first)[0] == elements(second)[0], "one head"
    assert second.meta.archives == first.meta.archives
    assert second.meta.own_archive not in ("", first.meta.archives[0])
    assert b'"b0"' in await store.expand(second.meta.own_archive)
    assert b'"a0"' in await store.expand(first.meta.archives[0])


async def test_a_head_the_caller_wrote_back_is_recognised_and_the_window_goes_on() -> None:
    context = context_of(overflow=reset())
    own: list[Message] = []
    windows = []
    for fresh in model_calls(tool_loop(60)):
        own.extend(fresh)
        context.load(own)
        payload = await context.compile("openai")
        windows.append(payload.meta.window_id)
        if payload.meta.closed:
            own = [m for m in OpenAIChat().parse(payload.json()).messages if m.role != "system"]
        assert texts(payload).count("were set aside without a summary") <= 1
    assert windows == sorted(windows, key=lambda name: int(name[1:]))
    assert len(set(windows)) > 4


async def test_a_request_brings_its_head_and_a_list_leaves_the_head_alone() -> None:
    context = Context(window=8_000)
    context.head = HEAD
    context.load(BODY["messages"], "openai")
    assert (await context.compile("openai")).body["model"] == "a-model"
    context.load(BODY)
    assert (await context.compile("openai")).body["model"] == "gpt-4.1"
    context.load(Request(head=HEAD, messages=(Message("user", "hi"),)))
    assert (await context.compile("openai")).body["model"] == "a-model"


async def test_system_stands_in_front_of_what_a_loaded_conversation_brings_and_is_replaced_by_the_next() -> None:
    context = Context(window=8_000)
    context.system("House rules.")
    context.load(BODY)
    for prompt in ("House rules.", "New rules."):
        context.system(prompt)
        shown = [element["content"] for element in elements(await context.compile("openai")) if element["role"] == "system"]
        assert shown == [prompt, "Be brief."]


@pytest.mark.feature("M2", "M3")
@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "gemini"])
async def test_a_broken_history_is_repaired_and_each_repair_reported(target: str) -> None:
    broken = [
        Message("assistant", "before anybody asked"),
        Message("tool", "nobody called", tool_call_id="c9"),
        Message("user", "go"),
        Message("assistant", tool_calls=[Call("read_file", "{}", "c1"), Call("read_file", "{}", "c2")]),
        Message("user", "typed while the tool ran"),
        Message("tool", "two", tool_call_id="c2"),
        Message("user", ""),
        Message("assistant", "and?"),
        Message("user", "well?"),
    ]
    context = context_of(broken)
    context.head = HEAD
    payload = await context.compile(target)
    assert context.formats.get(target).validate(payload.body) == []
    kinds = {note.detail.split(":")[0] for note in payload.meta.repairs}
    assert kinds >= {"orphan_result", "missing_result", "opening", "empty_message"}
    body = texts(payload)
    assert "nobody called" not in body
    assert body.index("No result was recorded") < body.index("two") < body.index("typed while the tool ran")
    context.append(Message("assistant", "x"), Message("user", "y"))
    assert (await context.compile(target)).meta.repairs == (), "each repair is reported once"


@pytest.mark.feature("M2")
async def test_nothing_ever_splits_a_turn() -> None:
    for strategy_window in (3_000, 4_000, 6_000):
        context = context_of(window=strategy_window, overflow=reset())
        messages = [*tool_loop(20), *(m for n in range(30, 60) for m in round_of(n, ask=f"Next {n}."))]
        for payload in await driven(context, messages):
            opened: list[str] = []
            for element in elements(payload):
                calls = element.get("tool_calls", [])
                assert isinstance(calls, list)
                if element["role"] == "tool":
                    opened.remove(str(element["tool_call_id"]))
                else:
                    assert opened == []
                    opened = [call["id"] for call in calls]
            assert opened == []


async def test_a_body_of_another_format_is_not_taken_for_one_of_the_last() -> None:
    context = Context(window=8_000)
    context.load({"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}]})
    await context.compile("openai")
    use = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
    ]
    context.load({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "S", "messages": messages})
    assert (await context.compile("anthropic")).body["messages"] == messages
    assert [element["role"] for element in elements(await context.compile("openai"))] == ["system", "user", "assistant", "tool"]
    context.load({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]})
    assert elements(await context.compile("openai")) == [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini", "openai-responses", "ollama"])
async def test_a_growing_body_as_text_is_what_it_is_when_all_of_it_is_read(name: str) -> None:
    source, formats = Request(head=HEAD, messages=tuple(tool_loop(12))), builtin_registry()
    first = Context(window=100_000)
    first.load(source)
    body = loads((await first.compile(name)).json())
    assert isinstance(body, dict)
    field = formats.get(name).conversation
    items = body[field]
    assert isinstance(items, list)
    context = Context(window=100_000)
    for count in (1, 4, len(items) - 3, len(items), 6, len(items)):
        text = json.dumps(body | {field: items[:count]}, indent=1).encode()
        context.load(text, name)
        other = Context(window=100_000)
        other.load(formats.get(name).parse(text))
        assert context.messages == other.messages
        assert (await context.compile(name)).json() == (await other.compile(name)).json()


def test_of_a_growing_body_as_text_only_what_is_new_is_parsed() -> None:
    class Counting(OpenAIChat):
        read = 0

        def parse(self, body: object) -> Request:
            request = super().parse(body)
            self.read += len(request.messages)
            return request

        def parse_items(self, items: Sequence[object]) -> tuple[Message, ...]:
            self.read += len(items)
            return super().parse_items(items)

    loader, chat = Loader(), Counting()
    messages = [{"role": "user" if number % 2 == 0 else "assistant", "content": f"part {number}"} for number in range(60)]
    for count in range(1, 61):
        loaded = loader.load(json.dumps({"model": "m", "messages": messages[:count]}).encode(), chat)
        assert (len(loaded.messages), loaded.kept) == (count, count - 1)
    # Beside each one that comes before, which tells where the new ones stand.
    assert chat.read == 60 + 59


def _chat(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def _content(text: str) -> dict[str, object]:
    return {"role": "user", "parts": [{"text": text}]}


@pytest.mark.parametrize(
    ("name", "around", "said"),
    [
        ("openai", {"model": "m"}, _chat),
        ("openai-responses", {"model": "m", "instructions": "Be brief."}, _chat),
        ("anthropic", {"model": "m", "max_tokens": 9, "system": "Be brief."}, _chat),
        ("gemini", {"systemInstruction": {"parts": [{"text": "Be brief."}]}}, _content),
        ("ollama", {"model": "m"}, _chat),
    ],
)
def test_what_stands_around_a_growing_body_is_parsed_again_where_it_changes_and_only_there(
    name: str, around: dict[str, object], said: Callable[[str], dict[str, object]]
) -> None:
    loader, target = Loader(), builtin_registry().get(name)
    items = [] if name not in {"openai", "ollama"} else [{"role": "system", "content": "Be brief."}]

    def loaded(*texts: str, **fields: object) -> Loaded:
        body = {**around, target.conversation: [*items, *map(said, texts)], **fields}
        return loader.load(json.dumps(body).encode(), target)

    before, after = loaded("One"), loaded("One", "Two")
    assert after.head is before.head
    assert [message.text for message in after.messages] == ["Be brief.", "One", "Two"]
    changed = loaded("One", "Two", "Three", seed=7)
    assert changed.head is not None
    assert changed.head.fields["seed"] == 7
    assert [message.text for message in changed.messages] == ["Be brief.", "One", "Two", "Three"]
    assert loaded("One").head == before.head


@pytest.mark.unstable_prefix("the caller writes what stands before the conversation in another order")
async def test_a_body_whose_head_is_written_in_another_order_goes_out_in_that_order() -> None:
    context = Context(window=100_000)
    rest = ({"role": "user", "content": "One"}, {"role": "assistant", "content": "Two"}, {"role": "user", "content": "Three"})
    for count, heads in ((1, {"model": "m", "seed": 1}), (3, {"seed": 1, "model": "m"})):
        body = json.dumps({**heads, "messages": rest[:count]}, separators=(",", ":")).encode()
        context.load(body, "openai")
        assert (await context.compile("openai")).json() == body


@pytest.mark.parametrize("as_text", [True, False])
def test_what_a_growing_body_brings_is_read_as_it_is_in_the_whole(as_text: bool) -> None:
    tools = {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "f"}]}
    instructed = {"type": "message", "role": "developer", "content": "Be brief."}
    items = [tools, instructed, {"role": "user", "content": "One"}, {"role": "assistant", "content": "Two"}, tools, instructed]
    responses, loader = builtin_registry().get("openai-responses"), Loader()
    for number in range(1, len(items) + 1):
        body = {"model": "m", "seen": number // 5, "input": items[:number]}
        loaded = loader.load(json.dumps(body).encode() if as_text else body, responses)
        assert tuple(loaded.messages) == responses.parse(body).messages
