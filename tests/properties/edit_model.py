"""Edits of files, done a second time and another way: on lists of lines and with patterns, where the library splices bytes.

A file is taken apart into characters by Latin-1 (or by UTF-16, where its mark says so), edited as a list of lines, and put
together again. ``cases`` makes files and edits from a seed; ``expected`` says what must come out: bytes, or the symbol of a
refusal.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Case", "cases", "expected"]

TERMINATORS = {"lf": ["\n"], "crlf": ["\r\n"], "cr": ["\r"], "mixed": ["\n", "\r\n"], "none": ["\n"]}
ENCODINGS = ("ascii", "utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "latin-1", "gbk")
MARKS = {"utf-8-sig": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
PLAIN = ["a", "b", "a b", "", "  x", "\ty", "aa", "aba", "$& \\1 ${x}", "b  ", "}", "if x:"]
WIDE = {
    "utf-8": ["é", "e\u0301", "in\u00a0x", "a\u2028b", "👩\u200d👧", "“a”", "c\u0085d", "中"],
    "latin-1": ["café", "naïve", "ü", "\u00a0a"],
    "gbk": ["中文", "名a", "汉 b"],
}
WORDS = {**WIDE, "utf-8-sig": WIDE["utf-8"], "utf-16-le": WIDE["utf-8"], "utf-16-be": WIDE["utf-8"], "ascii": []}


@dataclass(frozen=True, slots=True)
class Case:
    """One edit: the file's bytes, the tool and its arguments without the file's name."""

    data: bytes
    tool: str
    arguments: dict[str, object]


def cases(seed: int, number: int) -> Iterator[Case]:
    """Files and edits, always the same for one seed."""
    chance = random.Random(seed)
    for _ in range(number):
        encoding = chance.choice(ENCODINGS)
        words = PLAIN + WORDS[encoding]
        kind = chance.choice(list(TERMINATORS))
        lines = [chance.choice(words) for _ in range(chance.choice([0, 1, 2, 3, 5, 8, 13]))]
        if kind == "none":
            lines = lines[:1]
        text = "".join(line + chance.choice(TERMINATORS[kind]) for line in lines)
        if chance.random() < 0.3 or kind == "none":
            text = re.sub(r"(\r\n|\n|\r)\Z", "", text)
        if chance.random() < 0.1 and kind != "cr":
            text = text.replace("b", "b\rb", 1)
        codec = {"ascii": "ascii", "utf-8-sig": "utf-8"}.get(encoding, encoding)
        data = MARKS.get(encoding, b"") + text.encode(codec)
        tool, arguments = _edit(chance, words, lines)
        yield Case(data, tool, arguments)


def _edit(chance: random.Random, words: list[str], lines: list[str]) -> tuple[str, dict[str, object]]:
    count = len(lines)

    def line(beyond: int = 1) -> int:
        return chance.randint(1, max(1, count + beyond * (chance.random() < 0.2)))

    def block() -> str:
        parts = [chance.choice(words) for _ in range(chance.choice([1, 1, 1, 2, 3]))]
        return chance.choice(["\n", "\n", "\r\n"]).join(parts) + chance.choice(["", "", "\n"])

    def standing() -> str:
        """Text that stands there: a piece of a line, or lines and a piece of the next."""
        first = chance.randrange(count)
        parts = lines[first : first + chance.choice([1, 1, 2, 3])]
        text = chance.choice(["\n", "\n", "\r\n"]).join(parts)
        start = chance.randrange(len(parts[0]) + 1)
        text = text[start : len(text) - chance.randrange(len(parts[-1]) + 1)] if chance.random() < 0.5 else text
        return text + chance.choice(["", "", "\n"])

    match chance.choice(["delete", "delete", "insert", "insert", "replace", "replace", "replace", "move", "append", "save"]):
        case "delete":
            first = line()
            arguments: dict[str, object] = {"start_line": first}
            if chance.random() < 0.5:
                arguments["end_line"] = first + chance.choice([0, 1, 2, -1])
            if chance.random() < 0.6:
                named = [text for text in lines[max(0, first - 5) : first + 4] if text.strip()] if chance.random() < 0.9 else []
                arguments["verify_before_delete"] = chance.choice(named or ["a", "zz"])
            return "delete_lines_in_file", arguments
        case "insert":
            return "insert_at_line", {"line_number": line(2), "content_to_insert": block()}
        case "replace":
            old = (standing() if count and chance.random() < 0.9 else block()) or "a"
            arguments = {"old_string": old, "new_string": chance.choice([block(), old, ""])}
            if chance.random() < 0.2:
                arguments["global"] = False
            if chance.random() < 0.2:
                arguments["normalize_line_endings"] = False
            return "replace_text_in_file", arguments
        case "move":
            return "line_operations", {"operation": "move", "move_from": line(), "move_to": line()}
        case "append":
            return "append_file", {"content": block() or "a"}
        case _:
            return "save_file", {"content": block()}


# ── the second way ─────────────────────────────────────────────────────────────────────────────────────────────────────


def expected(case: Case) -> bytes | str:
    """What a file must hold after an edit, or the symbol of the refusal."""
    data, given = case.data, case.arguments
    if case.tool == "save_file":
        return str(given["content"]).encode()
    mark = next((mark for mark in MARKS.values() if data.startswith(mark)), b"")
    wide = {MARKS["utf-16-le"]: "utf-16-le", MARKS["utf-16-be"]: "utf-16-be"}.get(mark)
    text = data[len(mark) :].decode(wide or "latin-1")
    try:
        data.decode()
        foreign = False
    except UnicodeDecodeError:
        foreign = wide is None
    texts = [str(given[name]) for name in ("content_to_insert", "old_string", "new_string", "content") if name in given]
    try:
        if case.tool == "replace_text_in_file" and not given["old_string"]:
            raise _NoError("invalid_input")
        if foreign and not all(each.isascii() for each in texts):
            raise _NoError("encoding")

        def spelt(name: str) -> str:
            letters = str(given[name])
            return letters if wide else letters.encode().decode("latin-1")

        match case.tool:
            case "delete_lines_in_file":
                done = _delete(text, given, wide)
            case "insert_at_line":
                done = _insert(text, int(str(given["line_number"])), spelt("content_to_insert"))
            case "replace_text_in_file":
                done = _replace(text, spelt("old_string"), spelt("new_string"), given)
            case "line_operations":
                done = _move(text, int(str(given["move_from"])), int(str(given["move_to"])))
            case _:
                ends = [end for _, end in _lines(text) if end]
                new = spelt("content")
                done = text + (re.sub(r"\r?\n", lambda _: ends[-1], new) if ends else new)
    except _NoError as error:
        return error.symbol
    return mark + done.encode(wide or "latin-1")


class _NoError(Exception):
    def __init__(self, symbol: str) -> None:
        super().__init__(symbol)
        self.symbol = symbol


def _lines(text: str) -> list[tuple[str, str]]:
    """Lines as content and terminator."""
    pattern = r"([^\n]*?)(\r\n|\n)|([^\n]+)\Z" if "\n" in text or "\r" not in text else r"([^\r]*)(\r)|([^\r]+)\Z"
    return [(found[1] or found[3] or "", found[2] or "") for found in re.finditer(pattern, text)]


def _joined(lines: list[tuple[str, str]]) -> str:
    return "".join(content + end for content, end in lines)


def _delete(text: str, given: dict[str, object], wide: str | None) -> str:
    lines = _lines(text)
    first = int(str(given["start_line"]))
    last = int(str(given.get("end_line", first)))
    if last < first:
        raise _NoError("out_of_range")
    if verify := given.get("verify_before_delete"):
        wanted = str(verify) if wide else str(verify).encode().decode("latin-1")

        def trimmed(piece: str) -> str:
            if wide:
                return piece.strip()
            return piece.encode("latin-1").decode("utf-8", "surrogateescape").strip()

        stands = [number for number, (content, _) in enumerate(lines, start=1) if trimmed(content) == trimmed(wanted)]
        within = [number for number in stands if first <= number <= last]
        near: dict[int, list[int]] = {}
        for number in stands:
            if abs(number - first) <= 3 and number not in within:
                near.setdefault(abs(number - first), []).append(number)
        if first not in stands and within and near:
            raise _NoError("ambiguous")
        if not within:
            if not near:
                raise _NoError("drift")
            places = near[min(near)]
            if len(places) > 1:
                raise _NoError("ambiguous")
            first, last = places[0], last + places[0] - first
    if not 1 <= first <= last <= len(lines):
        raise _NoError("out_of_range")
    return _joined(lines[: first - 1] + lines[last:])


def _insert(text: str, number: int, content: str) -> str:
    lines = _lines(text)
    if not 1 <= number <= len(lines) + 1:
        raise _NoError("out_of_range")
    classic = "\r" in text and "\n" not in text
    breaks = r"\r\n|\n|\r" if classic else r"\r\n|\n"
    new = re.split(breaks, re.sub(rf"(?:{breaks})\Z", "", content))
    above = [end for _, end in lines[: number - 1] if end]
    below = [end for _, end in lines[number - 1 :] if end]
    end = (above[-1:] or below[:1] or ["\n"])[0]
    unended = bool(lines) and not lines[-1][1]
    if unended and number == len(lines) + 1:
        lines[-1] = (lines[-1][0], end)
        made = [(line, end) for line in new[:-1]] + [(new[-1], "")]
    else:
        made = [(line, end) for line in new]
    return _joined(lines[: number - 1] + made + lines[number - 1 :])


def _replace(text: str, old: str, new: str, given: dict[str, object]) -> str:
    once = given.get("global") is False
    classic = "\r" in text and "\n" not in text
    if given.get("normalize_line_endings") is False:
        found = list(re.finditer(re.escape(old), text))
        pieces = [new] * len(found)
    else:
        atom = r"\r" if classic else r"(?:\r\n|(?<!\r)\n)"
        pattern = atom.join(re.escape(part) for part in re.split(r"\r\n|\n", old))
        found = list(re.finditer(pattern, text))
        lines = _lines(text)
        pieces = []
        for match in found:
            at = 0
            ends = ""
            for content, end in lines:
                ends = end or ends
                at += len(content) + len(end)
                if match.start() < at:
                    break
            pieces.append(re.sub(r"\r\n|\n", lambda _: ends or "\n", new))  # noqa: B023 - used at once
        if re.sub(r"\r\n", "\n", old) == re.sub(r"\r\n", "\n", new):
            pieces = [match[0] for match in found]
    if not found:
        raise _NoError("not_found")
    if once:
        found, pieces = found[:1], pieces[:1]
    done, at = "", 0
    for match, piece in zip(found, pieces, strict=True):
        done += text[at : match.start()] + piece
        at = match.end()
    return done + text[at:]


def _move(text: str, origin: int, target: int) -> str:
    lines = _lines(text)
    if not (1 <= origin <= len(lines) and 1 <= target <= len(lines)):
        raise _NoError("out_of_range")
    ended = bool(lines[-1][1])
    line = lines.pop(origin - 1)
    lines.insert(target - 1, line)
    if not ended and lines[-1][1]:
        free = lines[-1][1]
        bare = next(at for at, (_, end) in enumerate(lines) if not end)
        lines[bare] = (lines[bare][0], free)
        lines[-1] = (lines[-1][0], "")
    return _joined(lines)
