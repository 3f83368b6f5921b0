"""The families there are, in the order they are listed.

Knows families by module name; imports them when the toolbox is built. Those of other distributions come in through the entry
point group ``transom.families``, each naming a ``Family``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module, metadata

from ..errors import InputError
from .tool import Family, Tool

__all__ = ["FAMILIES", "GROUP", "by_name", "families", "installed_families"]

FAMILIES: tuple[str, ...] = ("files", "planning", "memory", "execution", "utilities", "backup", "text", "skills")
"""Modules in ``toolbox.families``, in order: this is the order of the list that models see, so it only grows at its end."""
GROUP = "transom.families"


def families() -> tuple[Family, ...]:
    """The families of this distribution."""
    return tuple(_loaded(name) for name in FAMILIES)


def _loaded(name: str) -> Family:
    family = import_module(f".families.{name}", __package__).FAMILY
    assert isinstance(family, Family)
    return family


def installed_families() -> Iterator[Family]:
    """Families of other distributions.

    Raises:
        InputError: an entry point that names something else.
    """
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda point: point.name):
        family = point.load()
        if not isinstance(family, Family):
            raise InputError(
                f"the entry point {point.name!r} of {GROUP} is no family", hint="let it name a toolbox.tool.Family"
            )
        yield family


def by_name(chosen: Iterable[Family]) -> dict[str, Tool]:
    """Every tool of some families, by name.

    Raises:
        InputError: two tools of one name, or an older name that is another tool's.
    """
    tools: dict[str, Tool] = {}
    taken: dict[str, str] = {}
    for tool in (tool for family in chosen for tool in family.tools):
        for name in (tool.name, *(alias.name for alias in tool.aliases)):
            if name in taken:
                raise InputError(f"two tools answer to {name!r}: {taken[name]} and {tool.name}", hint="rename one of them")
            taken[name] = tool.name
        tools[tool.name] = tool
    return tools
