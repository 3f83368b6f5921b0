"""A large set of tools as an agent with every family enabled would send it: 120 definitions that nothing stands behind.

Knows messages only. For tests and measurements of what a long tool list costs and how tools are found in it. The definitions
are as verbose as those of published servers, and spelled as the usual generators spell schemas: some families with titles and
nullable unions, some with a dialect and closed objects, some with shared definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...messages import Tool
from . import files, running, surroundings, working

__all__ = ["families", "tools"]

_MODULES = (files, running, working, surroundings)


def tools() -> tuple[Tool, ...]:
    """All 120 tools, in a fixed order, family by family."""
    return tuple(tool for family in families().values() for tool in family)


def families() -> Mapping[str, tuple[Tool, ...]]:
    """The same tools by family: ``files``, ``git``, ``web`` … in a fixed order."""
    return MappingProxyType({name: group for module in _MODULES for name, group in module.FAMILIES})
