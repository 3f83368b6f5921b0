"""The cache audit: what stands before one of Anthropic's cache breakpoints and keeps it from hitting.

Pure. A breakpoint caches tools, system prompt and messages, in that order, up to itself. One byte that differs before it and
nothing is read from the cache; nothing fails then, it is only paid for, a quarter more than without a breakpoint. The audit
names the culprit and its place. What it saw it remembers, so that a compile that changes nothing costs a comparison.

Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ...jsontext import loads
from ...wire.anthropic.rules import MAX_MARKERS
from .prefix import PrefixReport

__all__ = ["CacheAudit", "Finding", "Mark", "Section", "minimum_tokens"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that keeps a cache from hitting.

    Attributes:
        key: what it is and where; the same in every compile and session.
        where: the place, for example ``system[0]``.
        detail: what it is and what to do, in one line.
    """

    key: str
    where: str
    detail: str


@dataclass(frozen=True, slots=True)
class Section:
    """A tool, a block of the system prompt, or the first message.

    Attributes:
        where: its place.
        data: its JSON, without markers.
        said: it is part of the conversation, where dates and ids are what was talked about: they count only once they change.
    """

    where: str
    data: bytes
    said: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A breakpoint.

    Attributes:
        where: the place it stands at.
        sections: how many of the sections stand before it or end at it.
        tokens: what stands before it, estimated; 0 where it grows with the conversation.
        behind_tail: text that is written anew each compile stands before it.
    """

    where: str
    sections: int
    tokens: int = 0
    behind_tail: bool = False


@dataclass(slots=True)
class CacheAudit:
    """The audit of one session.

    Attributes:
        told: keys that were told already.
        counted: the last turn that was looked at for breakpoints, how many were, and how many breakpoints were found.
    """

    told: set[str] = field(default_factory=set)
    counted: tuple[object, int, int] = (None, 0, 0)
    _scanned: dict[str, tuple[bytes, tuple[Finding, ...]]] = field(default_factory=dict)
    _changed: dict[str, int] = field(default_factory=dict)
    _moved: set[str] = field(default_factory=set)
    _breaks: tuple[PrefixReport, ...] = ()
    _made: dict[str, tuple[object, object]] = field(default_factory=dict)

    def remembered(self, name: str, key: object, make: Callable[[], T]) -> T:
        """What ``make`` gives, made anew only where ``key`` is another object than last time."""
        known = self._made.get(name)
        if known is None or known[0] is not key:
            known = self._made[name] = (key, make())
        made: T = known[1]  # type: ignore[assignment]
        return made

    def note(self, report: PrefixReport, *, closed: bool) -> None:
        """Take in how far the prefix of a compile held. That a closing moves it is no fault."""
        self._breaks = (*self._breaks[-1:], PrefixReport() if closed else report)

    def check(
        self, sections: Sequence[Section], marks: Sequence[Mark], *, asked: int = 0, model: str | None = None
    ) -> tuple[Finding, ...]:
        """Findings of one compile.

        Args:
            sections: tools, system prompt and first message, in order.
            marks: the breakpoints sent, in order; without any, everything counts that a breakpoint could stand behind.
            asked: how many breakpoints the caller set.
            model: whose minimum length counts.
        """
        scanned = [self._scan(section) for section in sections]
        reach = max((mark.sections for mark in marks), default=len(sections))
        found = [finding for findings in scanned[:reach] for finding in findings]
        found.extend(self._moving(sections[:reach]))
        if marks:
            found.extend(_misplaced(marks, asked, minimum_tokens(model)))
        return tuple(found)

    def fresh(self, findings: Iterable[Finding]) -> list[Finding]:
        """Those that were not told yet; from now on they are."""
        new = [finding for finding in findings if finding.key not in self.told]
        self.told.update(finding.key for finding in new)
        return new

    def _scan(self, section: Section) -> tuple[Finding, ...]:
        where, known = section.where, self._scanned.get(section.where)
        if known is not None and known[0] == section.data:
            self._changed[where] = 0
            return known[1]
        if known is not None:
            self._changed[where] = self._changed.get(where, 0) + 1
            self._moved.add(where)
        found = () if section.said and where not in self._moved else tuple(_volatile(section))
        self._scanned[where] = (section.data, found)
        return found

    def _moving(self, sections: Sequence[Section]) -> Iterator[Finding]:
        named = False
        for section in sections:
            times = self._changed.get(section.where, 0)
            if times >= _TOO_OFTEN:
                named = True
                yield Finding(
                    f"changes:{section.where}",
                    section.where,
                    f"it changed in each of the last {times} compiles: no breakpoint behind it can hit; "
                    "put what changes at the tail",
                )
        often = len(self._breaks) == _TOO_OFTEN and all(report.broken for report in self._breaks)
        if often and not named and self._breaks[-1].part not in ("tools", "system"):
            last = self._breaks[-1]
            yield Finding(
                f"changes:{last.part}",
                last.where,
                f"the prefix moved in each of the last {_TOO_OFTEN} compiles, {last.lost_tokens:,} tokens in the last: "
                "no breakpoint behind it can hit",
            )


_TOO_OFTEN = 2
"""Compiles in a row: one change is a new setting, two are a habit."""


def _misplaced(marks: Sequence[Mark], asked: int, minimum: int) -> Iterator[Finding]:
    for mark in marks:
        if mark.behind_tail:
            yield Finding(
                f"tail:{mark.where}",
                mark.where,
                "the breakpoint stands behind text that is written anew each compile: it is written each time and never read; "
                "set it on the message before",
            )
        if 0 < mark.tokens < minimum:
            yield Finding(
                f"short:{mark.where}",
                mark.where,
                f"about {mark.tokens:,} tokens stand before the breakpoint and the model caches none below {minimum:,}: "
                "move it behind more text",
            )
    if asked > MAX_MARKERS:
        yield Finding(
            "too-many", "request", f"{asked} breakpoints were set and {MAX_MARKERS} are allowed: the last ones were sent"
        )


_MINIMA: tuple[tuple[int, tuple[str, ...]], ...] = (
    (512, ("fable-5.1", "mythos-5.1", "opus-5.5", "opus-5", "sonnet-5.5", "haiku-5.5", "fable-5", "mythos-5")),
    (1024, ("opus-4.8", "sonnet-5", "sonnet-4.6", "sonnet-4.5", "opus-4.1", "opus-4", "sonnet-4", "sonnet-3.7", "sonnet-3.5")),
    (2048, ("mythos-preview", "opus-4.7", "haiku-3.5", "haiku-3")),
    (4096, ("opus-4.6", "opus-4.5", "haiku-4.5")),
)
"""Tokens that a prefix must have to be cached, by model; "Cache limitations" in the guide named above, as of October 2026."""

_BY_MODEL = {name: tokens for tokens, names in _MINIMA for name in names}
_NEW_NAME = re.compile(r"claude-(?P<family>[a-z]+)-(?P<major>\d)(?:[-.](?P<minor>\d))?(?!\d)")
_OLD_NAME = re.compile(r"claude-(?P<major>\d)(?:[-.](?P<minor>\d))?-(?P<family>[a-z]+)")


def minimum_tokens(model: str | None) -> int:
    """The shortest prefix that a model caches, in tokens; the shortest of all for a model that is not known."""
    found = _NEW_NAME.search(model or "") or _OLD_NAME.search(model or "")
    if found is None:
        return _BY_MODEL["mythos-preview"] if "mythos-preview" in (model or "") else _MINIMA[0][0]
    minor = f".{found['minor']}" if found["minor"] and found["minor"] != "0" else ""
    return _BY_MODEL.get(f"{found['family']}-{found['major']}{minor}", _MINIMA[0][0])


_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{4}年\d{1,2}月\d{1,2}日"
    r"|\d{1,2}\.? (?:de )?[^\W\d]{3,10},?(?: de)? \d{4}|[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})"
)
_CUE = (
    r"(?:\b(?:today(?:'s)?|current(?:ly)?|now|date|time|as of|heute|datum|zeit|jetzt|hoy|fecha|hora|ahora)\b"
    r"|今天|现在|日期|时间|現在|時間)"
)
_KINDS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("datetime", "a date with a time of day", re.compile(rf"{_DATE}(?:T|,? |, um )\d{{1,2}}:\d{{2}}")),
    ("date", "today's date", re.compile(rf"{_CUE}[^\n\d]{{0,24}}{_DATE}", re.IGNORECASE)),
    ("clock", "a time of day", re.compile(rf"{_CUE}[^\n\d]{{0,24}}\b\d{{1,2}}:\d{{2}}\b", re.IGNORECASE)),
    ("uuid", "a UUID", re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)),
    ("epoch", "a Unix time", re.compile(r"(?<![\w.-])1[5-9]\d{8}(?:\d{3})?(?![\w-])")),
    (
        "request-id",
        "an id of one request",
        re.compile(
            r"\b(?:req|msg|resp|run|trace|sess|session|chatcmpl|thread|toolu)[_-](?=\w*\d)[A-Za-z0-9]{8,}"
            r"|\b(?:request|trace|session|correlation|run)[ _-]?id[\"']?\s*[:=]\s*[\"']?(?=[\w-]*\d)[\w-]{4,}",
            re.IGNORECASE,
        ),
    ),
    (
        "counter",
        "a counter",
        re.compile(
            r"\b(?:turn|step|attempt|iteration|message|request|round)s?\s*(?:#|no\.?|number)?\s*[:=]?\s*\d+\s*(?:of|/)\s*\d+"
            r"|\b(?:tokens?|turns?|steps?|requests?|credits?)\s+(?:left|remaining|used)\s*[:=]\s*\d+",
            re.IGNORECASE,
        ),
    ),
)
"""Key, what it is, how it is known. A date alone may stand still for years; beside a word like *today* it does not."""

_SHOWN = 60


def _volatile(section: Section) -> Iterator[Finding]:
    """What in a section looks as if it changed from request to request."""
    text = "\n".join(_texts(loads(section.data)))
    seen: list[tuple[int, int]] = []
    for kind, name, pattern in _KINDS:
        match = next((m for m in pattern.finditer(text) if not any(a < m.end() and m.start() < b for a, b in seen)), None)
        if match is not None:
            seen.append(match.span())
            shown = match[0] if len(match[0]) <= _SHOWN else match[0][:_SHOWN] + "…"
            yield Finding(
                f"{kind}:{section.where}",
                section.where,
                f"{name} before a breakpoint: {shown!r}; if it changes, nothing is read from the cache: put it at the tail",
            )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
