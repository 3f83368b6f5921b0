"""The written form of a digest: the order of its sections, its marks, and how a quote is laid out and read back.

Knows layout only; the words come from the vocabulary. What comes from the conversation always stands last on its line, after a
mark that the text before it cannot contain, or on a line of its own behind ``>``; so no quoted text can pass for structure,
whatever it says, and an earlier digest is read back without guessing.
"""

from __future__ import annotations

import re

__all__ = ["BREAKS", "SECTIONS", "first_line", "number", "quote_lines", "unquote"]

SECTIONS = (
    "task",
    "tasks",
    "constraints",
    "rules",
    "stood",
    "steps",
    "requests",
    "errors",
    "decisions",
    "files",
    "commands",
    "recurring",
    "calls",
)
"""As they follow each other."""

# Everything that some reader, model or terminal takes for the end of a line.
BREAKS = re.compile("\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_REQUOTED = re.compile("(\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029])  > ")


def quote_lines(text: str) -> str:
    """``text`` as a block in which every line, however it is broken, begins with ``>``."""
    return "  > " + BREAKS.sub(lambda match: match.group() + "  > ", text)


def unquote(block: str) -> str:
    """The text that ``quote_lines`` was given."""
    return _REQUOTED.sub(lambda match: match.group(1), block.removeprefix("  > "))


def first_line(text: str) -> str:
    """``text`` up to its first line break of any kind."""
    match = BREAKS.search(text)
    return text if match is None else text[: match.start()]


def number(text: str) -> int:
    """Read ``1,204``."""
    return int(text.replace(",", ""))
