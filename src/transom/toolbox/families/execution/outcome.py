"""What came of a run, as a tool's answer: how it ended, what it wrote, what confined it, or why it counts as failed.

A program that ends with a status of its own has worked, whatever the status; one that was ended, that raised, or that the
sandbox kept from what it tried has failed. Failures carry the same data, shortened: they are not spilled.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ....vocabulary.executing import ExecutingWords
from ...sandbox import Ended, Limits, Run
from ...tool import Refused, Result

__all__ = ["Outcome", "answer", "outcome_of", "outcome_of_ended"]

_SHOWN = 6_000
"""Characters of each stream that a failure carries."""
_FORBIDDEN = re.compile(r"permission denied|operation not permitted", re.IGNORECASE)
_UNSEEN = re.compile(r"no such file or directory|directory nonexistent", re.IGNORECASE)
_ALWAYS = re.compile(
    r"read-only file system|network is unreachable|could not resolve host|temporary failure in name resolution", re.IGNORECASE
)
_PATH = re.compile(r"[^\s'\"‘’:;,()<>|&]*/[^\s'\"‘’:;,()<>|&]*")
_SHELL = re.compile(r"^\S*sh: (?:line )?\d+: ")
"""Who says it is no path that it is about."""
_ITS_OWN = ("/tmp", "/dev", "/proc")  # noqa: S108 - not used
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/gnu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A run as it is answered.

    Attributes:
        exit_code: its status.
        stdout, stderr: what it wrote, as text.
        confined_by: what confined it.
        not_confined: what that leaves open.
        killed: ``time``, ``memory`` or ``processes`` where it was ended.
        put_back: guarded files it had changed.
        not_put_back: those of them that are not as they were even now.
        seconds: how long it ran.
        truncated: more was written than was kept.
        value: what a script ended with.
        note: a sentence more about how it was run.
    """

    exit_code: int
    stdout: str
    stderr: str
    confined_by: str
    not_confined: tuple[str, ...] = ()
    killed: str | None = None
    put_back: tuple[str, ...] = ()
    not_put_back: tuple[str, ...] = ()
    seconds: float = 0.0
    truncated: bool = False
    value: str = ""
    note: str = ""

    def data(self) -> dict[str, object]:
        """It for programs."""
        data: dict[str, object] = {
            "exit_code": self.exit_code,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "seconds": round(self.seconds, 3),
            "truncated": self.truncated,
            "confined_by": self.confined_by,
            "not_confined": list(self.not_confined),
        }
        return (
            data | ({"value": self.value} if self.value else {}) | ({"put_back": list(self.put_back)} if self.put_back else {})
        )

    def text(self, words: ExecutingWords) -> str:
        """It for a model."""
        parts = [self.stdout]
        if self.stderr:
            parts += [words.errors, self.stderr]
        if self.value:
            parts += [words.value, self.value]
        written = "\n".join(part.removesuffix("\n") for part in parts if part) or words.no_output
        end = words.status_line(self.exit_code, self.confined_by, self.not_confined)
        return "\n".join(filter(None, (written, end, self.note)))

    def shortened(self) -> Outcome:
        """With streams of a failure's size."""
        return replace(self, stdout=_short(self.stdout), stderr=_short(self.stderr), value=_short(self.value))


def _short(text: str) -> str:
    if len(text) <= _SHOWN:
        return text
    return f"{text[: _SHOWN // 3]}\n[…]\n{text[-_SHOWN * 2 // 3 :]}"


def outcome_of(run: Run, words: ExecutingWords) -> Outcome:
    """Of a confined run."""
    killed = "time" if run.timed_out else "memory" if run.out_of_memory else "processes" if run.too_many_processes else None
    return Outcome(
        exit_code=run.exit_code,
        stdout=run.stdout.text(words.gap_mark(run.stdout.omitted)),
        stderr=run.stderr.text(words.gap_mark(run.stderr.omitted)),
        confined_by=run.confined_by,
        not_confined=run.not_confined,
        killed=killed,
        put_back=tuple(map(str, run.put_back)),
        not_put_back=tuple(map(str, run.not_put_back)),
        seconds=run.seconds,
        truncated=run.truncated,
    )


def outcome_of_ended(ended: Ended, by: str, words: ExecutingWords) -> Outcome:
    """Of a process that confines what it runs by itself."""
    return Outcome(
        exit_code=ended.exit_code,
        stdout=ended.stdout.text(words.gap_mark(ended.stdout.omitted)),
        stderr=ended.stderr.text(words.gap_mark(ended.stderr.omitted)),
        confined_by=by,
        killed=ended.killed,
        seconds=ended.seconds,
        truncated=bool(ended.stdout.omitted or ended.stderr.omitted),
    )


def answer(
    outcome: Outcome,
    words: ExecutingWords,
    *,
    limits: Limits,
    most: float,
    option: str = "timeout_seconds",
    roots: Sequence[Path],
    cwd: Path | None,
    raised: str | None,
) -> Result:
    """The tool's answer.

    Args:
        outcome: what came of it.
        words: what a model is told.
        limits: what the run was allowed.
        most: seconds that can be allowed at most.
        option: the argument that allows them.
        roots, cwd: where it could write, and where it started; no place for a script that knows no files.
        raised: how the program itself failed, if it did: ``memory``; ``thrown`` (the first line of the error stream names
            it) or ``raised`` (the last one does).

    Raises:
        Refused: it failed; see the module.
    """
    if outcome.not_put_back:
        _fail("sandbox_denied", words.not_put_back.format(places=", ".join(outcome.not_put_back)), outcome, words)
    if outcome.put_back:
        _fail("sandbox_denied", words.put_back.format(places=", ".join(outcome.put_back)), outcome, words)
    match outcome.killed:
        case "time":
            _fail(
                "timeout", words.timeout.format(seconds=f"{limits.seconds:g}", most=f"{most:g}", option=option), outcome, words
            )
        case "memory":
            _fail("memory", _memory(words, limits), outcome, words)
        case "processes":
            _fail("runtime_error", words.processes.format(limit=limits.processes), outcome, words)
        case _:
            pass
    if raised == "memory":
        _fail("memory", _memory(words, limits), outcome, words)
    if cwd is not None and outcome.exit_code and (line := _denied(outcome.stderr, roots, cwd)):
        shown = ", ".join(map(str, roots))
        _fail("sandbox_denied", words.denied.format(line=line, roots=shown), outcome, words)
    if raised:
        last = (outcome.stderr.strip().splitlines() or [""])[0 if raised == "thrown" else -1]
        _fail("runtime_error", words.raised.format(last=last), outcome, words)
    return Result(data=outcome.data(), text=outcome.text(words))


def _memory(words: ExecutingWords, limits: Limits) -> str:
    return words.memory.format(limit=(limits.memory or 0) >> 20)


def _fail(error: str, said: str, outcome: Outcome, words: ExecutingWords) -> None:
    short = outcome.shortened()
    data: Mapping[str, object] = short.data()
    raise Refused(error, f"{said}\n{short.text(words)}", data=data)


def _denied(stderr: str, roots: Sequence[Path], cwd: Path) -> str:
    """The line that tells of what the sandbox did not allow; empty where nothing of the kind is told."""
    for line in stderr.splitlines()[-200:]:
        if _ALWAYS.search(line):
            return line.strip()[:500]
        forbidden = _FORBIDDEN.search(line)
        if not forbidden and not _UNSEEN.search(line):
            continue
        for found in _PATH.findall(_SHELL.sub("", line)):
            place = os.path.normpath(cwd / found)
            # What is missing in the system, or in its own /tmp, is missing for everybody, unless it was climbed to.
            others = () if found.startswith("..") else _ITS_OWN if forbidden else (*_ITS_OWN, *_SYSTEM)
            if not any(place == str(top) or place.startswith(f"{top}/") for top in (*roots, *others)):
                return line.strip()[:500]
    return ""
