"""A conversation made valid, message by message, and cut into turns.

Pure. ``History`` takes messages in the order they came and keeps, beside them, what every provider insists on: each call has
exactly one result right after its turn, in call order; no result without its call; the first message that is not a system
message is the user's; nothing is empty. What it changes it reports; what it takes out stands in the report whole, so that the
caller can store it.

The outcome is a function of the messages alone, and what is settled never changes when more is appended. Only the end may
still move: a turn whose calls are not all answered, and what stands behind it. ``settled`` says how far the result is final.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..vocabulary import ENGLISH
from ..vocabulary.mending import MendingWords
from .digest import ROOT, link
from .message import Message
from .parts import Call, Opaque, Part, Result, Text

__all__ = ["History", "Repair", "Turn", "ensure_valid_history"]


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was changed to make the history valid.

    Attributes:
        kind: ``orphan_result``, ``duplicate_result``, ``missing_result``, ``reordered_result``, ``renamed_id``, ``opening``
            or ``empty_message``.
        index: index of the message in the order it was handed in.
        detail: what happened, in one line.
        removed: the message as it was, where all or part of it was taken out.
    """

    kind: str
    index: int
    detail: str
    removed: Message | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One atomic unit of a valid history.

    Attributes:
        messages: in the order a provider wants them.
        linked: the same with ids present and unique in the whole conversation, for targets that insist. Often the same tuple.
        ordinals: for each message, which calls of the turn its results answer.
        sources: for each message, its index as handed in; -1 for a stand-in.
    """

    messages: tuple[Message, ...]
    linked: tuple[Message, ...]
    ordinals: tuple[tuple[int, ...], ...]
    sources: tuple[int, ...]

    @property
    def pinned(self) -> bool:
        """Any pinned message protects its turn."""
        return any(message.pinned for message in self.messages)


@dataclass(slots=True)
class _Slot:
    """One call of the open turn, and whether a result came."""

    call: Call
    fresh_id: str
    answered: bool = False


class _OpenTurn:
    """An assistant run that may still grow or be answered.

    Calls wait in rows: all of them, those of an id, those of a tool, and those of a tool without an id. A row is gone through
    once, however many results come.
    """

    __slots__ = ("_rows", "calls", "held", "results", "run", "taken", "waiting")

    def __init__(self) -> None:
        self.run: list[tuple[int, Message]] = []
        self.calls: list[_Slot] = []
        self.results: list[tuple[int, Message, tuple[int, ...]]] = []
        self.held: list[tuple[int, Message]] = []
        self.taken: set[str] = set()
        self.waiting = 0
        self._rows: dict[tuple[str, ...], deque[int]] = {}

    @property
    def unanswered(self) -> bool:
        return self.waiting > 0

    def add(self, slot: _Slot) -> None:
        call, ordinal = slot.call, len(self.calls)
        self.calls.append(slot)
        self.taken.add(slot.fresh_id)
        self.waiting += 1
        unnamed = () if call.id else (("without id", call.name),)
        for row in ((), ("id", call.id), ("tool", call.name), *unnamed):
            self._rows.setdefault(row, deque()).append(ordinal)

    def has(self, call_id: str) -> bool:
        """Whether it has a call of that id, answered or not."""
        return ("id", call_id) in self._rows

    def first(self, *row: str) -> int | None:
        """The first call of a row that waits."""
        waiting = self._rows.get(row, deque())
        while waiting and self.calls[waiting[0]].answered:
            waiting.popleft()
        return waiting[0] if waiting else None

    def answer(self, result: Result) -> int | None:
        """Which call a result answers: by id, else, where ids are missing on either side, by order. ``None`` for none."""
        found = self.first("id", result.call_id) if result.call_id else None
        if found is None:
            # A row without an id holds what has none.
            kind, others = ("without id", ("id", "")) if result.call_id else ("tool", ())
            found = self.first(kind, result.name) if result.name else None
            found = self.first(*others) if found is None else found
        if found is not None:
            self.calls[found].answered = True
            self.waiting -= 1
        return found


class History:
    """Messages in, valid turns out, in time proportional to what is new.

    Args:
        words: what stand-ins say.

    Attributes:
        turns: the settled turns.
        repairs: what was changed so far among settled turns.
        prefix: prefix digests after each number of settled turns.
        arrivals: prefix digests after each number of messages handed in, in the order they came: they tell apart histories
            whose settled turns are the same.
    """

    def __init__(self, words: MendingWords = ENGLISH.mending) -> None:
        self._words = words
        self.turns: list[Turn] = []
        self.repairs: list[Repair] = []
        self.prefix: list[bytes] = [ROOT]
        self.arrivals: list[bytes] = [ROOT]
        self._count = 0
        self._open: _OpenTurn | None = None
        self._ids: set[str] = set()
        self._opened = False

    def extend(self, messages: Iterable[Message]) -> None:
        """Add messages in order. Leading system messages do not belong here: they are the system prompt.

        A message that cannot be weighed or compared raises before any of them is added.
        """
        added = list(messages)
        arrivals = [self.arrivals[-1]]
        for message in added:
            arrivals.append(link(arrivals[-1], message))
        for message in added:
            self._add(self._count, message)
            self._count += 1
        self.arrivals.extend(arrivals[1:])

    @property
    def count(self) -> int:
        """How many messages were handed in."""
        return self._count

    def tail(self) -> tuple[list[Turn], list[Repair]]:
        """The turns behind the settled ones as they stand now, and the repairs they needed."""
        if self._open is None:
            return [], []
        return self._close(self._open)

    def part_first(self) -> None:
        """Make the first part of the first message a turn of its own.

        For a user message into which a wire format joined two. As messages of no format both are joined again on the way out.
        """
        (message,) = self.turns[0].messages
        index = self.turns[0].sources[0]
        head = Message.of(message.role, message.parts[:1])
        rest = Message.of(message.role, message.parts[1:], name=message.name, cache_breakpoint=message.cache_breakpoint)
        self.turns[:1] = [Turn((part,), (part,), ((),), (index,)) for part in (head, rest)]
        self.prefix = [ROOT]
        for turn in self.turns:
            self.prefix.append(_chain(self.prefix[-1], turn))

    def chain(self, turns: Sequence[Turn]) -> list[bytes]:
        """Prefix digests after each of ``turns``, as if they followed the settled ones."""
        digests: list[bytes] = []
        current = self.prefix[-1]
        for turn in turns:
            current = _chain(current, turn)
            digests.append(current)
        return digests

    def _add(self, index: int, message: Message) -> None:
        if any(isinstance(part, Result) for part in message.parts):
            self._add_results(index, message)
        elif _is_empty(message):
            self.repairs.append(Repair("empty_message", index, f"an empty {message.role} message was left out", message))
        elif message.role == "assistant":
            self._add_assistant(index, message)
        elif message.role == "tool" and self._open is not None:
            # An answer that only its provider understands: it belongs to the call before it, which nobody else can see.
            self._open.results.append((index, message, ()))
        elif self._open is not None and self._open.unanswered:
            self._open.held.append((index, message))
        else:
            self._settle_open()
            self._begin(index, message)
            self._settle_single(index, message)

    def _begin(self, index: int, message: Message) -> None:
        if self._opened or message.role == "system":
            return
        self._opened = True
        if message.role != "user":
            self._settle_single(-1, Message("user", self._words.opening))
            self.repairs.append(Repair("opening", index, "the history began without a user message; a stand-in was put first"))

    def _add_assistant(self, index: int, message: Message) -> None:
        current = self._open
        if current is not None and (current.results or current.held):
            self._settle_open()
            current = None
        if current is None:
            self._begin(index, message)
            current = self._open = _OpenTurn()
        current.run.append((index, message))
        for part in message.parts:
            if isinstance(part, Call):
                current.add(_Slot(part, self._fresh_id(part.id, current.taken)))

    def _fresh_id(self, wanted: str, taken: set[str]) -> str:
        if wanted and wanted not in self._ids and wanted not in taken:
            return wanted
        number = len(self._ids) + len(taken)
        while True:
            number += 1
            candidate = f"{wanted or 'call'}_{number}"
            if candidate not in self._ids and candidate not in taken:
                return candidate

    def _add_results(self, index: int, message: Message) -> None:
        current = self._open
        dropped: dict[int, Part | None] = {}
        ordinals: list[int] = []
        for position, part in enumerate(message.parts):
            if isinstance(part, Result):
                ordinal = current.answer(part) if current is not None else None
                if ordinal is None:
                    dropped[position] = None
                    self.repairs.append(_orphan(index, message, part, current))
                else:
                    ordinals.append(ordinal)
        rest = message.edit(dropped) if dropped else message
        if current is None or not ordinals:
            if dropped and rest.parts:
                self._add(index, rest)
            return
        if current.held:
            self.repairs.append(Repair("reordered_result", index, "a result was moved up to its call"))
        current.results.append((index, rest, tuple(ordinals)))
        if not current.unanswered:
            self._settle_open()

    def _settle_open(self) -> None:
        current = self._open
        if current is None:
            return
        self._open = None
        turns, repairs = self._close(current)
        self._ids.update(slot.fresh_id for slot in current.calls)
        for turn in turns:
            self._settle(turn)
        self.repairs.extend(repairs)

    def _settle_single(self, index: int, message: Message) -> None:
        self._settle(Turn((message,), (message,), ((),), (index,)))

    def _settle(self, turn: Turn) -> None:
        self.turns.append(turn)
        self.prefix.append(_chain(self.prefix[-1], turn))

    def _close(self, current: _OpenTurn) -> tuple[list[Turn], list[Repair]]:
        """The open turn, completed with stand-ins, and what was held back behind it."""
        repairs: list[Repair] = []
        answers: list[tuple[int, Message, tuple[int, ...]]] = sorted(current.results, key=_call_order)
        if [answer[0] for answer in answers] != [answer[0] for answer in current.results]:
            repairs.append(Repair("reordered_result", current.results[0][0], "parallel results were put in call order"))
        for ordinal, slot in enumerate(current.calls):
            if not slot.answered:
                stand_in = Message("tool", self._words.missing_result, tool_call_id=slot.call.id, name=slot.call.name)
                answers.append((-1, stand_in, (ordinal,)))
                repairs.append(
                    Repair("missing_result", current.run[-1][0], f"call {slot.call.name} had no result; a stand-in was put")
                )
        answers.sort(key=_call_order)
        turn = _assemble(current, answers)
        for slot in current.calls:
            if slot.call.id and slot.fresh_id != slot.call.id:
                detail = f"call id {slot.call.id} had been used before; where ids must be unique it becomes {slot.fresh_id}"
                repairs.append(Repair("renamed_id", current.run[0][0], detail))
        held = [Turn((message,), (message,), ((),), (index,)) for index, message in current.held]
        return [turn, *held], repairs


def _call_order(answer: tuple[int, Message, tuple[int, ...]]) -> int:
    return min(answer[2], default=-1)


def _assemble(current: _OpenTurn, answers: Sequence[tuple[int, Message, tuple[int, ...]]]) -> Turn:
    messages = tuple(message for _, message in current.run) + tuple(message for _, message, _ in answers)
    ordinals: tuple[tuple[int, ...], ...] = ((),) * len(current.run) + tuple(places for _, _, places in answers)
    sources = tuple(index for index, _ in current.run) + tuple(index for index, _, _ in answers)
    return Turn(messages, _linked(messages, ordinals, current.calls), ordinals, sources)


def _linked(
    messages: tuple[Message, ...], ordinals: tuple[tuple[int, ...], ...], calls: Sequence[_Slot]
) -> tuple[Message, ...]:
    """The messages with fresh ids on calls and results, and results named after their tool; untouched where nothing changes."""
    linked: list[Message] = []
    next_call = 0
    for message, places in zip(messages, ordinals, strict=True):
        changes: dict[int, Part | None] = {}
        next_result = 0
        for position, part in enumerate(message.parts):
            if isinstance(part, Call):
                slot = calls[next_call]
                next_call += 1
                if part.id != slot.fresh_id:
                    changes[position] = replace(part, id=slot.fresh_id)
            elif isinstance(part, Result):
                slot = calls[places[next_result]]
                next_result += 1
                if part.call_id != slot.fresh_id:
                    changes[position] = replace(part, call_id=slot.fresh_id, name=part.name or slot.call.name)
        linked.append(message.edit(changes) if changes else message)
    return messages if all(a is b for a, b in zip(linked, messages, strict=True)) else tuple(linked)


def _orphan(index: int, message: Message, result: Result, current: _OpenTurn | None) -> Repair:
    answered = current is not None and bool(result.call_id) and current.has(result.call_id)
    kind = "duplicate_result" if answered else "orphan_result"
    detail = "a second result for one call was taken out" if answered else "a result without its call was taken out"
    return Repair(kind, index, f"{detail} (id {result.call_id or 'missing'})", message)


def _chain(previous: bytes, turn: Turn) -> bytes:
    for message, ordinals in zip(turn.messages, turn.ordinals, strict=True):
        previous = link(previous, message, sorted(ordinals))
    return previous


def _is_empty(message: Message) -> bool:
    return message.role != "system" and not any(_says_something(part) for part in message.parts)


def _says_something(part: Part) -> bool:
    if isinstance(part, Text):
        return bool(part.text)
    return not isinstance(part, Opaque) or part.value is not None


def ensure_valid_history(
    messages: Sequence[Message], words: MendingWords = ENGLISH.mending
) -> tuple[tuple[Message, ...], tuple[Repair, ...]]:
    """The conversation as every provider accepts it, and what had to be changed.

    Drops orphan results, puts stand-ins for missing ones, makes ids unique, puts parallel results in call order, and sees
    that the first message after the system prompt is the user's. A valid conversation comes back as it is; applying it twice
    changes nothing more.

    Args:
        messages: the whole conversation, system prompt included.
        words: what stand-ins say.

    Returns:
        The valid messages and the repairs, in order. Whatever was taken out stands whole in its repair.
    """
    leading = 0
    while leading < len(messages) and messages[leading].role == "system":
        leading += 1
    history = History(words)
    history.extend(messages[leading:])
    tail, repairs = history.tail()
    valid = [message for turn in (*history.turns, *tail) for message in turn.linked]
    return (*messages[:leading], *valid), (*history.repairs, *repairs)
