"""What is said about a program that was run: how it ended, what confined it, why it was ended or not run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["ExecutingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExecutingWords:
    """What is said about a run.

    Attributes:
        status: the last line of every answer (``{code}``, ``{confined}``).
        confined, confined_but: by what it was confined (``{by}``); the same with what that leaves open (``{open}``).
        open_ends: what can be left open, by the sandbox's own names.
        no_output: nothing was written.
        errors: stands before what was written to the error stream.
        value: stands before the value a script ended with.
        gap: what of a stream was not kept (``{omitted}``, bytes).
        timeout: it ran too long (``{seconds}``, ``{most}``; ``{option}``, the argument that bounds it).
        memory: it took too much memory (``{limit}``, megabytes).
        processes: it started too many processes (``{limit}``).
        raised: it ended with an error (``{last}``, the line that names it).
        denied: the sandbox kept it from something (``{line}``; ``{roots}``, where it may write).
        put_back: guarded files it had changed (``{places}``).
        not_put_back: the same, when they could not be put back (``{places}``).
        unconfined: commands are not run because nothing can confine them here (``{reasons}``).
        restricted: says that the restricted interpreter ran it, and what that lacks.
        missing_engine: an engine is not installed (``{engine}``, ``{extra}``).
        not_text: the code has half a character, so no file can hold it.
    """

    status: str
    confined: str
    confined_but: str
    open_ends: Mapping[str, str]
    no_output: str
    errors: str
    value: str
    gap: str
    timeout: str
    memory: str
    processes: str
    raised: str
    denied: str
    put_back: str
    not_put_back: str
    unconfined: str
    restricted: str
    missing_engine: str
    not_text: str

    def status_line(self, code: int, by: str, open_ends: Sequence[str]) -> str:
        """How it ended, what confined it, and what that leaves open."""
        named = ", ".join(self.open_ends.get(name, name) for name in open_ends)
        confined = self.confined_but.format(by=by, open=named) if named else self.confined.format(by=by)
        return self.status.format(code=code, confined=confined)

    def gap_mark(self, omitted: int) -> str:
        """What stands where something was not kept."""
        return self.gap.format(omitted=omitted)
