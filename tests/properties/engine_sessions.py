"""How a caller drives a context through a session, in each calling style, and what every payload is held to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from transom import Context, Message
from transom.engine.overflow.strategy import Strategy
from transom.engine.payload import Payload
from transom.errors import WindowError
from transom.jsontext import loads, raw_object
from transom.messages import Text, Tool, ensure_valid_history, group_turns, is_user_request, leading_system
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.tokens import weigh, weigh_tools
from transom.tokens.chars import Chars
from transom.wire.format import Head, Request

Style = Literal["append", "load", "head"]
STYLES: tuple[Style, ...] = ("append", "load", "head")
TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
CONVERSATION = {"openai": "messages", "openai-responses": "input", "anthropic": "messages", "gemini": "contents"}

HEAD = Head(
    model="a-model",
    tools=tuple(
        Tool(name, description=f"Does {name}.", parameters={"type": "object", "properties": {}})
        for name in ("read_file", "run", "search-web", "f", "get_weather")
    ),
)
CHARS = Chars()


@dataclass
class Turn:
    """One compile: what the caller had, and what came of it."""

    history: tuple[Message, ...]
    payload: Payload | None
    error: WindowError | None = None
    handed: tuple[Message, ...] = ()
    wrote_back: bool = False

    @property
    def body(self) -> bytes:
        return self.payload.json() if self.payload is not None else b""


@dataclass
class Session:
    """A run of a whole session."""

    target: str
    context: Context
    turns: list[Turn] = field(default_factory=list)

    @property
    def bodies(self) -> list[bytes]:
        return [turn.body for turn in self.turns]


def calls_of(messages: Sequence[Message]) -> list[int]:
    """Where an agent calls its model: after the user wrote or all results are there, and once at the end."""
    places = [
        index
        for index in range(1, len(messages))
        if messages[index].role == "assistant" and messages[index - 1].role != "system"
    ]
    return [*places, len(messages)]


def memory_store(scope: str = "") -> Store:
    return Store(MemoryBackend(), scope=scope)


def context_for(window: int, store: Store, overflow: Strategy | None = None, **more: object) -> Context:
    context = Context(window=window, store=store, overflow=overflow, tokenizer="chars4", check=True, **more)  # type: ignore[arg-type]
    context.head = HEAD
    return context


async def run_session(
    messages: Sequence[Message],
    *,
    target: str = "openai",
    window: int = 4_000,
    store: Store | None = None,
    style: Style = "append",
    overflow: Strategy | None = None,
    tail: str | None = None,
    stops: Sequence[int] | None = None,
    make: Callable[[int, Store], Context] = context_for,
) -> Session:
    """Compile at every model call, as a caller of the style would."""
    store = store if store is not None else memory_store()
    context = make(window, store) if overflow is None else context_for(window, store, overflow)
    session = Session(target, context)
    broken: list[object] = []
    context.on("invariant_broken", broken.append)
    given = 0
    own: list[Message] = []
    wrote_back = False
    for stop in stops if stops is not None else calls_of(messages):
        fresh = messages[given:stop]
        given = stop
        if tail is not None:
            context.tail(f"{tail} {stop}")
        own.extend(fresh)
        match style:
            case "append":
                context.append(*fresh)
            case "load" | "head":
                context.load(Request(head=HEAD, messages=tuple(own)))
        try:
            payload = await context.compile(target)
        except WindowError as error:
            session.turns.append(Turn(tuple(messages[:stop]), None, error, tuple(own)))
            continue
        session.turns.append(Turn(tuple(messages[:stop]), payload, handed=tuple(own), wrote_back=wrote_back))
        wrote_back = False
        if style == "head" and payload.meta.parts["head"]:
            sent = context.formats.get(target).parse(payload.json()).messages
            wrote_back = _opening(sent) != _opening(own)
            own = list(sent) if wrote_back else own
    assert broken == [], broken
    return session


def _opening(messages: Sequence[Message]) -> str:
    first = messages[leading_system(messages)].parts[0]
    return first.text if isinstance(first, Text) else ""


def room_without(turn: Turn, window: int) -> int:
    """Tokens that system prompt, tools, pinned turns and reserve leave to what has to stay in its shortest form; may be < 0.

    That is: a notice, the last turn and the newest user message, each text no longer than a mark with its address.
    """
    leading = leading_system(turn.handed)
    valid, _ = ensure_valid_history(turn.handed[leading:])
    turns = [valid[span.start : span.stop] for span in group_turns(valid)]
    fixed = weigh_tools(HEAD.tools, CHARS) + sum(weigh(message, CHARS) for message in turn.handed[:leading])
    fixed += sum(weigh(message, CHARS) for group in turns if any(m.pinned for m in group) for message in group)
    newest = max((i for i, group in enumerate(turns) if any(map(is_user_request, group))), default=-1)
    staying = {newest, len(turns) - 1}
    least = 60 + sum(_least(message) for i in staying if not any(m.pinned for m in turns[i]) for message in turns[i])
    return window - max(1_024, window // 10) - fixed - least


def _least(message: Message) -> int:
    whole = weigh(message, CHARS)
    return min(whole, 20 + sum(min(weigh(Message.of(message.role, (part,)), CHARS), 110) for part in message.parts))


_MARKER = re.compile(rb',?"cache_control":\{[^{}]*\}')


def sequence(body: bytes, target: str) -> bytes:
    """Tools, system and conversation as they stand in a payload, without closing brackets and cache markers."""
    members = raw_object(_MARKER.sub(b"", body))
    conversation = members.get(CONVERSATION[target], b"[]")
    system = b"".join(members.get(name, b"") for name in ("system", "instructions", "systemInstruction", "system_instruction"))
    return members.get("tools", b"") + system + conversation.rstrip(b"]}")


def prefix_breaks(session: Session) -> Iterator[str]:
    """Every turn that changed what its window had sent before, recomputed from the bytes sent."""
    before: Turn | None = None
    for number, turn in enumerate(session.turns):
        if turn.payload is None:
            continue
        if before is not None and before.payload is not None and before.payload.meta.window_id == turn.payload.meta.window_id:
            old, new = sequence(before.body, session.target), sequence(turn.body, session.target)
            tail = before.payload.meta.tail_bytes
            kept = old[: len(old) - tail].rstrip(b"]}") if tail else old
            # Text that first appears before a begun answer joins the message that stood last: what only closed it gives way.
            joins = not tail and turn.payload.meta.tail_bytes > 0
            if joins:
                kept = kept.rstrip(b'"]}')
            if not new.startswith(kept):
                at = next((i for i, (a, b) in enumerate(zip(kept, new, strict=False)) if a != b), min(len(kept), len(new)))
                yield f"turn {number}: held {at} of {len(kept)} bytes: {old[at - 40 : at + 80]!r} / {new[at - 40 : at + 80]!r}"
            meta = turn.payload.meta
            # What was written back has closing brackets of its own, which the payload's own measure leaves out.
            due = before.payload.sequence.reach if joins else before.payload.meta.sequence_bytes - tail
            if not turn.wrote_back and meta.prefix_bytes < due:
                yield f"turn {number}: the payload itself says {meta.prefix_bytes}"
        before = turn


def body_of(turn: Turn) -> object:
    return loads(turn.body)
