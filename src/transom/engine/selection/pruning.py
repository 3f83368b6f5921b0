"""Pruning: which of the registered tools go out for a task.

Pure: a rule and a registry in, entries out, in the order of registration. A namespace goes out whole or not at all, since its
definition does not change; a toolkit that is left out cannot be loaded, and one that is loaded has every tag.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

from ...errors import InputError
from .registry import Entry, Toolkit, ToolRegistry

__all__ = ["EVERYTHING", "Combine", "Pruning", "pruning"]

Combine = Literal["union", "intersection"]
"""What both rules together mean: either of them lets a tool through, or both have to."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """What is let through.

    Attributes:
        tags: what carries one of these; ``None`` where tags do not count. What carries none is not among it.
        allow: what is named here: tools, namespaces, toolkits; ``None`` where names do not count.
        combine: what both together mean.
    """

    tags: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None
    combine: Combine = "union"

    def __call__(self, registry: ToolRegistry) -> tuple[Entry, ...]:
        """What goes out, in the order of registration."""
        if self.tags is None and self.allow is None:
            return registry.entries
        return tuple(entry for entry in registry.entries if self._lets_through(entry, loaded=False))

    def keeps(self, toolkit: Toolkit) -> bool:
        """Whether a toolkit stays that is loaded: whatever the tags, and only if it is among the names where names count."""
        return (self.tags is None and self.allow is None) or self._lets_through(toolkit, loaded=True)

    def _lets_through(self, entry: Entry, *, loaded: bool) -> bool:
        tagged = self.tags is not None and (loaded or not set(self.tags).isdisjoint(entry.tags))
        named = self.allow is not None and entry.name in self.allow
        if self.tags is None or self.allow is None or self.combine == "union":
            return tagged or named
        return tagged and named


EVERYTHING = Pruning()
"""Lets everything through."""


def pruning(
    registry: ToolRegistry,
    *,
    tags: Collection[str] | None = None,
    allow: Collection[str] | None = None,
    combine: Combine = "union",
) -> Pruning:
    """A rule whose every name means something.

    Args:
        registry: where names and tags are looked up.
        tags, allow, combine: as for ``Pruning``.

    Raises:
        InputError: a name or a tag that nothing has, a name of what goes out with something else, one text for several, no
            tag at all, or tags and names that nothing has together. No names is a rule: nothing goes out.
    """
    if combine not in get_args(Combine):
        raise InputError(f"combine={combine!r}", hint="union or intersection")
    wanted, names = _several("tags", tags), _several("allow", allow)
    known = registry.tags
    if wanted == ():
        raise InputError(
            "tags is empty, which no tool can match", hint="tags=None leaves tags out of it; allow=() sends no tools"
        )
    for tag in wanted or ():
        if tag not in known:
            raise InputError(f"no tool carries the tag {tag!r}", hint=f"there are {_listed(known) or 'no tags'}")
    for name in names or ():
        holder = registry.holders.get(name)
        if holder is not None:
            raise InputError(f"{name!r} goes out with {holder.name!r}", hint=f"allow {holder.name!r}")
        if name not in registry.by_name:
            raise InputError(
                f"no tool is called {name!r}", hint=f"there are {_listed(registry.by_name) or 'none: register them first'}"
            )
    rule = Pruning(wanted, names, combine)
    if wanted and names and not rule(registry):
        raise InputError(
            f"nothing that is called {_listed(names)} carries one of the tags {_listed(wanted)}",
            hint="combine='union' sends what either of them lets through; allow=() sends no tools",
        )
    return rule


def _several(what: str, given: object) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Collection) or not all(isinstance(item, str) for item in given):
        raise InputError(f"{what} is {given!r}", hint=f"give a set of texts: {what}={{…}}")
    return tuple(sorted(set(given)))


def _listed(names: Collection[str]) -> str:
    shown = sorted(names)
    return ", ".join(shown) if len(shown) <= 20 else f"{', '.join(shown[:20])} and {len(shown) - 20} more"
