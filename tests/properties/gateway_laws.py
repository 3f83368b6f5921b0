"""The laws that every request of a client through the gateway is held to, and the account of what was seen.

Knows what a client sent, what reached the upstream, what the guard decided, and the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.properties.gateway_clients import Client
from tests.properties.gateway_refusals import refusals

from transom import Message, Store
from transom.gateway.edits import with_usage
from transom.gateway.exchange import Exchange
from transom.jsontext import loads, raw_items, raw_object
from transom.testing.reachability import lost, reach
from transom.tokens.heuristic import Heuristic
from transom.tokens.weigh import weigh
from transom.wire.format import Format
from transom.wire.registry import builtin_registry

__all__ = ["LAWS", "Account", "Laws", "Sent"]

LAWS = (
    "refused for the gateway's sake",
    "over the window",
    "not readable",
    "not stable",
    "newest words gone",
    "instructions gone",
    "pairs split",
    "other bytes changed",
    "failed by a fault",
)

_CLOSED = frozenset({"closed", "retried"})
_CLOSING = _CLOSED | {"failed"}
_UNLIKE = frozenset({"retried", "failed"})
_NEWEST = 12
"""Elements at the end among which the last step and the newest words of the user are."""
_count = Heuristic().count


@dataclass
class Account:
    """What was seen over many sessions, what was wrong by law, and the first lines about it."""

    seen: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)

    def broken(self, law: str, detail: str) -> None:
        """A law was."""
        assert law in LAWS
        self.wrong[law] += 1
        if len(self.said) < 40:
            self.said.append(f"{law}: {detail}"[:900])


@dataclass(slots=True)
class Sent:
    """One request and what became of it.

    Attributes:
        number: the client's.
        body: as it sent it.
        items: the elements of its conversation.
        words: what the user wrote last.
        exchange: as the gateway saw it.
        went: what the upstream got last.
        status: what the client was answered.
        said: the answer.
        faulty: the store failed meanwhile.
    """

    number: str
    body: bytes
    items: list[bytes]
    words: str
    exchange: Exchange
    went: bytes
    status: int
    said: bytes
    faulty: bool = False

    @property
    def actions(self) -> set[str]:
        """What the guard did."""
        return {decision.action for decision in self.exchange.decisions if decision.step == "guard"}


@dataclass(slots=True)
class Laws:
    """What one client's requests are held to.

    Attributes:
        client: how it writes.
        window: tokens the upstream takes.
        ratio: tokens the upstream counts for one of ours.
        model: whom it asks.
        store: the gateway's.
        account: where it is written down.
        sent: requests before, in order.
    """

    client: Client
    window: int
    ratio: float
    model: str
    store: Store
    account: Account
    sent: list[Sent] = field(default_factory=list)

    async def hold(self, *fresh: Sent) -> None:
        """Hold requests to the laws; several that were sent at once."""
        for each in fresh:
            self.account.seen["requests"] += 1
            self.account.seen.update(f"action: {action}" for action in sorted(each.actions))
            self._refused(each)
            self._fits(each)
            self._rest(each)
            self._newest(each)
            self._leading(each)
            if each.went != each.body:
                self._paired(each)
                await self._readable(each)
            faults = [one for one in each.exchange.decisions if one.action == "failed" and "nothing smaller" not in one.reason]
            if faults and not each.faulty:
                self._broken("failed by a fault", each, "the guard failed")
        for each in fresh:
            self._stable(each, [other for other in fresh if other is not each])
        if len(fresh) > 1 and fresh[0].body == fresh[1].body and not any(each.actions & _UNLIKE for each in fresh):
            self.account.seen["at once compared"] += 1
            if fresh[0].went != fresh[1].went:
                self._broken("not stable", fresh[1], "the same at once, and other bytes")
        self.sent.extend(fresh)

    def weight(self, body: bytes) -> int:
        """What the upstream counts: as we do, pictures and all, times what its tokenizer makes of it."""
        parsed = self._format.parse(body)
        conversation = raw_object(body).get(self.client.conversation, b"")
        outer = sum(map(_count, (tool.name for tool in parsed.head.tools))) + _count(
            body.replace(conversation, b"").decode(errors="replace")
        )
        inside = [message for message in parsed.messages if message.origin is None or not message.origin.place]
        return int((outer + sum(weigh(message, Heuristic()) for message in inside)) * self.ratio)

    @property
    def _format(self) -> Format:
        return builtin_registry().get(self.client.protocol)

    def _broken(self, law: str, sent: Sent, detail: str) -> None:
        said = "; ".join(f"{decision.action} ({decision.reason})" for decision in sent.exchange.decisions)
        self.account.broken(
            law,
            f"{self.client.protocol}, window {self.window}, request {sent.number} of {len(sent.items)}: {detail} [{said}]",
        )

    def _unheard(self, sent: Sent) -> bool:
        """The upstream counts far more than we do, refused twice and never said how much."""
        numberless = self.client.protocol in {"ollama", "openai-responses"}
        return sent.status == 400 and self.ratio > 1.1 and numberless and "retried" in sent.actions

    def _violations(self, body: bytes) -> list[str]:
        parsed = loads(body)
        assert isinstance(parsed, dict)
        named = parsed if "model" in parsed else {**parsed, "model": self.model}
        return [violation.message for violation in self._format.validate(named)]

    def _refused(self, sent: Sent) -> None:
        alone = self._violations(sent.body)
        if alone:
            # What the upstream would have refused all the same.
            self.account.seen["refused directly too"] += 1
            return
        if self._unheard(sent):
            self.account.seen["overflows without a number handed on after a second try"] += 1
            return
        if sent.status != 200 and "nothing may leave" not in str(sent.exchange.decisions):
            self._broken("refused for the gateway's sake", sent, f"{sent.status} {sent.said[:200]!r}")
        if found := [*self._violations(sent.went), *refusals(self.client.protocol, sent.body, sent.went)]:
            self._broken("refused for the gateway's sake", sent, found[0])

    def _fits(self, sent: Sent) -> None:
        exchange = sent.exchange
        reasons = [decision.reason for decision in exchange.decisions if decision.step == "guard"]
        if any("nothing may leave" in reason for reason in reasons):
            self.account.seen["could not be closed"] += 1
            newest = _count(b"".join(sent.items[-_NEWEST:]).decode(errors="replace"))
            outer = _count(sent.body.replace(raw_object(sent.body)[self.client.conversation], b"").decode(errors="replace"))
            outer += sum(_count(item.decode(errors="replace")) for item in sent.items[:1])
            if newest + outer < self.window * 0.4:
                self._broken("over the window", sent, f"{newest} + {outer} were all that had to stay")
            return
        if sent.faulty or exchange.window is None or self._unheard(sent):
            return
        if exchange.tokens_after is None or exchange.tokens_after > exchange.window:
            self._broken("over the window", sent, f"{exchange.tokens_after} of {exchange.window}")
        if (seen := self.weight(sent.went)) > self.window:
            self._broken("over the window", sent, f"{seen} of {self.window}, thought {exchange.tokens_after}")

    def _rest(self, sent: Sent) -> None:
        name = self.client.conversation
        wanted = sent.body
        if self.client.protocol == "openai" and self.client.stream:
            wanted = with_usage(wanted)
        before, behind = wanted.split(raw_object(wanted)[name], 1)
        listed = raw_object(sent.went).get(name, b"")
        if sent.went != before + listed + behind:
            self._broken("other bytes changed", sent, f"{sent.went[:80]!r} … {sent.went[-80:]!r}")
        if sent.went != wanted:
            unlike = [item for item in raw_items(listed) if item not in set(sent.items)]
            self.account.seen["elements of our own"] += len(unlike)
            self.account.seen["requests edited"] += 1

    def _newest(self, sent: Sent) -> None:
        if _holds(loads(sent.went), sent.words):
            return
        if _count(sent.words) > self.window // 10:
            self.account.seen["newest words set aside"] += 1
            return
        self._broken("newest words gone", sent, repr(sent.words[:80]))

    def _leading(self, sent: Sent) -> None:
        """What leads the conversation, tools and instructions, leads it still."""
        led = sent.items[: _led(sent)]
        if raw_items(raw_object(sent.went)[self.client.conversation])[: len(led)] != led:
            self._broken("instructions gone", sent, f"{len(led)} items")

    def _paired(self, sent: Sent) -> None:
        calls, results = Counter[str](), Counter[str]()
        for message in self._format.parse(sent.went).messages:
            calls.update(call.id for call in message.tool_calls if call.id)
            results.update(result.call_id for result in message.results if result.call_id)
        if calls != results:
            self._broken("pairs split", sent, f"{(calls - results) or (results - calls)}")
        self.account.seen["pairs looked at"] += calls.total()
        if self.client.protocol == "ollama":
            waiting = 0
            for item in loads(raw_object(sent.went)["messages"]):  # type: ignore[attr-defined]
                if item["role"] == "tool":
                    waiting -= 1
                elif waiting:
                    self._broken("pairs split", sent, f"{waiting} results are missing")
                    return
                else:
                    waiting = len(item.get("tool_calls") or ())

    async def _readable(self, sent: Sent) -> None:
        store = self.store.scoped(sent.exchange.scope) if sent.exchange.scope else self.store
        uris = [uri for decision in sent.exchange.decisions for uri in decision.uris]
        body = loads(sent.went)
        messages: Sequence[Message] = self._format.parse(sent.body).messages
        gone, dangling = await lost(body, messages, store, more=uris)
        self.account.seen["messages looked for"] += len(messages)
        for each in gone:
            self._broken("not readable", sent, f"{each.kind} of message {each.message}: {each.text[:80]!r}")
        for uri in dangling:
            self._broken("not readable", sent, f"{uri} leads nowhere")
        found = await reach(body, store, more=uris)
        for index, message in enumerate(messages):
            if message.thinking and not found.holds(message.thinking):
                self._broken("not readable", sent, f"thinking of message {index}: {message.thinking[:80]!r}")
        self.account.seen["addresses read"] += len(found.uris)

    def _stable(self, sent: Sent, beside: Sequence[Sent]) -> None:
        """Against the newest request before it that it goes on with, where no window closed since that it goes on with, too.

        A window is the conversation's, whatever system prompt leads it. What closed in another branch excuses nothing.
        """
        if sent.status != 200 or sent.faulty or sent.actions & _CLOSING:
            return
        session = sent.exchange.session
        for at in range(len(self.sent) - 1, -1, -1):
            before = self.sent[at]
            if before.exchange.session == session and before.items == sent.items[: len(before.items)]:
                break
        else:
            return
        if before.status != 200 or before.faulty:
            return
        for index, one in enumerate([*self.sent, *beside]):
            is_later = index > at or len(_talk(one)) > len(_talk(before))
            if is_later and one.actions & _CLOSED and _talk(one) == _talk(sent)[: len(_talk(one))]:
                return
        was = raw_object(before.went)[self.client.conversation]
        now = raw_object(sent.went)[self.client.conversation]
        self.account.seen["prefixes compared"] += 1
        edited = was != raw_object(before.body)[self.client.conversation]
        self.account.seen["prefixes compared of closed ones"] += edited
        if sent.body == before.body:
            self.account.seen["repeats compared"] += 1
            if sent.went != before.went:
                self._broken("not stable", sent, "repeated, and other bytes")
        elif not now.startswith(was[:-1].rstrip()):
            at = next((i for i, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), len(now))
            self._broken("not stable", sent, f"{was[max(0, at - 60) : at + 60]!r} / {now[max(0, at - 60) : at + 60]!r}")


def _led(sent: Sent) -> int:
    """Elements that lead the conversation."""
    for at, item in enumerate(sent.items):
        value = loads(item)
        if not isinstance(value, dict) or value.get("role") not in {"system", "developer"}:
            return at
    return len(sent.items)


def _talk(sent: Sent) -> list[bytes]:
    """The conversation without what leads it."""
    return sent.items[_led(sent) :]


def _holds(value: object, text: str) -> bool:
    match value:
        case str():
            return text in value
        case dict():
            return any(_holds(item, text) for item in value.values())
        case list():
            return any(_holds(item, text) for item in value)
        case _:
            return False
