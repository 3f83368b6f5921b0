"""A large set of tools as an agent with every family enabled would send it: 120 definitions that nothing stands behind.

Knows messages and the tiers of minification. For tests and measurements of what a long tool list costs and how tools are found
in it. The definitions are as verbose as those of published servers, and spelled as the usual generators spell schemas: some
families with titles and nullable unions, some with a dialect and closed objects, some with shared definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...engine.selection.minification import Priority
from ...messages import Tool
from . import files, running, surroundings, working

__all__ = ["families", "priorities", "tools"]

_MODULES = (files, running, working, surroundings)

_TIERS: Mapping[Priority, tuple[str, ...]] = {
    "critical": ("files", "text"),
    "high": ("web", "execution", "git"),
    "optional": ("memory",),
    "background": ("backup", "background"),
}


def tools() -> tuple[Tool, ...]:
    """All 120 tools, in a fixed order, family by family."""
    return tuple(tool for family in families().values() for tool in family)


def families() -> Mapping[str, tuple[Tool, ...]]:
    """The same tools by family: ``files``, ``git``, ``web`` … in a fixed order."""
    return MappingProxyType({name: group for module in _MODULES for name, group in module.FAMILIES})


def priorities() -> Mapping[str, Priority]:
    """How much each tool matters under a limit, by its name."""
    tiers = {family: tier for tier, members in _TIERS.items() for family in members}
    return MappingProxyType(
        {tool.name: tiers.get(family, "standard") for family, group in families().items() for tool in group}
    )
