"""The written form of a digest: its headings, its fixed words, and how one line of each kind is spelled and read back.

Knows layout only. What comes from the conversation always stands last on its line, after a mark that the text before it cannot
contain, or on a line of its own behind ``>``; so no quoted text can pass for structure, whatever it says, and an earlier digest
is read back without guessing.
"""

from __future__ import annotations

import re

__all__ = [
    "ARCHIVE",
    "ARCHIVED",
    "BREAKS",
    "ENDINGS",
    "EXPLANATION",
    "MARK",
    "MORE",
    "SECTIONS",
    "TITLES",
    "first_line",
    "number",
    "quote_lines",
    "unquote",
]

MARK = "# Digest of earlier conversation:"
EXPLANATION = (
    "An extract made by rule, not by a model; a record, not a new message. What follows > or $ is verbatim, [… N] marks what is"
    " left out. w3:41 means message 41 of archive w3. Carry on from here; everything is kept word for word under:"
)
ARCHIVE = re.compile(r"archive (\S+): (context://archive/\S+)$")
MORE = re.compile(r"\[… ([\d,]+) more\]$")

SECTIONS = (
    ("task", "Task"),
    ("tasks", "Open tasks"),
    ("constraints", "Constraints stated"),
    ("rules", "Standing instructions"),
    ("stood", "Where it stood"),
    ("steps", "Last steps"),
    ("requests", "Requests"),
    ("errors", "Errors"),
    ("decisions", "Decisions and findings"),
    ("files", "Files"),
    ("commands", "Commands"),
    ("recurring", "Recurring numbers and names"),
    ("calls", "Calls and their full results"),
)
TITLES = dict(SECTIONS)
ARCHIVED = "archive"
ENDINGS = ("later ok", "file changed later")

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
