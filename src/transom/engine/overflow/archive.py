"""The archive: the whole closed span, stored before it leaves.

Knows messages and how the store spells an archive; picks the address from the span's bytes, so that the same span has the same
address in every process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial

from ...jsontext import dumps
from ...messages import Message, bytes_digest, meaning_digest
from ...messages.parts import Call, Part, RedactedThinking, Result, Text, Thinking
from ...store.archive import HEAD_KEY, archive_lines
from ...store.backend import Write
from ..ledger.live import head_turn
from ..ledger.records import WindowRecord, head_path
from ..ledger.window import LiveWindow

__all__ = ["archive_path", "archive_writes", "head_notes", "original_line", "own_archives"]


def archive_path(messages: Sequence[Message]) -> str:
    """The path of a span's archive: a digest over the bytes of its messages, in order."""
    together = hashlib.sha256()
    for message in messages:
        together.update(bytes_digest(message))
    return together.hexdigest()[:32]


def archive_writes(messages: Sequence[Message], heads: Container[int] = ()) -> list[Write]:
    """All writes of a span's archive, content first, the archive itself last.

    Args:
        messages: the whole span, in order.
        heads: which of them are heads of ours.
    """
    lines = [original_line(message, head=index in heads) for index, message in enumerate(messages)]
    blobs, data = archive_lines(lines)
    return [*blobs, Write("archive", archive_path(messages), data, meta={"messages": len(messages)}, if_absent=True)]


def head_notes(record: WindowRecord, path: str, fingerprint: str) -> list[Write]:
    """Notes by which the heads of a record are known again when a caller writes one back into its history.

    Args:
        record, path: the record and where it lies.
        fingerprint: of what shaped its heads.
    """
    window = int(path.split("/")[1])
    meanings = [meaning_digest(head_turn(item.text).messages[0]) for item in record.items if item.kind == "head"]
    return [
        Write("windows", head_path(meaning, fingerprint, window), path.encode(), if_absent=True)
        for meaning in meanings
        if meaning is not None
    ]


def original_line(message: Message, *, head: bool = False) -> bytes:
    """A message in its source format: its exact bytes, or, for one made by hand, a plain spelling of its parts."""
    if message.origin is not None:
        return message.origin.raw
    if head:
        return dumps({"role": message.role, "content": message.text, HEAD_KEY: "head"})
    if len(message.parts) == 1 and isinstance(message.parts[0], Text):
        return dumps({"role": message.role, "content": message.parts[0].text})
    return dumps({"role": message.role, "content": [_spell(part) for part in message.parts]})


def _spell(part: Part) -> dict[str, object]:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking():
            return {"type": "thinking", "thinking": part.text, "signature": part.signature}
        case RedactedThinking():
            return {"type": "redacted_thinking", "data": part.data}
        case Call():
            return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}
        case Result():
            content = [_spell(item) for item in part.content]
            return {"type": "tool_result", "id": part.call_id, "name": part.name, "content": content, "is_error": part.is_error}
        case _:
            data = getattr(part, "data", None)
            return {
                "type": "attachment",
                "data": data,
                "url": getattr(part, "url", None),
                "value": getattr(part, "value", None),
            }


def own_archives(live: LiveWindow) -> Iterator[tuple[str, Callable[[], list[Write]]]]:
    """This history's own spans under the record in force, oldest first: path, and a function that makes the writes.

    Where bytes and closings were the same as those of whoever closed first, so are the paths.
    """
    covered: list[Message] = []
    heads: frozenset[int] = frozenset()
    start = 0
    for record in _closings(live):
        if record.archive:
            stop = live.places[record.p_k]
            span = [*covered, *(message for turn in live.history.turns[start:stop] for message in turn.messages)]
            yield archive_path(span), partial(archive_writes, span, heads)
            start = stop
        covered, heads = _covered(record, live)


def _closings(live: LiveWindow) -> list[WindowRecord]:
    """The records that led to the one in force, oldest first."""
    chain, known = [live.base], live.applicable()
    while chain[-1].lineage.previous is not None:
        later = chain[-1]
        before = [
            record
            for record in known
            if record.lineage.current == later.lineage.previous and live.places[record.p_k] <= live.places[later.p_k]
        ]
        if not before:
            break
        chain.append(max(before, key=lambda record: (record.archive in later.archives, live.places[record.p_k])))
    return chain[::-1]


def _covered(record: WindowRecord, live: LiveWindow) -> tuple[list[Message], frozenset[int]]:
    """What stands in place of a closed span, and which of it are heads."""
    messages: list[Message] = []
    heads: set[int] = set()
    for item in record.items:
        if item.kind == "head":
            heads.add(len(messages))
            messages.extend(head_turn(item.text).messages)
        else:
            messages.extend(live.history.turns[live.places[item.place] - 1].messages)
    return messages, frozenset(heads)
