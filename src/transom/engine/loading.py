"""Taking a conversation in: a request body, a list of its elements, or messages, recognised by content.

Knows formats and messages. A caller that hands the whole history each turn pays for comparing it and for what is new: elements
equal to those of the last load are not parsed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import eq
from typing import TypeVar

from ..errors import FormatError, JSONError
from ..jsontext import dumps, join_object, spells
from ..messages import Message, leading_system
from ..wire.format import Format, Head, Request
from ..wire.spelled import Spelled

__all__ = ["Loaded", "Loader"]

T = TypeVar("T")

_LOOKED_AT = 8
"""Elements of which the shortest is read once more."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load brought.

    Attributes:
        messages: the conversation, system prompt first.
        kept: how many of them are those of the load before, unchanged and in the same place.
        head: model, tools and sampling; ``None`` where only messages were given.
    """

    messages: Sequence[Message]
    kept: int
    head: Head | None


@dataclass(slots=True)
class Loader:
    """Remembers the last load's elements, and what stood around them where that was JSON text."""

    format: str = ""
    raws: list[bytes] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    system: int = 0
    fields: frozenset[str] | None = None
    outer: dict[str, bytes] | None = None
    head: Head | None = None

    def resumes(self, source: object) -> bool:
        """Whether a body looks like the last one gone on: the same fields, and a conversation that begins the same.

        Then it is of the same format, which need not be detected again.
        """
        if not self.format or not self.raws:
            return False
        if isinstance(source, Mapping):
            lists = [value for value in source.values() if isinstance(value, list) and value and spells(value[0], self.raws[0])]
            return frozenset(source) == self.fields and bool(lists)
        return isinstance(source, list) and self.fields is None and bool(source) and spells(source[0], self.raws[0])

    def load(self, source: object, target: Format | None) -> Loaded:
        """Read ``source``.

        Args:
            source: a ``Request``, messages, a parsed body, a list of its elements, or JSON text, which may be taken apart.
            target: the format of a body.

        Raises:
            FormatError: not of that format, or no format given for a body.
        """
        if isinstance(source, Request):
            return self._take(source.messages, source.head)
        if isinstance(source, Sequence) and not isinstance(source, str | bytes) and all(isinstance(m, Message) for m in source):
            return self._take(source, None)
        if target is None:
            raise FormatError("a request body needs its format", hint="load(body, format='openai')")
        if isinstance(source, Spelled | bytes):
            if (loaded := self._load_text(source, target)) is not None:
                return loaded
            source = source.text if isinstance(source, Spelled) else source
        items, body = _elements(source, target)
        if items is None:
            request = target.parse(source)
            return self._take(request.messages, request.head if isinstance(source, Mapping | bytes | str) else None)
        same = self._common(items, target.name)
        fresh = [*self._before(items, same), *items[same:]]
        request = target.parse({**body, target.conversation: fresh} if body is not None else fresh)
        messages = _without(request.messages, len(fresh) - len(items) + same)
        shared, outside = self._joined(messages, same, target.name)
        self.raws = [*self.raws[:same], *_raws(self.messages[outside + same :], items[same:])]
        self.fields = frozenset(map(str, source)) if isinstance(source, Mapping) else None
        return Loaded(self.messages, shared, request.head if body is not None else None)

    def adds(self, source: Spelled, name: str) -> int:
        """Bytes of a body's conversation that a load would have to read: those behind what the last load held too."""
        items = source.items or ()
        return sum(map(len, items[self._spelled_alike(items, name) :]))

    def _load_text(self, source: Spelled | bytes, target: Format) -> Loaded | None:
        """A body as JSON text: only its new elements are parsed. ``None`` for one that has no list of them."""
        try:
            spelled = source if isinstance(source, Spelled) else Spelled.of(source, target.conversation)
        except JSONError:
            return None
        members, items = spelled.members, spelled.items
        if items is None:
            return None
        same = self._spelled_alike(items, target.name)
        before = self._before(items, same)
        outer = {name: raw for name, raw in members.items() if name != target.conversation}
        if same and self.head is not None and outer == self.outer and [*outer] == [*self.outer]:
            head, outside = self.head, self.system
            parsed: Sequence[Message] = [*self.messages[:outside], *target.parse_items([*before, *items[same:]])[len(before) :]]
        else:
            rest = {**members, target.conversation: b"[" + b",".join([*before, *items[same:]]) + b"]"}
            request = target.parse(join_object(rest) if same else spelled.text)
            head, parsed = request.head, _without(request.messages, len(before))
            outside = _outside(parsed)
        if len(parsed) - outside != len(items) - same:
            return None
        shared, _ = self._joined(parsed, same, target.name)
        # The very bytes that the messages hold, so that none are kept twice.
        fresh = zip(self.messages[outside + same :], items[same:], strict=True)
        raws = [m.origin.raw if m.origin is not None and m.origin.raw == item else item for m, item in fresh]
        self.raws, self.fields = [*self.raws[:same], *raws], None
        self.outer, self.head = outer, head
        return Loaded(self.messages, shared, head)

    def _before(self, items: Sequence[T], same: int) -> Sequence[T]:
        """An element before the new ones that does not lead: so these are read as what they are where they stand."""
        known = self.messages[self.system : self.system + same]
        others = (item for item, message in zip(items, known, strict=False) if message.role != "system")
        return sorted(islice(others, _LOOKED_AT), key=_length)[:1]

    def _joined(self, messages: Sequence[Message], same: int, name: str) -> tuple[int, int]:
        """Put what was parsed behind what is known; how much is as before, and how many messages stand outside the list."""
        fresh, outside = list(messages), _outside(messages)
        old = self.messages[self.system : self.system + same]
        if leading_system(old) < len(old):
            fresh = [*fresh[:outside], *(_in_place(message) for message in fresh[outside:])]
        before, stands = self.messages, self.system == outside
        self.messages = [*fresh[:outside], *old, *fresh[outside:]]
        self.format, self.system = name, outside
        self.outer = self.head = None
        shared = _shared(before[:outside], self.messages[:outside])
        if stands and shared == outside:
            # The others that stayed are the same objects in the same place.
            shared = _shared(before, self.messages, outside + same)
        else:
            shared = _shared(before, self.messages)
        return shared, outside

    def note(self, messages: Sequence[Message]) -> None:
        """Remember messages that were appended, so that a load that holds them too is recognised."""
        self.messages.extend(messages)
        for message in messages:
            if message.origin is None or message.origin.format != self.format or message.edits:
                self.format = ""
            self.raws.append(message.origin.raw if message.origin is not None else b"")

    def _take(self, messages: Sequence[Message], head: Head | None) -> Loaded:
        before = self.messages
        shared = _shared(before, messages)
        self.messages = [*before[:shared], *messages[shared:]]
        self.format, self.raws, self.system = "", [], 0
        self.outer = self.head = None
        return Loaded(self.messages, shared, head)

    def _spelled_alike(self, items: Sequence[bytes], name: str) -> int:
        if name != self.format:
            return 0
        alike = [*map(eq, self.raws, items)]
        return len(alike) if all(alike) else alike.index(False)

    def _common(self, items: Sequence[object], name: str) -> int:
        if name != self.format:
            return 0
        count = 0
        for old, new in zip(self.raws, items, strict=False):
            if not spells(new, old):
                break
            count += 1
        return count


def _raws(messages: Sequence[Message], items: Sequence[object]) -> list[bytes]:
    """The items as bytes: those their messages hold already, so that nothing is written or kept twice."""
    if len(messages) == len(items):
        return [
            dumps(item) if message.origin is None else message.origin.raw for message, item in zip(messages, items, strict=True)
        ]
    return [dumps(item) for item in items]


def _elements(source: object, target: Format) -> tuple[list[object] | None, dict[str, object] | None]:
    """The elements of the conversation and the rest of the body, where they can be told apart without parsing text."""
    if isinstance(source, Mapping):
        items = source.get(target.conversation)
        if isinstance(items, list):
            return items, {key: value for key, value in source.items() if key != target.conversation}
    elif isinstance(source, list) and not any(isinstance(item, bytes) for item in source):
        return source, None
    return None, None


def _length(item: object) -> int:
    return len(item) if isinstance(item, bytes) else 0


def _without(messages: Sequence[Message], count: int) -> Sequence[Message]:
    """The messages of a request without the first ones of its list."""
    outside = _outside(messages)
    return [*messages[:outside], *messages[outside + count :]] if count else messages


def _outside(messages: Sequence[Message]) -> int:
    return sum(1 for message in messages if message.origin is not None and message.origin.place)


def _shared(one: Sequence[Message], two: Sequence[Message], start: int = 0) -> int:
    """How many messages both begin with, of which ``start`` are known to be the same."""
    count = start
    for a, b in zip(islice(one, start, None), islice(two, start, None), strict=False):
        if a is not b and not _same(a, b):
            break
        count += 1
    return count


def _same(a: Message, b: Message) -> bool:
    origins = (
        (a.origin.raw, a.origin.format) == (b.origin.raw, b.origin.format) if a.origin and b.origin else a.origin is b.origin
    )
    return origins and a == b


def _in_place(message: Message) -> Message:
    """A system message that does not lead the conversation stands where it stands."""
    return message.replace(positional=True) if message.role == "system" and not message.positional else message
