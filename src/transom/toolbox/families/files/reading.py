"""Reading files: a page of lines, or a piece of bytes. Nothing is changed, and no answer is larger than a page."""

from __future__ import annotations

import os
from typing import Annotated

from msgspec import Meta

from ....vocabulary.filing import FilingWords
from ...access.place import Place
from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool
from .pages import PAGE_BYTES, PAGE_LINES, Nothing, Page, TooWide, page_of
from .texts import CP1252, MIXED, PROBE, UTF_8, Coding, decoded, text_coding

__all__ = ["read_file", "read_file_chunked"]


@tool(family="files", title="Read a file", read_only=True, idempotent=True, visible=True, reader=True, tier=1, seconds=20.0)
def read_file(
    context: ToolContext,
    file_name: str,
    start_line: int = 1,
    limit: Annotated[int, Meta(ge=1, le=PAGE_LINES)] = PAGE_LINES,
    end_line: Annotated[int, Meta(ge=1)] | None = None,
    line_numbers: bool = False,
) -> Result:
    """Read a text file, or some of its lines. A long file comes in pages; the answer says how to go on.

    Args:
        file_name: the file.
        start_line: first line to show, from 1; negative counts from the end (-20: the last 20).
        limit: most lines to show.
        end_line: last line to show.
        line_numbers: put its number before each line.
    """
    words = context.words.filing
    place = context.use(Workspace).place(file_name)
    if start_line == 0 or (end_line is not None and end_line < start_line):
        raise Refused("out_of_range", words.no_such_range.format(first=start_line, last=end_line or start_line))
    most = min(limit, end_line - start_line + 1) if end_line is not None and start_line > 0 else limit
    with place.open() as file:
        coding = text_coding(file.read(PROBE), place.shown, words)
        try:
            page = page_of(file, coding, start_line, most, context.check)
        except Nothing as nothing:
            text = words.no_such_line.format(path=place.shown, line=start_line, count=nothing.total)
            raise Refused("out_of_range", text, data={"total_lines": nothing.total}) from None
        except TooWide:
            size = os.fstat(file.fileno()).st_size
            raise Refused("too_large", words.too_wide.format(path=place.shown, size=size, encoding=coding.name)) from None
    return _result(words, place, page, coding, numbered=line_numbers)


def _result(words: FilingWords, place: Place, page: Page, coding: Coding, *, numbered: bool) -> Result:
    lines = page.lines
    if numbered:
        width = len(str(page.last))
        lines = [f"{number:>{width}}\t{line}" for number, line in enumerate(lines, page.first)]
    text = "\n".join(lines)
    notes = _encoding_notes(words, page.encoding)
    following = page.last + 1 if page.more else None
    if not lines:
        notes.append(words.mark(words.empty))
    elif following is not None or page.first > 1 or page.cut_at is not None:
        notes.append(words.page_note(page.first, page.last, page.total, following, page.cut_at))
    data: dict[str, object] = {
        "path": place.shown,
        "content": text + "\n" * (page.ended and bool(lines)),
        "encoding": page.encoding,
        "bom": bool(coding.mark),
        "first_line": page.first,
        "last_line": page.last,
        "total_lines": page.total,
        "next_line": following,
        "next_offset": page.cut_at,
        "final_newline": page.ended,
    }
    return Result(
        data=data,
        text="\n".join((text, *notes)) if notes else text,
        confidence="inferred" if page.encoding in {CP1252, MIXED} else "extracted",
        provenance=place.shown,
    )


def _encoding_notes(words: FilingWords, encoding: str) -> list[str]:
    if encoding == UTF_8:
        return []
    told = words.guessed_encoding if encoding in {CP1252, MIXED} else words.other_encoding
    return [words.mark(told.format(encoding=encoding))]


@tool(
    family="files",
    title="Read a piece of a file",
    read_only=True,
    idempotent=True,
    visible=True,
    reader=True,
    tier=4,
    seconds=20.0,
)
def read_file_chunked(
    context: ToolContext,
    file_name: str,
    chunk_size: Annotated[int, Meta(ge=16, le=PAGE_BYTES)] = PAGE_BYTES // 2,
    offset: Annotated[int, Meta(ge=0)] = 0,
) -> Result:
    """Read a piece of a text file of any size by byte offset, never half a character. For files with few or very long lines.

    Args:
        file_name: the file.
        chunk_size: bytes to read, at most 24576.
        offset: where to begin, in bytes; use next_offset of the answer before.
    """
    words = context.words.filing
    place = context.use(Workspace).place(file_name)
    with place.open() as file:
        size = os.fstat(file.fileno()).st_size
        coding = text_coding(file.read(PROBE), place.shown, words)
        begin = max(offset, len(coding.mark))
        if begin > size:
            text = words.behind_end.format(path=place.shown, offset=offset, size=size)
            raise Refused("out_of_range", text, data={"size": size})
        if coding.wide:
            begin -= (begin - len(coding.mark)) % coding.unit
        file.seek(begin)
        # A character may go on behind the piece: what is left of it at the end is then not shown, but read with the next one.
        data = file.read(chunk_size)
    final = begin + len(data) >= size
    if coding.wide:
        text, took = coding.decoder()(data, final)
        encoding = coding.name
    else:
        skipped = _within_character(data) if begin > len(coding.mark) else 0
        begin += skipped
        text, took, encoding = decoded(data[skipped:], final=final)
    following = begin + took
    more = following < size
    notes = _encoding_notes(words, encoding)
    if more or begin > len(coding.mark):
        notes.append(words.piece_note(begin, following, size, more=more))
    result: dict[str, object] = {
        "path": place.shown,
        "content": text,
        "encoding": encoding,
        "offset": begin,
        "next_offset": following if more else None,
        "size": size,
        "complete": not more,
    }
    return Result(
        data=result,
        text="\n".join((text, *notes)) if notes else text,
        confidence="inferred" if encoding in {CP1252, MIXED} else "extracted",
        provenance=place.shown,
    )


def _within_character(data: bytes) -> int:
    """Bytes at the beginning that only go on with a character of UTF-8; none where they cannot be that."""
    count = 0
    while count < min(4, len(data)) and data[count] & 0xC0 == 0x80:
        count += 1
    return count if count < 4 else 0
