"""``json_query``: a part of a JSON file, without the whole of it in the conversation.

Knows places, words and the path language. What is not found is told with what is there instead.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from ....errors import JSONError
from ....jsontext import dumps_text, loads
from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool

if TYPE_CHECKING:
    from ....vocabulary.converting import ConvertingWords
    from .path_query import Found, Missing, Query

__all__ = ["json_query"]

MOST_KEYS = 30
"""Keys of an object that are named where one is missing."""


@tool(family="utilities", title="Query a JSON file", read_only=True, idempotent=True, visible=True)
def json_query(
    context: ToolContext,
    file_path: str,
    query: Annotated[str, Meta(max_length=2000)],
    output_format: Literal["text", "json"] = "text",
) -> Result:
    """Read part of a JSON file by a path: .users[0].name, .items[*].id, ."a.b", .list[-1], .list[0:5]. "| keys" or "| length"
    may end it.

    Args:
        file_path: the JSON file, at most 10 MB.
        query: the path; "." is all of it.
        output_format: text shows a string bare and the rest indented; json is compact.
    """
    # The path language and what reads files are loaded by the first query.
    from .converting import printable, text_of
    from .path_query import Missing, find

    words = context.words.converting
    place = context.use(Workspace).place(file_path)
    asked = _parsed(query, words)
    text, _ = text_of(place.read(), place.shown, words)
    try:
        document = loads(text)
    except JSONError as error:
        reason = error.message.removeprefix("not JSON: ")
        raise Refused("invalid_json", words.not_json.format(path=place.shown, reason=reason)) from None
    try:
        found = find(document, asked)
    except Missing as missing:
        raise Refused("not_found", printable(_nothing_there(missing, words))) from None
    data = {"value": found.value, "matches": found.number}
    return Result(data=data, text=printable(_shown(found, output_format)), provenance=place.shown)


def _parsed(query: str, words: ConvertingWords) -> Query:
    from .path_query import MOST_STEPS, BadQuery, parse

    if not query.strip():
        raise Refused("invalid_input", words.query_empty)
    try:
        return parse(query)
    except BadQuery as error:
        if error.long:
            raise Refused("invalid_input", words.query_long.format(limit=MOST_STEPS)) from None
        found = error.found or words.query_end
        raise Refused("invalid_input", words.query_bad.format(position=error.position, found=found)) from None


def _shown(found: Found, form: str) -> str:
    if form == "json":
        return dumps_text(found.value)
    if isinstance(found.value, str):
        return found.value
    try:
        return json.dumps(found.value, indent=2, ensure_ascii=False)
    except TypeError:
        # A number that no float holds, which only our own writer knows.
        return dumps_text(found.value)


def _nothing_there(missing: Missing, words: ConvertingWords) -> str:
    where, value, step = missing.where or words.root, missing.value, missing.step
    kind = words.kind(value)
    if isinstance(step, int):
        if isinstance(value, list):
            return words.no_index.format(where=where, length=len(value), index=step)
        return words.not_an_array.format(where=where, kind=kind)
    if step in {"| keys", "| length"}:
        return words.no_length.format(where=where, kind=kind, filter=step.removeprefix("| "))
    if not isinstance(value, dict):
        return words.not_an_object.format(where=where, kind=kind, key=step)
    if not value:
        return words.no_keys.format(where=where, key=step)
    return words.no_key.format(where=where, key=step, keys=words.several(list(value), MOST_KEYS))
