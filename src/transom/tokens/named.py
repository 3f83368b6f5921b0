"""Counters by the name that settings and the command line use."""

from __future__ import annotations

from ..errors import SettingError
from .bpe import bpe
from .chars import Chars
from .counter import Tokenizer
from .heuristic import Heuristic

__all__ = ["TOKENIZERS", "tokenizer_named"]

TOKENIZERS = ("heuristic", "o200k", "cl100k", "chars4")


def tokenizer_named(name: str) -> Tokenizer:
    """The counter of that name.

    Raises:
        SettingError: no such counter.
    """
    match name:
        case "heuristic":
            return Heuristic()
        case "o200k" | "cl100k":
            return bpe(name)
        case "chars4":
            return Chars()
        case _:
            raise SettingError(f"no tokenizer {name!r}", hint=f"use one of {', '.join(TOKENIZERS)}")
