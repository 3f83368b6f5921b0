"""Letters in other cases: of prose, and of names as programs write them."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["constant", "joined", "kebab", "pascal", "plain", "sentence", "slug", "snake", "title", "words_of"]

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_BEGINNING = re.compile(r"(?:^|[.!?]['\")\]’”]*+\s)[^\w.!?\n]*+[^\W\d_]", re.MULTILINE)
_PIECE = re.compile(r"[^\W_]+")


def title(text: str) -> str:
    """Every word with a capital; what stands behind an apostrophe is no word."""
    return _WORD.sub(lambda match: match.group()[0].upper() + match.group()[1:].lower(), text)


def sentence(text: str) -> str:
    """Small letters, with a capital at the beginning of each sentence and line."""
    return _BEGINNING.sub(lambda match: match.group()[:-1] + match.group()[-1].upper(), text.lower())


def words_of(name: str) -> list[str]:
    """The words of a name, whatever case it is written in: ``HTTPServer_v2`` has ``HTTP``, ``Server``, ``v2``."""
    found: list[str] = []
    for piece in _PIECE.findall(name):
        start = 0
        for at in range(1, len(piece)):
            before, here = piece[at - 1], piece[at]
            after = piece[at + 1] if at + 1 < len(piece) else ""
            if here.isupper() and (not before.isupper() or (after and after.islower())):
                found.append(piece[start:at])
                start = at
        found.append(piece[start:])
    return found


def joined(name: str) -> str:
    """``camelCase``."""
    made = pascal(name)
    first = words_of(name)[:1]
    return made[: len(first[0])].lower() + made[len(first[0]) :] if first else made


def pascal(name: str) -> str:
    """``PascalCase``."""
    return "".join(word[0].upper() + word[1:].lower() for word in words_of(name))


def snake(name: str) -> str:
    """``snake_case``."""
    return "_".join(words_of(name)).lower()


def constant(name: str) -> str:
    """``CONSTANT_CASE``."""
    return "_".join(words_of(name)).upper()


def kebab(name: str) -> str:
    """``kebab-case``."""
    return "-".join(words_of(name)).lower()


def slug(text: str) -> str:
    """What an address can hold: plain letters and digits, parted by hyphens; letters of other scripts stay."""
    return "-".join(_PIECE.findall(plain(text))).lower()


def plain(text: str) -> str:
    """Letters without the marks over and under them."""
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(char for char in parts if unicodedata.category(char) != "Mn"))
