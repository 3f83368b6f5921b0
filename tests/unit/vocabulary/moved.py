"""A vocabulary whose every letter lies in a plane of Unicode that nothing else uses: what a payload says in it is ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from string import Formatter
from typing import TypeVar, cast

from transom.vocabulary import ENGLISH, Vocabulary

T = TypeVar("T")

PLANE = 0xE000
"""Private use: ``U+E000`` plus the code of an ASCII letter."""

_LETTERS = {ord(letter): PLANE + ord(letter) for letter in map(chr, range(128)) if letter.isalpha()}
_BACK = {moved: letter for letter, moved in _LETTERS.items()}


def moved(words: T, *, keep: Callable[[str, str], bool] = lambda _name, _text: False) -> T:
    """The same words with every letter moved; placeholders stay.

    Args:
        words: a vocabulary, or any part of one.
        keep: asked with the name of a field and its text; what it says yes to stays as it is.
    """
    return cast("T", _moved("", words, keep))


def _moved(name: str, value: object, keep: Callable[[str, str], bool]) -> object:
    if isinstance(value, str):
        return value if keep(name, value) else _letters(value)
    if isinstance(value, tuple):
        return tuple(_moved(name, item, keep) for item in value)
    if isinstance(value, dict):
        return {key: _moved(name, item, keep) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        values = {item.name: _moved(item.name, getattr(value, item.name), keep) for item in fields(value) if item.init}
        return type(value)(**values)
    return value


def _letters(text: str) -> str:
    pieces: list[str] = []
    try:
        parsed = list(Formatter().parse(text))
    except ValueError:
        return text.translate(_LETTERS)
    for literal, name, spec, conversion in parsed:
        # What stands for a brace in a template has to stand for it still.
        pieces.append(literal.translate(_LETTERS).replace("{", "{{").replace("}", "}}"))
        if name is not None:
            pieces.append("{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}")
    return "".join(pieces)


def in_english(text: str) -> str:
    """A text with the moved letters moved back."""
    return text.translate(_BACK)


def own_words(text: str) -> list[str]:
    """What a text says in moved words, moved back."""
    return [in_english(found) for found in re.findall(f"[{chr(PLANE)}-{chr(PLANE + 127)}]+", text)]


MOVED: Vocabulary = moved(ENGLISH)
