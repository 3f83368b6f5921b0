"""What a search gives, and search over a backend that has none.

Knows entries and addresses; the words are ``fulltext``'s business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import IntegrityError
from .archive import archive_texts, is_base64
from .backend import StoredEntry
from .blobs import blob_text
from .fulltext import texts_of
from .neighbours import follows, hit_of
from .packing import is_packed, unpack
from .scanning import read_through
from .uri import format_uri

__all__ = ["TEXTUAL", "SearchHit", "make_hit", "scan", "texts_in"]

TEXTUAL = ("memory", "notes", "vfs", "archive", "sessions", "projects", "plans", "rag")
"""The namespaces that hold what people and models wrote."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One search result.

    Attributes:
        uri: where the text is stored whole.
        score: how well it matches; higher is better, comparable within one search only.
        snippet: a verbatim excerpt, with … where it was cut.
        line: which line of an archive (from 1), or 0.
        meta: what the backend says of the match; ``around`` holds what the lines beside it are worth as answers, on the scale
            of ``score``.
    """

    uri: str
    score: float
    snippet: str
    line: int = 0
    meta: Mapping[str, object] = field(default_factory=dict)


def make_hit(namespace: str, path: str, score: float, snippet: str, meta: Mapping[str, object]) -> SearchHit:
    """A backend's hit as callers see it."""
    line = meta.get("line")
    return SearchHit(format_uri(namespace, path), score, snippet, line if isinstance(line, int) else 0, meta)


def texts_in(namespace: str, data: bytes) -> tuple[str, ...]:
    """What search may see of an entry whose text was not kept beside it: nothing of what is no text."""
    if namespace == "archive":
        return archive_texts(data)
    if namespace == "sessions" and is_packed(data):
        try:
            header, _, summary = unpack(data).partition(b"\n")
            return ("\n".join([*archive_texts(header), blob_text(summary)]),)
        except (IntegrityError, UnicodeDecodeError):
            return ()
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return ()
    return () if is_base64(text) else texts_of(text)


def scan(entries: Iterable[tuple[str, str, StoredEntry]], query: str, limit: int) -> list[SearchHit]:
    """Search (namespace, path, entry) by reading everything."""
    documents = [
        ((namespace, path, line if namespace == "archive" else 0), text)
        for namespace, path, entry in entries
        for line, text in enumerate(texts_in(namespace, entry.data), 1)
    ]
    hits = map(hit_of, read_through(documents, query, limit, follows=follows))
    return [make_hit(hit.namespace, hit.path, hit.score, hit.snippet, hit.meta) for hit in hits]
