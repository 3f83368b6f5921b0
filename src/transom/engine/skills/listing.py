"""The skills there are, as text that a model chooses from, within a budget.

Pure. Every skill is named before any is described at length: a skill that is not listed cannot be chosen, while a shorter
description still can be right. Descriptions are cut at the ends of sentences, and what is left out is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...errors import InputError
from ...vocabulary.skills import SkillWords
from ...vocabulary.words import MARK_CLOSE, MARK_OPEN
from .block import escape
from .skill import Skill

__all__ = ["Listing", "render_listing", "sentences"]

_END = re.compile(r"(?<=[.!?])['\")\]]*\s+(?=[^\sa-z,;:.])|(?<=[。！？])(?=\S)|(?<=[。！？])\s+")
_NO_END = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Ms|No)\.['\")\]]*\s+\Z")

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of skills as text.

    Attributes:
        text: the list; empty where there is none, or no room for one.
        names: the skills that are named, in order.
        shortened, left_out: how many descriptions are not whole, and how many skills are not named.
    """

    text: str = ""
    names: tuple[str, ...] = ()
    shortened: int = 0
    left_out: int = 0


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
    steps = [_steps(skill, words) for skill in chosen]
    levels = _levels(steps, frame, max_tokens, count)
    # Lines counted one by one are an estimate of their sum with some tokenizers.
    while True:
        listing = _listing(chosen, steps, levels, frame)
        if not levels or count(listing.text) <= max_tokens:
            return listing if levels else Listing(left_out=len(chosen))
        worst = max(range(len(levels)), key=lambda at: (levels[at], at))
        if levels[worst]:
            levels[worst] -= 1
        else:
            levels.pop()


def sentences(text: str) -> tuple[str, ...]:
    """A text, cut behind its sentences; put together they are the text again, save for white space at its ends."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if _NO_END.search(text[start : match.end()]) is None:
            found.append(text[start : match.end()])
            start = match.end()
    return tuple(filter(str.strip, (*found, text[start:])))


@dataclass(frozen=True, slots=True)
class _Frame:
    words: SkillWords
    tool: str

    def around(self, lines: Sequence[str], shortened: int, left_out: int) -> str:
        words = self.words
        notes = [words.shortened_note(shortened)] if shortened else []
        notes += [words.left_out_note(left_out)] if left_out else []
        mark = [MARK_OPEN + "; ".join(notes) + MARK_CLOSE] if notes else []
        return "\n".join([f"<{words.list_name}>", words.list_line(self.tool), *lines, *mark, f"</{words.list_name}>"])


def _steps(skill: Skill, words: SkillWords) -> list[str]:
    """A skill's line, from its name alone to everything, a sentence more each time."""
    name = f"- {escape(' '.join(skill.name.split()), words)}"
    steps, said = [name], ""
    for sentence in sentences(escape(skill.summary, words)):
        said += sentence
        steps.append(f"{name}: {said.strip()}")
    return steps


def _levels(steps: Sequence[Sequence[str]], frame: _Frame, max_tokens: int, count: Count) -> list[int]:
    """How many sentences each line has: names first, then a sentence for everyone in turn, as long as there is room."""
    room = max_tokens - count(frame.around([], len(steps), len(steps)))
    levels: list[int] = []
    for lines in steps:
        cost = count(f"{lines[0]}\n")
        if cost > room:
            break
        room -= cost
        levels.append(0)
    open_ = list(range(len(levels)))
    while open_:
        still: list[int] = []
        for at in open_:
            lines, level = steps[at], levels[at]
            if level + 1 == len(lines):
                continue
            cost = count(f"{lines[level + 1]}\n") - count(f"{lines[level]}\n")
            if cost <= room:
                room -= cost
                levels[at] += 1
                still.append(at)
        open_ = still
    return levels


def _listing(chosen: Sequence[Skill], steps: Sequence[Sequence[str]], levels: Sequence[int], frame: _Frame) -> Listing:
    lines = [steps[at][level] for at, level in enumerate(levels)]
    shortened = sum(level + 1 < len(steps[at]) for at, level in enumerate(levels))
    left_out = len(chosen) - len(levels)
    names = tuple(skill.name for skill in chosen[: len(levels)])
    return Listing(frame.around(lines, shortened, left_out), names, shortened, left_out)
