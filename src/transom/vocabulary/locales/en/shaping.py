"""English. See ``vocabulary.shaping``."""

from __future__ import annotations

from ...shaping import ShapingWords

__all__ = ["SHAPING"]

SHAPING = ShapingWords(
    found="{count} {kind}:",
    found_some="{count} {kind}, the first {shown}:",
    none="No {kind} in the text.",
    demoted="Searched for as literal text: {why}",
    partial="Partial: the search was ended after {seconds} seconds.",
    statistics="{characters} characters ({bytes} bytes), {words} words, {lines} lines, {sentences} sentences, {paragraphs} "
    "paragraphs.",
    needs="{what} needs {argument}. Give it and call again.",
    too_long="The result would have more than {limit} characters. Give less text.",
    nothing_to_show="There is nothing to make a table of. Give rows, a list of lists or of objects, or csv.",
    bad_csv="The text is no CSV: {why}. Mend it, or give rows.",
    bad_row="Row {number} is neither a list nor an object. Give every row as a list of cells, or as an object by column.",
    too_wide="The table would have more than {limit} columns. Give fewer.",
    engine_failed="The search for the pattern broke off. Use a simpler one, or kind lines with plain text.",
)
