"""The tokens of an SQL text, as SQLite reads it and as PostgreSQL does. Knows no grammar.

Comments and blanks are dropped, literals lose their content. Where the two databases differ (dollar quotes, nested comments,
``E''`` strings, names in brackets) the caller chooses the reading; what is safe must be safe in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Token", "UnreadableSQL", "is_mark", "tokens"]

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<comment>--[^\n]*)
  | (?P<block>/\*)
  | (?P<escaped>[eE]'(?:[^'\\]|''|\\.)*+(?P<escaped_end>')?)
  | (?P<string>[xX]?'(?:[^']|'')*+(?P<string_end>')?)
  | (?P<quoted>"(?:[^"]|"")*+(?P<quoted_end>")?)
  | (?P<odd>`(?:[^`]|``)*+(?P<ticked_end>`)?|\[[^\]]*+(?P<bracket_end>\])?)
  | (?P<dollar>\$(?:[^\W\d]\w*)?\$)
  | (?P<value>[$@:\#][\w$]+|\?\d*|\d[\w.]*|\.\d\w*)
  | (?P<word>[^\W\d][\w$]*)
  | (?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class UnreadableSQL(Exception):
    """Something that was opened has no end; the message is what opened it."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        kind: a word, a name in quotes, a literal or parameter, or one character of punctuation.
        text: of words and names, in lower case and without quotes; of literals, empty.
    """

    kind: Literal["word", "name", "value", "mark"]
    text: str


def is_mark(token: Token, text: str) -> bool:
    """Whether a token is this punctuation."""
    return token.kind == "mark" and token.text == text


def tokens(text: str, *, postgres: bool = False) -> Iterator[Token]:
    """Read a text.

    Args:
        text: any text.
        postgres: read it as PostgreSQL does; as SQLite otherwise.

    Raises:
        UnreadableSQL: a string, name or dollar quote without an end. A block comment without one runs to the end of the text.
    """
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None  # ``mark`` takes any character
        position = match.end()
        if match["space"] is not None:
            continue
        if match["comment"] is not None:
            # To PostgreSQL a lone CR ends the line as well.
            position = _after_line(text, match.start(), position) if postgres else position
        elif match["block"] is not None:
            position = _after_comment(text, position, nested=postgres)
        elif match["escaped"] is not None:
            if postgres:
                yield _closed(match, "'", "escaped_end", Token("value", ""))
            else:
                # The letter is a word of its own, and a backslash means nothing.
                yield Token("word", "e")
                position = match.start() + 1
        elif match["string"] is not None:
            yield _closed(match, "'", "string_end", Token("value", ""))
        elif match["quoted"] is not None:
            yield _closed(match, '"', "quoted_end", Token("name", _unquoted(match["quoted"])))
        elif match["odd"] is not None:
            if postgres:
                yield Token("mark", match[0][0])
                position = match.start() + 1
            else:
                end = "bracket_end" if match[0][0] == "[" else "ticked_end"
                yield _closed(match, match[0][0], end, Token("name", _unquoted(match["odd"])))
        elif match["dollar"] is not None:
            position = _after_dollar(text, position, match["dollar"]) if postgres else position
            yield Token("value", "")
        elif match["word"] is not None:
            yield Token("word", match["word"].lower())
        else:
            yield Token("value", "") if match["value"] is not None else Token("mark", match[0])


def _closed(match: re.Match[str], opening: str, end: str, token: Token) -> Token:
    if match[end] is None:
        raise UnreadableSQL(opening)
    return token


def _after_line(text: str, start: int, end: int) -> int:
    carriage = text.find("\r", start, end)
    return end if carriage < 0 else carriage


def _after_dollar(text: str, position: int, mark: str) -> int:
    end = text.find(mark, position)
    if end < 0:
        raise UnreadableSQL(mark)
    return end + len(mark)


def _after_comment(text: str, position: int, *, nested: bool) -> int:
    depth = 1
    while depth:
        close = text.find("*/", position)
        if close < 0:
            return len(text)
        opening = text.find("/*", position, close) if nested else -1
        depth += 1 if opening >= 0 else -1
        position = (opening if opening >= 0 else close) + 2
    return position


def _unquoted(text: str) -> str:
    mark, inner = text[0], text[1:-1]
    return (inner if mark == "[" else inner.replace(mark * 2, mark)).lower()
