"""Addresses of stored things: ``context://<namespace>/<path>``.

Knows syntax only; whether something is stored there is the store's business. A formatted address is plain ASCII and holds no
character that ends a word, so that it survives in prose, in JSON and in a model's answer, and ``mentions`` finds it again.
``parse`` is lenient about escapes a reader left out, never about what a path may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote

from ..errors import URIError

__all__ = [
    "MAX_PATH_BYTES",
    "MAX_SEGMENT_BYTES",
    "NAMESPACES",
    "SCHEME",
    "Address",
    "backend_namespace",
    "check_backend_namespace",
    "check_namespace",
    "check_path",
    "check_prefix",
    "format_uri",
    "mentions",
    "parse_uri",
    "scope_of_backend_namespace",
]

SCHEME = "context://"
NAMESPACES = (
    "memory",
    "notes",
    "vfs",
    "archive",
    "windows",
    "decisions",
    "flights",
    "intents",
    "models",
    "sessions",
    "projects",
    "plans",
    "rag",
)
MAX_PATH_BYTES = 1024
MAX_SEGMENT_BYTES = 255

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_MENTION = re.compile(rf"context://((?:{'|'.join(NAMESPACES)})/[A-Za-z0-9._~%/-]+)")
_BACKEND_NAMESPACE = re.compile(r"[a-z][a-z0-9-]{0,63}(?:@[a-z0-9_.%-]{1,512})?")


class Address(NamedTuple):
    """Where something is stored."""

    namespace: str
    path: str


def check_namespace(namespace: str) -> str:
    """The namespace itself.

    Raises:
        URIError: not one of ``NAMESPACES``.
    """
    if namespace not in NAMESPACES:
        raise URIError(f"unknown namespace {namespace!r}", hint=f"one of {', '.join(NAMESPACES)}")
    return namespace


def check_path(path: str) -> str:
    """The path itself.

    Raises:
        URIError: empty, over-long, or with a segment that is empty, ``.`` or ``..``, a backslash, a control character or a
            lone surrogate.
    """
    if not path:
        raise URIError("an empty path", hint="write context://<namespace>/<path>")
    if "\\" in path:
        raise URIError(f"a backslash in {path!r}", hint="segments are parted by /")
    if _CONTROL.search(path):
        raise URIError(f"a control character in {path!r}", hint="use printable characters")
    for segment in path.split("/"):
        if segment in {"", ".", ".."}:
            what = f"the segment {segment!r}" if segment else "an empty segment"
            raise URIError(f"{what} in {path!r}", hint="no leading, trailing or doubled /, and no . or .. as a name")
    try:
        size = len(path.encode())
        widest = size if size <= MAX_SEGMENT_BYTES else max(len(segment.encode()) for segment in path.split("/"))
    except UnicodeEncodeError:
        raise URIError(f"a lone surrogate in {path!r}", hint="a path is text that has a UTF-8 form") from None
    if size > MAX_PATH_BYTES:
        raise URIError(f"a path of {size} bytes", hint=f"at most {MAX_PATH_BYTES}")
    if widest > MAX_SEGMENT_BYTES:
        raise URIError(f"a path segment of {widest} bytes", hint=f"at most {MAX_SEGMENT_BYTES}")
    return path


def check_prefix(prefix: str) -> str:
    """What a listing may start with: any beginning of a valid path.

    Raises:
        URIError: no valid path starts so.
    """
    if prefix:
        check_path(prefix.rstrip("/") + "/x" if prefix.endswith("/") and not prefix.endswith("//") else prefix + "x")
    return prefix


def format_uri(namespace: str, path: str) -> str:
    """The address as text: ASCII, percent-escaped, never ending in a full stop.

    Raises:
        URIError: an unknown namespace or an invalid path.
    """
    check_namespace(namespace)
    text = quote(check_path(path), safe="/~")
    if text.endswith("."):
        text = text[:-1] + "%2E"
    return f"{SCHEME}{namespace}/{text}"


def parse_uri(uri: str) -> Address:
    """Where ``uri`` points.

    Raises:
        URIError: another scheme, an unknown namespace, a broken escape or an invalid path.
    """
    text = uri.strip()
    if not text.startswith(SCHEME):
        raise URIError(f"not a context address: {uri[:80]!r}", hint="write context://<namespace>/<path>")
    namespace, slash, path = text[len(SCHEME) :].partition("/")
    check_namespace(namespace)
    if not slash:
        raise URIError(f"no path in {uri!r}", hint="write context://<namespace>/<path>")
    if _BAD_ESCAPE.search(path):
        raise URIError(f"a broken % escape in {uri!r}", hint="write a per cent sign as %25")
    try:
        decoded = unquote(path, errors="strict")
    except UnicodeDecodeError:
        raise URIError(f"escapes that are not UTF-8 in {uri!r}") from None
    return Address(namespace, check_path(decoded))


def mentions(text: str) -> Iterator[Address]:
    """Every well-formed address that ``text`` names, in order, repeats included."""
    if SCHEME not in text:
        return
    for match in _MENTION.finditer(text):
        try:
            yield parse_uri(SCHEME + match.group(1).rstrip(".~/-"))
        except URIError:
            continue


def backend_namespace(scope: str, namespace: str) -> str:
    """What a backend calls ``namespace`` of ``scope``: different pairs get different names, the empty scope plain ones.

    A scope is spelt in lower case (others escaped), so that it stays itself on a file system that ignores case.

    Raises:
        URIError: an unknown namespace, or a scope that is too long or has no UTF-8 form.
    """
    check_namespace(namespace)
    if not scope:
        return namespace
    try:
        raw = scope.encode()
    except UnicodeEncodeError:
        raise URIError(f"a lone surrogate in the scope {scope!r}", hint="a scope is text that has a UTF-8 form") from None
    name = "".join(chr(byte) if chr(byte) in "abcdefghijklmnopqrstuvwxyz0123456789_-" else f"%{byte:02x}" for byte in raw)
    if len(name) > 512:
        raise URIError(f"a scope of {len(raw)} bytes", hint="at most 170 bytes, or a hash of it")
    return f"{namespace}@{name}"


def scope_of_backend_namespace(namespace: str) -> str:
    """The scope that ``backend_namespace`` put into a name."""
    return unquote(namespace.partition("@")[2])


def check_backend_namespace(namespace: str) -> str:
    """The second check, made by backends: a name that is safe as a directory and as a key.

    Raises:
        URIError: anything else.
    """
    if not _BACKEND_NAMESPACE.fullmatch(namespace):
        raise URIError(f"a namespace no backend takes: {namespace!r}", hint="lower-case letters, digits and - only")
    return namespace
