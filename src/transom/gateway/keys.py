"""Keys that a request is known to carry: which they are, and text without them.

Pure. ``safety.secrets`` knows keys by their form; here they are known to the letter, whatever they look like: an upstream that
repeats a key in its error has it masked wherever that is logged or shown. What goes to the client stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from urllib.parse import quote, unquote_plus

from ..jsontext import dumps

__all__ = ["is_harmless", "is_key_name", "keys_of", "shown_query", "without_keys"]

_NAMES = re.compile(
    r"(?i)(?:\A|[-_.])(?:auth|authorization|code|cookies?|credentials?|jwt|key|pass|passwd|password|pat|pwd|secret|sig|signature"
    r"|token)s?\Z|api_?key\Z|access_?token\Z"
)
"""Names, of headers and of parameters, that promise a key."""
_NO_KEYS = frozenset({"idempotency-key", "x-idempotency-key", "sec-websocket-key"})
_HARMLESS = frozenset({
    "$alt", "after", "after_id", "alt", "api-version", "autoload", "before", "before_id", "beta", "include", "include[]",
    "limit", "order", "page", "page_size", "pagesize", "prettyprint", "purpose", "stream",
})  # fmt: skip
"""Parameters whose values say how something is listed or written. Of all others only the names are shown."""
_HARMLESS_HEADERS = frozenset({
    "accept", "accept-encoding", "accept-language", "anthropic-beta", "anthropic-dangerous-direct-browser-access",
    "anthropic-version", "connection", "content-encoding", "content-length", "content-type", "expect", "host", "openai-beta",
    "originator", "transfer-encoding", "upgrade", "user-agent", "x-app", "x-goog-api-client", "x-title", "x-transom-bypass",
    "x-transom-dry-run",
})  # fmt: skip
"""Headers that carry no credential. Others may, whatever their names: of those only the names are shown."""
_HARMLESS_FIRST = "x-stainless-"
"""What the headers begin with in which the providers' own libraries say what they run on."""
_SCHEME = re.compile(r"(?i)\A\s*(?:bearer|basic|token|apikey)\s+")
"""How a key is to be understood, which may stand before it."""
_PLAIN = re.compile(r"[A-Za-z0-9_.,:-]{0,64}")
_HIDDEN = "…"
_PIECE = re.compile(r"\S{16,}")
_SHORTEST = 8
"""Characters of a key: what is shorter is a stand-in, such as ``none``, that would be found in half of all words."""
_TOLD = 16
"""Characters of a key whose first four are shown, as ``safety.secrets`` does."""


def is_key_name(name: str) -> bool:
    """Whether a header or a parameter of this name is there to carry a key."""
    return _NAMES.search(name) is not None and name.lower() not in _NO_KEYS


def is_harmless(name: str) -> bool:
    """Whether a header of this name, in lower case, carries no credential."""
    return name in _HARMLESS_HEADERS or name.startswith(_HARMLESS_FIRST)


def shown_query(query: str) -> str:
    """A query as it may be shown: names alone, and the values of the few parameters that cannot be a secret."""
    return "&".join(_shown(pair) for pair in query.split("&")) if query else ""


def keys_of(headers: Iterable[tuple[str, str]], query: str, own: str | None = None) -> list[str]:
    """The keys of a request, the longest first.

    Args:
        headers: the client's.
        query: the client's.
        own: the key that is sent to the upstream in place of the client's.
    """
    found = {own} if own is not None else set()
    for name, value in headers:
        if is_key_name(name):
            found |= set(_values(name.lower(), value))
        elif not is_harmless(name.lower()):
            # Nobody knows what it carries: what is as long as a key, and in one piece, is taken for one.
            found |= {piece for piece in (value.strip(),) if _PIECE.fullmatch(piece)}
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        if equals and is_key_name(unquote_plus(name)):
            found |= {value, unquote_plus(value)}
        elif not equals and _PIECE.fullmatch(name):
            found |= {name, unquote_plus(name)}
    return sorted((key for key in found if len(key) >= _SHORTEST), key=lambda key: (-len(key), key))


def without_keys(text: str, keys: Collection[str]) -> str:
    """A text with all of the keys masked, also where JSON or a URL spells one otherwise, or where the text ends within it."""
    for key in keys:
        mask = f"{key[:4]}***" if len(key) >= _TOLD else "***"
        for spelled in _spellings(key):
            text = text.replace(spelled, mask)
        rest = _cut(text, key)
        if rest:
            text = text[: len(text) - rest] + mask
    return text


def _shown(pair: str) -> str:
    name, equals, value = pair.partition("=")
    if not equals:
        # Who has no value may be one.
        return name if name.lower() in _HARMLESS or not name else _HIDDEN
    harmless = unquote_plus(name).lower() in _HARMLESS and _PLAIN.fullmatch(value)
    return f"{name}={value}" if harmless else f"{name}={_HIDDEN}"


def _values(name: str, value: str) -> Iterator[str]:
    if name.endswith("cookie"):
        yield from (part.partition("=")[2].strip() for part in value.split(";"))
    else:
        yield _SCHEME.sub("", value).strip()
        # Signed requests carry several things in one value.
        yield from (piece for piece in re.split(r"[\s,;=/\"]+", value) if len(piece) >= _TOLD)


def _spellings(key: str) -> list[str]:
    escaped = dumps(key).decode()[1:-1]
    return list(dict.fromkeys((key, escaped, escaped.replace("/", "\\/"), quote(key, safe=""), quote(key))))


def _cut(text: str, key: str) -> int:
    """How many characters of a key a text ends with, that was cut off within it; too few tell nothing."""
    end = text.rstrip("….")
    lengths = range(min(len(key) - 1, len(end)), _SHORTEST - 1, -1)
    return next((length + len(text) - len(end) for length in lengths if end.endswith(key[:length])), 0)
