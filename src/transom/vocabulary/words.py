"""Every string a model reads, as one value: templates by name, and pure functions that fill them.

Knows its sections by name, one file each, and nothing else: who uses a section loads it. A locale is another instance of
``Vocabulary``; which one a session uses is part of what shapes its windows, so a template is never changed without a reason in
the changelog. Words are compared by identity, or by ``fingerprint``: an ``__eq__`` over so many fields takes as long to build
at import as all the rest.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from .marks import MARK_CLOSE, MARK_OPEN

if TYPE_CHECKING:
    from .backing_up import BackupWords
    from .converting import ConvertingWords
    from .dates import DateWords
    from .digesting import DigestWords
    from .editing import EditingWords
    from .executing import ExecutingWords
    from .filing import FilingWords
    from .loading import LoadingWords
    from .memorizing import MemorizingWords
    from .mending import MendingWords
    from .placing import PlacementWords
    from .planning import PlanningWords
    from .refusing import RefusingWords
    from .remembering import MemoryWords
    from .retrieving import RetrievalWords
    from .schemas import SchemaWords
    from .seeking import SeekingWords
    from .selecting import SelectingWords
    from .serving import ServingWords
    from .shaping import ShapingWords
    from .skills import SkillWords
    from .summarizing import SummaryWords
    from .tooling import ToolingWords
    from .windows import WindowWords

__all__ = ["MARK_CLOSE", "MARK_OPEN", "Vocabulary", "address_end"]


def address_end(uri: str) -> str:
    """The end of an address, enough to tell the marks of one text from those of another."""
    return uri[-8:]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Vocabulary:
    """The words of one locale.

    Attributes:
        locale: its name, for example ``en``.
        lines, line, characters, stretch: what a gap hides: whole lines; one line; a piece of one line; from within a line to
            within another.
        gap: the first gap of an excerpt. Its last two numbers are the bytes hidden and the bytes of the whole, and it ends with
            the address.
        gap_again: a further gap of the same excerpt. Its last number is the bytes hidden.
        cleared_result: what stands in place of a tool result that was cleared.
        cleared_nameless_result: the same where the tool's name is not known.
        cleared_file: added for each file the result held.
        reset: the head of a window whose history was set aside without a summary.
        mending, digesting, summarizing, windows, retrieving, remembering, placing, schemas, selecting, skills, refusing,
            tooling, serving, planning, filing, editing, executing, memorizing, converting, backing_up, seeking, dates: the
            words of one part each; see their modules.
    """

    locale: str
    lines: str
    line: str
    characters: str
    stretch: str
    gap: str
    gap_again: str
    cleared_result: str
    cleared_nameless_result: str
    cleared_file: str
    reset: str
    mending: MendingWords
    digesting: DigestWords
    summarizing: SummaryWords
    windows: WindowWords
    retrieving: RetrievalWords
    remembering: MemoryWords
    placing: PlacementWords
    schemas: SchemaWords
    selecting: SelectingWords
    skills: SkillWords
    refusing: RefusingWords
    tooling: ToolingWords
    serving: ServingWords
    planning: PlanningWords
    filing: FilingWords
    editing: EditingWords
    executing: ExecutingWords
    memorizing: MemorizingWords
    converting: ConvertingWords
    backing_up: BackupWords
    shaping: ShapingWords
    seeking: SeekingWords
    loading: LoadingWords
    dates: DateWords

    def hidden(self, first: tuple[int, int], last: tuple[int, int], *, whole_lines: bool) -> str:
        """What a gap hides.

        Args:
            first: line and character of the first thing hidden, both counted from 1.
            last: the same of the last thing hidden.
            whole_lines: the gap begins and ends at line ends.
        """
        if first[0] == last[0]:
            if whole_lines:
                return self.line.format(line=first[0])
            return self.characters.format(first=first[1], last=last[1], line=first[0])
        if whole_lines:
            return self.lines.format(first=first[0], last=last[0])
        return self.stretch.format(first=first[0], first_character=first[1], last=last[0], last_character=last[1])

    def gap_mark(self, what: str, hidden: int, whole: int, uri: str) -> str:
        """The mark that stands where a text has a gap: what is hidden, how many bytes of how many, and where all of it is."""
        return MARK_OPEN + self.gap.format(what=what, hidden=hidden, whole=whole, uri=uri) + MARK_CLOSE

    def further_gap_mark(self, what: str, hidden: int, uri: str) -> str:
        """The mark of a later gap in the same text; of the address it repeats the end."""
        return f"{MARK_OPEN}{self.gap_again.format(what=what, hidden=hidden)} #{address_end(uri)}{MARK_CLOSE}"

    def cleared_mark(self, tool: str, size: int, uri: str, files: tuple[tuple[str, int, str], ...] = ()) -> str:
        """What stands in place of a cleared result.

        Args:
            tool: its name; may be empty.
            size, uri: bytes and address of its text.
            files: media type, characters of base64 and address of each file it held.
        """
        template = self.cleared_result if tool else self.cleared_nameless_result
        extra = "".join(self.cleared_file.format(media_type=kind, size=length, uri=where) for kind, length, where in files)
        return MARK_OPEN + template.format(tool=tool, size=size, uri=uri) + extra + MARK_CLOSE

    def reset_notice(self, *, window: str, messages: int, archive: str) -> str:
        """The head after a reset: how many messages were set aside, which window held them, and where they are."""
        return self.reset.format(window=window, messages=messages, archive=archive)

    def __repr__(self) -> str:
        return f"Vocabulary(locale={self.locale!r}, …)"

    @property
    def fingerprint(self) -> str:
        """What of it shapes the head of a window: two vocabularies with the same one may share window records."""
        values = ((item.name, getattr(self, item.name)) for item in fields(self))
        shaping = [value for name, value in values if isinstance(value, str) or name in _IN_HEADS]
        return hashlib.sha256(repr(shaping).encode(errors="surrogatepass")).hexdigest()[:16]


_IN_HEADS = ("digesting", "summarizing")
"""Sections whose words stand in heads, beside the marks and notices above."""
