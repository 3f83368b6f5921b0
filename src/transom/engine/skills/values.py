"""What a key of the frontmatter says: YAML as the published formats mean it, and as people write it.

Knows YAML, no key of a skill. A value that YAML cannot read but that is plainly meant as text (``Use when: …``, ``[file]
[format]``) is that text. Nothing is built from a tag, no alias is followed, and how deep a value goes is bounded; what breaks
that is refused. The library is loaded only where a value is more than words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ...errors import FormatError
from .frontmatter import Entry

__all__ = ["Scalar", "Value", "plain", "read_value", "written"]

DEEPEST = 16

_WORDS = re.compile(r"(?=[^\s\-?:,\[\]{}#&*!|>'\"%@`=~<])[^\t\r\n\x00-\x1f\x7f-\x9f\u2028\u2029]*")
_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class Scalar:
    """One piece of text in a value.

    Attributes:
        text: what it says.
        bare: written without quotes, so that ``true`` and ``7`` mean more than text.
        line: where it stands in the file, from 1.
    """

    text: str
    bare: bool
    line: int


Value: TypeAlias = "Scalar | list[Value] | dict[str, Value]"
"""A value before it is known what its key wants."""


def read_value(entry: Entry, *, any_text: bool = False) -> Value:
    """What an entry says.

    Args:
        entry: a key and its value.
        any_text: what cannot be read is its own text; otherwise it has to look like text that was meant as such.

    Raises:
        FormatError: it says nothing that can be read; names the line and what to write.
    """
    value = re.sub(r"\r\n|\r", "\n", entry.value)
    first = value.strip(" \t\n")
    if _WORDS.fullmatch(first) and ": " not in first and " #" not in first and not first.endswith(":"):
        return Scalar(first, True, entry.line)
    if first[:1] in {"*", "&"} and "\n" not in first:
        # ``*bold*``, ``*``: an alias would be followed nowhere anyhow.
        return Scalar(_COMMENT.sub("", first), False, entry.line)
    # This library for its types, YAML 1.2 (``yes`` stays text) and 1.4 MB without a compiler; of it only the events are used,
    # one at a time, so that nothing is built and a bomb is not read to its end. The text itself is kept by ``Entry``.
    from ruamel.yaml import YAML

    try:
        # Tabs may part key and value, or end a line; the library takes them nowhere.
        body = "\n".join(line.rstrip(" \t") for line in value.lstrip(" \t").split("\n"))
        events = YAML(typ="safe", pure=True).parse(f"k:{'' if body.startswith(chr(10)) else ' '}{body}")
        return _build(events, entry)
    except FormatError:
        raise
    except Exception as error:  # noqa: BLE001
        # Not its own errors alone: an escape beyond Unicode is an OverflowError to the library.
        said = _own_words(value)
        if said is None and any_text:
            said = first
        if said is not None:
            return Scalar(said, False, entry.line)
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None) or "it is not YAML"
        line = min(mark.line if mark is not None else 0, value.rstrip("\n").count("\n"))
        raise FormatError(
            f"line {entry.line + line}: {entry.key} cannot be read: {problem}",
            hint=f'put the text into quotes, or write it on indented lines below "{entry.key}: |"',
        ) from None


def plain(value: Value) -> object:
    """A value as Python holds it: text, numbers, ``True``, ``None``, tuples and mappings.

    A number is one only where writing it gives the same characters, so that a version ``1.10`` stays what it is.
    """
    match value:
        case Scalar(text=text, bare=False):
            return text
        case Scalar(text=text):
            return _meant(text)
        case list():
            return tuple(plain(item) for item in value)
        case _:
            return {key: plain(item) for key, item in value.items()}


def written(value: object) -> str:
    """A value as YAML on one line.

    Raises:
        FormatError: text that no YAML can hold, or a value of another kind than ``plain`` gives.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _quoted(value)
        case Mapping():
            return "{" + ", ".join(f"{_quoted(str(key))}: {written(item)}" for key, item in value.items()) + "}"
        case Iterable():
            return "[" + ", ".join(written(item) for item in value) + "]"
        case _:
            raise FormatError(f"a {type(value).__name__} in a skill", hint="use text, numbers, lists and mappings")


def _build(events: Iterable[object], entry: Entry) -> Value:
    """The value of the one key of a document, from the events of its parser, which is never taken further than is allowed."""
    done: list[Value] = []
    open_: list[tuple[bool, list[Value], int]] = []
    for event in events:
        kind = type(event).__name__
        line = entry.line + event.start_mark.line  # type: ignore[attr-defined]
        if kind == "AliasEvent" or getattr(event, "anchor", None):
            raise FormatError(
                f"line {line}: {entry.key} uses a YAML anchor or alias, which skills are read without",
                hint="write the value out, or put it into quotes",
            )
        if getattr(event, "tag", None) is not None:
            raise FormatError(f"line {line}: {entry.key} has a YAML tag", hint="put the text into quotes")
        if kind == "ScalarEvent":
            text = _joined(event.value, entry, line)  # type: ignore[attr-defined]
            (open_[-1][1] if open_ else done).append(Scalar(text, not event.style, line))  # type: ignore[attr-defined]
        elif kind in {"SequenceStartEvent", "MappingStartEvent"}:
            if len(open_) > DEEPEST:
                raise FormatError(f"line {line}: {entry.key} is nested too deep", hint=f"at most {DEEPEST} levels are read")
            open_.append((kind == "MappingStartEvent", [], line))
        elif kind in {"SequenceEndEvent", "MappingEndEvent"}:
            is_mapping, items, began = open_.pop()
            (open_[-1][1] if open_ else done).append(_pairs(items, entry, began) if is_mapping else items)
    whole = done[0]
    assert isinstance(whole, dict)
    if len(done) > 1 or len(whole) > 1:
        raise FormatError(f"line {entry.line}: {entry.key} goes on at the margin", hint="indent the lines below a key")
    return next(iter(whole.values()))


def _joined(text: str, entry: Entry, line: int) -> str:
    """A text whose pairs of surrogates are one character each, as JSON escapes what lies beyond four digits."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise FormatError(
            f"line {line}: {entry.key} holds half a surrogate pair, which is no character", hint="take the escape out"
        ) from None


def _pairs(items: list[Value], entry: Entry, line: int) -> Value:
    pairs: dict[str, Value] = {}
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, Scalar):
            raise FormatError(f"line {line}: {entry.key} has a key that is no text", hint="write one word before the colon")
        if key.text in pairs:
            raise FormatError(f"line {key.line}: {key.text!r} stands twice in {entry.key}", hint="leave one of them out")
        pairs[key.text] = value
    return pairs


def _own_words(value: str) -> str | None:
    """The text of a value that is no YAML, where it is plainly meant as text; ``None`` where it is not."""
    lines = value.rstrip().split("\n")
    first = lines[0].strip()
    if not first or first[0] in "\"'|>" or any(line.strip() and line[0] not in " \t" for line in lines[1:]):
        return None
    text = " ".join(filter(None, (_COMMENT.sub("", line).strip() for line in lines)))
    for pair in ("[]", "{}"):
        if first[0] in pair and text.count(pair[0]) != text.count(pair[1]):
            return None
    return text


def _meant(text: str) -> object:
    if text in {"", "~", "null", "Null", "NULL"}:
        return None
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for number in (int, float):
        try:
            if repr(number(text)) == text and text[-1].isdigit():
                return number(text)
        except ValueError:
            continue
    return text


def _quoted(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FormatError("a skill's text holds half a surrogate pair", hint="take it out; no file can hold it") from None
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match.group()) or f"\\u{ord(match.group()):04x}"
