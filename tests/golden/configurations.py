"""The configurations of the golden suite: each drives a context as a caller would and returns its last payload."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from tests.golden.sessions import REQUESTS, SYSTEM, TOOLS, agent_session, listing, turns_of

from transom import Call, Context, Message, Payload, Result, Text, chain, clear, digest, reset
from transom.messages import Attachment, RedactedThinking, Thinking, ToolChoice
from transom.wire.format import Head
from transom.wire.transcripts import load

__all__ = ["CONFIGURATIONS", "TARGETS"]

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
DEMO = Path(__file__).resolve().parent.parent.parent / "examples" / "demo-session.json"

Configuration = Callable[[str], Awaitable[Payload]]


def _agent(context: Context) -> Context:
    context.head = Head(model="a-model", tools=TOOLS, max_output_tokens=512)
    context.system(SYSTEM)
    return context


async def _driven(context: Context, target: str, messages: Iterable[Message]) -> Payload:
    """One compile for each call the agent would make; the last payload."""
    payload = None
    for fresh in turns_of(list(messages)):
        context.append(*fresh)
        payload = await context.compile(target)
    assert payload is not None
    return payload


async def plain(target: str) -> Payload:
    context = Context(window=8_000)
    context.head = Head(model="a-model")
    context.append(Message("user", "Hello — grüß dich, 你好!"), Message("assistant", "Hi."), Message("user", "What is 2 + 2?"))
    return await context.compile(target)


async def tools_and_sampling(target: str) -> Payload:
    context = Context(window=8_000)
    context.head = Head(
        model="a-model",
        tools=TOOLS,
        tool_choice=ToolChoice("auto"),
        max_output_tokens=1_024,
        params={"temperature": 0.2, "top_p": 0.9, "stop": ["END"]},
    )
    context.system(SYSTEM, cache_breakpoint=True)
    return await _driven(context, target, agent_session(3, lines=3))


async def clear_alone(target: str) -> Payload:
    return await _driven(_agent(Context(window=6_000, overflow=clear(keep_recent=2))), target, agent_session(14))


async def digest_alone(target: str) -> Payload:
    return await _driven(_agent(Context(window=5_000, overflow=digest())), target, agent_session(18))


async def reset_alone(target: str) -> Payload:
    return await _driven(_agent(Context(window=5_000, overflow=reset())), target, agent_session(14))


async def default_chain(target: str) -> Payload:
    context = Context(window=6_000, overflow=chain(clear(), digest(), reset()), tokenizer="o200k")
    return await _driven(_agent(context), target, agent_session(26))


async def pinned_turns(target: str) -> Payload:
    rules = Message("user", "Project rules: commit small, never force-push.", pinned=True)
    noted = Message("assistant", "Noted, I will.", pinned=True)
    first, *rest = agent_session(14)
    return await _driven(_agent(Context(window=5_000, overflow=reset())), target, [first, noted, rules, *rest])


async def pruned_results(target: str) -> Payload:
    long = listing("src/long.py", 200) + "Error: the build stopped\n" + listing("src/long.py", 300)
    messages = [
        Message("user", REQUESTS[2]),
        Message("assistant", tool_calls=[Call("run", '{"command":"make"}', "c1"), Call("read_file", '{"path":"a"}', "c2")]),
        Message("tool", long, tool_call_id="c1", name="run"),
        Message("tool", "short", tool_call_id="c2", name="read_file"),
        Message("user", "Go on."),
    ]
    return await _driven(_agent(Context(window=12_000)), target, messages)


async def oversized_last_turn(target: str) -> Payload:
    messages = [
        Message("user", "Summarise this:\n" + listing("notes.md", 90)),
        Message("assistant", tool_calls=[Call("read_file", '{"path":"b"}', "c1")]),
        Message("tool", listing("src/b.py", 180), tool_call_id="c1", name="read_file"),
    ]
    return await _driven(_agent(Context(window=3_000)), target, messages)


async def tail_and_slots(target: str) -> Payload:
    context = _agent(Context(window=8_000))
    context.use("before-assemble", lambda state: state.inject("Open file: src/part_1.py"))
    context.use("after-adapt", lambda body: {**body, "x_trace": "golden"})
    payload = None
    for number, fresh in enumerate(turns_of(list(agent_session(2, lines=2)))):
        context.append(*fresh)
        context.tail(f"Budget: {number} of 9 steps used.")
        payload = await context.compile(target)
    assert payload is not None
    return payload


async def every_kind_of_part(target: str) -> Payload:
    context = _agent(Context(window=8_000))
    context.append(
        Message("user", [Text("What is in this picture?"), Attachment("image/png", data=PIXEL)]),
        Message(
            "assistant",
            [Thinking("A pixel.", signature="c2lnbmVk"), RedactedThinking("cmVkYWN0ZWQ="), Text("Two things to look at.")],
            tool_calls=[Call("read_file", '{"path":"a.txt"}', "call_a"), Call("run", '{"command":"file b.png"}', "call_b")],
        ),
        Message("tool", "a.txt: not found", tool_call_id="call_a", name="read_file", is_error=True),
        Message(
            "tool",
            [Result((Text("a picture"), Attachment("image/png", data=PIXEL)), call_id="call_b", name="run")],
        ),
        Message("system", "The user is in a hurry.", positional=True),
        Message("user", "Well?"),
    )
    return await context.compile(target)


async def foreign_format(target: str) -> Payload:
    call = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": '{"command": "ls"}'}}
    body = {
        "model": "gpt-4.1",
        "tools": [{"type": "function", "function": {"name": "run", "parameters": {"type": "object", "properties": {}}}}],
        "tool_choice": "auto",
        "logit_bias": {"50256": -100},
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "list the files", "x_client": 7},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "a.py"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "b.py"}]},
            {"role": "tool", "tool_call_id": "call_9", "content": "nobody asked"},
            {"role": "user", "content": [{"type": "text", "text": "thanks"}]},
        ],
    }
    context = Context(window=8_000)
    context.load(body, "openai")
    return await context.compile(target)


async def head_written_back(target: str) -> Payload:
    """A caller who keeps the payload's conversation as its own history from then on."""
    context = _agent(Context(window=5_000, overflow=chain(digest(), reset())))
    own: list[Message] = []
    payload = None
    for fresh in turns_of(list(agent_session(20))):
        own.extend(fresh)
        context.load(own)
        payload = await context.compile(target)
        if payload.meta.closed:
            parsed = context.formats.get(target).parse(payload.json())
            own = [message for message in parsed.messages if message.role != "system"]
    assert payload is not None
    return payload


async def prefilled(target: str) -> Payload:
    context = _agent(Context(window=8_000))
    context.tail("Answer in JSON.")
    context.append(Message("user", "Name a colour."), Message("assistant", '{"colour": "'))
    return await context.compile(target)


async def demo_session(target: str) -> Payload:
    """The start of the recorded session that the README replays."""
    segment = load(DEMO.read_bytes(), "openai-chat", name=DEMO.name).conversations[0].segments[0]
    context = Context(window=12_000)
    context.head = segment.head
    payload, given = None, 0
    for call in segment.calls[:40]:
        context.append(*segment.messages[given : call.at])
        given = call.at
        payload = await context.compile(target)
    assert payload is not None
    return payload


CONFIGURATIONS: dict[str, Configuration] = {
    configuration.__name__.replace("_", "-"): configuration
    for configuration in (
        plain,
        tools_and_sampling,
        clear_alone,
        digest_alone,
        reset_alone,
        default_chain,
        pinned_turns,
        pruned_results,
        oversized_last_turn,
        tail_and_slots,
        every_kind_of_part,
        foreign_format,
        head_written_back,
        prefilled,
        demo_session,
    )
}
