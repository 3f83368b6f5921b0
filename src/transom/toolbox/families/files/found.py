"""Lines that a search has found, as an answer: all of them, or where they are, or how many each file has; in pages.

An answer that would be too large gets shorter as a whole, so that what is left of it is true of everything that was found.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from ....safety import regexes
from ....vocabulary.seeking import SeekingWords
from ...searching.globs import BadGlob, Globs
from ...searching.query import Found, Hit, Query
from ...tool import Refused, Result, ToolContext
from .names import printable
from .pages import PAGE_BYTES
from .texts import UTF_8, decoded

__all__ = ["Show", "checked_globs", "checked_pattern", "line_of", "listed", "page_of_paths"]

Show = Literal["auto", "lines", "locations", "counts"]
_PATHS_NAMED = 10


def checked_pattern(context: ToolContext, pattern: str, *, literal: bool, ignore_case: bool) -> tuple[bool, str]:
    """Whether a pattern is searched for as literal text, and why if that was not asked for.

    Raises:
        Refused: ``invalid_input``: it is empty, or no line can hold it.
    """
    words = context.words.seeking
    if not pattern:
        raise Refused("invalid_input", words.pattern_empty)
    if any("\ud800" <= letter <= "\udfff" for letter in pattern) or "\n" in pattern:
        raise Refused("invalid_input", words.odd_pattern)
    if literal:
        return True, ""
    verdict = regexes.judge(pattern, int(re.IGNORECASE if ignore_case else re.NOFLAG))
    return not verdict, "" if verdict else Refused.by(verdict, context.words).text.rstrip(".")


def checked_globs(context: ToolContext, patterns: Sequence[str], *, ignore_case: bool = False) -> Globs:
    """Globs.

    Raises:
        Refused: ``invalid_input``: one of them is none.
    """
    try:
        return Globs(patterns, ignore_case=ignore_case)
    except BadGlob as bad:
        text = context.words.seeking.bad_glob.format(pattern=printable(bad.pattern[:100]))
        raise Refused("invalid_input", text) from None


def line_of(hit: Hit, width: int) -> tuple[str, str]:
    """A line, or what is around the match, and its encoding.

    Args:
        hit: where.
        width: characters to show at most.
    """
    text, _, encoding = decoded(hit.text)
    start, end = 0, len(text)
    if end > width:
        # A third of the room goes to what stands before.
        at = len(decoded(hit.text[: hit.at])[0])
        start = max(0, min(at - width // 3, end - width))
        end = start + width
    left, right = hit.before or start > 0, hit.after or end < len(text)
    return f"{'…' if left else ''}{text[start:end]}{'…' if right else ''}", hit.mark or encoding


@dataclass(frozen=True, slots=True)
class _Form:
    """One way of showing what was found: a line of text, and what a program gets, for each thing that is counted."""

    name: str
    lines: Sequence[str]
    data: Sequence[object]

    def fitting(self, offset: int, most: int) -> int:
        """How many fit into one answer from an offset."""
        room, count = PAGE_BYTES, 0
        for line, item in zip(self.lines[offset : offset + most], self.data[offset : offset + most], strict=True):
            room -= len(line.encode()) + len(str(item).encode()) + 2
            if room < 0:
                break
            count += 1
        return max(count, 1) if self.lines[offset:] else 0


def listed(
    context: ToolContext,
    found: Found,
    query: Query,
    *,
    path: str,
    why: str = "",
    show: Show = "auto",
    offset: int = 0,
    width: int = 300,
) -> Result:
    """The answer of a search.

    Args:
        context: whose words.
        found, query: the search.
        path: where, as the model sees it.
        why: why the pattern was searched for as literal text.
        show: how; ``auto``: the fullest form that fits.
        offset: how many to leave out at the beginning.
        width: characters of a line.

    Raises:
        Refused: ``out_of_range``: nothing is that far.
    """
    words = context.words.seeking
    hits = found.hits
    encodings: dict[str, str] = {}
    form = _chosen(hits, show, offset, width, encodings)
    total = len(form.lines)
    if offset and offset >= total:
        raise Refused("out_of_range", words.behind.format(total=total, offset=offset))
    count = form.fitting(offset, total)
    following = offset + count if offset + count < total else None
    files = len({hit.shown for hit in hits})
    notes = [words.mark(words.demoted.format(why=why))] if why else []
    text = _grouped(form, hits, offset, count) if form.name == "lines" else "\n".join(form.lines[offset : offset + count])
    notes += [text] if text else []
    if not hits:
        notes.append(words.nothing.format(pattern=query.pattern[:200]))
    elif show == "auto" and form.name != "lines":
        notes.append(words.mark(words.locations if form.name == "locations" else words.counts))
    notes += _remarks(words, found, query, files, form, (offset, count, following), encodings)
    data: dict[str, object] = {
        "path": path,
        "show": form.name,
        _KEYS[form.name]: list(form.data[offset : offset + count]),
        "total": len(hits),
        "files": files,
        "next_offset": following,
        "demoted_to_literal": bool(why),
        "aborted": not found.complete,
        "capped": found.capped,
        "more_in": sorted(map(printable, found.fuller)),
        "searched": found.searched,
        "skipped": dict(found.skipped),
        "skipped_complete": found.counted,
        "encodings": encodings,
        "engine": found.engine,
    }
    return Result(data=data, text="\n".join(notes), provenance=path)


_KEYS: Mapping[str, str] = {"lines": "hits", "locations": "hits", "counts": "counts"}


def _chosen(hits: Sequence[Hit], show: Show, offset: int, width: int, encodings: dict[str, str]) -> _Form:
    if show in {"auto", "lines"}:
        form = _lines(hits, width, encodings)
        if show == "lines" or offset or form.fitting(0, len(hits)) == len(hits):
            return form
        encodings.clear()
    if show in {"auto", "locations"}:
        form = _locations(hits)
        if show == "locations" or form.fitting(0, len(hits)) == len(hits):
            return form
    return _counts(hits)


def _lines(hits: Sequence[Hit], width: int, encodings: dict[str, str]) -> _Form:
    lines, data = [], []
    for hit in hits:
        text, encoding = line_of(hit, width)
        name = printable(hit.shown)
        if encoding != UTF_8:
            encodings[name] = encoding
        lines.append(f"{hit.line}: {text}")
        data.append({"path": name, "line": hit.line, "column": hit.column, "text": text})
    return _Form("lines", lines, data)


def _grouped(form: _Form, hits: Sequence[Hit], offset: int, count: int) -> str:
    parts: list[str] = []
    page = range(offset, offset + count)
    for name, numbers in groupby(page, key=lambda number: hits[number].shown):
        parts += [printable(name), *(form.lines[number] for number in numbers), ""]
    return "\n".join(parts[:-1])


def _locations(hits: Sequence[Hit]) -> _Form:
    lines = [f"{printable(hit.shown)}:{hit.line}" for hit in hits]
    return _Form("locations", lines, [{"path": printable(hit.shown), "line": hit.line} for hit in hits])


def _counts(hits: Sequence[Hit]) -> _Form:
    counts = Counter(printable(hit.shown) for hit in hits)
    lines = [f"{name}: {number}" for name, number in counts.items()]
    return _Form("counts", lines, [{"path": name, "lines": number} for name, number in counts.items()])


def _remarks(
    words: SeekingWords,
    found: Found,
    query: Query,
    files: int,
    form: _Form,
    page: tuple[int, int, int | None],
    encodings: Mapping[str, str],
) -> list[str]:
    notes: list[str] = []
    offset, count, following = page
    if found.hits:
        notes.append(words.mark(words.summary.format(hits=len(found.hits), files=files)))
    if following is not None or offset:
        how = "" if form.name == "lines" else f"show={form.name}, "
        how = "show=lines, " if form.name == "lines" and not offset else how
        notes.append(words.page_note(offset + 1, offset + count, len(form.lines), following, how))
    if found.fuller:
        names = sorted(map(printable, found.fuller))
        notes.append(words.mark(words.fuller.format(paths=_named(names))))
    if found.capped:
        notes.append(words.mark(words.capped.format(most=query.most)))
    if not found.complete:
        notes.append(words.mark(words.partial.format(seconds=query.seconds)))
    limits = {"size": query.file_bytes, "line_cap": query.file_lines or 0}
    notes.append(words.left_out(found.skipped, counted=found.counted, limits=limits))
    by_encoding: dict[str, list[str]] = defaultdict(list)
    for name, encoding in encodings.items():
        by_encoding[encoding].append(name)
    for encoding, names in by_encoding.items():
        guess = words.guessed if "cp1252" in encoding else words.marked
        notes.append(words.mark(guess.format(paths=_named(names), encoding=encoding)))
    return [note for note in notes if note]


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_PATHS_NAMED]) + (", …" if len(names) > _PATHS_NAMED else "")


def page_of_paths(paths: Sequence[str], offset: int, limit: int) -> list[str]:
    """As many paths as one answer may hold."""
    shown: list[str] = []
    room = PAGE_BYTES
    for path in paths[offset : offset + limit]:
        room -= 2 * len(path.encode()) + 6
        if room < 0:
            break
        shown.append(path)
    return shown
