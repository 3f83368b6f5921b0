"""The skills there are, as text that a model chooses from, within a budget.

Pure. Every skill is named before any is described at length: a skill that is not listed cannot be chosen, while a shorter
description still can be right. Descriptions are cut at the ends of sentences, and what is left out is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ...errors import InputError
from ...vocabulary.skills import SkillWords
from ...vocabulary.words import MARK_CLOSE, MARK_OPEN
from .block import escape
from .library import Unusable
from .skill import Skill

__all__ = ["Listing", "render_listing", "sentences"]

_END = re.compile(r"(?<=[.!?])['\")\]]*\s+(?=[^\sa-z,;:.])|(?<=[。！？])(?=\S)|(?<=[。！？])\s+")
_NO_END = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Ms|No)\.\Z")
_LONGEST_NO_END = 4
_LONGEST = 8_000
"""Characters of a skill that may be listed. The specification allows a description 1,024."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of skills as text.

    Attributes:
        text: the list; where there is no room for a name, how many there are; empty where there are none, or no room for that.
        names: the skills that are named, in order.
        shortened, left_out: how many descriptions are not whole, and how many skills are not named.
        unusable: folders of the library whose skill cannot be used, and why. For you: the text does not say it.
    """

    text: str = ""
    names: tuple[str, ...] = ()
    shortened: int = 0
    left_out: int = 0
    unusable: tuple[Unusable, ...] = ()


def render_listing(skills: Iterable[Skill], words: SkillWords, *, max_tokens: int, count: Count, tool: str = "") -> Listing:
    """List the skills that a model may choose, in the order given.

    Args:
        skills: which; those that only a user may call are passed over.
        words: what frames them.
        max_tokens: the text never has more.
        count: tokens of a text.
        tool: the tool by which the model loads one; empty for none.

    Raises:
        InputError: a budget that is no number of tokens.
    """
    if max_tokens < 1:
        raise InputError(f"a list of {max_tokens} tokens", hint="give at least 1")
    chosen = [skill for skill in skills if skill.for_model and skill.name]
    if not chosen:
        return Listing()
    frame = _Frame(words, tool)
    lines = [_Line.of(skill, words) for skill in chosen]
    levels = _levels(lines, frame, max_tokens, count)
    # Lines counted one by one are an estimate of their sum with some tokenizers.
    while levels:
        listing = _listing(chosen, lines, levels, frame)
        if count(listing.text) <= max_tokens:
            return listing
        worst = max(range(len(levels)), key=lambda at: (levels[at], at))
        if levels[worst]:
            levels[worst] -= 1
        else:
            levels.pop()
    texts = (frame.around([], 0, len(chosen)), frame.mark(0, len(chosen)))
    return Listing(next((text for text in texts if count(text) <= max_tokens), ""), left_out=len(chosen))


def sentences(text: str) -> tuple[str, ...]:
    """A text, cut behind its sentences; put together they are the text again, save for white space at its ends."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if _NO_END.search(text, max(start, match.start() - _LONGEST_NO_END), match.start()) is None:
            found.append(text[start : match.end()])
            start = match.end()
    return tuple(filter(str.strip, (*found, text[start:])))


@dataclass(frozen=True, slots=True)
class _Frame:
    words: SkillWords
    tool: str

    def around(self, lines: Sequence[str], shortened: int, left_out: int) -> str:
        words = self.words
        mark = [self.mark(shortened, left_out)] if shortened or left_out else []
        return "\n".join([f"<{words.list_name}>", words.list_line(self.tool), *lines, *mark, f"</{words.list_name}>"])

    def mark(self, shortened: int, left_out: int) -> str:
        notes = [self.words.shortened_note(shortened)] if shortened else []
        notes += [self.words.left_out_note(left_out)] if left_out else []
        return MARK_OPEN + "; ".join(notes) + MARK_CLOSE


@dataclass(frozen=True, slots=True)
class _Line:
    """A skill's line, from its name alone to everything that may be listed, a sentence more each time.

    Attributes:
        name: how it begins.
        said: the sentences.
        ends: where in them each one ends.
        whole: the last one ends the description.
    """

    name: str
    said: str
    ends: tuple[int, ...]
    whole: bool

    @classmethod
    def of(cls, skill: Skill, words: SkillWords) -> _Line:
        summary = escape(skill.summary, words)
        whole = len(summary) <= _LONGEST
        found = sentences(summary[:_LONGEST])
        kept = found if whole else found[:-1]
        name = f"- {escape(' '.join(skill.name.split()), words)}"
        return cls(name, "".join(kept), tuple(accumulate(map(len, kept))), whole)

    def at(self, level: int) -> str:
        """With so many sentences."""
        return f"{self.name}: {self.said[: self.ends[level - 1]].strip()}" if level else self.name

    def is_short(self, level: int) -> bool:
        """Whether something is left out then."""
        return level < len(self.ends) or not self.whole


def _levels(every: Sequence[_Line], frame: _Frame, max_tokens: int, count: Count) -> list[int]:
    """How many sentences each line has: names first, then a sentence for everyone in turn, as long as there is room."""
    room = max_tokens - count(frame.around([], len(every), len(every)))
    levels: list[int] = []
    for line in every:
        cost = count(f"{line.at(0)}\n")
        if cost > room:
            break
        room -= cost
        levels.append(0)
    open_ = list(range(len(levels)))
    while open_:
        still: list[int] = []
        for at in open_:
            line, level = every[at], levels[at]
            if level == len(line.ends):
                continue
            cost = count(f"{line.at(level + 1)}\n") - count(f"{line.at(level)}\n")
            if cost <= room:
                room -= cost
                levels[at] += 1
                still.append(at)
        open_ = still
    return levels


def _listing(chosen: Sequence[Skill], every: Sequence[_Line], levels: Sequence[int], frame: _Frame) -> Listing:
    lines = [every[at].at(level) for at, level in enumerate(levels)]
    shortened = sum(every[at].is_short(level) for at, level in enumerate(levels))
    left_out = len(chosen) - len(levels)
    names = tuple(skill.name for skill in chosen[: len(levels)])
    return Listing(frame.around(lines, shortened, left_out), names, shortened, left_out)
