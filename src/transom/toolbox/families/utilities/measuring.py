"""``hash_file`` and ``token_count``: numbers of a file that a model cannot see by reading it."""

from __future__ import annotations

import hashlib
from typing import Literal

from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["hash_file", "token_count"]

CHUNK = 1 << 20
"""Bytes that are read between two looks at whether to go on."""


@tool(family="utilities", title="Digest of a file", read_only=True, idempotent=True)
def hash_file(
    context: ToolContext,
    path: str,
    algorithm: Literal["sha256", "sha512", "sha1", "md5", "blake2b"] = "sha256",
    expected: str | None = None,
) -> Result:
    """Compute the digest of a file, and compare it with the one that is expected.

    Args:
        path: the file.
        algorithm: sha1 and md5 only to compare with what others give.
        expected: the digest in hexadecimal.
    """
    words, place = context.words.converting, context.use(Workspace).place(path)
    made, size = hashlib.new(algorithm, usedforsecurity=False), 0
    with place.open() as file:
        while piece := file.read(CHUNK):
            context.check()
            made.update(piece)
            size += len(piece)
    digest = made.hexdigest()
    data: dict[str, object] = {"algorithm": algorithm, "digest": digest, "bytes": size}
    text = words.hashed.format(algorithm=algorithm, digest=digest, path=place.shown, size=size)
    if expected is not None:
        wanted = expected.strip().lower().removeprefix(f"{algorithm}:")
        data["matches"] = wanted == digest
        text += " " + (words.hash_same if wanted == digest else words.hash_other.format(expected=wanted))
    return Result(data=data, text=text, provenance=place.shown)


@tool(family="utilities", title="Count tokens", read_only=True, idempotent=True)
def token_count(
    context: ToolContext,
    text: str | None = None,
    path: str | None = None,
    tokenizer: Literal["o200k", "cl100k", "heuristic", "chars4"] = "o200k",
) -> Result:
    """Count the tokens of a text or a text file.

    Args:
        text: the text.
        path: the file, in place of text.
        tokenizer: o200k (GPT-4o and later), cl100k (GPT-4), or an estimate.
    """
    from ....tokens.named import tokenizer_named
    from .converting import text_of

    words = context.words.converting
    if (text is None) == (path is None):
        raise Refused("invalid_input", words.count_what)
    shown = None
    if path is not None:
        place = context.use(Workspace).place(path)
        shown = place.shown
        text, _ = text_of(place.read(), place.shown, words, guess=True)
    assert text is not None
    counter = tokenizer_named(tokenizer)
    tokens = counter.count(text)
    data = {"tokens": tokens, "tokenizer": counter.name, "characters": len(text)}
    return Result(data=data, text=words.tokens.format(**data), provenance=shown)
