"""Long conversations of two people, and questions whose answers are marked: made from a seed, the same ones every time.

Made so that words alone mislead, as they do among people: what is asked for was named by the one who asked, a turn or three
before the answer; both people have told of the same things, on several days; a question may say who or when instead of what,
or use other words. The evidence of a question is every turn that answers it. A word of a question that is rare in the
conversation is never a word of its evidence (``shared`` says which one is; the generator drops such questions).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import zip_longest

from topics import CHAT, CLOSINGS, HALVES, OPENERS, PROMPTS, REACTIONS, STALLS, TAILS, Facet

from transom.jsontext import dumps

__all__ = ["Conversation", "Question", "Turn", "conversations", "words"]

_PAIRS = (("Mara", "Jonas"), ("Priya", "Tom"), ("Elif", "Daniel"), ("Sofia", "Ben"), ("Ines", "Karl"), ("Amy", "Luca"))
_SHAPES = ("name field", "name and time fields", "name in text", "roles and dated first lines")
_KINDS = ("plain", "dated", "inflected", "reworded")
_REPEATED = "repeated"
"""The kind for comparison: the rarest words of the evidence itself, which any search must find."""
_CHAT_SHARE = 0.65
"""Of all exchanges, those that are about nothing."""
_AT_ONCE = 0.3
"""Of the tellings that nothing stands between, those without a question before them."""
_HINTED = 0.5
"""Of the questions that use no word of the asking, those that name the topic."""
_RARE = 0.02
"""A word is rare that stands in at most this share of the turns."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: who said what on which day; ``told`` is the facet it tells, ``opens`` whether a session begins with it."""

    speaker: str
    text: str
    day: date
    opens: bool = False
    told: Facet | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the numbers of the turns that answer it, from 0."""

    text: str
    kind: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, how its messages are written down, and what is asked of it."""

    shape: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    def lines(self) -> list[tuple[bytes, int]]:
        """Its messages as JSON texts, each with the number of its turn (-1: a heading of a session)."""
        return list(_lines(self))


def conversations(seed: int, *, half: int = 0, count: int = 4, asked: int = 60) -> list[Conversation]:
    """``count`` conversations of 400 to 700 turns.

    Args:
        seed: decides everything.
        half: which half of the topics they speak of.
        count: how many.
        asked: questions of each, at most.
    """
    chance = random.Random(seed)
    pairs = chance.sample(_PAIRS, len(_PAIRS))
    found = []
    for number in range(count):
        turns = _turns(chance, pairs[number % len(pairs)], HALVES[half], chance.randint(400, 690))
        questions = _questions(chance, turns, asked)
        found.append(Conversation(_SHAPES[number % len(_SHAPES)], tuple(turns), tuple(questions)))
    return found


# ── what is said ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _turns(chance: random.Random, pair: tuple[str, str], facets: Sequence[Facet], most: int) -> list[Turn]:
    turns: list[Turn] = []
    day = date(2023, 1, 1) + timedelta(days=chance.randrange(700))
    used: Counter[tuple[Facet, str, str]] = Counter()
    while len(turns) < most:
        opening = len(turns)
        for _ in range(chance.randint(4, 8)):
            chats = chance.random() < _CHAT_SHARE
            said = _chat(chance, pair) if chats else _thread(chance, pair, chance.choice(facets), used)
            turns += [Turn(who, text, day, len(turns) + at == opening, told) for at, (who, text, told) in enumerate(said)]
        day += timedelta(days=chance.choice((1, 2, 5, 8, 12, 16, 20)))
    return turns[:most]


def _chat(chance: random.Random, pair: tuple[str, str]) -> list[tuple[str, str, Facet | None]]:
    first, second = chance.sample(pair, 2)
    said = chance.choice(CHAT)
    return [(first, _dressed(chance, said[0]), None), (second, _dressed(chance, said[1]), None)]


def _thread(
    chance: random.Random, pair: tuple[str, str], facet: Facet, used: Counter[tuple[Facet, str, str]]
) -> list[tuple[str, str, Facet | None]]:
    teller, other = chance.sample(pair, 2)
    # Nobody tells the same twice: another value each time, as long as there are some.
    value = min(chance.sample(facet.values, len(facet.values)), key=lambda value: used[facet, teller, value])
    used[facet, teller, value] += 1
    tell = _dressed(chance, chance.choice(facet.tells).format(v=value))
    said: list[tuple[str, str, Facet | None]]
    match chance.randrange(4):
        case 0:
            said = [(other, _asked(chance, facet, teller), None), (teller, tell, facet)]
        case 1:
            lead = _dressed(chance, chance.choice(facet.leads))
            said = [(teller, lead, None), (other, chance.choice(PROMPTS), None), (teller, tell, facet)]
        case 2:
            said = [(other, _asked(chance, facet, teller), None), (teller, chance.choice(STALLS), None)]
            said += [(other, chance.choice(PROMPTS), None), (teller, tell, facet)]
        case _:
            said = [(other, _asked(chance, facet, teller), None), (teller, tell, facet)]
            if chance.random() < _AT_ONCE:
                said = [(teller, f"{_dressed(chance, chance.choice(facet.leads))} {tell}", facet)]
    said.append((other, _reaction(chance, teller), None))
    if chance.random() < 0.5:
        said.append((teller, chance.choice(CLOSINGS), None))
    return said


def _asked(chance: random.Random, facet: Facet, teller: str) -> str:
    asked = chance.choice(facet.asks)
    match chance.randrange(5):
        case 0:
            return f"{chance.choice(REACTIONS)} {asked}"
        case 1:
            return f"{teller}, {asked[0].lower()}{asked[1:]}"
        case _:
            return asked


def _reaction(chance: random.Random, teller: str) -> str:
    said = chance.choice(REACTIONS)
    return said if chance.random() < 0.7 else f"{said.rstrip('.!')}, {teller}!"


def _dressed(chance: random.Random, text: str) -> str:
    if chance.random() < 0.3:
        text = f"{chance.choice(OPENERS)} {text if text.startswith('I ') else text[0].lower() + text[1:]}"
    return f"{text} {chance.choice(TAILS)}" if chance.random() < 0.5 else text


# ── what is asked ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _questions(chance: random.Random, turns: Sequence[Turn], most: int) -> list[Question]:
    told: dict[tuple[Facet, str], list[int]] = {}
    for number, turn in enumerate(turns):
        if turn.told is not None:
            told.setdefault((turn.told, turn.speaker), []).append(number)
    spread = Counter(word for turn in turns for word in {*words(turn.text)})
    rare = {word for word, count in spread.items() if count <= max(2, _RARE * len(turns))}
    found: dict[str, Question] = {}
    for (facet, who), numbers in chance.sample(list(told.items()), len(told)):
        for kind, pattern in (
            ("plain", chance.choice(facet.plain)),
            ("dated", chance.choice(facet.plain)),
            ("inflected", facet.inflected),
            ("reworded", facet.reworded),
        ):
            evidence, when = numbers, ""
            if kind == "dated":
                day = turns[chance.choice(numbers)].day
                evidence, when = _at(chance, turns, numbers, day)
            if kind != "dated" and len(numbers) > 2:
                continue
            text = pattern.format(who=who, when=when)
            if kind in ("inflected", "reworded") and chance.random() < _HINTED:
                text = f"About the {facet.topic}: {text[0].lower()}{text[1:]}"
            if not any(shared(text, turns[number].text, rare) for number in evidence):
                found.setdefault(text, Question(text, kind, tuple(evidence)))
    of_kinds = [[question for question in found.values() if question.kind == kind] for kind in _KINDS]
    kinds = [chance.sample(of_kind, len(of_kind)) for of_kind in of_kinds]
    # Of each kind as many, as far as there are some.
    marked = [question for row in zip_longest(*kinds) for question in row if question is not None][:most]
    telling = chance.sample([number for number, turn in enumerate(turns) if turn.told], most // len(_KINDS))
    return marked + [_repeated(turns[number], number, spread) for number in telling]


def _repeated(turn: Turn, number: int, spread: Counter[str]) -> Question:
    first, second, third = sorted({*words(turn.text)}, key=lambda word: (spread[word], word))[:3]
    return Question(f"What was that about {first}, {second} and {third}?", _REPEATED, (number,))


def _at(chance: random.Random, turns: Sequence[Turn], numbers: Sequence[int], day: date) -> tuple[list[int], str]:
    """A time in words, and those of the turns that fall into it."""
    same_month = [number for number in numbers if (turns[number].day.year, turns[number].day.month) == (day.year, day.month)]
    match chance.randrange(4):
        case 0:
            return [number for number in numbers if turns[number].day == day], f" on {day.day} {day:%B} {day.year}"
        case 1:
            return [number for number in numbers if turns[number].day == day], f" on {day:%B} {day.day}, {day.year}"
        case _:
            months = {turn.day.year for turn in turns if turn.day.month == day.month}
            return same_month, f" in {day:%B}" if len(months) == 1 else f" in {day:%B %Y}"


def words(text: str) -> list[str]:
    """Words, in small letters."""
    return _WORD.findall(text.lower())


def shared(question: str, evidence: str, rare: set[str]) -> set[str]:
    """The rare words that a question has in common with a turn."""
    return {*words(question)} & {*words(evidence)} & rare


# ── how it is written down ─────────────────────────────────────────────────────────────────────────────────────────────────


def _lines(conversation: Conversation) -> Iterator[tuple[bytes, int]]:
    first = conversation.turns[0].speaker
    for number, turn in enumerate(conversation.turns):
        role = "user" if turn.speaker == first else "assistant"
        match conversation.shape:
            case "name field":
                if turn.opens:
                    yield dumps({"role": "user", "content": f"[Session of {turn.day.day} {turn.day:%B} {turn.day.year}]"}), -1
                yield dumps({"role": role, "name": turn.speaker, "content": turn.text}), number
            case "name and time fields":
                stamp = f"{turn.day.isoformat()}T{8 + number % 12:02}:{number % 60:02}:00Z"
                yield dumps({"role": role, "content": turn.text, "name": turn.speaker, "created_at": stamp}), number
            case "name in text":
                if turn.opens:
                    yield dumps({"role": "user", "content": f"--- {turn.day.isoformat()} ---"}), -1
                yield dumps({"role": role, "content": f"{turn.speaker}: {turn.text}"}), number
            case _:
                dated = f"({turn.day:%B} {turn.day.day}, {turn.day.year}) " if turn.opens else ""
                yield dumps({"role": role, "content": f"{dated}{turn.speaker}: {turn.text}"}), number
