"""Secrets in a text: where they are, of what kind, and the text without them.

Knows the forms that issuers gave their tokens, and assignments to names that promise a secret. Nothing here gives a secret back
whole. A hash is no secret: forty hexadecimal digits are a commit unless a name says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType

__all__ = ["EXCERPT_LENGTH", "Finding", "find", "masked"]

EXCERPT_LENGTH = 120
"""Characters of the line shown with a finding, secrets masked."""
_MASK = "***"
_KEPT = 4
"""First characters of a secret that stay, enough to tell the kind; of one shorter than 16 characters none do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One secret.

    Attributes:
        kind: what it is, for example ``github_token``.
        line, column: where it begins, counted from 1, the column in characters.
        length: of the secret, in characters.
        excerpt: the line around it, every secret masked.
    """

    kind: str
    line: int
    column: int
    length: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class _Rule:
    """A form of secret: texts of which one must occur for it to be looked for, and the form; its last group is the secret.

    A form is compiled when it is first looked for: all of them together would take longer than most commands.
    """

    hints: tuple[str, ...]
    form: str


def _rule(hints: str, form: str) -> _Rule:
    return _Rule(tuple(hints.split()), form)


_RULES: Mapping[str, _Rule] = MappingProxyType(
    {
        # PEM and OpenPGP; in JSON and in code the line breaks are escaped.
        "private_key": _rule(
            "PRIVATE",
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"((?:\\[rn]|[\s\"',+])*(?:[A-Za-z0-9+/=]{16}|Proc-|DEK-|Version|Comment)"
            r"(?:[A-Za-z0-9+/=\s\\:,.\"']|-(?!----))*)",
        ),
        "putty_key": _rule(
            "PuTTY-User-Key-File",
            r"PuTTY-User-Key-File-\d: [^\n]+\n(?:[^\n]+\n){0,200}?Private-Lines: \d+\s+([A-Za-z0-9+/=\s]+)",
        ),
        "age_key": _rule("AGE-SECRET-KEY-", r"(AGE-SECRET-KEY-1[A-Z0-9]{58})"),
        "github_token": _rule(
            "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
            r"\b(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255})",
        ),
        "gitlab_token": _rule("gl", r"\b(gl(?:pat|dt|rt|cbt|ptt|ft|soat|oas|agent|imt)-[A-Za-z0-9_-]{20,})"),
        "aws_access_key": _rule("AKIA ASIA ABIA ACCA", r"(?<![A-Za-z0-9])((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?![A-Za-z0-9])"),
        "google_key": _rule(
            "AIza GOCSPX- ya29.",
            r"\b(AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,})",
        ),
        "slack_token": _rule(
            "xox xapp- hooks.slack.com",
            r"\b(xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})"
            r"|hooks\.slack\.com/([a-z]+/[A-Za-z0-9_/+-]{20,})"
        ),
        "stripe_key": _rule("_live_ _test_ whsec_", r"\b((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,})"),
        "model_key": _rule(
            "sk- hf_ gsk_ xai- pplx-",
            r"(?<![A-Za-z0-9-])(sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{30,}|(?:gsk_|xai-|pplx-)[A-Za-z0-9]{40,})",
        ),
        "package_token": _rule(
            "npm_ pypi- dckr_pat_",
            r"\b(npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{50,}|dckr_pat_[A-Za-z0-9_-]{20,})",
        ),
        "cloud_token": _rule(
            "_v1_ dapi hvs. hvb. AccountKey= SG. shp",
            r"\b(do[opr]_v1_[a-f0-9]{64}|dapi[a-f0-9]{32}|hv[sb]\.[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
            r"|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32})|AccountKey=([A-Za-z0-9+/]{40,}={0,2})",
        ),
        "bot_token": _rule(":AA", r"(?<![0-9])([0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"),
        "jwt": _rule("eyJ", r"(?<![A-Za-z0-9_-])(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"),
        "authorization": _rule("earer asic", r"\b(?:[Bb]earer|[Bb]asic)\s+(?=[A-Za-z_~+/.-]*[0-9])([A-Za-z0-9._~+/-]{16,}=*)"),
        "url_password": _rule("://", r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,80}:([^\s/@\"'<>${}]{3,200})@[A-Za-z0-9\[]"),
    }
)  # fmt: skip

_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)
_NAMES = ("pass", "pwd", "secret", "token", "credential", "key")
_ASSIGNMENT = re.compile(
    r"(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|credential|private[_-]?key)[a-z0-9_-]{0,30}"
    r"[\"']?\]?\s{0,4}(?::=|=>|[:=])\s{0,4}(?:([\"'`])([^\"'`\s]{8,300})\1|([^\s\"'`,;(){}<>\[\]$]{8,300})(?![^\s,;\"'`]))",
)
_PLACEHOLDER = re.compile(
    r"(?i)x{3,}|\*{3,}|\.{3}|…|change|example|placeholder|your[_-]?|dummy|redacted|todo|none|null|true|false|undefined|process\.env"
    r"|environ|getenv|\$\{?[a-z_]|%[({]?[a-z_]|\{\{|^<|^\(|^/|^\./|^https?:"
)

_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
"""A value read from elsewhere, in code."""


def find(text: str, *, limit: int | None = None) -> list[Finding]:
    """The secrets of a text in their order. Takes time in proportion to the text.

    Args:
        text: for example the content of a file.
        limit: how many at most; None for all.
    """
    spans = _spans(text)
    shown, places = _mask(text, spans)
    findings: list[Finding] = []
    line, begin, counted = 1, 0, 0
    for (start, end, kind), place in zip(spans[:limit], places, strict=False):
        line += text.count("\n", counted, start)
        begin = max(begin, text.rfind("\n", counted, start) + 1)
        counted = start
        findings.append(
            Finding(
                kind=kind,
                line=line,
                column=start - begin + 1,
                length=end - start,
                excerpt=_excerpt(shown, place),
            )
        )
    return findings


def masked(text: str) -> str:
    """A text for logs, reports and records: the same, with every secret masked.

    Args:
        text: whatever is about to be written where it may be read by others.
    """
    return _mask(text, _spans(text))[0]


def _spans(text: str) -> list[tuple[int, int, str]]:
    """Where secrets begin and end, in order and apart from each other; of two that overlap the outer stays."""
    found = sorted(_matches(text), key=lambda span: (span[0], -span[1]))
    apart: list[tuple[int, int, str]] = []
    for start, end, kind in found:
        if apart and start < apart[-1][1]:
            before = apart[-1]
            apart[-1] = (before[0], max(before[1], end), before[2])
        else:
            apart.append((start, end, kind))
    return apart


def _matches(text: str) -> Iterator[tuple[int, int, str]]:
    for kind, rule in _RULES.items():
        if any(hint in text for hint in rule.hints):
            for match in re.finditer(rule.form, text):
                start, end = match.span(match.lastindex or 0)
                yield (start, end, kind)
    # Small letters are ten times as fast as a pattern that ignores case; a few of them change the length of a text.
    lowered = text.lower()
    lowered = lowered if len(lowered) == len(text) else text.translate(_SMALL)
    if any(name in lowered for name in _NAMES):
        for match in _ASSIGNMENT.finditer(lowered):
            group = match.lastindex or 0
            value = text[slice(*match.span(group))]
            if not _PLACEHOLDER.search(value) and _is_random(value, quoted=group == 2):
                start, end = match.span(group)
                yield (start, end, "assigned_secret")


def _is_random(value: str, *, quoted: bool) -> bool:
    """A value looks made up: letters with digits or signs. Names of variables, calls and words do not."""
    letters = any(letter.isalpha() for letter in value)
    digits = any(letter.isdigit() for letter in value)
    signs = quoted and any(letter in "!@#$%^&*+=~?" for letter in value)
    attribute = not quoted and _ATTRIBUTE.fullmatch(value)
    return letters and (digits or signs) and len(set(value)) > 4 and not attribute


def _mask(text: str, spans: list[tuple[int, int, str]]) -> tuple[str, list[int]]:
    """The text with masks, and where each mask begins in it."""
    pieces: list[str] = []
    places: list[int] = []
    at = length = 0
    for start, end, _ in spans:
        secret = text[start:end]
        kept = secret[:_KEPT] if end - start >= 4 * _KEPT and secret[:_KEPT].isprintable() else ""
        pieces += (text[at:start], kept + _MASK)
        places.append(length + start - at)
        length += len(pieces[-2]) + len(pieces[-1])
        at = end
    pieces.append(text[at:])
    return "".join(pieces), places


def _excerpt(shown: str, place: int) -> str:
    """The line of a masked text around a place."""
    earliest = max(0, place - EXCERPT_LENGTH // 3)
    before = max(shown.rfind("\n", earliest, place) + 1, earliest)
    after = shown.find("\n", place, before + EXCERPT_LENGTH)
    return shown[before : after if after >= 0 else before + EXCERPT_LENGTH].strip()
