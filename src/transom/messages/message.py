"""The one provider-neutral message type.

Knows parts, no provider. A message is immutable. One that was read from a wire format remembers the exact bytes it was read
from (``origin``); as long as nothing edits it, those bytes are what goes out again to the same format. An edit replaces or
drops single parts and is remembered as such, so that a renderer touches only the blocks concerned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..jsontext import EMPTY
from .construction import quick_init, slot_writer
from .parts import Attachment, Call, Content, Opaque, Part, RedactedThinking, Result, Text, Thinking, text_of

__all__ = ["Edit", "Message", "Origin", "Role"]

Role = Literal["system", "user", "assistant", "tool"]
ROLES = ("system", "user", "assistant", "tool")

Edit = tuple[int, Part | None]
"""(index into the parts as they were parsed, what stands there now; ``None`` where the part was dropped)."""


@quick_init
@dataclass(frozen=True, slots=True)
class Origin:
    """Where a message was read from.

    Attributes:
        format: the wire format's name.
        raw: the exact JSON text of the element it was read from.
        place: which field of the request held it, where that is not the conversation list (``system``, ``instructions``, …).
    """

    format: str
    raw: bytes
    place: str = ""


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """One message of a conversation.

    Args:
        role: ``system`` (also for a provider's ``developer``), ``user``, ``assistant``, or ``tool`` for a message that only
            carries tool results.
        content: plain text, or the parts in order.
        tool_calls: calls, placed after ``content``.
        tool_call_id: for role ``tool``: makes ``content`` the result of that call.
        thinking, attachments: placed before and after ``content``.
        name: who speaks, or which tool answered.
        is_error: for role ``tool``: the tool failed.
        pinned: survives every overflow strategy verbatim.
        cache_breakpoint: the caller asks the provider to cache up to here (where it offers that).
        positional: a system message that belongs where it stands and not at the top.
        extra: fields only the source provider knows, by their wire name.

    Raises:
        ValueError: an unknown role, or results outside ``tool`` and ``user`` messages.
        TypeError: content that is neither text nor parts.
    """

    role: Role
    parts: tuple[Part, ...]
    name: str | None
    pinned: bool
    cache_breakpoint: bool
    positional: bool
    extra: Mapping[str, object]
    origin: Origin | None = field(compare=False)
    edits: tuple[Edit, ...] = field(compare=False)
    digests: list[bytes | None] = field(compare=False, repr=False)

    def __init__(
        self,
        role: Role,
        content: str | Sequence[Part] | None = None,
        *,
        tool_calls: Iterable[Call] = (),
        tool_call_id: str | None = None,
        thinking: str | Thinking | RedactedThinking | None = None,
        attachments: Iterable[Attachment] = (),
        name: str | None = None,
        is_error: bool = False,
        pinned: bool = False,
        cache_breakpoint: bool = False,
        positional: bool = False,
        extra: Mapping[str, object] = EMPTY,
    ) -> None:
        if role not in ROLES:
            raise ValueError(f"unknown role {role!r}: use one of {', '.join(ROLES)}")
        if isinstance(content, _PARTS):
            raise TypeError(f"the content of a message is text or a list of parts: write [{type(content).__name__}(…)]")
        body: list[Part] = [Text(content)] if isinstance(content, str) else list(content or ())
        body.extend(attachments)
        calls = list(tool_calls)
        _check_parts([*body, *calls])
        if role == "tool" and not any(isinstance(part, Result) for part in body):
            inner: tuple[Content, ...] = tuple(part for part in body if not isinstance(part, _NOT_IN_RESULTS))
            body = [Result(inner, call_id=tool_call_id or "", name=name or "", is_error=is_error)]
        if thinking is not None:
            body.insert(0, Thinking(thinking) if isinstance(thinking, str) else thinking)
        body.extend(calls)
        if role in ("system", "assistant") and any(isinstance(part, Result) for part in body):
            raise ValueError(f"a {role} message cannot carry tool results: give them a message of role 'tool'")
        _fill(self, role, tuple(body), name, pinned, cache_breakpoint, positional, extra, None, ())

    @classmethod
    def of(
        cls,
        role: Role,
        parts: tuple[Part, ...],
        origin: Origin | None = None,
        *,
        name: str | None = None,
        pinned: bool = False,
        cache_breakpoint: bool = False,
        positional: bool = False,
        extra: Mapping[str, object] = EMPTY,
        edits: tuple[Edit, ...] = (),
    ) -> Message:
        """Build from finished parts without conveniences or checks: what the wire parsers call.

        Raises:
            TypeError: text or a list in place of the tuple of parts.
        """
        if type(parts) is not tuple:
            raise TypeError(f"Message.of takes a tuple of parts, not {type(parts).__name__}: Message(role, text) takes text")
        message = object.__new__(cls)
        _fill(message, role, parts, name, pinned, cache_breakpoint, positional, extra, origin, edits)
        return message

    @property
    def text(self) -> str:
        """The words of the message: text parts joined by newlines; for results, the text of the results."""
        own = text_of(self.parts)
        if own or not any(isinstance(part, Result) for part in self.parts):
            return own
        return "\n".join(result.text for result in self.results)

    @property
    def tool_calls(self) -> tuple[Call, ...]:
        """The calls of the message, in order."""
        return tuple(part for part in self.parts if isinstance(part, Call))

    @property
    def results(self) -> tuple[Result, ...]:
        """The tool results of the message, in order."""
        return tuple(part for part in self.parts if isinstance(part, Result))

    @property
    def tool_call_id(self) -> str | None:
        """The call answered, where the message carries exactly one result."""
        results = self.results
        return results[0].call_id if len(results) == 1 else None

    @property
    def thinking(self) -> str | None:
        """The readable reasoning, if any."""
        texts = [part.text for part in self.parts if isinstance(part, Thinking)]
        return "\n".join(texts) if texts else None

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Files attached to the message itself (not those inside results)."""
        return tuple(part for part in self.parts if isinstance(part, Attachment))

    def replace(
        self,
        *,
        name: str | None = None,
        pinned: bool | None = None,
        cache_breakpoint: bool | None = None,
        positional: bool | None = None,
    ) -> Message:
        """The same message with other marks. The original bytes stay attached; marks are not part of them."""
        return Message.of(
            self.role,
            self.parts,
            self.origin,
            name=self.name if name is None else name,
            pinned=self.pinned if pinned is None else pinned,
            cache_breakpoint=self.cache_breakpoint if cache_breakpoint is None else cache_breakpoint,
            positional=self.positional if positional is None else positional,
            extra=self.extra,
            edits=self.edits,
        )

    def edit(self, changes: Mapping[int, Part | None]) -> Message:
        """The same message with some parts replaced or, with ``None``, dropped.

        Args:
            changes: by index into ``parts``.

        Raises:
            IndexError: an index beyond the parts.
        """
        dropped = {index for index, part in self.edits if part is None}
        origin_index = [i for i in range(len(self.parts) + len(dropped)) if i not in dropped]
        merged = dict(self.edits)
        for index, part in changes.items():
            merged[origin_index[index]] = part
        parts = tuple(kept for index, part in enumerate(self.parts) if (kept := changes.get(index, part)) is not None)
        return Message.of(
            self.role,
            parts,
            self.origin,
            name=self.name,
            pinned=self.pinned,
            cache_breakpoint=self.cache_breakpoint,
            positional=self.positional,
            extra=self.extra,
            edits=tuple(sorted(merged.items(), key=lambda edit: edit[0])),
        )


_PARTS = (Text, Thinking, RedactedThinking, Attachment, Call, Result, Opaque)
_SPELLED: dict[type, tuple[str, ...]] = {
    Text: ("text",),
    Thinking: ("text",),
    RedactedThinking: ("data",),
    Attachment: ("media_type",),
    Call: ("name", "arguments", "id"),
    Result: ("call_id", "name"),
}
_NOT_IN_RESULTS = (Thinking, RedactedThinking, Call, Result)


def _check_parts(values: Sequence[object]) -> None:
    for value in values:
        if not isinstance(value, _PARTS):
            raise TypeError(
                f"{type(value).__name__} is no part of a message: use Text, Call, Result, …; a provider's own JSON goes to "
                "Context.load"
            )
        for name in _SPELLED.get(type(value), ()):
            held = getattr(value, name)
            if not isinstance(held, str):
                hint = "write json.dumps(…)" if name == "arguments" else "give text"
                raise TypeError(f"{name} of {type(value).__name__} is text, not {type(held).__name__}: {hint}")


_write_role = slot_writer(Message, "role")
_write_parts = slot_writer(Message, "parts")
_write_name = slot_writer(Message, "name")
_write_pinned = slot_writer(Message, "pinned")
_write_cache_breakpoint = slot_writer(Message, "cache_breakpoint")
_write_positional = slot_writer(Message, "positional")
_write_extra = slot_writer(Message, "extra")
_write_origin = slot_writer(Message, "origin")
_write_edits = slot_writer(Message, "edits")
_write_digests = slot_writer(Message, "digests")


def _fill(
    message: Message,
    role: Role,
    parts: tuple[Part, ...],
    name: str | None,
    pinned: bool,
    cache_breakpoint: bool,
    positional: bool,
    extra: Mapping[str, object],
    origin: Origin | None,
    edits: tuple[Edit, ...],
) -> None:
    _write_role(message, role)
    _write_parts(message, parts)
    _write_name(message, name)
    _write_pinned(message, pinned)
    _write_cache_breakpoint(message, cache_breakpoint)
    _write_positional(message, positional)
    _write_extra(message, extra)
    _write_origin(message, origin)
    _write_edits(message, edits)
    _write_digests(message, [None, None])
