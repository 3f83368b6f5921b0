"""Which result answers which call, and ids for calls that have none.

Knows messages, no provider. A result names its call by id; where the source has no ids (or uses one twice) by name and order.
Made-up ids depend on the calls of the turn alone, so that a turn is rendered to the same bytes for ever.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..messages import Call, Message, Part, Result

__all__ = ["Pairing", "link_turn", "pair"]

ORPHAN = 1 << 30
"""The place of a result that answers no call: after all others."""

Place = tuple[int, int]
"""(message of the turn, part of the message)."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Calls and results of one turn, joined.

    Attributes:
        ids: for each call, an id that is unique in the turn.
        calls: for each result, the place of its call; ``None`` for an orphan.
        order: for each result, how many calls stand before the one it answers.
    """

    ids: dict[Place, str]
    calls: dict[Place, Place | None]
    order: dict[Place, int]

    def result_id(self, place: Place, result: Result) -> str:
        """The id a result goes out with."""
        call = self.calls[place]
        return result.call_id if call is None else self.ids[call]


def pair(turn: Sequence[Message]) -> Pairing:
    """Join the calls and results of a turn."""
    calls: list[tuple[Place, Call]] = []
    results: list[tuple[Place, Result]] = []
    for at, message in enumerate(turn):
        for index, part in enumerate(message.parts):
            if isinstance(part, Call):
                calls.append(((at, index), part))
            elif isinstance(part, Result):
                results.append(((at, index), part))
    ids = _ids([call for _, call in calls])
    unanswered = _Unanswered([call for _, call in calls])
    joined: dict[Place, Place | None] = {}
    order: dict[Place, int] = {}
    for place, result in results:
        found = unanswered.take(result)
        joined[place] = None if found is None else calls[found][0]
        order[place] = ORPHAN if found is None else found
    return Pairing({place: name for (place, _), name in zip(calls, ids, strict=True)}, joined, order)


class _Unanswered:
    """The calls of a turn that still wait for a result, found by id, by name and in order, each in constant time."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._open = [True] * len(calls)
        self._by_id: dict[str, deque[int]] = {}
        self._by_name: dict[tuple[bool, str], deque[int]] = {}
        self._in_order: dict[bool, deque[int]] = {True: deque(), False: deque()}
        for index, call in enumerate(calls):
            if call.id:
                self._by_id.setdefault(call.id, deque()).append(index)
            for any_call in (True, False) if not call.id else (True,):
                self._by_name.setdefault((any_call, call.name), deque()).append(index)
                self._in_order[any_call].append(index)

    def take(self, result: Result) -> int | None:
        """The call that the result answers, which then waits no longer.

        A result without an id answers a call without one as long as there is any, else whichever waits longest.
        """
        if result.call_id:
            found = self._first(self._by_id.get(result.call_id))
        else:
            any_call = self._first(self._in_order[False]) is None
            waiting = self._by_name.get((any_call, result.name)) if result.name else self._in_order[any_call]
            found = self._first(waiting)
        if found is not None:
            self._open[found] = False
        return found

    def _first(self, waiting: deque[int] | None) -> int | None:
        while waiting:
            if self._open[waiting[0]]:
                return waiting[0]
            waiting.popleft()
        return None


def _ids(calls: list[Call]) -> list[str]:
    seen = {call.id for call in calls if call.id}
    if len(seen) == len(calls):
        return [call.id for call in calls]
    used: set[str] = set()
    ids: list[str] = []
    for call in calls:
        name = call.id if call.id and call.id not in used else _fresh(call, seen)
        used.add(name)
        seen.add(name)
        ids.append(name)
    return ids


def _fresh(call: Call, taken: set[str]) -> str:
    """An id made from what is called, with a number when the same call comes again."""
    digest = hashlib.sha256(f"{call.name}\0{call.arguments}".encode(errors="surrogatepass")).hexdigest()[:16]
    # Numbers start where no id made before can be, or a call repeated all day would be counted up from one each time.
    name, number = f"call_{digest}", len(taken)
    while name in taken:
        number += 1
        name = f"call_{digest}_{number}"
    return name


def link_turn(turn: Sequence[Message], taken: set[str]) -> tuple[Message, ...]:
    """The turn with call ids present and unlike those in ``taken``, to which they are added; results follow their calls.

    Called turn after turn with the same set, it makes ids unique in a conversation, and what it makes of a turn depends on the
    turns before it only. A turn that needs no change is returned message for message.
    """
    pairing = pair(turn)
    renamed: dict[Place, str] = {}
    for place, name in pairing.ids.items():
        call = turn[place[0]].parts[place[1]]
        assert isinstance(call, Call)
        if name in taken:
            name = _fresh(call, taken)  # noqa: PLW2901
        taken.add(name)
        if name != call.id:
            renamed[place] = name
    changes: dict[int, dict[int, Part | None]] = {}
    for (at, index), name in renamed.items():
        call = turn[at].parts[index]
        assert isinstance(call, Call)
        changes.setdefault(at, {})[index] = replace(call, id=name)
    for (at, index), caller in pairing.calls.items():
        if caller is not None:
            result = _result(turn, (at, index))
            name = renamed.get(caller, pairing.ids[caller])
            if result.call_id != name:
                changes.setdefault(at, {})[index] = replace(result, call_id=name)
    return tuple(message.edit(changes[at]) if at in changes else message for at, message in enumerate(turn))


def _result(turn: Sequence[Message], place: Place) -> Result:
    part = turn[place[0]].parts[place[1]]
    assert isinstance(part, Result)
    return part
