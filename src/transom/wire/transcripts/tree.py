"""Paths through a tree of messages. Knows indices only.

A session that was rewound or edited is a tree: the last leaf on whose path a model was called is where the session stands, the
others are branches that were left. Parents come before their children.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["branches", "path_to"]


def path_to(parents: Sequence[int], leaf: int) -> list[int]:
    """From the root to ``leaf``. ``parents[i]`` is the index of the parent of ``i``, negative for a root."""
    path = []
    node = leaf
    while node >= 0:
        path.append(node)
        node = parents[node]
    path.reverse()
    return path


def branches(parents: Sequence[int], counts: Sequence[bool]) -> tuple[list[tuple[int, frozenset[int]]], list[int]]:
    """The leaves worth a conversation of their own, first the one where the session stands, and the nodes on no path of theirs.

    Args:
        parents: the tree.
        counts: whether a node makes its branch worth telling (a model call was made there).

    Returns:
        (leaf, the nodes that are its own and on no path before it) for each, and the untouched nodes in order.
    """
    size = len(parents)
    if not size:
        return [], []
    inner = bytearray(size)
    for parent in parents:
        if parent >= 0:
            inner[parent] = 1
    leaves = [node for node in range(size) if not inner[node]]
    first = _standing(parents, counts, leaves)
    ordered = [first, *(leaf for leaf in leaves if leaf != first)]
    covered = bytearray(size)
    barren = bytearray(size)
    chosen: list[tuple[int, frozenset[int]]] = []
    for leaf in ordered:
        own = []
        node = leaf
        while node >= 0 and not covered[node] and not barren[node]:
            own.append(node)
            node = parents[node]
        if chosen and not any(counts[i] for i in own):
            for i in own:
                barren[i] = 1
            continue
        while node >= 0 and not covered[node]:
            own.append(node)
            node = parents[node]
        for i in own:
            covered[i] = 1
        chosen.append((leaf, frozenset(own)))
    return chosen, [node for node in range(size) if not covered[node]]


def _standing(parents: Sequence[int], counts: Sequence[bool], leaves: Sequence[int]) -> int:
    """The leaf where the session stands: the last one with anything that counts on its path, or else the last."""
    barren = bytearray(len(parents))
    for leaf in reversed(leaves):
        node = leaf
        while node >= 0 and not barren[node]:
            if counts[node]:
                return leaf
            barren[node] = 1
            node = parents[node]
    return leaves[-1]
