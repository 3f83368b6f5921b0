"""A regular expression of Python, as ripgrep's engine reads it; or that it has to be left to Python.

Both engines must find the same, so what they would read differently is put in other words, and what the other does not have
(look-around, references back, atomic groups) it never sees. What slips through it refuses, and Python takes over.
"""

from __future__ import annotations

import re

__all__ = ["for_ripgrep"]

_TOKEN = re.compile(r"\\.|\(\?P[=>]|\(\?<[=!]|\(\?[=!>(#]|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+?}]\+|.", re.DOTALL)
_ONLY_PYTHON = ("(?P=", "(?P>", "(?<=", "(?<!", "(?=", "(?!", "(?>", "(?(", "(?#")
_IN_CLASS = re.compile(r"(?<!^)\[|&&|--|~~|\|\||\\[bBZ0-9]")


def for_ripgrep(pattern: str) -> str | None:
    """The same pattern for ripgrep; ``None`` when only Python can search for it."""
    made: list[str] = []
    for found in _TOKEN.finditer(pattern):
        token = found.group()
        if token.startswith(_ONLY_PYTHON) or (len(token) == 2 and token[1] == "+" and token[0] in "*+?}"):
            return None
        if token[0] == "\\" and len(token) == 2 and (token[1].isdigit() or token[1] == "Z"):
            return None
        if token[0] == "[" and len(token) > 1 and _IN_CLASS.search(token):
            return None
        # There they would be the borders of a word.
        made.append(token[1] if token in {"\\<", "\\>"} else token)
    return "".join(made)
