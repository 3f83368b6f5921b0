"""Patterns of file names as ``.gitignore`` and ripgrep have them: ``*`` and ``?`` within a name, ``**`` across folders.

Knows no files. A pattern without a slash means a name at any depth; one with a slash means the path from where a search began.
Braces are written out first, and a star takes the nearest place where what follows it fits and keeps to it, so that no name
takes long to be matched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["BadGlob", "Globs", "translated"]

_LONGEST = 500
_MOST_CHOICES = 100
_MOST_LEAPS = 3
"""Times that ``**`` may stand in one pattern: each of them multiplies the ways through the folders of a path."""
_CLASS = re.compile(r"\[([!^]?)(\]?(?:\\.|[^\]/\\])*)\]")
_TOKEN = re.compile(rf"\\.|\*+|\?|{_CLASS.pattern}|.", re.DOTALL)


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
        BadGlob: it is too long or empty, a brace or bracket is not closed, or it means too many things.
    """
    if len(pattern) > _LONGEST or "\0" in pattern or any("\ud800" <= letter <= "\udfff" for letter in pattern):
        raise BadGlob(pattern)
    anchored = "/" in pattern.removeprefix("./").rstrip("/")
    choices = [_path(choice, pattern, anchored=anchored) for choice in _written_out(pattern, pattern)]
    return f"(?:{'|'.join(choices)})"


def _written_out(text: str, pattern: str) -> list[str]:
    """What its braces stand for."""
    start = _unescaped(text, "{", 0)
    if start is None:
        if _unescaped(text, "}", 0) is not None and "{" in pattern:
            raise BadGlob(pattern)
        return [text]
    depth, commas, at = 0, [start], start
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 1
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if not depth:
                break
        elif letter == "," and depth == 1:
            commas.append(at)
        at += 1
    if depth or at >= len(text):
        raise BadGlob(pattern)
    ends = [*commas[1:], at]
    inner = [text[first + 1 : last] for first, last in zip(commas, ends, strict=True)]
    made = [text[:start] + choice for one in inner for choice in _written_out(one, pattern)]
    rests = _written_out(text[at + 1 :], pattern)
    if len(made) * len(rests) > _MOST_CHOICES:
        raise BadGlob(pattern)
    return [before + rest for before in made for rest in rests]


def _unescaped(text: str, letter: str, at: int) -> int | None:
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == letter:
            return at
        at += 1
    return None


def _path(text: str, pattern: str, *, anchored: bool) -> str:
    names = [name for name in text.removeprefix("./").split("/") if name]
    if not names or sum(name == "**" for name in names) > _MOST_LEAPS:
        raise BadGlob(pattern)
    made = "" if anchored else "(?:.*/)?"
    for number, name in enumerate(names):
        last = number == len(names) - 1
        if name == "**":
            made += ".+" if last else "(?:.*/)?"
        else:
            made += _name(name, pattern) + ("" if last else "/")
    return made


def _name(text: str, pattern: str) -> str:
    pieces = [""]
    for found in _TOKEN.finditer(text):
        part = found.group()
        if part[0] == "*":
            pieces.append("")
        elif part == "?":
            pieces[-1] += "[^/]"
        elif part[0] == "[":
            if len(part) == 1:
                raise BadGlob(pattern)
            pieces[-1] += f"[{'^/' if found[1] else ''}{_class(found[2])}]"
        else:
            pieces[-1] += re.escape(part[-1])
    first, *others = pieces
    if not others:
        return first
    return first + "".join(f"(?>[^/]*?{piece})" for piece in others[:-1] if piece) + f"[^/]*{others[-1]}"


def _class(text: str) -> str:
    return re.sub(r"\\(.)|([\\\[\]^&~|])", lambda found: "\\" + (found[1] or found[2]), text)


class Globs:
    """Which paths a search is about.

    Args:
        patterns: globs. One that begins with ``!`` takes out what it matches, with all that is in it where that is a folder; if
            there are others, only what one of them matches is left. One that ends with a slash means all that is in a folder.
        ignore_case: match without regard to case.

    Raises:
        BadGlob: as ``translated``.
    """

    def __init__(self, patterns: Sequence[str] = (), *, ignore_case: bool = False) -> None:
        self.given = tuple(_whole(pattern) for pattern in patterns)
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


def _whole(pattern: str) -> str:
    """A folder means all that is in it; taken out, it is enough to name it."""
    if not pattern.endswith("/"):
        return pattern
    return pattern.rstrip("/") if pattern.startswith("!") else pattern + "**"
