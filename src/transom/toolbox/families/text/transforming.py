"""What a text can become: one function an operation, each linear in its text.

Operations on lines leave line ends where they are, and a text that ends without one goes on to.
"""

from __future__ import annotations

import html
import re
import textwrap
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from ....jsontext import dumps_text, loads
from ....vocabulary.shaping import ShapingWords
from ...tool import Refused
from . import casing
from .lines import Lines
from .operations import Operation

__all__ = ["MOST", "Options", "transform"]

MOST = 10_000_000
"""Characters that a result may have."""

_SPACES = re.compile(r"[^\S\r\n]++")
_NUMBER = re.compile(r"[-+]?\d[\d,_]*+(?:\.\d++)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What some operations need.

    Attributes:
        find, replacement: for ``replace``.
        prefix, suffix: for ``affix_lines``.
        separator: what ``join_lines`` puts between lines, and where ``split`` parts them.
        width: of ``wrap`` and ``indent``.
    """

    find: str = ""
    replacement: str = ""
    prefix: str = ""
    suffix: str = ""
    separator: str | None = None
    width: int | None = None


def transform(text: str, operation: Operation, options: Options, words: ShapingWords) -> str:
    """A text after one operation.

    Raises:
        Refused: the operation lacks an argument, or the result would be too long.
    """
    if operation in _WHOLE:
        made = _WHOLE[operation](text)
    elif operation in _EACH:
        each, lines = _EACH[operation], Lines.of(text)
        made = lines.reordered([each(line) for line in lines.contents]).text
    else:
        made = _other(text, operation, options, words)
    return _bounded(made, words)


def _bounded(text: str, words: ShapingWords) -> str:
    if len(text) > MOST:
        raise Refused("too_large", words.too_long.format(limit=f"{MOST:,}"))
    return text


def _other(text: str, operation: Operation, options: Options, words: ShapingWords) -> str:
    lines = Lines.of(text)
    contents = lines.contents
    match operation:
        case "sort" | "sort_descending":
            return lines.reordered(sorted(contents, reverse=operation == "sort_descending")).text
        case "sort_numeric":
            return lines.reordered(sorted(contents, key=_numeric)).text
        case "reverse_lines":
            return lines.reordered(contents[::-1]).text
        case "dedupe":
            first = {line: index for index, line in reversed(list(enumerate(contents)))}
            return lines.only(sorted(first.values())).text
        case "remove_blank_lines":
            return lines.only([index for index, line in enumerate(contents) if line.strip()]).text
        case "collapse_blank_lines":
            kept = [index for index, line in enumerate(contents) if line.strip() or not index or contents[index - 1].strip()]
            return lines.only(kept).text
        case "number_lines":
            wide = len(str(len(contents)))
            return lines.reordered([f"{number:{wide}}: {line}" for number, line in enumerate(contents, 1)]).text
        case "indent":
            blank = " " * (4 if options.width is None else options.width)
            return _affixed(lines, blank, "", words, blank_too=False)
        case "affix_lines":
            if not options.prefix and not options.suffix:
                raise _needs(operation, "prefix or suffix", words)
            return _affixed(lines, options.prefix, options.suffix, words, blank_too=True)
        case "join_lines":
            separator = " " if options.separator is None else options.separator
            _check_growth(len(text) + len(separator) * len(contents), words)
            return separator.join(contents)
        case "split":
            if not options.separator:
                raise _needs(operation, "separator", words)
            return "\n".join(text.split(options.separator))
        case "replace":
            if not options.find:
                raise _needs(operation, "find", words)
            growth = len(options.replacement) - len(options.find)
            _check_growth(len(text) + text.count(options.find) * growth, words)
            return text.replace(options.find, options.replacement)
        case "wrap":
            width = 80 if options.width is None else max(1, options.width)
            wrapped = [_wrapped(line, width, end or "\n") for line, end in zip(contents, lines.ends, strict=True)]
            return lines.reordered(wrapped).text
        case _:
            raise AssertionError(operation)


def _affixed(lines: Lines, prefix: str, suffix: str, words: ShapingWords, *, blank_too: bool) -> str:
    _check_growth(sum(map(len, lines.contents)) + len(lines.contents) * (len(prefix) + len(suffix) + 2), words)
    return lines.reordered([f"{prefix}{line}{suffix}" if blank_too or line.strip() else line for line in lines.contents]).text


def _check_growth(size: int, words: ShapingWords) -> None:
    """Refuse before the memory is taken."""
    if size > MOST:
        raise Refused("too_large", words.too_long.format(limit=f"{MOST:,}"))


def _needs(operation: str, argument: str, words: ShapingWords) -> Refused:
    return Refused("invalid_input", words.needs.format(what=operation, argument=argument))


def _numeric(line: str) -> tuple[bool, float]:
    """Lines by the first number in them; those without one come last."""
    found = _NUMBER.search(line)
    if found is None:
        return True, 0.0
    try:
        return False, float(found.group().replace(",", "").replace("_", ""))
    except (ValueError, OverflowError):
        return True, 0.0


def _wrapped(line: str, width: int, end: str) -> str:
    """A line as several of at most so many characters, each beginning as far in as the line did."""
    inset = line[: len(line) - len(line.lstrip())]
    inset = inset if len(inset) < width else ""
    rows: list[str] = []
    room, row = width - len(inset), ""
    for word in line.split():
        if row and len(row) + 1 + len(word) <= room:
            row = f"{row} {word}"
            continue
        if row:
            rows.append(row)
        *full, row = [word[at : at + room] for at in range(0, len(word), room)]
        rows += full
    return end.join(inset + made for made in [*rows, row])


def _unescaped_json(text: str) -> str:
    body = text.strip()
    quoted = body if len(body) > 1 and body[0] == body[-1] == '"' else f'"{body}"'
    value = loads(quoted)
    return value if isinstance(value, str) else text


_WHOLE: Mapping[str, Callable[[str], str]] = {
    "uppercase": str.upper,
    "lowercase": str.lower,
    "titlecase": casing.title,
    "sentencecase": casing.sentence,
    "swapcase": str.swapcase,
    "trim": str.strip,
    "dedent": textwrap.dedent,
    "reverse": lambda text: text[::-1],
    "remove_accents": casing.plain,
    "normalize_unicode": lambda text: unicodedata.normalize("NFC", text),
    "normalize_line_ends": lambda text: text.replace("\r\n", "\n").replace("\r", "\n"),
    "escape_html": html.escape,
    "unescape_html": html.unescape,
    "escape_json": dumps_text,
    "unescape_json": _unescaped_json,
    "url_encode": lambda text: quote(text, safe="", errors="surrogatepass"),
    "url_decode": unquote,
}
_EACH: Mapping[str, Callable[[str], str]] = {
    "camelcase": casing.joined,
    "pascalcase": casing.pascal,
    "snakecase": casing.snake,
    "kebabcase": casing.kebab,
    "constantcase": casing.constant,
    "slug": casing.slug,
    "trim_lines": str.strip,
    "collapse_spaces": lambda line: _SPACES.sub(" ", line),
    "expand_tabs": str.expandtabs,
}
