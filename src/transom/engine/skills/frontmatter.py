"""The two halves of a ``SKILL.md``: what stands between the ``---`` lines, entry by entry, and the body behind them.

Knows lines and keys, not what any of them means. Every character of the file is in exactly one piece, so that the pieces put
together again are the file, and one entry can be written anew with nothing around it touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import FormatError

__all__ = ["Entry", "Sheet", "cut"]

MOST_BYTES = 1 << 20
"""A skill is read into a prompt: what is larger is none."""
MOST_FRONTMATTER = 1 << 16
"""Characters between the ``---`` lines. Published limits allow about two thousand."""

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_KEY = re.compile(
    r"""(?P<key>"[^"\r\n]+"|'[^'\r\n]+'|[^\s#\-?:,\[\]{}&*!|>'"%@`](?:[^\r\n:]|:(?![ \t\r\n]|\Z))*+)[ \t]*+:(?=[ \t\r\n]|\Z)"""
)
_KEEPS_BLANK_LINES = re.compile(r"[^:]*:[ \t]+[|>](?:[0-9]\+|\+[0-9]?)[ \t]*(?:#[^\r\n]*)?[\r\n]")
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Entry:
    """One key with its value, or what stands between two of them.

    Attributes:
        key: without quotes; empty for comments and blank lines.
        line: where it begins in the file, from 1.
        text: as it stands there, with its line ends.
        value: the part of ``text`` behind the colon.
    """

    key: str
    line: int
    text: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A ``SKILL.md``, cut into pieces.

    Attributes:
        opening: everything up to and with the first ``---`` line, a byte order mark included.
        entries: what stands between the two lines.
        closing: the second ``---`` line; empty where there is no frontmatter.
        body: everything behind it.
    """

    opening: str
    entries: tuple[Entry, ...]
    closing: str
    body: str

    @property
    def text(self) -> str:
        """The file."""
        return "".join((self.opening, *(entry.text for entry in self.entries), self.closing, self.body))

    @property
    def newline(self) -> str:
        """How the file ends its lines, by its first one."""
        found = re.search(r"\r\n|\n|\r", self.text)
        return found.group() if found else "\n"


def cut(text: str) -> Sheet:
    """Cut a file into its pieces.

    Raises:
        FormatError: the frontmatter does not end, is larger than any is, or holds a line that belongs to no key.
    """
    if len(text) > MOST_BYTES:
        raise FormatError(f"a SKILL.md of {len(text):,} characters", hint=f"a skill has at most {MOST_BYTES:,}")
    mark = _MARK if text.startswith(_MARK) else ""
    lines = _LINES.findall(text[len(mark) :])
    if not lines or lines[0].rstrip() != "---":
        return Sheet(mark, (), "", text[len(mark) :])
    end = next((index for index, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        if not any(_KEY.match(line) for line in lines[1:3]):
            # A rule across the page, and no frontmatter at all.
            return Sheet(mark, (), "", text[len(mark) :])
        raise FormatError("the frontmatter that line 1 opens never ends", hint="close it by a line that holds only ---")
    inner = lines[1:end]
    if sum(map(len, inner)) > MOST_FRONTMATTER:
        raise FormatError(
            f"a frontmatter of {sum(map(len, inner)):,} characters",
            hint=f"write at most {MOST_FRONTMATTER:,}; the rest is body",
        )
    return Sheet(mark + lines[0], tuple(_entries(inner)), lines[end], "".join(lines[end + 1 :]))


def _entries(lines: list[str]) -> list[Entry]:
    found: list[Entry] = []
    start = 0
    while start < len(lines):
        end = start + 1
        matched = _KEY.match(lines[start])
        if matched is None:
            if lines[start].strip() and not lines[start].lstrip().startswith("#"):
                raise FormatError(
                    f"line {start + 2} of the frontmatter belongs to no key: {lines[start].strip()[:60]!r}",
                    hint="write key: value, one a line, and indent what goes on over several lines",
                )
            found.append(Entry("", start + 2, lines[start]))
            start = end
            continue
        while end < len(lines) and _KEY.match(lines[end]) is None:
            end += 1
        if _KEEPS_BLANK_LINES.match("".join(lines[start:end])) is None:
            # Blank lines and comments at the margin belong to what follows, unless text goes on behind them.
            while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
                end -= 1
        text = "".join(lines[start:end])
        found.append(Entry(matched["key"].rstrip(" \t").strip("\"'"), start + 2, text, text[matched.end() :]))
        start = end
    return found
