"""Whether a vocabulary can be used: what a template may hold, and which words must be told apart.

Knows the sections and English, by which every other vocabulary is measured. A template that lacks an address would hide where
a text went, one that asks for something unknown would fail in the middle of a session, and a digest whose words are ambiguous
could not be read back; all of it is said when a session begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from string import Formatter

from ..errors import InputError
from .digesting import DigestWords
from .locales.en import ENGLISH
from .words import Vocabulary

__all__ = ["check_vocabulary"]

_NEEDED = frozenset({"archive", "text", "uri", "where"})
"""What no template may leave out that English has it in: the only copy of a text, or the way to it."""

_OPTIONAL_IN_DIGESTS = frozenset({("one_before", "windows")})
_ONE_WORD = ("user", "assistant", "system", "summary", "asked", "in_archive", "plan", "said")
_TOLD_APART = (
    ("user", "assistant", "system", "summary"),
    ("read", "written", "edited", "deleted", "moved"),
    ("unresolved", "passed_later", "changed_later"),
    ("ok", "failed", "no_result", "unknown"),
    ("plan", "said"),
    tuple(item.name for item in fields(DigestWords) if item.name.startswith("title_")),
)
_DATE = frozenset({"clock", "day", "dd", "hh", "hour", "minute", "mm", "month", "month_name", "weekday", "year"})
"""A date is put together otherwise in each language."""
_BREAK = re.compile("[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")


def check_vocabulary(words: Vocabulary) -> None:
    """Refuse a vocabulary that a session could not be held in.

    Raises:
        InputError: it is no ``Vocabulary``, or one of its words cannot be used; names the word.
    """
    if words is ENGLISH:
        return
    if not isinstance(words, Vocabulary):
        raise InputError(f"vocabulary is a {type(words).__name__}", hint="replace(ENGLISH, reset='…')")
    for place, text, english in _all_pairs(words):
        given = _placeholders(place, text)
        known = set(_DATE) if place.startswith("dates.") else _placeholders(place, english)
        unknown = given - known
        if unknown:
            allowed = f"it may hold {', '.join(f'{{{name}}}' for name in sorted(known))}" if known else "it takes none"
            raise InputError(f"the vocabulary's {place} holds {{{min(unknown)}}}, which nothing fills", hint=allowed)
        needed = known if place.startswith("digesting.") else known & _NEEDED
        missing = {name for name in needed - given if (place.rpartition(".")[2], name) not in _OPTIONAL_IN_DIGESTS}
        if missing:
            raise InputError(f"the vocabulary's {place} lacks {{{min(missing)}}}", hint=f"English says {english!r}")
    _check_digest(words.digesting)


def _all_pairs(words: Vocabulary) -> Iterator[tuple[str, str, str]]:
    for item in fields(Vocabulary):
        yield from _pairs(item.name, getattr(words, item.name), getattr(ENGLISH, item.name))


def _pairs(place: str, words: object, english: object) -> Iterator[tuple[str, str, str]]:
    """Every text of a part beside the English one, with its place."""
    if isinstance(english, str):
        if not isinstance(words, str):
            raise InputError(f"the vocabulary's {place} is a {type(words).__name__}, not text")
        yield place, words, english
    elif isinstance(english, tuple):
        # Names of months, sections of a summary: as many as there are things to name, where that is fixed.
        if not isinstance(words, tuple) or (place.startswith("dates.") and len(words) != len(english)):
            raise InputError(f"the vocabulary's {place} does not name {len(english)} things")
    elif is_dataclass(english):
        if not isinstance(words, type(english)):
            raise InputError(f"the vocabulary's {place} is a {type(words).__name__}, not {type(english).__name__}")
        for item in fields(english):
            yield from _pairs(f"{place}.{item.name}", getattr(words, item.name), getattr(english, item.name))


def _placeholders(place: str, text: str) -> set[str]:
    try:
        return {re.split(r"[.\[]", name)[0] for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise InputError(f"the vocabulary's {place} is no template: {error}", hint="write {{ and }} for braces") from None


def _check_digest(words: DigestWords) -> None:
    """What stands on a line of a digest ends where the quote begins."""
    for item in fields(words):
        text = getattr(words, item.name)
        if _BREAK.search(text) or (" > " in text and item.name != "explanation"):
            raise InputError(f"the vocabulary's digesting.{item.name} holds a line break or the mark of a quote, ' > '")
        if not text.strip():
            raise InputError(f"the vocabulary's digesting.{item.name} is empty")
    for name in _ONE_WORD:
        if len(getattr(words, name).split()) != 1:
            raise InputError(f"the vocabulary's digesting.{name} is not one word", hint="join the words by hyphens")
    for names in _TOLD_APART:
        texts = [getattr(words, name) for name in names]
        if len(set(texts)) < len(texts):
            twice = next(text for text in texts if texts.count(text) > 1)
            raise InputError(f"the vocabulary's digesting uses {twice!r} for two of {', '.join(names)}")
