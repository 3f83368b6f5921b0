"""Data from one format into another, and base64.

Knows places, words and the modules that convert; each conversion is one function. A file is written only when all of its
content is there, and what the new format cannot show is said.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Sequence

from ....errors import JSONError
from ....jsontext import loads
from ....vocabulary.converting import ConvertingWords
from ...access.workspace import Workspace
from ...editing.encoding import recognised
from ...editing.refusal import EditRefused
from ...tool import Confidence, Refused, Result, ToolContext
from .documents import MOST_DEPTH, MOST_VALUES, Document, Unreadable, Unwritable, from_toml, from_yaml, to_yaml
from .tables import NotATable, NotCSV, Table, from_csv, to_csv

__all__ = ["converted", "decoded", "encoded", "printable", "text_of"]

MOST_YAML = 300_000
"""Bytes of YAML: the reader takes 25 to 50 seconds for a million, and cannot be stopped."""


def converted(context: ToolContext, action: str, given: str, output: str | None) -> Result:
    """A file in another format; the action is one of the conversions below, by name."""
    words = context.words.converting
    source = context.use(Workspace).place(given)
    convert = _CONVERSIONS[action]
    data = source.read(MOST_YAML) if action == "yaml_to_json" else source.read()
    text, sure = text_of(data, source.shown, words, guess=action == "csv_to_json")
    try:
        made, what, notes = convert(text, _Names(words, source.shown, given, output or ""))
    except Unwritable as error:
        raise _unwritable(error, source.shown, words) from None
    if not sure:
        notes = [words.guessed_encoding, *notes]
    return _given(context, made, what, notes, output, "extracted" if sure else "inferred", source.shown)


def _unwritable(error: Unwritable, path: str, words: ConvertingWords) -> Refused:
    match error.reason:
        case "no_number":
            return Refused("invalid_input", words.no_number.format(path=path, value=error.value))
        case "no_cycle":
            return Refused("invalid_input", words.no_cycle.format(path=path))
        case "too_deep":
            return Refused("invalid_input", words.too_deep.format(path=path, limit=MOST_DEPTH))
        case _:
            return Refused("too_large", words.too_many_values.format(path=path, limit=f"{MOST_VALUES:,}"))


def text_of(data: bytes, path: str, words: ConvertingWords, *, guess: bool = False) -> tuple[str, bool]:
    """A file as text without its byte order mark, and whether its encoding is sure.

    Args:
        data: the file.
        path: what it is called in a refusal.
        words: the words of refusals.
        guess: take what is neither UTF-8 nor UTF-16 for Windows-1252.

    Raises:
        Refused: ``encoding``.
    """
    try:
        encoding = recognised(data)
        if encoding.known:
            return data[len(encoding.mark) :].decode(encoding.name.removesuffix("-sig")), True
        if guess:
            return data[len(encoding.mark) :].decode("cp1252"), False
    except (EditRefused, UnicodeDecodeError):
        pass
    raise Refused("encoding", words.not_text.format(path=path))


def printable(text: str) -> str:
    """A text with every half of a character, which JSON can hold and no file of text can, as its escape: ``\\ud800``."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _given(
    context: ToolContext, made: str, what: str, notes: Sequence[str], output: str | None, sure: Confidence, source: str
) -> Result:
    """What was made, written to a file or handed over."""
    words = context.words.converting
    plain = printable(made)
    if plain != made:
        made, notes = plain, [words.halves_escaped, *notes]
    data = made.encode()
    if output is None:
        text = "\n".join([*notes, made]) if notes else made
        return Result(data={"content": made, "notes": list(notes)}, text=text, confidence=sure, provenance=source)
    place = context.use(Workspace).place(output)
    place.create_parents()
    place.replace(data)
    text = "\n".join([words.written.format(path=place.shown, what=what, size=len(data)), *notes])
    facts = {"output": place.shown, "bytes": len(data), "notes": list(notes)}
    return Result(data=facts, text=text, confidence=sure, provenance=source)


# ── tables and documents ───────────────────────────────────────────────────────────────────────────────────────────────


class _Names:
    """What a conversion is told beside its text: the words, and how the files are called."""

    def __init__(self, words: ConvertingWords, shown: str, given: str, output: str) -> None:
        self.words, self.shown = words, shown
        self.tabs_in, self.tabs_out = (name.lower().endswith((".tsv", ".tab")) for name in (given, output))


Made = tuple[str, str, list[str]]


def _json(text: str, names: _Names) -> object:
    try:
        return loads(text)
    except JSONError as error:
        reason = error.message.removeprefix("not JSON: ")
        raise Refused("invalid_json", names.words.not_json.format(path=names.shown, reason=reason)) from None


def _written_json(value: object) -> str:
    """JSON with a line for each value. Text that is no Unicode is escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return (text if text.isascii() or not _SURROGATE.search(text) else json.dumps(value, indent=2)) + "\n"


_SURROGATE = re.compile("[\ud800-\udfff]")


def _json_to_csv(text: str, names: _Names) -> Made:
    words, value = names.words, _json(text, names)
    try:
        table = to_csv(value, delimiter="\t" if names.tabs_out else ",")
    except NotATable as error:
        kind = words.kind(error.value)
        template = words.not_a_table if error.item else words.not_a_list
        raise Refused("invalid_input", template.format(path=names.shown, item=error.item, kind=kind)) from None
    return table.text, _size(table, words), _notes(table, words)


def _csv_to_json(text: str, names: _Names) -> Made:
    words = names.words
    try:
        table = from_csv(text, delimiter="\t" if names.tabs_in else ",")
    except NotCSV as error:
        refusal = words.not_csv.format(path=names.shown, line=error.line, reason=error.reason)
        raise Refused("invalid_input", refusal) from None
    return _written_json(table.records), _size(table, words), _notes(table, words)


def _size(table: Table, words: ConvertingWords) -> str:
    return words.rows.format(rows=table.rows, columns=len(table.columns))


def _notes(table: Table, words: ConvertingWords) -> list[str]:
    notes = []
    if table.nested:
        notes.append(words.values_nested.format(cells=table.nested))
    if table.renamed:
        notes.append(words.columns_renamed.format(columns=words.several(table.renamed)))
    if table.short:
        notes.append(words.cells_missing.format(rows=table.short))
    if table.long:
        notes.append(words.cells_extra.format(rows=table.long, columns=words.several(table.further)))
    return notes


def _json_to_yaml(text: str, names: _Names) -> Made:
    value = _json(text, names)
    return to_yaml(value), names.words.kind(value), []


def _yaml_to_json(text: str, names: _Names) -> Made:
    return _document(from_yaml, text, names.words.not_yaml, names)


def _toml_to_json(text: str, names: _Names) -> Made:
    return _document(from_toml, text, names.words.not_toml, names)


def _document(read: Callable[[str], Document], text: str, refusal: str, names: _Names) -> Made:
    words = names.words
    try:
        document = read(text)
    except Unreadable as error:
        raise Refused("invalid_input", refusal.format(path=names.shown, reason=error)) from None
    notes = [words.keys_made_text] if document.keys else []
    if document.dates:
        notes.append(words.dates_made_text)
    what = words.kind(document.value)
    if document.documents > 1:
        what = words.documents.format(number=document.documents)
        notes.append(f"{what[:1].upper()}{what[1:]}.")
    return _written_json(document.value), what, notes


_CONVERSIONS: dict[str, Callable[[str, _Names], Made]] = {
    "json_to_csv": _json_to_csv,
    "csv_to_json": _csv_to_json,
    "json_to_yaml": _json_to_yaml,
    "yaml_to_json": _yaml_to_json,
    "toml_to_json": _toml_to_json,
}


# ── base64 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

_DATA_URL = re.compile(r"data:[\w.+/;=-]*;base64,", re.IGNORECASE)
_NO_DIGIT = re.compile(r"[^A-Za-z0-9+/]")
_LONGEST_NAME = 4096


def _bytes_or_text(context: ToolContext, given: str) -> tuple[bytes | None, str]:
    """The bytes of the file that an argument names, if it names one inside the allowed folders, and the file's name."""
    if len(given) > _LONGEST_NAME:
        return None, ""
    try:
        place = context.use(Workspace).place(given)
        if place.is_file():
            return place.read(), place.shown
    except Refused as refusal:
        if refusal.error == "too_large":
            raise
    return None, ""


def encoded(context: ToolContext, given: str, output: str | None) -> Result:
    """A file, or the text itself, as base64."""
    words = context.words.converting
    data, name = _bytes_or_text(context, given)
    notes = [] if data is not None else [words.text_encoded]
    data = given.encode("utf-8", "surrogatepass") if data is None else data
    what = words.encoded.format(size=len(data))
    return _given(context, base64.b64encode(data).decode(), what, notes, output, "extracted", name)


def decoded(context: ToolContext, given: str, output: str | None) -> Result:
    """What base64 in a file, or in the text itself, stands for."""
    words = context.words.converting
    found, name = _bytes_or_text(context, given)
    text = given if found is None else text_of(found, name, words)[0]
    digits = re.sub(r"\s+", "", _DATA_URL.sub("", text, count=1) if _DATA_URL.match(text) else text)
    plain = digits.replace("-", "+").replace("_", "/").rstrip("=")
    if odd := _NO_DIGIT.search(plain):
        place = words.base64_character.format(character=ascii(odd[0]), position=odd.start() + 1)
        raise Refused("invalid_input", words.not_base64.format(reason=place))
    try:
        data = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except binascii.Error:
        raise Refused("invalid_input", words.not_base64.format(reason=words.base64_length)) from None
    if output is not None:
        target = context.use(Workspace).place(output)
        target.create_parents()
        target.replace(data)
        what = words.written.format(path=target.shown, what=words.decoded.format(size=len(data)), size=len(data))
        return Result(data={"output": target.shown, "bytes": len(data)}, text=what, provenance=name)
    try:
        decoded = data.decode()
    except UnicodeDecodeError:
        raise Refused("binary", words.decoded_binary.format(size=len(data)), data={"bytes": len(data)}) from None
    return Result(data={"content": decoded, "bytes": len(data)}, text=decoded, provenance=name or None)
