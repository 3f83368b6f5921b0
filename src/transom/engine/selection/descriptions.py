"""Descriptions of tools, cut at sentence bounds.

Knows text only. The first sentence says what a thing is and always stays; of the rest those stay that warn or forbid, as far as
there is room. Descriptions are written by whoever wrote the tool, mostly in English; where no cue is found, order decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["ELLIPSIS", "sentences", "shorten"]

ELLIPSIS = "…"
"""Ends a sentence that had to be cut inside."""

_BOUND = re.compile(r"(?<=[.!?。！？])[\"')\]]?(?:\s+|(?<=[。！？]))(?=\S)")
_NO_BOUND = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|max|min|no|z\.B|d\.h)|\b[A-Z])\.$", re.IGNORECASE)
_ABBREVIATED = 12
"""Characters before a bound that are looked at: more than any abbreviation has."""
_SECTION = re.compile(
    r"^[^\S\n]*(?:args|arguments|parameters|params|returns|raises|examples?|notes?|usage)[^\S\n]*:[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_WEIGHTY = re.compile(
    r"\b(?:important|warning|caution|must|never|always|only|cannot|can't|not be|required|refused|fails?|undone|irreversible"
    r"|destructive|before you|does not|do not|don't|instead)\b",
    re.IGNORECASE,
)
_HARM = re.compile(
    r"\b(?:irreversibl[ey]|undone|destructive|never|ask the user|ask first|confirm(?:ation)?"
    r"|cannot be (?:taken back|restored))\b",
    re.IGNORECASE,
)
"""What is said of harm stays, as far as it takes no more room than the whole was to have."""
_EXAMPLE = re.compile(r"^\W*(?:for example|examples?\b|e\.g\.)", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:](?=\s)|\s[-–—(]")
"""Where a sentence that is too long may end."""
_JOINT = re.compile(r"\s(?=(?:and|or|so|that|which|whose|with|without|instead|before|after|when|if|unless|because|for)\b)")


def sentences(text: str) -> list[str]:
    """The sentences of a description, white space put in order. Paragraphs and list items end a sentence too.

    Args:
        text: of any length; sections for readers of code ("Args:", "Returns:") end it.
    """
    section = _SECTION.search(text)
    if section is not None and text[: section.start()].strip():
        text = text[: section.start()]
    found: list[str] = []
    for line in re.split(r"\n\s*\n|\n\s*(?=[-*•]\s|\d+[.)]\s)", text):
        whole = " ".join(line.split())
        start = 0
        for bound in _BOUND.finditer(whole):
            if not _NO_BOUND.search(whole[max(start, bound.start() - _ABBREVIATED) : bound.start()]):
                found.append(whole[start : bound.end()].strip())
                start = bound.end()
        if whole[start:].strip():
            found.append(whole[start:].strip())
    return found


def shorten(text: str, most: int, said: Callable[[str], bool] | None = None) -> str:
    """A description of at most so many characters, where a whole first sentence allows it.

    Args:
        text: the description.
        most: characters to aim at. A first sentence that alone is longer than half as much again is cut at a clause.
        said: whether a sentence repeats what the schema says by itself; such sentences go first.

    Returns:
        The description, never longer than the text, and empty only for an empty text.
    """
    whole = sentences(text)
    if not whole:
        return ""
    first = _cut(whole[0], most)
    kept = {0}
    room = most - len(first)
    rest = [index for index in range(1, len(whole)) if said is None or not said(whole[index])]
    rest.sort(key=lambda index: (bool(_EXAMPLE.match(whole[index])), not _WEIGHTY.search(whole[index]), index))
    grave = next((index for index in rest if _HARM.search(whole[index]) and len(whole[index]) <= most), None)
    if grave is not None:
        kept.add(grave)
        room -= len(whole[grave]) + 1
    for index in rest:
        if index != grave and len(whole[index]) + 1 <= room and first == whole[0]:
            kept.add(index)
            room -= len(whole[index]) + 1
    written = " ".join([first, *(whole[index] for index in sorted(kept) if index)])
    return written if len(written) < len(text) else text


def _cut(sentence: str, most: int) -> str:
    """A sentence of at most half as much again, cut at a clause, else before a word that begins another, else anywhere."""
    limit = most + most // 2
    if len(sentence) <= limit:
        return sentence
    clauses = [match.start() for match in _CLAUSE.finditer(sentence, most // 3, limit)]
    if clauses:
        end = max([at for at in clauses if at <= most], default=clauses[0])
        # What follows a colon is a list: half of it would say that this is all.
        end = min([end, *(at for at in clauses if sentence[at] == ":")])
        return sentence[:end].rstrip(" ,;:(-–—") + "."
    joints = [match.start() for match in _JOINT.finditer(sentence, most // 2, limit)]
    end = max([at for at in joints if at <= most], default=joints[0] if joints else sentence.rfind(" ", most // 2, most))
    return sentence[: end if end > 0 else most].rstrip() + ELLIPSIS
