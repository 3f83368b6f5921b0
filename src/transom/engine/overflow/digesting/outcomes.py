"""How a call ended, read off its result: exit codes, test counts, tracebacks, error lines.

Knows the text of results. A claim of failure is believed from the tool's own flag and exit code, and from unmistakable
structure; the word "error" alone proves nothing, since what was read or searched may hold it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .form import BREAKS

__all__ = ["Outcome", "outcome_of", "telling_line"]

_EDGE = 4_000  # characters at each end of a result that are looked at
_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?:[ _](?:code|status))\b|return_?code"
    r"|exit_?code)[\"']?\s*[>:=]?\s*(-?\d{1,5})\b",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\b\d+ (?:tests? |specs? )?(?:failed|passed|failures?|errors?|skipped|pass|fail|warnings?"
    r"|problems?|issues?)\b|^Ran \d+ tests?"
    r"|^(?:ok|FAIL|PASS)\s+\S+\s+[\d.(]|^(?:FAILED|OK)\b(?: \(|$)|\bBUILD (?:SUCCESS|FAIL)"
    r"|^test result:|^Tests?:|^DONE \d+ tests",
    re.IGNORECASE,
)
_LINES = 60  # lines at each end of an edge that are looked at for what went wrong
_SUMMARY_HINTS = ("ass", "ASS", "ail", "AIL", "rror", "kipped", "OK", "ok ", "est", "arning", "roblem", "ssue", "UILD")
_SUMMARY_LINES = 60  # lines at the end of an output among which its counts are looked for
_BAD_COUNT = re.compile(
    r"\b([1-9]\d*) (?:tests? )?(?:failed|failures?|failing)\b|\bfailures?[=:] ?([1-9]\d*)"
    r"|\berrors=([1-9]\d*)",
    re.IGNORECASE,
)
_BAD = re.compile(r"[1-9]\d* (?:\w+ )?(?:fail|error|problem|issue)|FAIL|=[1-9]", re.IGNORECASE)
_STRUCTURE = re.compile(
    r"^Traceback \(most recent call last\)|^\s*--- FAIL[: ]|^FAIL\t|^FAILED\b|^E\s{2,}\w|^panic: "
    r"|^thread '.*' panicked|^error\[E\d+\]"
    r"|: error (?:TS|CS|C)\d+:|^npm ERR!|^fatal: |\bBUILD FAILED\b|^make(?:\[\d+\])?: \*\*\*|^\s*not ok \d+"
    r"|(?:bash|sh|zsh)(?:: line \d+)?: .*(?:not found|No such file|denied)|^SyntaxError: |^\s*✗ |^\s*[✖×] \d+ ",
    re.MULTILINE,
)
_SIGNS = (
    *("Traceback", "FAIL", "E  ", "E\t", "panic", "error[", "error TS", "error C", "ERR!", "fatal: ", "***", "not ok"),
    *("not found", "No such file", "denied", "SyntaxError", "✗", "✖", "×"),
)
_LINE = (
    re.compile(
        r"^\s*(?:FAILED\b|--- FAIL[: ]|FAIL:? |ERROR:? \S|not ok \d+|● |✕ |✗ |×\s|✖ )|\.\.\. (?:FAILED"
        r"|FAIL|ERROR)\s*$"
    ),
    re.compile(r"^(?:vet: )?[\w@./\\+-]+\.\w+(?::\d+|\(\d+,\d+\))(?::\d+)?: \S"),
    re.compile(
        r"^(?:[\w.]+\.)?\w*(?:Error|Exception|Exit|Interrupt|Warning|Panic)\b\s*:|^E\s{2,}\w|^panic: "
        r"|panicked at|^fatal: |^npm ERR! (?!A complete)"
    ),
    re.compile(
        r"\berror(?: ?(?:\[\w+\]|TS\d+|CS\d+|C\d+))?:|\berror TS\d+|^\s*error\b|^Could not |^Cannot "
        r"|^Failed |: undefined: |^tool_use_error",
        re.IGNORECASE,
    ),
)
_VAGUE = re.compile(
    r"not found|no such|denied|cannot|can't|unable|invalid|refused|timed? ?out|failed|failure|missing"
    r"|unexpected|expected|does not exist"
    r"|fehler|fehlgeschlagen|nicht gefunden|erreur|échec|introuvable|error|falló|fallo|no encontrad"
    r"|エラー|失敗|見つかり|できません|错误|失败|錯誤|找不到|无法|오류|실패",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"^(?:exit(?:ed)?(?: with)?[ _](?:code|status)|chunk id:|wall time|process exited|output:"
    r"|original token count|<(?:returncode|/?output)|\[?\w+\] \$|> |=+$|-+$|\+\+* )",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w\w")
_REFUSED = re.compile(r"\s*<tool_use_error>|\s*Error: |\s*(?:Could not|Cannot|Failed to|Unable to) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended.

    Attributes:
        word: ``ok``, ``failed``, ``exit N`` or ``no result``.
        failed: whether that is a failure.
        lines: what went wrong, verbatim, at most three lines.
        summary: the line with the counts, for tests and builds.
    """

    word: str
    failed: bool
    lines: tuple[str, ...] = ()
    summary: str = ""


def outcome_of(answer: str | None, *, flagged: bool, runs: bool, shows: bool = False) -> Outcome:
    """Judge a result.

    Args:
        answer: its text; ``None`` without a result.
        flagged: the tool itself reported a failure.
        runs: the call executed something, so that its output speaks of itself and not of what it read.
        shows: the call was a command that looks for things; an exit code without an error line then says it found nothing.
    """
    if answer is None:
        return Outcome("no result", False)
    edges = [answer] if len(answer) <= 2 * _EDGE else [answer[:_EDGE], answer[-_EDGE:]]
    code = _exit_code(answer) if runs or flagged else None
    summary = ""
    failed = flagged or bool(code)
    if runs:
        summary = _summary(edges[-1])
        failed = failed or _BAD_COUNT.search(summary) is not None or any(_broken(edge) for edge in edges)
    elif not failed and len(answer) < 600:
        failed = _REFUSED.match(answer) is not None
    if not failed:
        return Outcome("ok", False, (), summary)
    if not _BAD.search(summary):
        summary = ""  # what passed beside it says nothing about the failure
    word = f"exit {code}" if code else "failed"
    if shows and not any(pattern.search(answer) for pattern in _LINE):
        return Outcome(word, False)
    return Outcome(word, True, _telling(edges), summary)


def _broken(edge: str) -> bool:
    """Whether the output is built like a failure. The substrings spare most outputs the search."""
    return any(sign in edge for sign in _SIGNS) and _STRUCTURE.search(edge) is not None


def _summary(edge: str) -> str:
    if not any(hint in edge for hint in _SUMMARY_HINTS):
        return ""
    for line in reversed(BREAKS.split(edge)[-_SUMMARY_LINES:]):
        if len(line) < 400 and _SUMMARY.search(line.strip()):
            return line.strip()
    return ""


def _exit_code(answer: str) -> int | None:
    for edge in (answer[:400], answer[-400:]):
        lowered = edge.lower()
        match = _EXIT.search(lowered) if "exit" in lowered or "return" in lowered else None
        if match:
            return int(match.group(1))
    return None


def _telling(edges: list[str]) -> tuple[str, ...]:
    """The three lines that say most, in their order; among equals the first."""
    lines = [
        text for edge in edges for line in _ends(BREAKS.split(edge)) if len(text := line.strip()) > 2 and not _NOISE.match(text)
    ]
    lines = list(dict.fromkeys(lines))
    ranked = [(rank, at) for at, line in enumerate(lines) if (rank := _rank(line)) < len(_LINE)]
    if not ranked:
        at = next((at for at, line in enumerate(lines) if _VAGUE.search(line[:400])), 0)
        return tuple(lines[at : at + 1])
    chosen: set[int] = set()
    for _, at in sorted(ranked):
        chosen.add(at)
        if lines[at].endswith(":") and at + 1 < len(lines):
            chosen.add(at + 1)
        if len(chosen) >= 3:
            break
    return tuple(lines[at] for at in sorted(chosen)[:3])


def _ends(lines: list[str]) -> list[str]:
    return lines if len(lines) <= 2 * _LINES else [*lines[:_LINES], *lines[-_LINES:]]


def _rank(line: str) -> int:
    return next((rank for rank, pattern in enumerate(_LINE) if pattern.search(line[:400])), len(_LINE))


def telling_line(answer: str) -> str:
    """The first line of a short answer that is not about the tool itself; empty when there is none."""
    return next((text for line in BREAKS.split(answer) if _WORD.search(text := line.strip()) and not _NOISE.match(text)), "")
