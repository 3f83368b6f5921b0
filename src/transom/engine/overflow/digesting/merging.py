"""Joins the notes of an earlier digest with those of the span that follows it.

Knows notes only. What is newer supersedes what it replaces (the state of a task, the outcome of a command, an error that
ended), everything else adds up. The lists stay in the order things happened: older entries first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from .notes import CommandNote, ErrorNote, FileNote, Notes, Recurring, Request, Statement, TaskNote
from .speech import closing_line, statements

__all__ = ["merge"]

_T = TypeVar("_T")


def merge(old: Notes, new: Notes) -> Notes:
    """Notes of both, as one.

    Args:
        old: read from the earlier digest.
        new: extracted from the span after it.
    """
    requests = (*_with_outcome(old), *new.requests)
    if any(request.said.who == "summary" for request in new.requests):
        requests = (*(request for request in _with_outcome(old) if request.said.who != "summary"), *new.requests)
    return Notes(
        messages=new.messages,
        before=old.messages + old.before,
        windows=old.windows + 1,
        archives=(*new.archives, *(archive for archive in old.archives if archive not in new.archives)),
        task=old.task or new.task,
        rules=_latest(old.rules, new.rules, lambda rule: rule.quote.shown),
        requests=requests,
        steps=new.steps,
        stood=new.stood or (old.stood if not new.requests else None),
        tasks=_tasks(old.tasks, new.tasks, _deleted(new)),
        constraints=_earliest((*old.constraints, *_restated(old)), new.constraints, lambda note: note.line.text),
        decisions=_latest(old.decisions, new.decisions, lambda note: note.line.text),
        errors=_errors(old.errors, new),
        files=_files(old.files, new.files),
        commands=_commands(old.commands, new.commands),
        recurring=_recurring(old.recurring, new.recurring),
        calls=_latest(old.calls, new.calls, lambda note: note.label.text),
        hidden={key: count for key, count in old.hidden.items() if key != "steps"},
    )


def _restated(old: Notes) -> Iterator[Statement]:
    """Constraints of requests shown whole are not repeated in a digest; once those are shortened, they must stand alone."""
    for remark in (*([old.task] if old.task else ()), *(request.said for request in old.requests)):
        if remark.who == "user":
            yield from (found for kind, found in statements(remark.place, "user", remark.quote.shown) if kind == "constraint")


def _with_outcome(old: Notes) -> tuple[Request, ...]:
    """The last request of the earlier digest, closed by what the assistant said last."""
    if not old.requests or old.stood is None or old.requests[-1].reply is not None:
        return old.requests
    last = old.requests[-1]
    return (*old.requests[:-1], Request(last.said, closing_line(old.stood.quote.shown), last.asked))


def _latest(old: Iterable[_T], new: Iterable[_T], key: Callable[[_T], str]) -> tuple[_T, ...]:
    """Each once, where it stood last."""
    kept: dict[str, _T] = {}
    for note in (*old, *new):
        kept.pop(key(note), None)
        kept[key(note)] = note
    return tuple(kept.values())


def _earliest(old: Iterable[_T], new: Iterable[_T], key: Callable[[_T], str]) -> tuple[_T, ...]:
    """Each once, where it stood first."""
    kept: dict[str, _T] = {}
    for note in (*old, *new):
        kept.setdefault(key(note), note)
    return tuple(kept.values())


def _tasks(old: tuple[TaskNote, ...], new: tuple[TaskNote, ...], deleted: set[str]) -> tuple[TaskNote, ...]:
    """Open ones of before and all new ones; a new plan replaces the old, and a deleted file takes its checkboxes along."""
    gone = {note.source for note in new if note.source in ("plan", "said")} | deleted
    kept = {note.line.text: note for note in old if note.state != "done" and note.source not in gone}
    for note in new:
        kept[note.line.text] = note
    return tuple(kept.values())


def _deleted(new: Notes) -> set[str]:
    return {note.path.rsplit("/", 1)[-1] for note in new.files if note.verbs[-1][0] == "deleted"}


def _errors(old: tuple[ErrorNote, ...], new: Notes) -> tuple[ErrorNote, ...]:
    again = {_error_key(note): note for note in new.errors}
    passed = {note.command.text for note in new.commands if note.outcome == "ok"}
    changed = {note.path for note in new.files if note.changed and not note.failed}
    kept: list[ErrorNote] = []
    for note in old:
        key = _error_key(note)
        if key in again:
            again[key] = replace(again[key], count=again[key].count + note.count)
            continue
        ended = note.ended
        if not ended and key in passed:
            ended = "passed"
        elif not ended:
            said = "\n".join(line.text for line in (note.label, *note.lines))
            ended = "changed" if any(path.rsplit("/", 1)[-1] in said for path in changed) else ""
        kept.append(replace(note, ended=ended))
    return (*kept, *again.values())


def _error_key(note: ErrorNote) -> str:
    mark, _, command = note.label.text.partition(" ")
    return command if mark in ("$", "$…") else note.label.text


def _files(old: tuple[FileNote, ...], new: tuple[FileNote, ...]) -> tuple[FileNote, ...]:
    kept = {note.path: note for note in old}
    for note in new:
        known = kept.pop(note.path, None)
        verbs = dict(known.verbs) if known else {}
        for verb, count in note.verbs:
            verbs[verb] = verbs.get(verb, 0) + count
        kept[note.path] = FileNote(note.path, tuple(verbs.items()), note.failed)
    return tuple(kept.values())


def _commands(old: tuple[CommandNote, ...], new: tuple[CommandNote, ...]) -> tuple[CommandNote, ...]:
    kept = {note.command.text: note for note in old}
    for note in new:
        known = kept.pop(note.command.text, None)
        count, failures = (known.count, known.failures) if known is not None else (0, 0)
        kept[note.command.text] = replace(note, count=note.count + count, failures=note.failures + failures)
    return tuple(kept.values())


def _recurring(old: tuple[Recurring, ...], new: tuple[Recurring, ...]) -> tuple[Recurring, ...]:
    """By count over all windows; an earlier window's first mention keeps its words."""
    kept = {note.text: note for note in new}
    for note in old:
        again = kept.get(note.text)
        count = note.count + (again.count if again else 0)
        kept[note.text] = Recurring(note.text, count, note.context or (again.context if again else ""))
    return tuple(sorted(kept.values(), key=lambda note: -note.count))
