"""Patterns of file names as ``.gitignore`` and ripgrep have them: ``*`` and ``?`` within a name, ``**`` across folders.

Knows no files. A pattern without a slash means a name at any depth; one with a slash means the path from where a search began.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["BadGlob", "Globs", "translated"]

_LONGEST = 500
_MOST_BRACES = 20
_MOST_STARS = 12
_CLASS = re.compile(r"\[([!^]?)(\]?[^\]/]*)\]")


class BadGlob(Exception):
    """A pattern that is none.

    Args:
        pattern: it.
    """

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern


def translated(pattern: str) -> str:
    """A regular expression that matches whole paths, written with ``/``, as a glob does.

    Raises:
        BadGlob: it is too long, a brace or bracket is not closed, or it has so many stars that matching could take long.
    """
    body = pattern.removeprefix("./").strip("/")
    if "\0" in pattern or not _is_text(pattern):
        raise BadGlob(pattern)
    anchored = "/" in body or pattern.startswith("/")
    if not body or len(pattern) > _LONGEST or pattern.count("{") > _MOST_BRACES or _stars(body) > _MOST_STARS:
        raise BadGlob(pattern)
    if body.endswith("/**"):
        body = body.removesuffix("**") + "*\0"
    return ("" if anchored else "(?:.*/)?") + _Translator(pattern, body).text()


def _is_text(pattern: str) -> bool:
    try:
        pattern.encode()
    except UnicodeEncodeError:
        return False
    return True


def _stars(body: str) -> int:
    return len(re.findall(r"\*+", body))


class _Translator:
    def __init__(self, pattern: str, body: str) -> None:
        self._pattern = pattern
        self._body = body

    def text(self) -> str:
        made: list[str] = []
        body, at, depth = self._body, 0, 0
        while at < len(body):
            letter = body[at]
            if body.startswith("**/", at) and (at == 0 or body[at - 1] == "/"):
                made.append("(?:.*/)?")
                at += 3
                continue
            if letter == "[" and (found := _CLASS.match(body, at)):
                made.append(f"[{'^/' if found[1] else ''}{_escaped_class(found[2])}]")
                at = found.end()
                continue
            if letter == "*":
                while body[at + 1 : at + 2] == "*":
                    at += 1
                made.append("[^/]*")
            elif letter == "{":
                depth += 1
                made.append("(?:")
            elif letter == "}" and depth:
                depth -= 1
                made.append(")")
            elif letter == "," and depth:
                made.append("|")
            elif letter == "[":
                raise BadGlob(self._pattern)
            elif letter == "\\" and at + 1 < len(body):
                at += 1
                made.append(re.escape(body[at]))
            else:
                # What a trailing ** stands for: anything below.
                made.append({"?": "[^/]", "\0": "(?:/.*)?"}.get(letter) or re.escape(letter))
            at += 1
        if depth:
            raise BadGlob(self._pattern)
        return "".join(made)


def _escaped_class(text: str) -> str:
    return re.sub(r"[\\\[\]^&~|]", lambda found: "\\" + found[0], text)


class Globs:
    """Which paths a search is about.

    Args:
        patterns: globs. One that begins with ``!`` takes out what it matches; if there are others, only what one of them
            matches is left.
        ignore_case: match without regard to case.

    Raises:
        BadGlob: as ``translated``.
    """

    def __init__(self, patterns: Sequence[str] = (), *, ignore_case: bool = False) -> None:
        # A folder means all that is in it.
        self.given = tuple(pattern + "**" if pattern.endswith("/") else pattern for pattern in patterns)
        self.inside = [translated(pattern) for pattern in self.given if not pattern.startswith("!")]
        self.outside = [translated(pattern[1:]) + "(?:/.*)?" for pattern in self.given if pattern.startswith("!")]
        flags = re.DOTALL | (re.IGNORECASE if ignore_case else re.NOFLAG)
        try:
            self._inside = [re.compile(pattern, flags) for pattern in self.inside]
            self._outside = [re.compile(pattern, flags) for pattern in self.outside]
        except re.error:
            raise BadGlob(", ".join(patterns)) from None

    def accept(self, path: str) -> bool:
        """Whether a path, relative to where the search began and written with ``/``, is one of them."""
        if self._inside and not any(pattern.fullmatch(path) for pattern in self._inside):
            return False
        return not any(pattern.fullmatch(path) for pattern in self._outside)
