"""Archives: messages that left the window as JSON Lines, one a line, large texts by reference.

Knows JSON, no message format. A string of ``inline_limit`` bytes or more becomes ``{"$ref": "context://vfs/<sha256>"}`` and is
stored once, however many archives cite it. Data that itself holds a key ``$ref`` is kept apart from a reference by one more
dollar sign (``$$ref``; ``$$ref`` in the data becomes ``$$$ref``), which ``expand`` takes away again: an object with the key
``$ref`` in an archive is always ours. ``expand(archive_lines(x))`` equals ``x`` as JSON, line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from .. import jsontext
from ..errors import JSONError
from .backend import Write
from .blobs import blob_text, blob_write, encode_text

__all__ = ["HEAD_KEY", "archive_lines", "archive_texts", "expand", "is_base64", "references"]

HEAD_KEY = "transom"
"""The key that marks a line as a head, with the value ``head``."""

_REF = "$ref"
_ESCAPED = re.compile(r"\$+ref")
# A key that reads ``$ref`` may be spelt with escapes; lines without any of these bytes hold none and need no parsing.
_MAY_HOLD_REF = re.compile(rb"\$ref|\\u00")
_BASE64 = re.compile(r"(?:data:[\w.+/;=-]{0,200},)?[A-Za-z0-9+/_-]+={0,2}")
_PROTOCOL_KEYS = frozenset(
    {"role", "type", "status", "object", "signature", "encrypted_content", "cache_control", "finish_reason"}
)


def archive_lines(raws: Sequence[bytes], *, inline_limit: int = 4096) -> tuple[list[Write], bytes]:
    """Turn messages, each as its JSON text, into an archive.

    Args:
        raws: one JSON text a message.
        inline_limit: bytes of UTF-8 from which on a string goes to ``vfs``.

    Returns:
        The blobs to write before the archive, each once, and the JSON Lines.
    """
    blobs: dict[str, Write] = {}
    lines = [_archive_line(raw, inline_limit, blobs) for raw in raws]
    lines.append(b"")
    return list(blobs.values()), b"\n".join(lines)


def _archive_line(raw: bytes, limit: int, blobs: dict[str, Write]) -> bytes:
    one_line = b"\n" not in raw and b"\r" not in raw
    if one_line and len(raw) < limit and not _MAY_HOLD_REF.search(raw):
        return raw
    try:
        value = jsontext.loads(raw)
        shortened = _shorten(value, limit, blobs, 0, index=not _stands_for_others(value))
        return raw if shortened is value and one_line else jsontext.dumps(shortened)
    except JSONError:
        # Nested deeper than any parser here reads: kept as it is, for a line that cannot be parsed is not expanded either.
        return raw if one_line else b" ".join(raw.split())


def _stands_for_others(value: object) -> bool:
    """Whether a line is a head: a text of ours about messages that are archived themselves. Search finds those, not it."""
    return isinstance(value, dict) and value.get(HEAD_KEY) == "head"


def _shorten(value: object, limit: int, blobs: dict[str, Write], depth: int, *, index: bool) -> object:
    """``value`` with long strings referred to; the very same object where nothing changed."""
    if depth > jsontext.MAX_DEPTH:
        raise JSONError(f"nested deeper than {jsontext.MAX_DEPTH} levels")
    if isinstance(value, str):
        if len(value) * 4 < limit or len(encode_text(value)) < limit:
            return value
        write = blob_write(value, index=index and not is_base64(value))
        blobs.setdefault(write.path, write)
        return {_REF: f"context://vfs/{write.path}"}
    if isinstance(value, dict):
        changed = False
        result = {}
        for key, item in value.items():
            new_key = "$" + key if _ESCAPED.fullmatch(key) else key
            new_item = _shorten(item, limit, blobs, depth + 1, index=index)
            changed = changed or new_item is not item or new_key is not key
            result[new_key] = new_item
        return result if changed else value
    if isinstance(value, list):
        items = [_shorten(item, limit, blobs, depth + 1, index=index) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def references(lines: bytes) -> list[str]:
    """The addresses that an archive refers to, each once, in order."""
    found: dict[str, None] = {}

    def note(uri: str) -> bytes:
        found[uri] = None
        return b""

    for line in lines.split(b"\n"):
        if _MAY_HOLD_REF.search(line):
            try:
                _expand(jsontext.loads(line), note)
            except JSONError:
                continue
    return list(found)


def expand(lines: bytes, read: Callable[[str], bytes]) -> bytes:
    """An archive with every reference replaced by the text it stands for: line by line equal, as JSON, to what was archived.

    Args:
        lines: what ``archive_lines`` made.
        read: gives the bytes under an address.
    """
    return b"\n".join(_expand_line(line, read) for line in lines.split(b"\n"))


def _expand_line(line: bytes, read: Callable[[str], bytes]) -> bytes:
    if not _MAY_HOLD_REF.search(line):
        return line
    try:
        value = jsontext.loads(line)
    except JSONError:
        return line
    expanded = _expand(value, read)
    return line if expanded is value else jsontext.dumps(expanded)


def _expand(value: object, read: Callable[[str], bytes]) -> object:
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(uri := value.get(_REF), str):
            return blob_text(read(uri))
        changed = False
        result = {}
        for key, item in value.items():
            new_key = key[1:] if key.startswith("$") and _ESCAPED.fullmatch(key) else key
            new_item = _expand(item, read)
            changed = changed or new_item is not item or new_key is not key
            result[new_key] = new_item
        return result if changed else value
    if isinstance(value, list):
        items = [_expand(item, read) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def archive_texts(lines: bytes) -> tuple[str, ...]:
    """What full-text search sees of each line: the words in it as a reader would see them, without JSON's escapes."""
    return tuple(_line_text(line) for line in lines.removesuffix(b"\n").split(b"\n")) if lines else ()


def _line_text(line: bytes) -> str:
    try:
        value = jsontext.loads(line)
        return "" if _stands_for_others(value) else "\n".join(_words(value, "", 0))
    except JSONError:
        return line.decode("utf-8", "replace")


def _words(value: object, key: str, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if key in _PROTOCOL_KEYS or not value or (len(value) > 512 and is_base64(value)):
            return
        if value[0] in "{[" and value[-1] in "}]" and depth < 16:
            # Call arguments are JSON in a string: indexed as the values they hold, else a newline would glue an n to a word.
            try:
                inner = jsontext.loads(value)
            except JSONError:
                yield value
                return
            yield from _words(inner, key, depth + 1)
            return
        yield value
    elif isinstance(value, dict):
        if isinstance(value.get(_REF), str) and len(value) == 1:
            return
        for name, item in value.items():
            if isinstance(item, bool | int | float):
                yield f"{name}: {jsontext.dumps_text(item)}"
            else:
                yield from _words(item, name, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item, key, depth + 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield jsontext.dumps_text(value)


def is_base64(text: str) -> bool:
    """Whether a long text is encoded binary (a data URL or base64 of one piece or of lines), which no search should see."""
    if len(text) < 256:
        return False
    body = text
    if "\n" in text[:200]:
        body = "".join(text.split())
    if _BASE64.fullmatch(body) is None:
        return False
    return text.startswith("data:") or len(set(body[:512])) > 24
