"""The two digests of a message, and the prefix chain.

Pure. *Meaning* finds windows and decisions: it leaves out what clients change from turn to turn (cache markers, ids, key order,
reasoning, unknown fields of the message itself). *Bytes* covers everything: fragments, counts, blobs and archives are keyed by
it. Both are SHA-256 and kept on the message, so that no message is hashed twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ..errors import JSONError
from ..jsontext import canonical, dumps, loads
from .message import Message
from .parts import Attachment, Call, Opaque, Part, RedactedThinking, Result, Text, Thinking

__all__ = ["ROOT", "bytes_digest", "link", "meaning_digest"]

ROOT = hashlib.sha256(b"transom/1").digest()
"""``p(0)``: the prefix digest of the empty history. The number changes when the rules below do."""

_MEANING, _BYTES = 0, 1
_CACHE_MARKERS = ("cache_control", "prompt_cache_breakpoint")


def bytes_digest(message: Message) -> bytes:
    """SHA-256 over everything the message holds, marks and exact source text included."""
    known = message.digests[_BYTES]
    if known is None:
        known = message.digests[_BYTES] = hashlib.sha256(_everything(message)).digest()
    return known


def _everything(message: Message) -> bytes:
    marks = f"{message.role}|{message.name}|{message.pinned:d}{message.cache_breakpoint:d}{message.positional:d}|"
    origin = message.origin
    if origin is not None:
        text = marks.encode(errors="surrogatepass") + f"{origin.format}|{origin.place}|".encode() + origin.raw
        return text + dumps([_spell(edit) for edit in message.edits]) if message.edits else text
    return marks.encode(errors="surrogatepass") + dumps([[_spell((0, part)) for part in message.parts], message.extra])


def _spell(edit: tuple[int, Part | None]) -> list[object]:
    index, part = edit
    match part:
        case None:
            return [index]
        case Text():
            return [index, "text", part.text, part.refusal, part.extra]
        case Thinking():
            return [index, "thinking", part.text, part.signature, part.extra]
        case RedactedThinking():
            return [index, "redacted", part.data, part.extra]
        case Attachment():
            return [index, "attachment", part.media_type, part.data, part.url, part.filename, part.extra]
        case Call():
            return [index, "call", part.name, part.arguments, part.id, part.kind, part.signature, part.extra]
        case Result():
            inner = [_spell((0, item)) for item in part.content]
            return [index, "result", inner, part.call_id, part.name, part.is_error, part.extra]
        case Opaque():
            return [index, "opaque", part.format, part.kind, part.value]


def meaning_digest(message: Message) -> bytes | None:
    """SHA-256 over what the message says; ``None`` for one that holds nothing but reasoning (it is no link of a chain).

    Which call a result answers is not part of it: ``link`` adds that, since it depends on the turn.
    """
    known = message.digests[_MEANING]
    if known is None:
        known = message.digests[_MEANING] = _meaning(message)
    return known or None


def _meaning(message: Message) -> bytes:
    said: list[object] = []
    only_reasoning = bool(message.parts)
    for part in message.parts:
        if not isinstance(part, Thinking | RedactedThinking):
            only_reasoning = False
            if not (isinstance(part, Text) and not part.text):
                said.append(_say(part))
    if only_reasoning:
        return b""
    header = [message.role, message.name, message.pinned, message.positional]
    return hashlib.sha256(dumps([header, said])).digest()


def _say(part: Part) -> object:
    match part:
        case Text():
            return ["refusal", part.text] if part.refusal else part.text
        case Call():
            return ["call", part.name, part.kind, _arguments(part)]
        case Result():
            return [
                "result",
                [_say(item) for item in part.content if not (isinstance(item, Text) and not item.text)],
                part.is_error,
            ]
        case Attachment():
            return ["attachment", part.media_type, part.data, part.url, part.filename]
        case Opaque():
            return ["opaque", part.format, part.kind, _unmarked(part.value)]
        case Thinking() | RedactedThinking():
            return None


def _arguments(call: Call) -> str:
    if call.kind == "function":
        try:
            return canonical(loads(call.arguments)).decode()
        except JSONError:
            pass
    return call.arguments


def _unmarked(value: object) -> str:
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if key not in _CACHE_MARKERS and key != "id"}
    return canonical(value).decode()


def link(previous: bytes, message: Message, ordinals: Sequence[int] = ()) -> bytes:
    """The next prefix digest: ``p(i) = H(p(i-1), m(i))``; unchanged by a message that is no link.

    Args:
        previous: the prefix digest before the message.
        ordinals: for each result of the message, in order, which call of its turn it answers.
    """
    meaning = meaning_digest(message)
    if meaning is None:
        return previous
    places = ",".join(map(str, ordinals)).encode() if ordinals else b""
    return hashlib.sha256(previous + meaning + places).digest()
