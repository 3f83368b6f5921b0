"""Finding the places of a patch in a file, and the splices that make it.

Exact lines first. Lines that are the same but for blanks at their ends, then for blanks around them, count only where there is
one such place, and the answer says so; then what is added is indented as the file is (see ``indenting``). Kept lines are never
written: only what is removed or added touches the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from .document import Document, Splice
from .indenting import Indenting
from .nearmiss import NearMiss, nearest
from .patch import Hunk, PatchLine
from .refusal import EditRefused

__all__ = ["Placed", "Placement", "new_file", "patched"]

Fold = Callable[[str], str]
_FOLDS: tuple[tuple[str, Fold], ...] = (("exact", str), ("trailing_blanks", str.rstrip), ("blanks", str.strip))


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where one hunk went.

    Attributes:
        line: the first line, in the old file.
        said: where the patch thought it was; ``None`` where it did not say.
        how: ``exact``, or which blanks were left out of account.
        indented: added lines were given the file's indentation.
    """

    line: int
    said: int | None
    how: str
    indented: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """What a patch does to one file."""

    splices: Sequence[Splice]
    places: Sequence[Placed]


def new_file(hunks: Sequence[Hunk]) -> bytes:
    """The content of a file that a patch adds: its lines, ended as they are in the patch.

    Raises:
        EditRefused: ``invalid_input``: a hunk has lines that are not added.
    """
    parts: list[str] = []
    for hunk in hunks:
        for line in hunk.lines:
            if line.sign != "+":
                raise EditRefused("invalid_input", "not_added", line=0, text=line.text[:200])
            parts.append(line.text + (("\r\n" if line.carriage else "\n") if line.ended else ""))
    return "".join(parts).encode()


def patched(document: Document, hunks: Sequence[Hunk]) -> Placement:
    """Place hunks, in order, each below the one before.

    Raises:
        EditRefused: ``drift``: lines of a hunk do not stand there (the facts have the nearest place); ``ambiguous``: they stand
            at several places; ``encoding``: it adds other than ASCII to a file of unknown encoding; ``drift`` as well: it is
            indented otherwise than the file, and its lines do not show what its added ones would be there.
    """
    texts = [_text(document, number) for number in range(1, document.lines.count + 1)]
    folded: dict[str, list[str]] = {"exact": texts}
    splices: list[Splice] = []
    places: list[Placed] = []
    below, shift = 0, 0
    for number, hunk in enumerate(hunks, start=1):
        finder = _Finder(document, folded, hunk, number, below, shift)
        at, how = finder.found()
        said = hunk.start
        if said is not None:
            shift = at + 1 - said
        lines = hunk.lines if how == "exact" else _indented(hunk, number, texts[at : at + len(hunk.old)], at)
        places.append(Placed(line=at + 1, said=said, how=how, indented=lines != hunk.lines))
        splices += _splices(document, lines, at)
        below = at + len(hunk.old)
    return Placement(splices=splices, places=places)


def _text(document: Document, number: int) -> str:
    return document.lines.content(number).decode(errors="surrogateescape")


def _indented(hunk: Hunk, number: int, there: Sequence[str], above: int) -> Sequence[PatchLine]:
    """The lines of a hunk, those that it adds indented as the file's lines that it matched."""
    indenting = Indenting(zip(hunk.old, there, strict=True))
    lines: list[PatchLine] = []
    for line in hunk.lines:
        text = indenting.of(line.text) if line.sign == "+" else line.text
        if text is None:
            last = above + len(there)
            shown = NearMiss(first=above + 1, last=last, text="\n".join(there), likeness=1.0, differences=())
            raise EditRefused("drift", "hunk_indented", hunk=number, text=line.text.strip()[:80], near=shown)
        lines.append(line if text == line.text else replace(line, text=text))
    return lines


@dataclass(slots=True)
class _Finder:
    document: Document
    folded: dict[str, list[str]]
    hunk: Hunk
    number: int
    below: int
    shift: int

    def found(self) -> tuple[int, str]:
        """How many lines stand above the place, and how it matched."""
        old = self.hunk.old
        above, several = self._below_headings()
        if not old:
            return self._insertion(above), "exact"
        count = self.document.lines.count
        for how, fold in _FOLDS:
            lines = self.folded.setdefault(how, [fold(line) for line in self.folded["exact"]])
            wanted = [fold(line) for line in old]
            places = [at for at in _places(lines, wanted, above) if not self.hunk.at_end or at + len(old) == count]
            if not places:
                continue
            expected = self.hunk.start - 1 + self.shift if self.hunk.start is not None else None
            if expected in places and how == "exact":
                assert expected is not None
                return expected, how
            if len(places) == 1 or (self.hunk.headings and not several and how == "exact"):
                return places[0], how
            raise EditRefused(
                "ambiguous",
                "hunk_places",
                hunk=self.number,
                lines=", ".join(str(at + 1) for at in places[:8]),
                count=len(places),
            )
        near = nearest(self.document, "\n".join(old))
        raise EditRefused("drift", "hunk_not_found", hunk=self.number, first_line=old[0], near=near)

    def _below_headings(self) -> tuple[int, bool]:
        """How many lines stand above where the hunk may begin; whether its headings stand at several places."""
        at, several = self.below, False
        if self.hunk.start is not None:
            return at, several
        for heading in self.hunk.headings:
            places = self._heading_places(heading, at)
            if not places and not self.hunk.old:
                near = nearest(self.document, heading)
                raise EditRefused("drift", "heading_not_found", hunk=self.number, first_line=heading, near=near)
            several = several or len(places) != 1  # then the hunk's own lines must say where it is
            if places:
                # A heading may be the hunk's own first line as well.
                own = bool(self.hunk.old) and self.hunk.old[0].strip() == heading.strip()
                at = places[0] if own else places[0] + 1
        return at, several

    def _heading_places(self, heading: str, above: int) -> list[int]:
        for how, fold in _FOLDS:
            lines = self.folded.setdefault(how, [fold(line) for line in self.folded["exact"]])
            if places := [place for place in range(above, len(lines)) if lines[place] == fold(heading)]:
                return places
        lines = self.folded["exact"]
        return [place for place in range(above, len(lines)) if heading in lines[place]]

    def _insertion(self, above: int) -> int:
        count = self.document.lines.count
        if self.hunk.start is not None:
            at = self.hunk.start - 1 + self.shift
            if not self.below <= at <= count:
                raise EditRefused("out_of_range", "no_place", line=at + 1, count=count, most=count + 1)
            return at
        return above if self.hunk.headings and not self.hunk.at_end else count


def _places(lines: Sequence[str], wanted: Sequence[str], above: int) -> Iterator[int]:
    first = wanted[0]
    last = len(lines) - len(wanted)
    at = above
    while at <= last:
        try:
            at = lines.index(first, at, last + 1)
        except ValueError:
            return
        if lines[at : at + len(wanted)] == wanted:
            yield at
        at += 1


def _splices(document: Document, lines: Sequence[PatchLine], above: int) -> Iterator[Splice]:
    """The changes of one hunk whose first line comes after ``above`` lines."""
    at = above + 1
    exact = _knows_terminators(document, lines, above)
    removed: list[int] = []
    added: list[PatchLine] = []
    unended = False
    for line in [*lines, PatchLine(" ", "")]:
        match line.sign:
            case "-":
                removed.append(at)
                unended = unended or not line.ended
                at += 1
            case "+":
                added.append(line)
            case " ":
                if removed or added:
                    yield _run(document, removed, added, at, unended=unended, exact=exact)
                    removed, added, unended = [], [], False
                at += 1


def _knows_terminators(document: Document, lines: Sequence[PatchLine], above: int) -> bool:
    """Whether a hunk was made of exact bytes: it has CRs, and they stand where the file's do."""
    if not any(line.carriage for line in lines):
        return False
    old = [line for line in lines if line.sign != "+"]
    return all(
        line.carriage == (document.lines.terminator(at) == b"\r\n")
        for at, line in enumerate(old, start=above + 1)
        if line.ended
    )


def _run(
    document: Document, removed: Sequence[int], added: Sequence[PatchLine], behind: int, *, unended: bool, exact: bool
) -> Splice:
    """One run of removed and added lines; ``behind`` is the line that follows it."""
    lines = document.lines
    first = removed[0] if removed else behind
    start = lines.start(first) if first <= lines.count else len(lines.body)
    end = lines.end(removed[-1]) if removed else start
    at_end = behind > lines.count
    near = lines.terminator_near(first - 1)
    parts: list[bytes] = []
    if added and not removed and at_end and not lines.ended:
        parts.append(near)  # the last line had none
    for at, line in enumerate(added):
        near = (lines.terminator(removed[at]) if at < len(removed) else b"") or near
        if exact:
            near = b"\r\n" if line.carriage else b"\n"
        parts += (document.encoded(line.text, "patch"), near)
    if added and at_end:
        says = not added[-1].ended or unended  # the patch says how the file ends
        ended = added[-1].ended if says else lines.ended
        if not ended:
            parts.pop()
    return Splice(start, end, b"".join(parts))
