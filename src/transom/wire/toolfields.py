"""Fields of a tool beside name, description and schema: which of them a target knows.

Knows tools and the report. Each format names the fields that its provider documents; what it does not know is reported once and
left out.
"""

from __future__ import annotations

from collections.abc import Collection

from ..messages import Tool
from .report import Report

__all__ = ["SCHEMA_PROFILE", "known_fields"]

SCHEMA_PROFILE = "schema_profile"
"""Field of ``Tool.extra`` that says which profile a tool's schema was converted to. It is for renderers and is never sent."""

_DEFERRED = "defer_loading"
"""Deferred tools are found by the provider's own search tool, which a tool from elsewhere did not bring along."""


def known_fields(tool: Tool, known: Collection[str], report: Report) -> dict[str, object]:
    """The further fields of a tool that a rendering writes, in the tool's order.

    Args:
        tool: made by hand, or read from another format.
        known: the fields that the target's provider documents.
        report: told about the others. A field that is false or empty says nothing and is passed over.
    """
    written: dict[str, object] = {}
    for field, value in tool.extra.items():
        if field == SCHEMA_PROFILE or value in (None, False, [], {}, ()):
            continue
        if field in known and (field != _DEFERRED or tool.origin is None):
            written[field] = value
        elif field == _DEFERRED and field in known:
            report.add("dropped", f"tools[{tool.name}]", "'defer_loading': the search tool of another provider cannot load it")
        else:
            report.add("dropped", f"tools[{tool.name}]", f"the field {field!r}, which only its own provider knows")
    return written
