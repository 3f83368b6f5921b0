"""Text: transformed, searched for what it holds, made into a table. What a file holds is the business of the file tools."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta

from ...tool import Family, Refused, Result, ToolContext, tool
from .operations import Alignment, Operation

__all__ = ["FAMILY"]

Input = Annotated[str, Meta(max_length=2_000_000)]
Kind = Literal[
    "emails",
    "urls",
    "numbers",
    "dates",
    "phone_numbers",
    "ip_addresses",
    "uuids",
    "hashtags",
    "mentions",
    "colors",
    "paths",
    "quoted",
    "headings",
    "links",
    "code_blocks",
    "lines",
    "between",
    "regex",
    "statistics",
]

_WORD = re.compile(r"\w++(?:['’-]\w++)*+")
_SENTENCE = re.compile(r"[.!?]++(?=\s|$)|[。！？]")
_PARAGRAPH = re.compile(r"\n[^\S\n]*+\n\s*+")


@tool(family="text", title="Transform text", read_only=True, idempotent=True)
def text_transform(
    context: ToolContext,
    text: Input,
    operation: Operation,
    then: Annotated[list[Operation], Meta(max_length=20)] | None = None,
    find: str = "",
    replacement: str = "",
    prefix: str = "",
    suffix: str = "",
    separator: str | None = None,
    width: Annotated[int, Meta(ge=0, le=1000)] | None = None,
) -> Result:
    """Change the case, lines, spaces or spelling of a text. Gives the new text; files are not touched.

    Args:
        text: what to change.
        operation: what to do.
        then: more operations, one after the other.
        find, replacement: for replace, as literal text.
        prefix, suffix: for affix_lines.
        separator: for join_lines and split.
        width: for wrap (80) and indent (4).
    """
    # What works on text is loaded by the first call, here and below: the list of tools does without.
    from .transforming import Options, transform

    options = Options(find=find, replacement=replacement, prefix=prefix, suffix=suffix, separator=separator, width=width)
    operations = (operation, *(then or ()))
    for step in operations:
        context.check()
        text = transform(text, step, options, context.words.shaping)
    lines = text.count("\n") + bool(text and not text.endswith("\n"))
    return Result(data={"result": text, "operations": list(operations), "characters": len(text), "lines": lines}, text=text)


@tool(family="text", title="Extract from text", read_only=True, idempotent=True)
async def text_extract(
    context: ToolContext,
    text: Input,
    kind: Kind,
    pattern: str = "",
    start: str = "",
    end: str = "",
    ignore_case: bool = False,
    unique: bool = True,
    limit: Annotated[int, Meta(ge=1, le=5000)] = 200,
) -> Result:
    """Find what a text holds: addresses, numbers, dates, links, code blocks, lines, or a pattern of your own.

    Args:
        text: where to look.
        kind: what to find; statistics counts.
        pattern: for regex, a regular expression; for lines, text that they hold.
        start, end: for between, the texts around what is wanted.
        ignore_case: for regex and lines.
        unique: leave repeats out.
        limit: how many at most.
    """
    words = context.words.shaping
    if kind == "statistics":
        return _statistics(context, text)
    if kind == "regex":
        if not pattern:
            raise _needs(context, kind, "pattern")
        return await _matched(context, text, pattern, limit, ignore_case=ignore_case, unique=unique)
    match kind:
        case "lines":
            if not pattern:
                raise _needs(context, kind, "pattern")
            wanted = pattern.casefold() if ignore_case else pattern
            lines = (line.rstrip("\r") for line in text.split("\n"))
            found = [line for line in lines if wanted in (line.casefold() if ignore_case else line)]
        case "between":
            if not start or not end:
                raise _needs(context, kind, "start and end")
            found = _between(text, start, end)
        case _:
            from .patterns import FINDERS

            found = list(FINDERS[kind](text))
    kept = list(dict.fromkeys(found)) if unique else found
    shown = kept[:limit]
    return Result(
        data={"kind": kind, "count": len(kept), "matches": shown},
        text="\n".join([words.heading(kind, len(kept), len(shown)), *shown]),
    )


@tool(family="text", title="Make a Markdown table", read_only=True, idempotent=True)
def markdown_table_gen(
    context: ToolContext,
    rows: Annotated[list[object], Meta(max_length=10_000)] | None = None,
    headers: list[str] | None = None,
    csv: Input = "",
    alignment: list[Alignment] | None = None,
) -> Result:
    """Make a Markdown table of rows or of CSV.

    Args:
        rows: lists of cells, or objects by column.
        headers: names of the columns; without them the first row, or the objects' names.
        csv: text to make rows of, if there are no rows.
        alignment: one a column; numbers stand right by default.
    """
    from .tables import markdown_table, rows_of_csv

    words = context.words.shaping
    given: list[object] = list(rows) if rows is not None else list(rows_of_csv(csv, words))
    table, columns = markdown_table(given, headers or (), alignment or (), words)
    return Result(data={"table": table, "rows": table.count("\n") - 1, "columns": columns}, text=table)


def _needs(context: ToolContext, kind: str, argument: str) -> Refused:
    return Refused("invalid_input", context.words.shaping.needs.format(what=kind, argument=argument))


def _between(text: str, start: str, end: str) -> list[str]:
    """What stands between two texts, each time from the next beginning to the next end after it."""
    found: list[str] = []
    at = text.find(start)
    while at >= 0:
        close = text.find(end, at + len(start))
        if close < 0:
            break
        found.append(text[at + len(start) : close])
        at = text.find(start, close + len(end))
    return found


async def _matched(context: ToolContext, text: str, pattern: str, limit: int, *, ignore_case: bool, unique: bool) -> Result:
    from .matching import SECONDS, search

    words = context.words.shaping
    matches = await search(context, text, pattern, limit, ignore_case=ignore_case)
    pairs = [(found, matches.groups[number] if matches.groups else ()) for number, found in enumerate(matches.found)]
    if unique:
        pairs = list(dict.fromkeys(pairs))
    count = len(pairs) if unique and matches.count <= limit else matches.count
    notes = [words.demoted.format(why=matches.literal)] if matches.literal else []
    notes += [] if matches.complete else [words.partial.format(seconds=f"{SECONDS:g}")]
    data: dict[str, object] = {
        "kind": "regex",
        "count": count,
        "matches": [found for found, _ in pairs],
        "complete": matches.complete,
        "demoted_to_literal": bool(matches.literal),
    }
    if matches.groups:
        data["groups"] = [list(groups) for _, groups in pairs]
    shown = [" | ".join(group or "" for group in groups) if groups else found for found, groups in pairs]
    return Result(data=data, text="\n".join([*notes, words.heading("matches", count, len(pairs)), *shown]))


def _statistics(context: ToolContext, text: str) -> Result:
    stripped = text.strip()
    numbers = {
        "characters": len(text),
        "bytes": len(text.encode("utf-8", "surrogatepass")),
        "words": sum(1 for _ in _WORD.finditer(text)),
        "lines": text.count("\n") + bool(text and not text.endswith("\n")),
        "sentences": sum(1 for _ in _SENTENCE.finditer(text)),
        "paragraphs": len(_PARAGRAPH.split(stripped)) if stripped else 0,
    }
    return Result(data={"kind": "statistics", **numbers}, text=context.words.shaping.in_numbers(numbers))


FAMILY = Family(name="text", title="Text", tools=(text_transform, text_extract, markdown_table_gen))
