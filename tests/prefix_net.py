"""The net under the whole suite: no compile in any test may change what its window has sent before.

Wraps ``Context.compile`` while a test runs and compares each payload with the one before it, for the same context and target.
A caller that changes the head, the system prompt or the past, or that transforms messages in a slot, asked for a new prefix;
everything else that breaks it fails the test. A test leaves the net with ``@pytest.mark.unstable_prefix("why")``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import is_
from weakref import WeakKeyDictionary

import pytest

from transom.engine.context import Context
from transom.engine.payload import Payload, common_prefix
from transom.engine.slots import SlotFunction, SlotName
from transom.messages import Message
from transom.wire.format import Head

TRANSFORMING = ("after-assemble", "before-adapt", "after-adapt")
WHOLE_BODY_BELOW = 256_000
"""Bodies up to this size are also compared as they are sent, without what the engine says about them."""


@dataclass(frozen=True)
class Sent:
    """What is remembered of one compile."""

    payload: Payload
    messages: tuple[Message, ...]
    head: Head


@dataclass
class PrefixNet:
    """Everything compiled in one test, and what broke."""

    broken: list[str] = field(default_factory=list)
    sent: WeakKeyDictionary[Context, dict[str, Sent]] = field(default_factory=WeakKeyDictionary)
    transformed: WeakKeyDictionary[Context, bool] = field(default_factory=WeakKeyDictionary)

    def take(self, context: Context, payload: Payload) -> None:
        """Compare a payload with the one before it."""
        target = payload.meta.target
        known = self.sent.setdefault(context, {})
        before, now = known.get(target), Sent(payload, context.messages, context.head)
        known[target] = now
        if before is not None and before.payload.meta.window_id == payload.meta.window_id and not self.transformed.get(context):
            wrong = _broken(before.payload, payload)
            if wrong and _same_past(before, now):
                self.broken.append(f"{target}, window {payload.meta.window_id}: {wrong}")


def _broken(before: Payload, now: Payload) -> str:
    held = common_prefix(before.sequence.pieces, now.sequence.pieces)
    if held < before.sequence.stable:
        return f"{before.sequence.stable} bytes were to stand still, {held} did"
    if before.meta.tail_bytes == 0 and before.sequence.length < WHOLE_BODY_BELOW:
        old, new = before.json(), now.json()
        if b'"cache_control"' not in old and b'"cache_control"' not in new and not new.startswith(old.rstrip(b'"]}')):
            return "the body before is no prefix of this one, although its account says so"
    return ""


def _same_past(before: Sent, now: Sent) -> bool:
    extended = len(before.messages) <= len(now.messages) and all(map(is_, before.messages, now.messages))
    return extended and before.head == now.head and _system(before.payload) == _system(now.payload)


def _system(payload: Payload) -> object:
    body: Mapping[str, object] = payload.body
    leading: list[object] = []
    for name in ("messages", "input"):
        elements = body.get(name)
        for element in elements if isinstance(elements, list) else ():
            if not isinstance(element, dict) or element.get("role") not in ("system", "developer"):
                break
            leading.append(element)
    return [body.get(name) for name in ("system", "instructions", "systemInstruction")] + leading


@contextmanager
def prefix_net() -> Iterator[PrefixNet]:
    """Watch every compile until the block ends."""
    net = PrefixNet()
    compile_, use = Context.compile, Context.use

    async def watched(self: Context, target: str | None = None, *, cancelled: Callable[[], bool] | None = None) -> Payload:
        payload = await compile_(self, target, cancelled=cancelled)
        net.take(self, payload)
        return payload

    def noted(self: Context, slot: SlotName, function: SlotFunction) -> Callable[[], None]:
        net.transformed[self] = net.transformed.get(self, False) or slot in TRANSFORMING
        return use(self, slot, function)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Context, "compile", watched)
        patch.setattr(Context, "use", noted)
        yield net
