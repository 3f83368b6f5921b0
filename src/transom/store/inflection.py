"""Words in their other forms: what a question asks for may stand in a text as a plural, a past, a participle.

Knows spelling only. Forms are made, not looked up: an index is asked for each of them, and one that is no word costs a look
that finds nothing. The endings are those of English; a word of a language that bends its words otherwise is found as it is
written.
"""

from __future__ import annotations

from functools import cache

__all__ = ["forms"]

_SHORTEST = 3
_ENDINGS = ("s", "es", "ed", "ing", "e")
_LONG_ENDINGS = ("er", "ers", "ly", "en")
_VOWELS = frozenset("aeiouy")
# Verbs that change inside, most of what English speakers say in a day.
_IRREGULAR = """be was were been is are am|have has had|do does did done doing|go goes went gone going|say said|get got gotten
make made making|know knew known|think thought|take took taken taking|see saw seen|come came coming
give gave given giving|find found|tell told|feel felt|leave left leaving|bring brought|begin began begun
keep kept|hold held|write wrote written writing|stand stood|hear heard|meet met|run ran running|pay paid
sit sat sitting|speak spoke spoken|lead led|grow grew grown|lose lost losing|fall fell fallen|send sent
build built|draw drew drawn|break broke broken|spend spent|buy bought|wear wore worn
choose chose chosen choosing|eat ate eaten|drive drove driven driving|teach taught|catch caught|sell sold
win won winning|ride rode ridden riding|sing sang sung|swim swam swum swimming|fly flew flown flies
forget forgot forgotten|sleep slept|throw threw thrown|wake woke woken waking|steal stole stolen
hide hid hidden|drink drank drunk|show shown showed|shake shook shaken|fight fought|seek sought
bake baked baking|child children|man men|woman women|person people|foot feet|tooth teeth|mouse mice|wife wives
life lives|knife knives|leaf leaves|good better best|bad worse worst"""


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for group in _IRREGULAR.replace("\n", "|").split("|"):
        words = tuple(group.split())
        for word in words:
            table[word] = words
    return table


def forms(word: str) -> tuple[str, ...]:
    """The word, in small letters, and what else it may look like, the word itself first."""
    if word in _groups():
        return (word, *(other for other in _groups()[word] if other != word))
    if len(word) < _SHORTEST or not word.isascii() or not word.isalpha():
        return (word,)
    found = {word: None}
    for stem in _stems(word):
        found[stem] = None
        found.update((stem + ending, None) for ending in _ENDINGS)
        if len(stem) > _SHORTEST:
            found.update((stem + ending, None) for ending in _LONG_ENDINGS)
        if _doubles(stem):
            found.update((stem + stem[-1] + ending, None) for ending in ("ed", "ing", "er"))
        if stem[-1] == "y" and stem[-2] not in _VOWELS:
            found.update((stem[:-1] + ending, None) for ending in ("ies", "ied"))
    return tuple(found)


def _doubles(stem: str) -> bool:
    """Whether the last letter is written twice before an ending: one vowel before it, and no w or x."""
    last = stem[-1]
    return last not in _VOWELS and last not in "wx" and stem[-2] in _VOWELS and stem[-3] not in _VOWELS and len(stem) <= 6


def _stems(word: str) -> tuple[str, ...]:
    """What the word may be made of: without its ending, a doubled letter single, an i a y; itself where it has no ending."""
    for ending in ("ies", "ied"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return (word[: -len(ending)] + "y",)
    if word.endswith("ss"):
        return (word,)
    for ending in ("ing", "ers", "er", "ed", "es", "ly", "en", "s", "e"):
        stem = word.removesuffix(ending)
        if len(stem) < _SHORTEST or (ending in {"er", "ers", "ly", "en"} and len(stem) == _SHORTEST):
            continue
        if stem == word:
            continue
        stems = [stem]
        if len(stem) > _SHORTEST and stem[-1] == stem[-2] and stem[-1] not in _VOWELS and ending in {"ing", "ed", "er", "ers"}:
            stems.append(stem[:-1])
        return tuple(stems)
    return (word,)
