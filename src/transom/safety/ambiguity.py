"""Whether a regular expression can read one text in far too many ways, which is what makes backtracking hang.

The expression becomes an automaton with one state for each place of a character, its edges counted: an edge that two loops
both make is two ways already. Exponential ambiguity is a state that some word leads back to itself in two ways; in the square
of the automaton, a strong component that holds both a pair of equals and a pair of unequals (A. Weber and H. Seidl, On the
degree of ambiguity of finite automata, 1991). Ambiguity that has an end, but far off (seven loops over the same character,
thirty choices in a row), shows when the readings of short texts are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from .pattern_tree import Alternatives, Leaf, Node, Repeat, Sequence

__all__ = ["is_ambiguous"]

_Key = TypeVar("_Key", bound=Hashable)

_COPIES = 200
"""Characters that a counted group is written out to at most; beyond, it counts as a loop."""
_LOOP_COPIES = 6
"""Copies of a counted group with a loop in it. A loop within so few costs a power of the length, not an exponent."""
_STATES = 8_000
_WORK = 150_000
"""Pairs and edges looked at before the answer is yes: about 70 ms."""
_LENGTH = 40
_READINGS = 8_000_000
"""Readings of a text of that length, and of its beginnings, that are too many: about a second. Five loops over the same
character stay below, which people write for tables."""
_LETTERS, _COUNTING = 16, 300_000
"""Characters that such texts are made of, and steps counted at most."""
_MANY = 10**9


def is_ambiguous(tree: Node) -> bool:
    """Whether some text has exponentially or just far too many readings, or the expression is too large to tell."""
    automaton = _Automaton()
    try:
        whole = automaton.build(tree)
    except _TooLarge:
        return True
    return automaton.is_exponential() or automaton.has_many_readings(whole)


class _TooLarge(Exception):
    pass


@dataclass(slots=True)
class _Part:
    """A piece of the automaton: where it begins and ends, and in how many ways, and in how many ways it is nothing."""

    first: dict[int, int]
    last: dict[int, int]
    empty: int


@dataclass(slots=True)
class _Automaton:
    masks: list[int] = field(default_factory=list)
    edges: list[dict[int, int]] = field(default_factory=list)
    following: dict[int, dict[int, list[int]]] = field(default_factory=dict)
    work: int = 0

    def build(self, node: Node) -> _Part:
        match node:
            case Leaf():
                if len(self.masks) >= _STATES:
                    raise _TooLarge
                self.masks.append(node.mask)
                self.edges.append({})
                state = len(self.masks) - 1
                return _Part({state: 1}, {state: 1}, 0)
            case Sequence():
                whole = _Part({}, {}, 1)
                for part in node.parts:
                    whole = self.join(whole, self.build(part))
                return whole
            case Alternatives():
                parts = [self.build(part) for part in node.parts]
                return _Part(
                    {state: ways for part in parts for state, ways in part.first.items()},
                    {state: ways for part in parts for state, ways in part.last.items()},
                    min(_MANY, sum(part.empty for part in parts)),
                )
            case Repeat():
                return self.repeat(node)

    def repeat(self, node: Repeat) -> _Part:
        size, loops = _extent(node.body)
        if node.high is None or node.high * max(1, size) > _COPIES or (loops and node.high > _LOOP_COPIES):
            body = self.build(node.body)
            self.connect(body.last, body.first)
            return _Part(body.first, body.last, 1 if node.low == 0 else min(1, body.empty))
        # Optional copies lie within each other, as they are matched: a{1,3} is a(a(a)?)?, which is read in one way only.
        whole = _Part({}, {}, 1)
        for _ in range(node.high - node.low):
            whole = self.join(self.build(node.body), whole)
            whole.empty += 1
        for _ in range(node.low):
            whole = self.join(self.build(node.body), whole)
        return whole

    def join(self, left: _Part, right: _Part) -> _Part:
        self.connect(left.last, right.first)
        first, last = dict(left.first), dict(right.last)
        if left.empty:
            _add(first, ((state, ways * left.empty) for state, ways in right.first.items()))
        if right.empty:
            _add(last, ((state, ways * right.empty) for state, ways in left.last.items()))
        return _Part(first, last, min(_MANY, left.empty * right.empty))

    def connect(self, ends: dict[int, int], beginnings: dict[int, int]) -> None:
        self.work += len(ends) * len(beginnings)
        if self.work > _WORK:
            raise _TooLarge
        for end, ways in ends.items():
            _add(self.edges[end], ((state, ways * more) for state, more in beginnings.items()))

    def is_exponential(self) -> bool:
        component = _components(range(len(self.masks)), self.edges.__getitem__)
        for state, targets in enumerate(self.edges):
            if any(ways > 1 and component[target] == component[state] for target, ways in targets.items()):
                return True
        looping = {state for state, targets in enumerate(self.edges) if any(component[t] == component[state] for t in targets)}
        pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
        waiting = [(state, state) for state in looping]
        while waiting:
            pair = waiting.pop()
            if pair in pairs:
                continue
            pairs[pair] = []
            for target in self.steps(pair, component):
                pairs[pair].append(target)
                if target not in pairs:
                    waiting.append(target)
            if self.work > _WORK:
                return True
        of_pairs = _components(pairs, pairs.__getitem__)
        equal = {of_pairs[pair] for pair in pairs if pair[0] == pair[1]}
        return any(pair[0] != pair[1] and of_pairs[pair] in equal for pair in pairs)

    def has_many_readings(self, whole: _Part) -> bool:
        """Count the ways in which short texts can be read, or be begun to be read."""
        letters = self.letters()
        texts = [(one, one) for one in letters] + [(one, two) for one in letters[:5] for two in letters[:5] if one != two]
        counted = 0
        for text in texts:
            readings = {state: ways for state, ways in whole.first.items() if self.masks[state] & text[0]}
            total = 0
            for place in range(1, _LENGTH):
                following: dict[int, int] = {}
                for state, ways in readings.items():
                    counted += len(self.edges[state])
                    _add(
                        following,
                        ((to, ways * more) for to, more in self.edges[state].items() if self.masks[to] & text[place % 2]),
                    )
                readings = following
                total += sum(ways * (1 + whole.last.get(state, 0)) for state, ways in readings.items())
                if total > _READINGS:
                    return True
                if not readings or counted > _COUNTING:
                    break
        return False

    def letters(self) -> list[int]:
        """Characters that many places of the pattern share, one bit each."""
        shared: dict[int, int] = {}
        for mask in set(self.masks):
            rest = mask
            for _ in range(3):
                if rest:
                    lowest = rest & -rest
                    shared[lowest] = 0
                    rest ^= lowest
        # What most places accept comes first.
        for mask in self.masks:
            for letter in shared:
                shared[letter] += bool(mask & letter)
        return sorted(shared, key=lambda letter: (-shared[letter], letter))[:_LETTERS]

    def steps(self, pair: tuple[int, int], component: dict[int, int]) -> Iterator[tuple[int, int]]:
        """Where two readings of the same text can go next, each within its loop."""
        for mask, mine in self.next(pair[0], component).items():
            for other_mask, other in self.next(pair[1], component).items():
                self.work += 1
                if not mask & other_mask:
                    continue
                self.work += len(mine) * len(other)
                if self.work > _WORK:
                    return
                yield from ((one, two) for one in mine for two in other)

    def next(self, state: int, component: dict[int, int]) -> dict[int, list[int]]:
        """The states that follow one within its loop, by the characters they stand for."""
        if state not in self.following:
            following: dict[int, list[int]] = {}
            for target in self.edges[state]:
                if component[target] == component[state]:
                    following.setdefault(self.masks[target], []).append(target)
            self.following[state] = following
        return self.following[state]


def _extent(node: Node) -> tuple[int, bool]:
    """How many characters a tree has when counted groups are written out, and whether a loop is among them."""
    match node:
        case Leaf():
            return 1, False
        case Repeat():
            size, loops = _extent(node.body)
            return size * max(1, node.high or 1), loops or node.high is None
        case Sequence() | Alternatives():
            parts = [_extent(part) for part in node.parts]
            return sum(size for size, _ in parts), any(loops for _, loops in parts)


def _add(into: dict[int, int], counted: Iterable[tuple[int, int]]) -> None:
    for state, ways in counted:
        into[state] = min(_MANY, into.get(state, 0) + ways)


def _components(nodes: Iterable[_Key], targets: Callable[[_Key], Iterable[_Key]]) -> dict[_Key, int]:
    """The number of each node's strong component (R. Tarjan, 1972), without recursion."""
    order: dict[_Key, int] = {}
    low: dict[_Key, int] = {}
    found: dict[_Key, int] = {}
    stack: list[_Key] = []
    number = 0
    for start in nodes:
        if start in order:
            continue
        order[start] = low[start] = len(order)
        stack.append(start)
        path = [(start, iter(targets(start)))]
        while path:
            node, rest = path[-1]
            following = next(rest, None)
            if following is not None:
                if following not in order:
                    order[following] = low[following] = len(order)
                    stack.append(following)
                    path.append((following, iter(targets(following))))
                elif following not in found:
                    low[node] = min(low[node], order[following])
                continue
            path.pop()
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[node])
            if low[node] == order[node]:
                number += 1
                while (member := stack.pop()) != node:
                    found[member] = number
                found[node] = number
    return found
