"""``analyze_project``: what a folder of source files is, from names and sizes alone; no file is opened."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ...access.excluded import EXCLUDED
from ...access.place import Place
from ...access.walls import gather
from ...access.workspace import Workspace
from ...tool import Result, ToolContext, tool
from .languages import BUILDS, ENTRIES, is_test, language_of
from .names import SECONDS, printable

__all__ = ["analyze_project"]

_MOST = 100_000
_NAMED = 20
_LARGEST = 5
_ENTRY_DEPTH = 4


@dataclass(frozen=True, slots=True)
class _File:
    segments: tuple[str, ...]
    size: int | None  # None: a folder

    @property
    def shown(self) -> str:
        return printable("/".join(self.segments))


@dataclass
class _Survey:
    files: int = 0
    folders: int = 0
    size: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    sizes: Counter[str] = field(default_factory=Counter)
    tests: Counter[str] = field(default_factory=Counter)
    builds: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)

    def add(self, file: _File) -> None:
        name = file.segments[-1]
        if file.size is None:
            self.folders += 1
            if name in EXCLUDED:
                self.excluded.append(file.shown + "/")
            return
        self.files += 1
        self.size += file.size
        language = language_of(name)
        if language is not None:
            self.counts[language] += 1
            self.sizes[language] += file.size
        if BUILDS.fullmatch(name):
            self.builds.append(file.shown)
        if language is not None and is_test(file.segments):
            self.tests[printable("/".join(file.segments[:-1])) or "."] += 1
        elif ENTRIES.fullmatch(name) and len(file.segments) <= _ENTRY_DEPTH:
            self.entries.append(file.shown)


@tool(family="files", title="Describe a project", read_only=True, idempotent=True, reader=True, tier=4)
def analyze_project(context: ToolContext, path: str = ".") -> Result:
    """Say what a project is: languages by size, build files, entry points, tests, largest files.

    Args:
        path: its folder.
    """
    place = context.use(Workspace).place(path)
    found = gather(lambda halt: _all(place, halt), seconds=SECONDS, go_on=context.check)
    survey = _Survey()
    for file in found.items[:_MOST]:
        survey.add(file)
    complete = found.complete and len(found.items) <= _MOST
    largest = heapq.nsmallest(_LARGEST, found.items[:_MOST], key=lambda file: (-(file.size or 0), file.segments))
    return _told(context, place, survey, [file for file in largest if file.size], complete=complete)


def _all(place: Place, halt: Callable[[], None]) -> Iterator[_File]:
    for number, found in enumerate(place.below(halt, EXCLUDED)):
        if found.entry.is_folder:
            yield _File(found.segments, None)
        elif found.entry.is_file:
            try:
                yield _File(found.segments, found.folder.status(found.entry.name).st_size)
            except OSError:
                continue
        if number > _MOST:
            return


def _told(context: ToolContext, place: Place, survey: _Survey, largest: list[_File], *, complete: bool) -> Result:
    words = context.words.seeking
    languages = sorted(survey.counts, key=lambda name: (-survey.sizes[name], name))
    tests = sorted(survey.tests.items(), key=lambda item: (-item[1], item[0]))
    lines = [words.project.format(files=survey.files, folders=survey.folders, bytes=survey.size)]
    sections = (
        (
            words.languages,
            [words.language.format(name=name, files=survey.counts[name], bytes=survey.sizes[name]) for name in languages]
            or [words.no_code],
        ),
        (words.builds, _near(survey.builds)),
        (words.entries, _near(survey.entries)),
        (words.tests, [f"{folder}: {number}" for folder, number in tests]),
        (words.largest, [f"{file.shown}: {file.size}" for file in largest]),
        (words.other_folders, _near(survey.excluded)),
    )
    for title, found in sections:
        if found:
            lines += ["", f"{title}:", *found[:_NAMED], *(["…"] if len(found) > _NAMED else [])]
    if not complete:
        lines.append(words.mark(words.partly.format(seconds=SECONDS)))
    data: dict[str, object] = {
        "path": place.shown,
        "files": survey.files,
        "folders": survey.folders,
        "bytes": survey.size,
        "languages": [{"name": name, "files": survey.counts[name], "bytes": survey.sizes[name]} for name in languages[:_NAMED]],
        "build_files": _near(survey.builds)[:_NAMED],
        "entry_points": _near(survey.entries)[:_NAMED],
        "tests": {"files": sum(survey.tests.values()), "folders": dict(tests[:_NAMED])},
        "largest": [{"path": file.shown, "bytes": file.size} for file in largest],
        "excluded": _near(survey.excluded)[:_NAMED],
        "complete": complete,
    }
    return Result(data=data, text="\n".join(lines), provenance=place.shown, confidence="inferred")


def _near(paths: list[str]) -> list[str]:
    """Those near the top first."""
    return sorted(paths, key=lambda path: (path.count("/"), path))
