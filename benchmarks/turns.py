"""Conversations compiled turn by turn in each of the ways that callers have, and what the promises look at in each turn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from figures import TRANSCRIPTS
from sessions import chat_body, session

from transom import Context, Message, Payload, Store, TransomError
from transom.engine.overflow.archive import original_line
from transom.errors import JSONError, WindowError
from transom.jsontext import canonical, loads
from transom.store.uri import format_uri, mentions, parse_uri
from transom.wire.format import Head
from transom.wire.registry import builtin_registry
from transom.wire.transcripts import load
from transom.wire.transcripts.sendable import sendable_head

__all__ = ["STYLES", "TARGETS", "Account", "Conversation", "conversations", "generated", "read_back", "run_turns", "source"]

STYLES = ("appended", "whole history loaded", "head written back")
TARGETS = ("openai", "openai-responses", "anthropic", "gemini")


@dataclass(frozen=True, slots=True)
class Conversation:
    """One session of an agent.

    Attributes:
        name: where it comes from.
        messages: all of them.
        calls: how many of them the agent had before each call of its model.
        head: model and tools.
    """

    name: str
    messages: tuple[Message, ...]
    calls: tuple[int, ...]
    head: Head


@dataclass(slots=True)
class Account:
    """What happened over the turns of any number of conversations.

    Attributes:
        turns, closings: how many.
        prefix_breaks: turns that changed what the window had sent.
        over_window: turns that came out larger than the window.
        refused: turns that ended in an error that the window's size allows, other errors in words.
        removed: addresses of what a repair took out of an invalid history (an orphan result), as the payloads' notes name them.
        held, reusable: bytes equal to the turn before, and bytes that might have been.
    """

    turns: int = 0
    closings: int = 0
    prefix_breaks: int = 0
    over_window: int = 0
    refused: int = 0
    errors: list[str] = field(default_factory=list)
    removed: set[str] = field(default_factory=set)
    held: int = 0
    reusable: int = 0

    @property
    def reuse(self) -> float:
        """Share of the bytes that a provider's cache would have had."""
        return self.held / self.reusable if self.reusable else 1.0


def source() -> str:
    """What ``conversations`` reads, in words."""
    return "22 recorded sessions" if TRANSCRIPTS.is_dir() else "generated sessions (no recorded ones here)"


def conversations() -> Iterator[Conversation]:
    """Every segment of the recorded sessions beside the checkout; where there are none, five generated ones."""
    if not TRANSCRIPTS.is_dir():
        for seed in range(5):
            yield generated(300, seed=seed)
        return
    for path in sorted(TRANSCRIPTS.iterdir()):
        if path.suffix != ".md":
            yield from _recorded(path)


def _recorded(path: Path) -> Iterator[Conversation]:
    for conversation in load(path.read_bytes(), name=path.name).conversations:
        for place, segment in enumerate(conversation.segments, start=1):
            calls = tuple(call.at for call in segment.calls)
            yield Conversation(f"{path.name} {conversation.id}/{place}", segment.messages, calls, sendable_head(segment))


def generated(count: int, *, seed: int = 5) -> Conversation:
    """A generated session; its model was called before each of its answers."""
    request = builtin_registry().get("openai").parse(chat_body(session(count, seed=seed)))
    calls = tuple(index for index, message in enumerate(request.messages) if message.role == "assistant")
    return Conversation(f"generated {seed}", request.messages, calls, request.head)


async def run_turns(
    talk: Conversation, context: Context, target: str, style: str, account: Account, kept: list[Payload] | None = None
) -> Payload | None:
    """Compile every turn of a conversation; the last payload.

    Args:
        talk, context, target: what is compiled, by what, for whom.
        style: one of ``STYLES``.
        account: what happens is added to it.
        kept: takes the payloads that moved something.
    """
    context.head = talk.head
    parser = context.formats.get(target)
    history: list[Message] = []
    given = 0
    last: Payload | None = None
    before: Payload | None = None
    for at in talk.calls:
        if style == "appended":
            context.append(*talk.messages[given:at])
        elif style == "whole history loaded":
            context.load(list(talk.messages[:at]))
        else:
            history.extend(talk.messages[given:at])
            context.load(list(history))
        given = at
        account.turns += 1
        try:
            last = await context.compile(target)
        except WindowError:
            account.refused += 1
            before = None
            continue
        except TransomError as error:
            account.errors.append(f"{talk.name}: {error}")
            before = None
            continue
        _note(account, last, before)
        if last.meta.moved and kept is not None:
            kept.append(last)
        if style == "head written back" and last.meta.closed:
            history = list(parser.parse(last.json()).messages)
        before = last
    return last


def _note(account: Account, now: Payload, before: Payload | None) -> None:
    meta = now.meta
    account.closings += bool(meta.closed)
    account.over_window += meta.tokens_after + meta.reserve > meta.window
    account.removed.update(format_uri(*address) for note in meta.repairs for address in mentions(note.detail))
    if before is None:
        return
    reusable = before.meta.sequence_bytes - before.meta.tail_bytes
    account.held += min(meta.prefix_bytes, reusable)
    account.reusable += reusable
    if before.meta.window_id == meta.window_id:
        # Judged by the bytes sent: the conversation stands last, so all but the brackets behind it has to come again.
        sent = before.json()
        stable = len(sent.rstrip(b"]}")) - before.meta.tail_bytes
        account.prefix_breaks += sent[:stable] != now.json()[:stable]


async def read_back(store: Store, payloads: Sequence[Payload], messages: Sequence[Message]) -> tuple[int, int]:
    """How many of the things that left a window come back through their address as they were, and how many left.

    A text must come back byte for byte under its own digest, every line of an archive as a message of the history (or a head of
    ours), equal as JSON.
    """
    lines = {_value(original_line(message)) for message in messages}
    moved = {item.uri: item for payload in payloads for item in payload.meta.moved}
    good = 0
    for uri, item in moved.items():
        try:
            data = await store.get(uri)
            whole = await store.expand(uri)
        except TransomError:
            continue
        if len(data) != item.bytes:
            continue
        if parse_uri(uri).namespace != "archive":
            good += not item.text or data == item.text.encode("utf-8", "surrogatepass")
            continue
        archived = whole.removesuffix(b"\n").split(b"\n")
        good += all(_value(line) in lines or b"context://" in line for line in archived)
        await asyncio.sleep(0)
    return good, len(moved)


def _value(line: bytes) -> bytes:
    try:
        return canonical(loads(line))
    except JSONError:
        return b" ".join(line.split())
