"""A command line as a shell reads it: words with their quoting undone, operators, redirections, here-documents.

Knows the token rules of POSIX and those of bash on top of them, and nothing of what a program does. Where the two shells would
read a text differently, or where only running it could tell what it says, reading ends with a ``Problem``: whoever judges the
text cannot know which of the readings will be run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["HOLE", "Operator", "Problem", "Redirection", "Token", "Tokens", "Word", "tokens"]

HOLE = "\0"
"""Stands in a word for what an expansion will put there. Never part of a command: NUL is refused before."""

_OPERATOR = re.compile(r";;&|;;|;&|;|&&|&>>|&>|&|\|\||\|&|\||\(|\)|<<<|<<-|<<|<&|<>|<\(|<|>>|>&|>\||>\(|>")
_REDIRECTIONS = frozenset({"&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"})
_CLOSED_AND_MORE = re.compile(r"[<>]&(?:[ \t]|\\\n)*-(?![\s;&|()<>]|$)")
_PARAMETER = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED = re.compile(
    r"\$\{#?([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])"
    r"(?::?[-+?][^\\$`'\"{}<>()]*|[#%]{1,2}[^\\$`'\"{}<>()]*|/[^\\$`'\"{}<>()@]*|:[0-9]+(?::[0-9]+)?|\^{1,2}|,{1,2})?\}"
)
"""The expansions whose effect ends with themselves: no assignment, indirection, prompt expansion or arithmetic on names, which
evaluate what a variable holds."""
_ARITHMETIC = re.compile(r"\$\(\([0-9\s+\-*/%()<>=&|^!~,?:]*?\)\)(?!\))")
_SIMPLE_ESCAPES = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL)
_ORDINARY = re.compile(r"[^\s\\'\"$`;&|()<>{},.*?\[\]#]+")
_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word, quotes and escapes undone.

    Attributes:
        text: what the program would get, with a ``HOLE`` for each expansion.
        plain: nothing in it was quoted, so that it can be a reserved word.
        bare: length of the leading part of ``text`` that was neither quoted nor expanded.
        splits: an expansion in it stands outside quotes, and may become any number of words.
        matches: it may become the names of files: a pattern outside quotes.
        braces: it may become several words: a brace expansion.
    """

    text: str
    plain: bool = True
    bare: int = 0
    splits: bool = False
    matches: bool = False
    braces: bool = False

    @property
    def known(self) -> bool:
        """The program gets exactly ``text``."""
        return HOLE not in self.text and not self.matches and not self.braces


@dataclass(frozen=True, slots=True)
class Operator:
    """What stands between commands: ``;``, ``&``, ``|``, a newline, a parenthesis …"""

    text: str


@dataclass(frozen=True, slots=True)
class Redirection:
    """Where input comes from or output goes to.

    Attributes:
        operator: for example ``>>``.
        target: a file, a descriptor, or the text itself (of ``<<<`` and here-documents).
    """

    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a text cannot be judged by reading it.

    Attributes:
        reason: ``substitution``, ``separator`` (the variable IFS), ``expansion``, ``arithmetic`` or ``syntax``.
        shown: the place.
    """

    reason: str
    shown: str


Token = Word | Operator | Redirection


@dataclass(frozen=True, slots=True)
class Tokens:
    """What was read, up to the first problem if there is one."""

    tokens: tuple[Token, ...]
    problem: Problem | None = None


def tokens(text: str) -> Tokens:
    """Read a text as a shell would. Never raises; takes time in proportion to the text.

    Args:
        text: one or more command lines, without NUL.
    """
    reader = _Reader(text)
    try:
        reader.run()
    except _Stop as stop:
        return Tokens(tuple(reader.found), stop.problem)
    return Tokens(tuple(reader.found))


class _Stop(Exception):
    def __init__(self, reason: str, shown: str) -> None:
        super().__init__(reason)
        self.problem = Problem(reason, shown)


@dataclass(slots=True)
class _Draft:
    """A word while it is read."""

    pieces: list[str] = field(default_factory=list)
    started: bool = False
    plain: bool = True
    bare: int = 0
    splits: bool = False
    star: bool = False
    bracket: int = 0
    brace: int = 0

    def add(self, text: str, *, quoted: bool) -> None:
        self.started = True
        self.pieces.append(text)
        if quoted:
            self.plain = False
        elif self.plain:
            self.bare += len(text)

    def hole(self, *, quoted: bool) -> None:
        self.started = True
        self.plain = False
        self.splits |= not quoted
        self.pieces.append(HOLE)

    def mark(self, letter: str) -> None:
        """Take note of a letter outside quotes that patterns and brace expansions are made of."""
        if letter in "*?":
            self.star = True
        elif letter == "[":
            self.bracket = max(self.bracket, 1)
        elif letter == "]" and self.bracket:
            self.bracket = 2
        elif letter == "{":
            self.brace = max(self.brace, 1)
        elif letter in ",." and self.brace:
            self.brace = max(self.brace, 2)
        elif letter == "}" and self.brace > 1:
            self.brace = 3

    def word(self) -> Word:
        return Word(
            text="".join(self.pieces),
            plain=self.plain,
            bare=self.bare,
            splits=self.splits,
            matches=self.star or self.bracket == 2,
            braces=self.brace == 3,
        )


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[Token] = []
        self.draft = _Draft()
        self.redirecting: str | None = None
        self.documents: list[tuple[int, str]] = []

    def stop(self, reason: str, at: int | None = None) -> _Stop:
        start = self.at if at is None else at
        return _Stop(reason, self.text[start : start + _SHOWN])

    def run(self) -> None:
        text, end = self.text, len(self.text)
        while self.at < end:
            letter = text[self.at]
            if letter in " \t":
                self.finish()
                self.at += 1
            elif letter == "\n":
                self.finish()
                self.newline()
            elif letter == "#" and not self.draft.started:
                stop = text.find("\n", self.at)
                self.at = end if stop < 0 else stop
            elif letter in ";&|()<>":
                self.operator()
            elif letter == "\\":
                self.escape()
            elif letter == "'":
                self.single(self.at + 1)
            elif letter == '"':
                self.double()
            elif letter in "$`":
                self.expansion(quoted=False)
            else:
                run = _ORDINARY.match(text, self.at)
                piece = run.group() if run else letter
                if not run:
                    self.draft.mark(letter)
                self.draft.add(piece, quoted=False)
                self.at += len(piece)
        self.finish()
        self.newline()

    def finish(self) -> None:
        """End the word, if there is one."""
        if not self.draft.started:
            return
        word = self.draft.word()
        self.draft = _Draft()
        if self.redirecting is None:
            self.found.append(word)
            return
        operator, self.redirecting = self.redirecting, None
        if operator in {"<<", "<<-"}:
            if HOLE in word.text or "\n" in word.text:
                raise self.stop("syntax")
            self.documents.append((len(self.found), operator))
        self.found.append(Redirection(operator, word))

    def newline(self) -> None:
        if self.redirecting is not None:
            raise self.stop("syntax", max(0, self.at - 10))
        self.found.append(Operator("\n"))
        self.at += 1
        for place, operator in self.documents:
            opening = self.found[place]
            assert isinstance(opening, Redirection)
            self.found[place] = Redirection(operator, self.document(opening.target, tabs=operator == "<<-"))
        self.documents.clear()

    def document(self, delimiter: Word, *, tabs: bool) -> Word:
        """The text of a here-document; the shell expands it unless its delimiter was quoted."""
        lines: list[str] = []
        start = self.at
        while self.at < len(self.text):
            stop = self.text.find("\n", self.at)
            stop = len(self.text) if stop < 0 else stop
            line = self.text[self.at : stop]
            self.at = stop + 1
            if tabs:
                line = line.lstrip("\t")
            if line == delimiter.text:
                break
            if delimiter.plain and line.endswith("\\"):
                # The shell joins such lines before it looks for the delimiter, which may then stand where none is seen.
                raise self.stop("syntax", start)
            lines.append(line + "\n")
        body = "".join(lines)
        if not delimiter.plain:
            return Word(text=body, plain=False)
        inner = _Reader(body)
        while inner.at < len(body):
            match body[inner.at]:
                case "\\":
                    following = body[inner.at + 1 : inner.at + 2]
                    inner.draft.add(following if following in {"$", "`", "\\"} else "\\" + following, quoted=True)
                    inner.at += 2
                case "$" | "`":
                    inner.expansion(quoted=True)
                case _:
                    inner.plain_run()
        return Word(text="".join(inner.draft.pieces), plain=False)

    def plain_run(self) -> None:
        """Take what stands before the next character that means something inside double quotes."""
        run = _INSIDE.match(self.text, self.at)
        assert run is not None
        self.draft.add(run.group(), quoted=True)
        self.at = run.end()

    def operator(self) -> None:
        found = _OPERATOR.match(self.text, self.at)
        assert found is not None
        operator = found.group()
        if operator in {"<(", ">("}:
            raise self.stop("substitution")
        if operator in _REDIRECTIONS:
            if _CLOSED_AND_MORE.match(self.text, self.at):
                # For bash the descriptor ends at the hyphen and a word begins, for others not.
                raise self.stop("syntax")
            self.redirection(operator)
        else:
            self.finish()
            if self.redirecting is not None:
                raise self.stop("syntax")
            if operator == "(" and self.text.startswith("((", self.at):
                raise self.stop("arithmetic")
            self.found.append(Operator(operator))
        self.at = found.end()

    def redirection(self, operator: str) -> None:
        draft = self.draft
        if draft.started and draft.plain and operator[0] != "&":
            before = "".join(draft.pieces)
            if before.isdecimal():
                # A number right before the arrow is a descriptor, not a word.
                self.draft = _Draft()
            elif before.startswith("{") and before.endswith("}"):
                # For bash it is a variable that receives the descriptor, for others a word.
                raise self.stop("syntax")
        self.finish()
        if self.redirecting is not None:
            raise self.stop("syntax")
        self.redirecting = operator

    def escape(self) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following != "\n":
            self.draft.add(following or "\\", quoted=True)
        self.at += 2

    def single(self, start: int) -> None:
        stop = self.text.find("'", start)
        if stop < 0:
            raise self.stop("syntax")
        self.draft.add(self.text[start:stop], quoted=True)
        self.at = stop + 1

    def ansi(self) -> None:
        """``$'…'``: bash decodes escapes in it; elsewhere it is a dollar sign before a quoted text."""
        start = self.at + 2
        stop = self.text.find("'", start)
        if stop < 0:
            raise self.stop("syntax")
        inside = self.text[start:stop]
        if inside.endswith("\\"):
            # Perhaps an escaped quote: then the two shells disagree on where the text ends.
            raise self.stop("syntax")
        decoded = _ESCAPE.sub(_decoded, inside)
        if HOLE in decoded:
            raise self.stop("syntax")
        self.draft.add(decoded, quoted=True)
        self.at = stop + 1

    def double(self) -> None:
        opened = self.at
        self.draft.add("", quoted=True)
        self.at += 1
        text = self.text
        while self.at < len(text):
            match text[self.at]:
                case '"':
                    self.at += 1
                    return
                case "\\":
                    following = text[self.at + 1 : self.at + 2]
                    if following != "\n":
                        kept = following if following and following in '$`"\\' else "\\" + following
                        self.draft.add(kept, quoted=True)
                    self.at += 2
                case "$" | "`":
                    self.expansion(quoted=True)
                case _:
                    self.plain_run()
        raise self.stop("syntax", opened)

    def expansion(self, *, quoted: bool) -> None:
        text, at = self.text, self.at
        if text[at] == "`":
            raise self.stop("substitution")
        following = text[at + 1 : at + 2]
        if text.startswith("\\\n", at + 1):
            # The shell joins the lines first, and what comes next belongs to the dollar sign.
            raise self.stop("syntax")
        if following == "(":
            arithmetic = _ARITHMETIC.match(text, at)
            if arithmetic is None:
                raise self.stop("arithmetic" if text.startswith("$((", at) else "substitution")
            self.draft.hole(quoted=quoted)
            self.at = arithmetic.end()
        elif following in {"{", "["}:
            braced = _BRACED.match(text, at)
            if braced is None:
                raise self.stop("separator" if text.startswith("${IFS", at) else "expansion")
            self.parameter(braced, quoted=quoted)
        elif not quoted and following == "'":
            self.ansi()
        elif not quoted and following == '"':
            self.at += 1
        elif found := _PARAMETER.match(text, at):
            self.parameter(found, quoted=quoted)
        else:
            self.draft.add("$", quoted=quoted)
            self.at += 1

    def parameter(self, found: re.Match[str], *, quoted: bool) -> None:
        if found.group(1) == "IFS":
            raise self.stop("separator")
        # All arguments at once become any number of words within quotes too.
        self.draft.hole(quoted=quoted and found.group(1) != "@")
        self.at = found.end()


_INSIDE = re.compile(r"[^\\$`\"]+|\"")


def _decoded(escape: re.Match[str]) -> str:
    byte, short, long, octal, control, other = escape.groups()
    if byte or short or long:
        number = int(byte or short or long, 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control) & 0x1F)
    return _SIMPLE_ESCAPES.get(other, other if other in "\\'\"?" else "\\" + other)
