"""What of a model's answer is the summary, and which answers are none.

Pure. A model that fails often does so in words: an error of its provider, a refusal, the question once more. None of them may
stand for messages that left, so each is refused with a reason; a chain then takes its next step.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterable

from ....errors import JSONError, StrategyError
from ....jsontext import loads
from ....vocabulary.summarizing import ANALYSIS, SUMMARY, SummaryWords
from .failures import ERROR, REFUSAL

__all__ = ["extract", "read_answer"]

SHORTEST = 16
"""Characters below which an answer says nothing about a span."""

LOOPING = 20
"""Text that deflates by more than this is one phrase over and over: prose deflates by 2 to 4, lists of paths by up to 10."""
LOOPING_FROM = 1_000

ERROR_LENGTH = 1_200
"""Characters of the longest error or refusal: what is longer and has no heading is taken for a summary in a form of its own."""
ECHOED_FROM = 60
"""Characters of a line of the question from which on its return is no accident."""

_THINKING = rf"(?:{ANALYSIS}|think|thinking|reasoning)"
_THOUGHT = re.compile(rf"<({_THINKING})\b", re.IGNORECASE)
_SUMMARY = re.compile(rf"<{SUMMARY}\b", re.IGNORECASE)
_CLOSE = re.compile(rf"</{SUMMARY}\s*>", re.IGNORECASE)
_THOUGHT_END = re.compile(rf"</({_THINKING})\s*>", re.IGNORECASE)
_OUR_TAG = re.compile(r"^<(?:messages|earlier|parts|part_\d+)_*>$", re.MULTILINE)
_FENCED = re.compile(r"```\w*\n(.*?)\n?```\s*", re.DOTALL)
_WHOLE_ERROR = re.compile(r"traceback \(most recent|<!doctype|<html\b", re.IGNORECASE)
_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def extract(answer: str) -> str:
    """The summary within an answer: what stands in its summary tags, without what was thought; tags may be missing or open."""
    text = _without_thought(answer)
    opened = _tag(_SUMMARY, text)
    closings = list(_CLOSE.finditer(text, opened[1] if opened else 0))
    if opened is not None:
        text = text[opened[1] : closings[-1].start() if closings else len(text)]
    elif closings:
        text = text[: closings[-1].start()]
    # What is left of thought was never closed, or never opened: before its end or after its beginning there is no summary.
    if opened is None:
        *_, end = [0, *(match.end() for match in _THOUGHT_END.finditer(text))]
        text = text[end:]
        if thinking := _tag(_THOUGHT, text):
            text = text[: thinking[0]]
    text = text.strip()
    if fenced := _FENCED.fullmatch(text):
        text = fenced.group(1).strip()
    return text


def _without_thought(answer: str) -> str:
    """The answer without what stands in tags of thought, from each opening to the first end of its kind.

    One pass over the tags: an expression that looks for the end behind each opening reads an answer of a thousand openings a
    thousand times, and small models do repeat themselves.
    """
    ends: dict[str, list[tuple[int, int]]] = {}
    for match in _THOUGHT_END.finditer(answer):
        ends.setdefault(match.group(1).casefold(), []).append(match.span())
    kept: list[str] = []
    at = behind = 0
    for match in _THOUGHT.finditer(answer) if ends else ():
        if match.start() < at:
            continue
        if behind <= match.end():
            behind = answer.find(">", match.end()) + 1
        if not behind:
            break
        of_kind = ends.get(match.group(1).casefold(), [])
        place = bisect_left(of_kind, (behind, 0))
        if place < len(of_kind):
            kept.append(answer[at : match.start()])
            at = of_kind[place][1]
    return "".join((*kept, answer[at:]))


def _tag(opening: re.Pattern[str], text: str) -> tuple[int, int] | None:
    """Where the first tag of a kind begins and ends. Behind an opening that no ``>`` follows there is no other."""
    match = opening.search(text)
    end = text.find(">", match.end()) + 1 if match is not None else 0
    return (match.start(), end) if match is not None and end else None


def read_answer(answer: object, *, words: SummaryWords, asked: str) -> str:
    """The summary, fit to stand for messages.

    Args:
        answer: what the model gave.
        words: the words it was asked with.
        asked: what was wanted of it, to know it again.

    Raises:
        StrategyError: it is no summary; the message says what it is instead, in one line.
    """
    if not isinstance(answer, str):
        raise StrategyError(f"the model gave {type(answer).__name__} where text was due")
    text = _UNSTORABLE.sub("\ufffd", extract(answer))
    for title, about in words.sections:
        # Small models copy what belongs into a section along with its title.
        text = text.replace(words.section.format(title=title, about=about), f"## {title}")
    if not text:
        raise StrategyError("the model's answer is empty" if not answer.strip() else "the model's answer holds no summary")
    if _echoes(_without_thought(answer), (words.contract, words.excerpt, words.earlier, words.document, words.parts, asked)):
        raise StrategyError("the model gave its question back")
    headed = any(f"# {title}" in text for title, _ in words.sections)
    if not headed and (what := _not_a_summary(text)):
        raise StrategyError(f"the model's answer is {what}: {_beginning(text)}")
    if len(_without_titles(text, words)) < SHORTEST:
        raise StrategyError(f"the model's answer says nothing: {_beginning(text)}")
    if len(text) >= LOOPING_FROM and len(text.encode()) > LOOPING * len(zlib.compress(text.encode(), 6)):
        raise StrategyError(f"the model's answer repeats itself: {_beginning(text)}")
    return text


def _without_titles(text: str, words: SummaryWords) -> str:
    for title, _ in words.sections:
        text = text.replace(f"# {title}", "")
    return text.strip("#-–—* \n")


def _not_a_summary(text: str) -> str:
    if text[0] == "{" and text[-1] == "}":
        try:
            value = loads(text)
        except JSONError:
            value = None
        if isinstance(value, dict) and ("error" in value or {"code", "status", "detail", "message"} & set(value)):
            return "an error"
    start = text.lstrip("#*_`>-[( \n").replace("’", "'")
    if len(text) > ERROR_LENGTH:
        return "an error" if _WHOLE_ERROR.match(start) else ""
    if ERROR.match(start):
        return "an error"
    if REFUSAL.match(start):
        return "a refusal"
    return ""


def _echoes(text: str, asked: Iterable[str]) -> bool:
    if _OUR_TAG.search(text):
        return True
    return any(line in text for told in asked for line in told.split("\n") if len(line) >= ECHOED_FROM)


def _beginning(text: str) -> str:
    line = " ".join(text[:160].split())
    return line if len(line) <= 100 else line[:99] + "…"
