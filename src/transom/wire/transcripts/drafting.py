"""Putting a transcript together: messages through the wire formats, model calls as the replay contract counts them, skips.

Knows wire formats and messages, no file format. The contract: a model call is one provider message id or, without ids, one
run of messages by the model with no user, tool or developer message between; synthetic and empty ones are no calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...errors import FormatError
from ...jsontext import EMPTY
from ...messages import Message
from ..format import Format, Head
from .transcript import ModelCall, Segment, Skip, Usage

__all__ = ["NO_NOTE", "CallNote", "SegmentDraft", "SkipLog", "own_words", "parse_leniently"]


@dataclass(frozen=True, slots=True)
class CallNote:
    """What a file says about the model call that a message came from.

    Attributes:
        id: the provider's message id, empty without one.
        model: the model asked, empty if unknown.
        usage: what the provider reported.
    """

    id: str = ""
    model: str = ""
    usage: Usage | None = None


NO_NOTE = CallNote()


@dataclass(slots=True)
class SegmentDraft:
    """A segment being filled, message by message, in the order the agent had them."""

    head: Head
    messages: list[Message] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    _running: bool = False

    def add(self, message: Message) -> None:
        """Add a message that no model call of this conversation made."""
        self._running = False
        self.messages.append(message)

    def add_made(self, message: Message, note: CallNote = NO_NOTE, *, alone: bool = False) -> None:
        """Add a message the model made.

        Args:
            message: what it made.
            note: what is known of the call. Another id than that of the run begins a new call.
            alone: the message is a call of its own, whatever stands before it.
        """
        last = self.calls[-1] if self._running else None
        if last is None or alone or (note.id and last.id and note.id != last.id):
            self.calls.append(ModelCall(len(self.messages), note.id, note.model, note.usage))
        else:
            self.annotate(note)
        self._running = True
        self.messages.append(message)

    def annotate(self, note: CallNote) -> None:
        """Add to what is known of the last call. A report that comes after its run is over fills a gap, no more."""
        if self.calls:
            last = self.calls[-1]
            usage = (note.usage or last.usage) if self._running else (last.usage or note.usage)
            self.calls[-1] = replace(last, id=last.id or note.id, model=last.model or note.model, usage=usage)

    def finish(self) -> Segment:
        """The segment; its head names the model of its first call where the file names none for the segment."""
        head = self.head
        if head.model is None:
            model = next((call.model for call in self.calls if call.model), "")
            head = replace(head, model=model) if model else head
        return Segment(tuple(self.messages), tuple(self.calls), head)


def own_words(head: Head) -> Head:
    """A head put together from a session file: what it means, without the fields of a request that nobody sent.

    A target then spells the head by itself and adds what it cannot do without.
    """
    return replace(head, fields=EMPTY, format="")


class SkipLog:
    """Collects what becomes no message, in the order met. Equal fields of many places are one entry."""

    def __init__(self) -> None:
        self._entries: list[Skip] = []
        self._fields: dict[tuple[str, str], tuple[int, int]] = {}

    def add(self, where: str, kind: str, reason: str, *, damaged: bool = False) -> None:
        """Name one thing that became no message."""
        self._entries.append(Skip(where, kind, reason, damaged))

    def field(self, where: str, kind: str, reason: str) -> None:
        """Name a field beside the message; the same field elsewhere only raises a count."""
        key = (kind, reason)
        if key in self._fields:
            index, times = self._fields[key]
            self._fields[key] = (index, times + 1)
        else:
            self._fields[key] = (len(self._entries), 1)
            self._entries.append(Skip(where, kind, reason))

    def fields(self, where: str, source: Mapping[str, object], reasons: Mapping[str, str]) -> None:
        """``field`` for each key of ``reasons`` that ``source`` holds with something in it."""
        for key, reason in reasons.items():
            if source.get(key):
                self.field(where, key, reason)

    def done(self) -> tuple[Skip, ...]:
        """Everything collected."""
        entries = list(self._entries)
        for index, times in self._fields.values():
            if times > 1:
                entries[index] = replace(entries[index], where=f"{entries[index].where} and {times - 1:,} more")
        return tuple(entries)


def parse_leniently(wire: Format, elements: Sequence[object], places: Sequence[str], skips: SkipLog) -> list[Message | None]:
    """Messages for elements of a wire format, one each; ``None`` for one that the format cannot read, which is named.

    Args:
        wire: the format.
        elements: entries of its conversation list.
        places: where each stands in the file.
        skips: takes those that cannot be read.
    """
    try:
        return list(wire.parse_items(elements))
    except FormatError:
        pass
    messages: list[Message | None] = []
    for element, place in zip(elements, places, strict=True):
        try:
            messages.extend(wire.parse_items([element]))
        except FormatError as error:
            skips.add(place, "message", error.message, damaged=True)
            messages.append(None)
    return messages
