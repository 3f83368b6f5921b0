"""Whose request it is, and which conversation it goes on with.

Knows headers and messages. A scope is one credential: nothing is shared across scopes, so it is the hash of the whole of it. A
conversation is known by the id that its client sends, where it sends one, and always by how it begins: agents run side
conversations (titles, subagents) under the id of the main one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import parse_qsl

from ..messages import Message, leading_system
from ..messages.digest import bytes_digest, meaning_digest

__all__ = ["client_session", "scope_of", "session_key"]

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


def scope_of(headers: Iterable[tuple[str, str]], query: str, spent: Collection[str] = ()) -> str:
    """The scope of a credential; empty for a request without one, which is the local user's.

    Args:
        headers: the client's.
        query: its query.
        spent: headers that carried our own token, which tells no client from another; ``key`` for that of the query.
    """
    found = {name.lower(): value for name, value in headers}
    for name in _CREDENTIALS:
        if name not in spent and (value := found.get(name, "").strip()):
            return _hashed(name.encode(), value.removeprefix("Bearer ").strip().encode())[:32]
    for name, value in parse_qsl(query):
        if name == "key" and value and name not in spent:
            return _hashed(b"x-goog-api-key", value.encode())[:32]
    return ""


def client_session(headers: Iterable[tuple[str, str]], fields: object) -> str:
    """The session that a client names: in a header, or in the fields of its body; empty where it names none."""
    found = {name.lower(): value for name, value in headers}
    for name in _SESSIONS:
        if value := found.get(name, "").strip():
            return value
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


def session_key(scope: str, named: str, messages: Sequence[Message]) -> str:
    """One key a conversation: scope, the client's own id, the whole leading system run, and the first message after it."""
    leading = leading_system(messages)
    begins = messages[: leading + 1]
    # By meaning: clients move their cache markers on, away from the first message, with the second request.
    return _hashed(scope.encode(), named.encode(), *(meaning_digest(message) or bytes_digest(message) for message in begins))


def _hashed(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()
