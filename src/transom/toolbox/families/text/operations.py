"""What can be done to a text, by name: all that the list of tools needs to know of it."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["OPERATIONS", "Alignment", "Operation"]

Operation = Literal[
    "uppercase",
    "lowercase",
    "titlecase",
    "sentencecase",
    "swapcase",
    "camelcase",
    "pascalcase",
    "snakecase",
    "kebabcase",
    "constantcase",
    "slug",
    "trim",
    "trim_lines",
    "collapse_spaces",
    "remove_blank_lines",
    "collapse_blank_lines",
    "indent",
    "dedent",
    "expand_tabs",
    "wrap",
    "sort",
    "sort_descending",
    "sort_numeric",
    "dedupe",
    "reverse_lines",
    "number_lines",
    "affix_lines",
    "join_lines",
    "split",
    "replace",
    "reverse",
    "remove_accents",
    "normalize_unicode",
    "normalize_line_ends",
    "escape_html",
    "unescape_html",
    "escape_json",
    "unescape_json",
    "url_encode",
    "url_decode",
]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)

Alignment = Literal["left", "center", "right"]
