"""Text edits of a turn, addressed by what messages say.

Pure. A decision made for one history is replayed on every history of the same meaning. Such histories may differ in reasoning
and empty texts, so an edit counts only messages and parts that say something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...jsontext import dumps_text
from ...messages import Attachment, Call, Message, Opaque, Part, RedactedThinking, Result, Text, Thinking, Turn
from ...messages.digest import meaning_digest
from ...store.blobs import blob_uri

__all__ = [
    "TurnEdit",
    "apply_edits",
    "edits_between",
    "original_texts",
    "part_text",
    "result_names",
    "spoken_parts",
]


@dataclass(frozen=True, slots=True)
class TurnEdit:
    """One text replaced by another.

    Attributes:
        message: ordinal of the message among those of the turn that say something.
        part: ordinal of the part among those of the message that say something; -1 for all reasoning of the message.
        text: what stands there now; ``None`` where the part was dropped.
        whole: of a result, files and other content went too, not its text alone.
    """

    message: int
    part: int
    text: str | None
    whole: bool = False


def spoken_parts(message: Message) -> Iterator[tuple[int, Part]]:
    """The parts that the meaning digest covers, with their index into ``message.parts``."""
    for index, part in enumerate(message.parts):
        if isinstance(part, Thinking | RedactedThinking) or (isinstance(part, Text) and not part.text):
            continue
        yield index, part


def _spoken_messages(messages: Sequence[Message]) -> list[int]:
    return [index for index, message in enumerate(messages) if meaning_digest(message) is not None]


def apply_edits(turn: Turn, edits: Sequence[TurnEdit]) -> Turn:
    """The turn with its texts replaced. Edits that find no place are passed over: the text they shorten is not there."""
    if not edits:
        return turn
    messages = _apply(turn.messages, edits)
    linked = messages if turn.linked is turn.messages else _apply(turn.linked, edits)
    return replace(turn, messages=messages, linked=linked)


def _apply(messages: tuple[Message, ...], edits: Sequence[TurnEdit]) -> tuple[Message, ...]:
    spoken = _spoken_messages(messages)
    changes: dict[int, dict[int, Part | None]] = {}
    parts: dict[int, list[tuple[int, Part]]] = {}
    for edit in edits:
        if edit.message >= len(spoken):
            continue
        index = spoken[edit.message]
        message = messages[index]
        if edit.part < 0:
            dropped = {i: None for i, part in enumerate(message.parts) if isinstance(part, Thinking) and not part.signature}
            changes.setdefault(index, {}).update(dropped)
            continue
        places = parts.get(index) or parts.setdefault(index, list(spoken_parts(message)))
        if edit.part < len(places):
            position, part = places[edit.part]
            changes.setdefault(index, {})[position] = (
                None if edit.text is None else _with_text(part, edit.text, whole=edit.whole)
            )
    return tuple(message.edit(changes[i]) if changes.get(i) else message for i, message in enumerate(messages))


def _with_text(part: Part, text: str, *, whole: bool) -> Part:
    match part:
        case Text():
            return replace(part, text=text)
        case Result():
            others = () if whole else tuple(item for item in part.content if not isinstance(item, Text))
            return replace(part, content=(Text(text), *others))
        case Call():
            return replace(part, arguments=text)
        case _:
            return Text(text)


def edits_between(before: Turn, after: Sequence[Message]) -> tuple[TurnEdit, ...]:
    """The edits that lead from a turn's messages to ``after`` (the same messages, edited by ``Message.edit``)."""
    found: list[TurnEdit] = []
    for ordinal, index in enumerate(_spoken_messages(before.messages)):
        old, new = before.messages[index], after[index]
        if old is new:
            continue
        before_that = dict(old.edits)
        changed = {place: part for place, part in new.edits if before_that.get(place, old) is not part}
        reasoning_gone = any(isinstance(old.parts[place], Thinking) for place, part in changed.items() if part is None)
        if reasoning_gone:
            found.append(TurnEdit(ordinal, -1, None))
        for spoken, (place, _) in enumerate(spoken_parts(old)):
            if place in changed:
                now = changed[place]
                whole = isinstance(now, Result) and all(isinstance(item, Text) for item in now.content)
                found.append(TurnEdit(ordinal, spoken, _text_of(now), whole))
    return tuple(found)


def _text_of(part: Part | None) -> str | None:
    return None if part is None else part_text(part)


def part_text(part: Part) -> str:
    """The text of a part that an edit replaces and a store keeps: words, a result's text, arguments, or the data of a file."""
    match part:
        case Text():
            return part.text
        case Result():
            return part.text
        case Call():
            return part.arguments
        case Attachment():
            return part.data or part.url or ""
        case Opaque():
            return dumps_text(part.value)
        case Thinking():
            return part.text
        case RedactedThinking():
            return part.data


def original_texts(turn: Turn, edits: Iterable[TurnEdit]) -> Iterator[tuple[str, str]]:
    """The texts that edits of this turn replace, each with what it is: a tool's name, a role or a media type.

    Of a result with files those that the edit cites: its text, its files, or both.
    """
    spoken, names = _spoken_messages(turn.messages), result_names(turn)
    parts: dict[int, list[tuple[Part, str]]] = {}
    for edit in edits:
        if edit.message >= len(spoken):
            continue
        index = spoken[edit.message]
        message = turn.messages[index]
        places = parts.get(index) or parts.setdefault(index, _with_names(message, names[index]))
        if 0 <= edit.part < len(places):
            yield from _original_texts(edit, *places[edit.part], message.role)


def _with_names(message: Message, names: Sequence[str]) -> list[tuple[Part, str]]:
    """The spoken parts of a message; results with the tool that they came from."""
    places = (place for place, part in enumerate(message.parts) if isinstance(part, Result))
    named = dict(zip(places, names, strict=True))
    return [(part, named.get(place, "")) for place, part in spoken_parts(message)]


def _original_texts(edit: TurnEdit, part: Part, name: str, role: str) -> list[tuple[str, str]]:
    match part:
        case Result():
            name = name or "tool result"
            files = [(part_text(item), name) for item in part.content if not isinstance(item, Text)]
            if not edit.whole or not files:
                return [(part.text, name)]
            return [(text, label) for text, label in ((part.text, name), *files) if blob_uri(text) in (edit.text or "")]
        case Call():
            return [(part.arguments, f"{part.name} arguments")]
        case _:
            return [(part_text(part), role)]


def result_names(turn: Turn) -> list[tuple[str, ...]]:
    """For each message of a turn, the tools that its results came from; empty where nobody knows."""
    calls = [call.name for message in turn.messages for call in message.tool_calls]
    return [
        tuple(
            result.name or (calls[ordinals[place]] if place < len(ordinals) and ordinals[place] < len(calls) else "")
            for place, result in enumerate(message.results)
        )
        for message, ordinals in zip(turn.messages, turn.ordinals, strict=True)
    ]
