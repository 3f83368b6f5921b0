"""Days and months in words: which one a question means, and which one a turn was said on.

Knows dates as people and programs write them, and no clock: "last week" is told from the newest day among what is searched.
Months by name in English, German, Spanish and French; numbers as 2024-05-31, 31.5.2024, 31 May 2024, May 31st, 2024年5月31日.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

__all__ = ["Span", "heading", "is_month", "moments", "relative", "says_when"]

_NAMES = (
    "january jan januar enero janvier",
    "february feb februar febrero fevrier",
    "march mar marz marzo mars",
    "april apr abril avril",
    "may mai mayo",
    "june jun juni junio juin",
    "july jul juli julio juillet",
    "august aug agosto aout",
    "september sep sept septiembre septembre",
    "october oct oktober okt octubre octobre",
    "november nov noviembre novembre",
    "december dec dezember dez diciembre decembre",
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
_ORDINARY = frozenset(
    {"may", "mar", "mars", "march", "sep", "dec", "jan", "apr", "jun", "jul", "aug", "oct", "okt", "nov", "dez", "feb", "mai"}
)
"""Month names that are other words too: only beside a day, a year or a word that stands before months."""
_BEFORE = r"(?:in|of|since|during|until|by|im|seit|en|de|au|early|late|last|this|next|mid)"
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_PATTERNS = (
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?(?![\d])"),
    re.compile(r"(?<!\d)(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>(?:19|20)\d\d)(?!\d)"),
    re.compile(r"(?:(?P<y>(?:19|20)\d\d)\s?年\s?)?(?<!\d)(?P<m>\d{1,2})\s?月(?:\s?(?P<d>\d{1,2})\s?[日号號])?"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.|er)?\s+(?:of\s+|de\s+)?(?P<n>{_MONTH})\b\.?(?:,?\s+(?:de\s+|of\s+)?(?P<y>(?:19|20)\d\d))?"
    ),
    re.compile(rf"\b(?P<n>{_MONTH})\b\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?P<y>(?:19|20)\d\d))?"),
    re.compile(rf"\b(?P<n>{_MONTH})\b\.?,?\s+(?:of\s+|de\s+)?(?P<y>(?:19|20)\d\d)\b"),
    re.compile(rf"\b{_BEFORE}\s+(?P<n>{_MONTH})\b"),
    re.compile(rf"\b(?P<n>{'|'.join(name for name in _MONTHS if name not in _ORDINARY)})\b"),
    re.compile(r"(?<![\d.,-])(?P<y>20\d\d)(?![\d-]|[.,]\d)"),
)
_DIGIT, _YEAR, _LETTERS = re.compile(r"\d"), re.compile(r"(?:19|20)\d\d"), re.compile(r"[^\W\d_]+")
_HEADING_WITHIN = 80
_UNITS = {"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 31, "months": 31, "year": 366, "years": 366}
_AGO = re.compile(r"\b(?P<n>\d{1,3}|a|an|one|two|three|four|five|six)\s+(?P<u>days?|weeks?|months?|years?)\s+ago\b")
_LAST = re.compile(r"\b(?P<w>last|past|previous|this)\s+(?P<u>week|month|year)\b|\b(?P<y>yesterday)\b|\b(?P<t>today)\b")
_FEW = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


@dataclass(frozen=True, slots=True)
class Span:
    """A day, a month or a year, as far as it was said.

    Attributes:
        year, month, day: ``None`` where nothing was said of it.
        words: the words it was said with, in small letters.
    """

    year: int | None
    month: int | None
    day: int | None
    words: tuple[str, ...] = ()

    def holds(self, when: date) -> bool:
        """Whether a day lies in it."""
        return (
            (self.year is None or self.year == when.year)
            and (self.month is None or self.month == when.month)
            and (self.day is None or self.day == when.day)
        )


def moments(text: str) -> list[Span]:
    """The days, months and years that a text names, in the order of how exactly."""
    plain = _plain(text)
    if not _DIGIT.search(plain) and not any(is_month(word) for word in _LETTERS.findall(plain)):
        return []
    found: list[Span] = []
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(plain):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            span = _span(match)
            if span is not None:
                taken.append(match.span())
                found.append(span)
    return found


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    return "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))


def _span(match: re.Match[str]) -> Span | None:
    said = match.groupdict()
    year, day = (int(said[key]) if said.get(key) else None for key in ("y", "d"))
    name, number = said.get("n"), said.get("m")
    month = _MONTHS[name] if name else int(number) if number else None
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    return Span(year, month, day, tuple(re.findall(r"[^\W_]+", match.group())))


def heading(text: str) -> date | None:
    """The day that a text begins with or is stamped with: one of its lines is short or begins so, and names a whole date.

    What a message's own fields say of its time stands in a line of its own in what is searched, and is found the same way.
    """
    if not _YEAR.search(text):
        return None
    lines = text.split("\n")
    for line in lines if len(lines) <= 4 else [*lines[:2], *lines[-2:]]:
        start = line[:_HEADING_WITHIN]
        if not _YEAR.search(start):
            continue
        for span in moments(start):
            if span.year and span.month and span.day:
                try:
                    return date(span.year, span.month, span.day)
                except ValueError:
                    continue
    return None


def is_month(word: str) -> bool:
    """Whether a folded word is the name of a month, or short for one."""
    return word in _MONTHS


def says_when(text: str) -> bool:
    """Whether a text names a time that depends on when it is read."""
    plain = _plain(text)
    return _AGO.search(plain) is not None or _LAST.search(plain) is not None


def relative(text: str, days: Iterable[date]) -> tuple[date, date] | None:
    """What "last week", "yesterday" or "two months ago" means, seen from the newest of some days; first and last day of it."""
    plain = _plain(text)
    ago, last = _AGO.search(plain), _LAST.search(plain)
    if ago is None and last is None:
        return None
    newest = max(days, default=None)
    if newest is None:
        return None
    if ago is not None:
        unit = _UNITS[ago["u"]]
        back = (int(ago["n"]) if ago["n"].isdigit() else _FEW[ago["n"]]) * unit
        slack = max(1, unit // 2)
        return newest - timedelta(days=back + slack), newest - timedelta(days=max(0, back - slack))
    assert last is not None
    if last["t"]:
        return newest, newest
    if last["y"]:
        return newest - timedelta(days=1), newest
    unit = _UNITS[last["u"]]
    return newest - timedelta(days=unit if last["w"] == "this" else 2 * unit), newest
