"""A regular expression as a tree, as far as it says what may repeat and what one character may be.

Reads what Python's ``re`` has accepted before. What stands for no character (anchors, comments) is left out; look-arounds are
trees of their own. A character class is asked of ``re`` itself, over a sample of characters, so that flags and escapes mean
here what they mean there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["Alternatives", "Leaf", "Node", "PatternTooDeep", "Repeat", "Sequence", "trees"]

_TOKEN = re.compile(
    r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]*\}|0[0-7]{0,2}|[1-3][0-7]{2}|[1-9][0-9]?|.)"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|\(\?#[^)]*\)|\(\?P=\w+\)|\(\?\([^)]*\)|\(\?[aiLmsux]+\)|\(\?P<\w+>|\(\?<[=!]|\(\?[=!>]|\(\?[aiLmsux]*(?:-[imsx]+)?:"
    r"|\{[0-9]*(?:,[0-9]*)?\}|.",
    re.DOTALL,
)
_COUNTS = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")
_LATIN = "".join(map(chr, range(128)))
_SAMPLE = _LATIN + "\xa0éÉßñ²ſK\u0130\u0131жЖ中日あ한٣\u2028\u0301😀"
_DEPTH = 60
_ANCHORS = frozenset({"^", "$", "\\b", "\\B", "\\A", "\\Z", "\\z", "\\G"})
_CLOSING = ")"
_BAR = "|"
_LOOK_AROUNDS = frozenset({"(?=", "(?!", "(?<=", "(?<!"})
_FLAGS = {"i": re.IGNORECASE, "s": re.DOTALL, "a": re.ASCII, "m": re.MULTILINE}


@dataclass(frozen=True, slots=True)
class Leaf:
    """One character; ``mask`` has a bit for each character of the sample that it may be."""

    mask: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; empty for nothing."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """Again and again: from ``low`` to ``high`` times, None without end."""

    body: Node
    low: int
    high: int | None


Node = Leaf | Sequence | Alternatives | Repeat


class PatternTooDeep(Exception):
    """Groups within groups, more than anybody writes."""


def trees(pattern: str, flags: int = 0) -> list[Node]:
    """The tree of a pattern, followed by those of its look-arounds.

    Args:
        pattern: what ``re.compile`` accepts.
        flags: flags of ``re`` that it is compiled with.

    Raises:
        PatternTooDeep: more than 60 groups within each other, or a verbose pattern.
    """
    parser = _Parser(
        [found.group() for found in _TOKEN.finditer(pattern)], _SAMPLE + "".join(sorted(set(pattern) - set(_SAMPLE)))
    )
    if flags & re.VERBOSE:
        raise PatternTooDeep
    tree = parser.alternatives(flags & (re.IGNORECASE | re.DOTALL | re.ASCII), 0)
    return [tree, *parser.aside]


@dataclass(slots=True)
class _Parser:
    tokens: list[str]
    sample: str
    at: int = 0
    aside: list[Node] = field(default_factory=list)
    masks: dict[tuple[str, int], int] = field(default_factory=dict)

    def alternatives(self, flags: int, depth: int) -> Node:
        if depth > _DEPTH:
            raise PatternTooDeep
        branches: list[Node] = []
        parts: list[Node] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token in _CLOSING:
                break
            if token in _BAR:
                branches.append(Sequence(tuple(parts)))
                parts = []
            elif token.startswith("(?") and token[-1] == ")" and token[2] not in "#P(":
                if "x" in token:
                    raise PatternTooDeep
                for letter in token[2:-1]:
                    flags |= _FLAGS.get(letter, 0)
            else:
                node = self.atom(token, flags, depth)
                node = self.quantified(node) if node is not None else self.quantified(Sequence(()))
                parts.append(node)
        branches.append(Sequence(tuple(parts)))
        return branches[0] if len(branches) == 1 else Alternatives(tuple(branches))

    def atom(self, token: str, flags: int, depth: int) -> Node | None:
        """What one token begins; None when it stands for no character."""
        if token in _ANCHORS or token.startswith("(?#"):
            return None
        if token.startswith("(?P=") or (token[0] == "\\" and token[1:2].isdigit() and token[1] != "0" and len(token) < 4):
            # What was matched before: as long as that was, and no choice in it.
            return Leaf((1 << len(self.sample)) - 1)
        if token[0] != "(":
            return Leaf(self.mask(token, flags))
        if token.endswith(":"):
            if "x" in token:
                raise PatternTooDeep
            added, _, removed = token[2:-1].partition("-")
            for letter in added:
                flags |= _FLAGS.get(letter, 0)
            for letter in removed:
                flags &= ~_FLAGS.get(letter, 0)
        body = self.alternatives(flags, depth + 1)
        if token in _LOOK_AROUNDS:
            self.aside.append(body)
            return None
        return body

    def quantified(self, node: Node) -> Node:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            counts = _COUNTS.fullmatch(token)
            if token in {"*", "+", "?"}:
                low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[token]
            elif counts and (counts.group(1) or counts.group(3)):
                low = int(counts.group(1) or 0)
                high = low if not counts.group(2) else int(counts.group(3)) if counts.group(3) else None
            else:
                break
            self.at += 1
            # Lazy or possessive: which way is tried first does not change how many there are.
            if self.at < len(self.tokens) and self.tokens[self.at] in {"?", "+"}:
                self.at += 1
            node = Repeat(node, low, high)
        return node

    def mask(self, token: str, flags: int) -> int:
        key = (token, flags)
        if key not in self.masks:
            # A brace that counts nothing is a character.
            text = token if token[0] in "\\[." else re.escape(token)
            found = re.compile(text, flags)
            self.masks[key] = sum(1 << place for place, letter in enumerate(self.sample) if found.fullmatch(letter))
        return self.masks[key]
