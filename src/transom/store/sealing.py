"""Seals: how a change in what was stored is noticed, whoever made it.

Knows bytes and digests, no storage. A backend keeps a seal in front of an entry's small JSON values: a digest over the entry's
address, those values as they are spelled, and its bytes. What is called after its own SHA-256 (``vfs``) needs one for its
values only. An entry that an earlier release wrote has none and is taken as it is; nothing tells whether it was changed. Beside
it are no values, or an object as ``dumps`` spells it: whatever else stands there is a seal that was damaged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from difflib import SequenceMatcher

from ..errors import IntegrityError, JSONError
from ..jsontext import EMPTY, dumps, loads, spells
from .backend import StoredEntry
from .blobs import check_digest, is_digest
from .uri import format_uri

__all__ = ["damaged", "opened", "sealed"]

_KEY = "transom.seal"
_BEFORE = b'{"%b":"' % _KEY.encode()
_DIGITS = 32
"""128 bits: enough against a failing disk. A seal keeps no secret: who means to forge an entry forges its seal too."""
_END = len(_BEFORE) + _DIGITS
_ALIKE = 7
"""Bytes of the beginning that stay when ten of them are overwritten. Other values have fewer in common with it."""
_CLOSE = 0.8
"""Of the key's letters: one with two more or fewer. Other keys have less in common with it."""


def sealed(namespace: str, path: str, data: bytes, meta: Mapping[str, object]) -> bytes | None:
    """What a backend keeps beside an entry's bytes: its JSON values with a seal in front; nothing where none is needed.

    Args:
        namespace: as the backend calls it.
        path, data, meta: of the entry.
    """
    named = _names_itself(namespace, path)
    if named and not meta:
        return None
    values = dumps(meta) if meta else b"{}"
    return _spelled(_digest(namespace, path, b"" if named else data, values), values)


def opened(namespace: str, path: str, data: object, kept: bytes | None) -> StoredEntry:
    """The entry, after a look at its seal.

    Args:
        namespace: as the backend calls it.
        path: of the entry.
        data: what the backend has for its bytes.
        kept: what it has beside them.

    Raises:
        IntegrityError: one of both is not what was stored.
    """
    if not isinstance(data, bytes):
        raise damaged(namespace, path)
    named = _names_itself(namespace, path)
    if named:
        check_digest(path, data)
    if not kept:
        if kept is not None:
            raise damaged(namespace, path)
        return StoredEntry(data, EMPTY, named)
    if not kept.startswith(_BEFORE):
        return StoredEntry(data, _unsealed(namespace, path, kept), named)
    values = b"{" + kept[_END + 2 :] if kept[_END + 1 : _END + 2] == b"," else b"{}"
    found = kept[len(_BEFORE) : _END]
    if found != _digest(namespace, path, b"" if named else data, values) or kept != _spelled(found, values):
        raise damaged(namespace, path)
    if values == b"{}":
        return StoredEntry(data, EMPTY, checked=True)
    return StoredEntry(data, _object(namespace, path, values), checked=True)


def _unsealed(namespace: str, path: str, values: bytes) -> Mapping[str, object]:
    """What an earlier release kept, if these bytes can be that."""
    meta = _object(namespace, path, values)
    alike = sum(one == other for one, other in zip(values.lower(), _BEFORE, strict=False))
    first = next(iter(meta), "").casefold()
    lost = any(_KEY in key.casefold() for key in meta) or SequenceMatcher(None, first, _KEY).ratio() >= _CLOSE
    if not meta or lost or alike >= _ALIKE or not spells(meta, values):
        raise damaged(namespace, path)
    return meta


def _object(namespace: str, path: str, values: bytes) -> Mapping[str, object]:
    try:
        meta = loads(values)
    except JSONError:
        raise damaged(namespace, path) from None
    if not isinstance(meta, dict):
        raise damaged(namespace, path)
    return meta


def _spelled(found: bytes, values: bytes) -> bytes:
    return _BEFORE + found + (b'",' + values[1:] if values != b"{}" else b'"}')


def _digest(namespace: str, path: str, data: bytes, values: bytes) -> bytes:
    # Neither a name nor JSON of ours holds a newline.
    digest = hashlib.sha256(b"%b\n%b\n%b\n" % (namespace.encode(), path.encode(), values))
    digest.update(data)
    return digest.hexdigest()[:_DIGITS].encode("ascii")


def _names_itself(namespace: str, path: str) -> bool:
    return namespace.partition("@")[0] == "vfs" and is_digest(path)


def damaged(namespace: str, path: str) -> IntegrityError:
    """What says so of an entry, to be raised.

    Args:
        namespace: as the backend calls it.
        path: of the entry.
    """
    uri = format_uri(namespace.partition("@")[0], path)
    return IntegrityError(
        f"{uri} is damaged: what is stored there is not what was written",
        hint="run `transom store verify` to see what else is, and restore the store from a copy",
    )
