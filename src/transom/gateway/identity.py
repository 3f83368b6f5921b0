"""Whose request it is, and which conversation it goes on with.

Knows headers and messages. A scope is one credential: nothing is shared across scopes, so it is the hash of the whole of it. A
conversation is known by the id that its client sends, where it sends one, and always by how it begins: agents run side
conversations (titles, subagents) under the id of the main one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from ..jsontext import join_object
from ..messages import leading_system
from ..messages.digest import bytes_digest, meaning_digest
from ..wire.format import Format, Request
from ..wire.spelled import Spelled

__all__ = ["Beginning", "Beginnings", "scope_of", "session_key"]

_CREDENTIALS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
_SESSIONS = (
    "x-claude-code-session-id",
    "session-id",
    "session_id",
    "thread-id",
    "x-session-id",
    "x-session-affinity",
    "conversation_id",
)
"""Headers that clients name their session in: Claude Code, Codex, opencode and those that copy them."""
_BEGINS = 4
"""Elements that nearly always hold what leads a conversation, and its first message."""


def scope_of(headers: Mapping[str, str], query: str, spent: Collection[str] = ()) -> str:
    """The scope of a credential; empty for a request without one, which is the local user's.

    Args:
        headers: the client's, by names in lower case.
        query: its query.
        spent: headers that carried our own token, which tells no client from another; ``key`` for that of the query.
    """
    for name in _CREDENTIALS:
        if name not in spent and (value := headers.get(name, "").strip()):
            return _hashed(name.encode(), value.removeprefix("Bearer ").strip().encode())[:32]
    for name, value in parse_qsl(query) if query else ():
        if name == "key" and value and name not in spent:
            return _hashed(b"x-goog-api-key", value.encode())[:32]
    return ""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What tells a conversation from others.

    Attributes:
        model: as the request names it; empty where it does not.
        named: the session that the body names; empty where it names none.
        begins: the whole leading system run and the first message after it, by meaning.
    """

    model: str
    named: str
    begins: tuple[bytes, ...]

    @classmethod
    def of(cls, request: Request) -> Beginning:
        """That of a request, which need hold no more than the beginning."""
        begins = request.messages[: leading_system(request.messages) + 1]
        # By meaning: clients move their cache markers on, away from the first message, with the second request.
        digests = tuple(meaning_digest(message) or bytes_digest(message) for message in begins)
        return cls(request.head.model or "", _named(request.head.fields), digests)


class Beginnings:
    """Reads how conversations begin, each once: its next requests begin with the same bytes.

    Args:
        most: conversations that are remembered.
    """

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._known: dict[bytes, Beginning] = {}

    def of(self, body: Spelled, format_: Format) -> Beginning:
        """How a request's conversation begins.

        Args:
            body: the request.
            format_: its format.

        Raises:
            FormatError: it is not of that format.
        """
        members, items = body.members, body.items
        if items is None:
            return Beginning.of(format_.parse(body.text))
        outer = [part for name, raw in members.items() if name != format_.conversation for part in (name.encode(), raw)]
        key = _digest(format_.name.encode(), *outer, b"", *items[:_BEGINS])
        known = self._known.pop(key, None)
        if known is None:
            request = format_.parse(_begun(members, items[:_BEGINS], format_))
            if leading_system(request.messages) == len(request.messages):
                # The key does not hold what tells it from others.
                return Beginning.of(_beginning(body.text, members, items, format_))
            known = Beginning.of(request)
        self._known[key] = known
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        return known


def _beginning(body: bytes, members: Mapping[str, bytes], items: Sequence[bytes], format_: Format) -> Request:
    """The request, with no more of its conversation than tells whose it is: what leads it, and the first message."""
    for count in range(2 * _BEGINS, len(items), _BEGINS):
        request = format_.parse(_begun(members, items[:count], format_))
        if leading_system(request.messages) < len(request.messages):
            return request
    return format_.parse(body)


def _begun(members: Mapping[str, bytes], items: Sequence[bytes], format_: Format) -> bytes:
    return join_object({**members, format_.conversation: b"[" + b",".join(items) + b"]"})


def _named(fields: object) -> str:
    match fields:
        case {"prompt_cache_key": str(value)} if value:
            return value
        case {"metadata": {"user_id": str(value)}} if "session" in value:
            try:
                named = json.loads(value)
            except ValueError:
                return value
            return str(named.get("session_id", value)) if isinstance(named, dict) else value
        case _:
            return ""


def session_key(scope: str, headers: Mapping[str, str], beginning: Beginning) -> str:
    """One key a conversation: scope, the client's own id, and how it begins.

    Args:
        scope: see ``scope_of``.
        headers: the client's, by names in lower case, where it may name its session; what the body names counts where they do
            not.
        beginning: how the conversation begins.
    """
    named = next((value for name in _SESSIONS if (value := headers.get(name, "").strip())), beginning.named)
    return _hashed(scope.encode(), named.encode(), *beginning.begins)


def _hashed(*parts: bytes) -> str:
    return _digest(*parts).hex()


def _digest(*parts: bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()
