"""Excerpts: what of a long text stays to be read, verbatim, with every gap marked in place.

Pure; knows text, no message and no store. What is shown is always a slice of the original: head, tail, and lines in between
that tell of a failure. A mark says what its gap hides, how many bytes, and where the whole text is, so that nobody takes
absence for evidence. The bytes shown and the bytes hidden add up to the whole, which is how an excerpt is known again: a text
that merely quotes a mark does not add up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...tokens.counter import Tokenizer
from ...vocabulary import Vocabulary
from ...vocabulary.words import MARK_CLOSE, MARK_OPEN, address_end

__all__ = ["Source", "byte_size", "excerpt", "excerpt_source", "excerpt_to", "is_excerpt"]

ERROR_LINES = 12
"""Lines of failure kept from a gap: half of them the first there are, half the last."""
ERROR_LINE_LENGTH = 240
"""Characters shown of such a line."""
ERROR_SHARE = 4
"""They take a quarter of head and tail at most."""
_SCAN_FIRST, _SCAN_LAST = 512_000, 128_000
"""Characters of a gap that are searched for failures, from its beginning and before its end: bounded work, however long."""
_SMALLEST_GAP = 256
"""No gap hides fewer characters: its mark costs about as many tokens."""
_USUAL_LINE = 120
_LONGEST_CLUSTER = 64

# Every alternative begins with a plain letter, which lets the matcher skip by first letters: 15 times as fast as a leading \b.
_FAILURE = re.compile(
    r"Error(?=: |[\r\n]|\Z)|Exception(?=: |[\r\n]|\Z)|e(?<!\we)rror(?:\[\w{1,20}\])?[: ] ?\S|E(?<!\wE)RROR\b|F(?<!\wF)ATAL\b|"
    r"atal(?::| error)|F(?<!\wF)AIL(?:ED|URE)?\b|ailed to |p(?<!\wp)anic(?:: |ked at )|Traceback \(most|Segmentation fault|"
    r"ermission denied|No such file|command not found|imed out|K(?<!\wK)illed\b|A(?<!\wA)borted\b|undefined reference|"
    r"nhandled |npm ERR!|\nE  +\S| (?<=\d )(?:failed|failures?|errors?|passed)\b|"
    r"e(?<!\we)xit(?:ed with)?(?: code| status)? [1-9]\d{0,5}\b|"
    r"Fehler|Erreur|шибка|错误|失败|异常|錯誤|失敗|異常|エラー|例外|오류|실패"
)

_MARK = re.compile(re.escape(MARK_OPEN) + r"([^\n]{1,2000}?)" + re.escape(MARK_CLOSE) + r"(?:\n|\Z)")
_FIRST_MARK = re.compile(r"(\d{1,18})\D{1,200}(\d{1,18})\D{1,200}?(context://[A-Za-z0-9._~%/-]+)$")
_FURTHER_MARK = re.compile(r"(\d{1,18})\D{1,200}? #([A-Za-z0-9._~%/-]{1,8})$")


@dataclass(frozen=True, slots=True)
class Source:
    """What an excerpt was taken from: the address of the whole text and its size in bytes."""

    uri: str
    size: int


def byte_size(text: str) -> int:
    """Bytes of a text in UTF-8, lone surrogates passed through."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def excerpt(text: str, *, uri: str, head: int, tail: int, vocabulary: Vocabulary, keep_errors: bool = True) -> str:
    """The text with its middle left out.

    Args:
        text: the whole text.
        uri: where the whole text is kept.
        head, tail: characters to keep of beginning and end. Each grows by up to an eighth, or a line, to end with one; where
            no line ends so near, the cut is made between two whole characters as a reader sees them.
        vocabulary: the words of the marks.
        keep_errors: keep lines that tell of failures from the middle.

    Returns:
        The excerpt, or the text itself where an excerpt would not be shorter or the text is an excerpt already.
    """
    if len(text) <= head + tail + _SMALLEST_GAP or is_excerpt(text):
        return text
    return _cut(text, uri, head, tail, vocabulary, (head + tail) // ERROR_SHARE if keep_errors else 0)


def excerpt_to(
    text: str, *, uri: str, limit_tokens: int, tokenizer: Tokenizer, vocabulary: Vocabulary, keep_errors: bool = True
) -> str:
    """The longest excerpt that the search finds within a number of tokens: the last resort, so an excerpt is cut once more.

    Returns:
        The text itself where it fits; else an excerpt that fits, down to the mark alone (which is returned even where it
        exceeds the limit, unless the text is shorter).
    """
    total = tokenizer.count(text)
    if total <= limit_tokens:
        return text
    best = _cut(text, uri, 0, 0, vocabulary, 0)
    room = len(text) * max(0, limit_tokens - tokenizer.count(best)) // total
    # Text is not evenly dense, so the first guess is corrected by what it turns out to weigh; six rounds settle it.
    for _ in range(6):
        if room < 16:
            break
        candidate = _cut(text, uri, room * 3 // 4, room // 4, vocabulary, room // (2 * ERROR_SHARE) if keep_errors else 0)
        weight = tokenizer.count(candidate)
        if weight <= limit_tokens:
            if len(candidate) > len(best) or best is text:
                best = candidate
            if weight * 10 >= limit_tokens * 9:
                break
        room = room * max(1, limit_tokens - 8) // max(weight, 1)
    return best


def excerpt_source(text: str) -> Source | None:
    """What ``text`` is an excerpt of; ``None`` for a text that is none of ours, even one that quotes our marks."""
    if MARK_OPEN not in text:
        return None
    sources: list[Source] = []
    # By the end of the address, which every mark of an excerpt repeats: marks, their own bytes, and the bytes they hide.
    sums: dict[str, tuple[int, int, int]] = {}
    for match in _MARK.finditer(text):
        inside = match.group(1)
        if first := _FIRST_MARK.search(inside):
            source = Source(first.group(3), int(first.group(2)))
            sources.append(source)
            key = address_end(source.uri)
            hidden = int(first.group(1))
        elif further := _FURTHER_MARK.search(inside):
            key = further.group(2)
            hidden = int(further.group(1))
        else:
            continue
        marks, own, total = sums.get(key, (0, 0, 0))
        sums[key] = (marks + 1, own + byte_size(match.group()), total + hidden)
    if not sources:
        return None
    size = byte_size(text)
    for source in sources:
        marks, own, total = sums[address_end(source.uri)]
        # A mark that starts within a line was given a line break of its own, which its words do not tell.
        if 0 <= size - own + total - source.size <= marks:
            return source
    return None


def is_excerpt(text: str) -> bool:
    """Whether ``text`` was made by ``excerpt``: then it is never shortened again."""
    return excerpt_source(text) is not None


def _cut(text: str, uri: str, head: int, tail: int, vocabulary: Vocabulary, errors: int) -> str:
    """Head, lines of failure and tail with marks between; the text itself if that is no shorter."""
    start = _end_of_head(text, head)
    end = _start_of_tail(text, tail)
    if end - start < _SMALLEST_GAP:
        return text
    shown = [(0, start), *(_failures(text, start, end, errors) if errors else ()), (end, len(text))]
    result = _compose(text, _joined(shown), uri, vocabulary)
    return result if byte_size(result) < byte_size(text) else text


def _end_of_head(text: str, head: int) -> int:
    if head <= 0:
        return 0
    line_end = text.find("\n", head - 1, head + _slack(head))
    if line_end >= 0:
        return line_end + 1
    return _whole_characters(text, head, -1)


def _start_of_tail(text: str, tail: int) -> int:
    if tail <= 0:
        return len(text)
    start = max(0, len(text) - tail)
    line_end = text.rfind("\n", max(0, start - _slack(tail) - 1), start)
    if line_end >= 0:
        return line_end + 1
    return _whole_characters(text, start, 1)


def _slack(size: int) -> int:
    """How far a head or tail of ``size`` characters may grow to end with a line."""
    return max(size // 8, min(size, _USUAL_LINE))


def _whole_characters(text: str, index: int, step: int) -> int:
    """The nearest place, at ``index`` or beyond in the direction of ``step``, that splits nothing a reader sees as one."""
    for moved in range(_LONGEST_CLUSTER):
        place = index + step * moved
        if not 0 < place < len(text) or not _belongs_together(text[place - 1], text[place]):
            return min(max(place, 0), len(text))
    return index


def _belongs_together(left: str, right: str) -> bool:
    if right < "\u0300":
        return left == "\r" and right == "\n"
    code = ord(right)
    return (
        unicodedata.category(right)[0] == "M"
        or right == "\u200d"
        or left == "\u200d"
        or 0x1160 <= code <= 0x11FF  # vowels and finals of Hangul written in pieces
        or 0x1F3FB <= code <= 0x1F3FF  # skin tones
        or (0x1F1E6 <= code <= 0x1F1FF and "\U0001f1e6" <= left <= "\U0001f1ff")  # flags
        or (0xDC00 <= code <= 0xDFFF and "\ud800" <= left <= "\udbff")  # a surrogate pair that JSON text brought in apart
    )


def _failures(text: str, start: int, end: int, budget: int) -> list[tuple[int, int]]:
    """Lines within ``text[start:end]`` that tell of a failure, cut to a readable length, in order."""
    found: list[tuple[int, int]] = []
    _collect(text, start, min(end, start + _SCAN_FIRST), end, found, ERROR_LINES // 2)
    late_from = max(found[-1][1] if found else start, end - _SCAN_LAST)
    late: list[tuple[int, int]] = []
    _collect(text, late_from, end, end, late, None)
    found.extend(late[-ERROR_LINES // 2 :])
    kept: list[tuple[int, int]] = []
    # The first and the last say most: what went wrong first, and how it ended.
    for place in sorted(range(len(found)), key=lambda index: min(index, len(found) - 1 - index)):
        length = found[place][1] - found[place][0]
        if length <= budget:
            kept.append(found[place])
            budget -= length
    return sorted(kept)


def _collect(text: str, start: int, stop: int, end: int, found: list[tuple[int, int]], limit: int | None) -> None:
    position = start
    while position < stop and (limit is None or len(found) < limit):
        match = _FAILURE.search(text, position, stop)
        if match is None:
            return
        place = match.start() + (text[match.start()] == "\n")
        begin = text.rfind("\n", max(start, place - ERROR_LINE_LENGTH), place) + 1
        if begin == 0:
            begin = start if place - start <= ERROR_LINE_LENGTH else _whole_characters(text, place, 1)
        reach = min(end, begin + ERROR_LINE_LENGTH)
        line_end = text.find("\n", place, reach)
        finish = line_end + 1 if line_end >= 0 else max(_whole_characters(text, reach, -1), match.end())
        found.append((begin, finish))
        rest = text.find("\n", place, stop)
        position = max(match.end(), rest + 1 if rest >= 0 else stop)


def _joined(shown: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Slices in order, those with next to nothing between them made one."""
    joined = [shown[0]]
    for begin, end in shown[1:]:
        if begin - joined[-1][1] < _SMALLEST_GAP:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return joined


def _compose(text: str, shown: Sequence[tuple[int, int]], uri: str, vocabulary: Vocabulary) -> str:
    pieces = [text[: shown[0][1]]]
    whole = byte_size(text)
    line, counted = 1, 0
    for number, ((_, begin), (end, finish)) in enumerate(pairwise(shown)):
        line += text.count("\n", counted, begin)
        first = (line, begin - text.rfind("\n", 0, begin))
        line += text.count("\n", begin, end - 1)
        last = (line, end - 1 - text.rfind("\n", 0, end - 1))
        line += text[end - 1] == "\n"
        counted = end
        opens = begin == 0 or text[begin - 1] == "\n"
        closes = end == len(text) or text[end - 1] == "\n"
        what = vocabulary.hidden(first, last, whole_lines=opens and closes)
        hidden = byte_size(text[begin:end])
        mark = vocabulary.further_gap_mark(what, hidden, uri) if number else vocabulary.gap_mark(what, hidden, whole, uri)
        pieces.extend(("" if opens else "\n", mark, "\n" if finish > end else "", text[end:finish]))
    return "".join(pieces)
