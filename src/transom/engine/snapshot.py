"""A session as one value: everything a context knows of its conversation, as versioned JSON.

Knows the session's parts; reads and writes no store. What left the window is not copied: it follows from the messages, which
are all here, so that a session restored over another store can put it there again (``restoring``). Two of them can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import msgspec

from ..errors import FormatError, TransomError
from ..jsontext import EMPTY, dumps, loads
from ..messages import Message
from ..messages.codec import decode_message, decode_tool, encode_choice, encode_tool
from ..wire.format import Head
from .additions import Additions, Frozen
from .carried import HeadShape, check_additions, shaped
from .ledger.live import Sticky
from .ledger.records import WindowRecord, decode_record, encode_record
from .memory.block import decode_block, encode_block
from .memory.fact import Fact
from .placement.announcements import Announcement, Announcements
from .placement.dynamic_state import DynamicState, StatePlace
from .placement.guardrail import Guardrail
from .skills.block import SkillPlace, decode_placed, encode_placed

__all__ = ["VERSION", "Difference", "Snapshot", "decode_additions", "decode_head", "encode_additions", "encode_head"]

VERSION = 1
"""Raised when an older reader would misread what is written."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two sessions differ.

    Attributes:
        common: messages that both begin with.
        removed, added: the messages behind them, of the first and of the second.
        changed: what else differs, by name, with both values.
    """

    common: int
    removed: tuple[Message, ...]
    added: tuple[Message, ...]
    changed: Mapping[str, tuple[object, object]]

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.changed)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A session at one moment. Later changes to the context do not reach it.

    Attributes:
        value: the session as JSON values.
    """

    value: Mapping[str, object]

    def to_json(self) -> bytes:
        """As JSON text; the same session gives the same bytes."""
        return dumps(self.value)

    @classmethod
    def from_json(cls, data: bytes | str) -> Snapshot:
        """Read a snapshot back, in whatever process.

        Raises:
            FormatError: no snapshot, or one that a later version wrote.
        """
        try:
            value = loads(data)
        except TransomError as error:
            raise FormatError(f"this is no snapshot: {error.message}", hint="give what Snapshot.to_json wrote") from None
        if not isinstance(value, Mapping) or type(value.get("transom_snapshot")) is not int:
            raise FormatError("this is no snapshot", hint="give what Snapshot.to_json wrote")
        if value["transom_snapshot"] > VERSION:
            raise FormatError(
                f"the snapshot is of version {value['transom_snapshot']}, this program reads up to {VERSION}",
                hint="restore it with the version that wrote it, or a later one",
            )
        return cls(value)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation as it was handed in, system prompt included.

        Raises:
            FormatError: the snapshot is damaged.
        """
        return tuple(decode_message(item) for item in self.items("messages"))

    @property
    def window_id(self) -> str:
        """The window that was open."""
        record = self.record("window")
        return decode_record(dumps(record["base"])).lineage.current if record.get("base") else "w1"

    def diff(self, other: Snapshot) -> Difference:
        """How ``other`` differs from this one."""
        one, two = self.items("messages"), other.items("messages")
        common = 0
        for a, b in zip(one, two, strict=False):
            if a != b:
                break
            common += 1
        named = {key: (self.value.get(key), other.value.get(key)) for key in _COMPARED}
        parts = {key: (self.record("additions").get(key), other.record("additions").get(key)) for key in _ADDITIONS}
        changed = {key: pair for key, pair in {**named, **parts}.items() if pair[0] != pair[1]}
        if self.window_id != other.window_id:
            changed["window_id"] = self.window_id, other.window_id
        return Difference(
            common,
            tuple(decode_message(item) for item in one[common:]),
            tuple(decode_message(item) for item in two[common:]),
            changed,
        )

    def record(self, key: str) -> Mapping[str, object]:
        """A part that is an object.

        Raises:
            FormatError: the snapshot is damaged.
        """
        found = self.value.get(key, EMPTY)
        if not isinstance(found, Mapping):
            raise FormatError(f"the snapshot is damaged: {key} is no object", hint="take it from Context.snapshot")
        return found

    def items(self, key: str) -> Sequence[object]:
        """A part that is a list.

        Raises:
            FormatError: the snapshot is damaged.
        """
        found = self.value.get(key, ())
        if isinstance(found, str) or not isinstance(found, Sequence):
            raise FormatError(f"the snapshot is damaged: {key} is no list", hint="take it from Context.snapshot")
        return found


_COMPARED = ("size", "own_system", "head", "tools")
_ADDITIONS = ("tail", "skill", "skill_place", "state", "guardrail", "announcements", "facts")


def encode_head(head: Head) -> dict[str, object]:
    """Model, tools and sampling as JSON values."""
    return {
        "format": head.format,
        "model": head.model,
        "tools": [encode_tool(tool) for tool in head.tools],
        "tool_choice": None if head.tool_choice is None else encode_choice(head.tool_choice),
        "max_output_tokens": head.max_output_tokens,
        "params": head.params,
        "fields": head.fields,
        "unshared": list(head.unshared),
    }


def decode_head(value: Mapping[str, object]) -> Head:
    """Read back what ``encode_head`` wrote.

    Raises:
        FormatError: the value was not written by ``encode_head``.
    """
    head = shaped(value, HeadShape, "head")
    return Head(
        format=head.get("format", ""),
        model=head.get("model"),
        tools=tuple(map(decode_tool, head.get("tools", ()))),
        tool_choice=head.get("tool_choice"),
        max_output_tokens=head.get("max_output_tokens"),
        params=head.get("params") or EMPTY,
        fields=head.get("fields") or EMPTY,
        unshared=tuple(head.get("unshared", ())),
    )


def encode_additions(additions: Additions, sticky: Mapping[bytes, Sticky], facts: Iterable[Fact]) -> dict[str, object]:
    """What a session adds to its conversation, as JSON values."""
    state, guardrail, frozen = additions.state, additions.guardrail, additions.frozen
    return {
        "tail": additions.tail,
        "pending": list(additions.pending),
        "project": additions.project,
        "state": None if state is None else {"value": state.value, "tag": state.tag, "place": state.place},
        "guardrail": None if guardrail is None else [guardrail.contract, guardrail.prefill, guardrail.answer],
        "announcements": [[item.id, item.text, item.channel] for item in additions.announcements],
        "skill": encode_placed(additions.skill),
        "skill_place": additions.skill_place,
        "frozen": None if frozen is None else _encode_frozen(frozen),
        "sticky": {place.hex(): [text.text, text.tokens] for place, text in sticky.items()},
        "facts": [msgspec.to_builtins(fact) for fact in facts],
    }


def decode_additions(value: Mapping[str, object], additions: Additions) -> tuple[dict[bytes, Sticky], tuple[Fact, ...]]:
    """Set what a session adds, from what ``encode_additions`` wrote; sticky texts and facts come back.

    Raises:
        FormatError: the value was not written by ``encode_additions``.
    """
    check_additions(value)
    additions.tail = str(value.get("tail", ""))
    additions.project = str(value.get("project", ""))
    additions.pending = [str(text) for text in cast("Sequence[object]", value.get("pending", ()))]
    state = value.get("state")
    additions.state = _decode_state(state) if isinstance(state, Mapping) else None
    guardrail = cast("Sequence[str] | None", value.get("guardrail"))
    additions.guardrail = None if guardrail is None else Guardrail(*guardrail)
    announced = cast("Sequence[Sequence[str]]", value.get("announcements", ()))
    additions.announcements = Announcements(Announcement(*item) for item in announced)  # type: ignore[arg-type]
    additions.skill = decode_placed(value.get("skill"))
    additions.skill_place = cast("SkillPlace", value.get("skill_place", "prefix"))
    frozen = value.get("frozen")
    additions.frozen = _decode_frozen(frozen) if isinstance(frozen, Mapping) else None
    stuck = cast("Mapping[str, Sequence[object]]", value.get("sticky") or EMPTY)
    sticky = {bytes.fromhex(place): Sticky(str(text), cast("int", tokens)) for place, (text, tokens) in stuck.items()}
    facts = tuple(msgspec.convert(item, Fact) for item in cast("Sequence[object]", value.get("facts", ())))
    return sticky, facts


def encode_records(records: Sequence[WindowRecord]) -> list[object]:
    """Window records as JSON values."""
    return [loads(encode_record(record)) for record in records]


def decode_records(values: Sequence[object]) -> list[WindowRecord]:
    """Read back what ``encode_records`` wrote."""
    return [decode_record(dumps(value)) for value in values]


def _encode_frozen(frozen: Frozen) -> dict[str, object]:
    return {"state": frozen.state, "memory": encode_block(frozen.memory), "skill": encode_placed(frozen.skill)}


def _decode_frozen(value: Mapping[str, object]) -> Frozen:
    return Frozen(decode_block(value.get("memory")), str(value.get("state", "")), decode_placed(value.get("skill")))


def _decode_state(state: Mapping[str, object]) -> DynamicState:
    return DynamicState(state["value"], tag=str(state["tag"]), place=cast("StatePlace", state["place"]))
