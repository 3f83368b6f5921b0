"""A selection as JSON values and back, for snapshots.

Pure. Definitions that follow from what is registered are not written; tools that are nothing but a list stand in the head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ...jsontext import EMPTY
from ...messages import Tool
from ...messages.codec import decode_tool, encode_tool
from .pruning import EVERYTHING, Combine, Pruning
from .registry import Entry, Registered, Toolkit, ToolNamespace, ToolRegistry
from .selection import Selection

__all__ = ["decode_selection", "encode_selection"]


def encode_selection(selection: Selection) -> dict[str, object] | None:
    """What is registered, chosen, loaded and blocked; ``None`` where that is what the head says."""
    if selection.is_plain:
        return None
    rule = selection.rule
    return {
        "registered": [_encode(entry) for entry in selection.registry.entries],
        "tags": None if rule.tags is None else list(rule.tags),
        "allow": None if rule.allow is None else list(rule.allow),
        "combine": rule.combine,
        "loaded": list(selection.loaded),
        "blocked": [[name, why] for name, why in selection.blocked.items()],
    }


def decode_selection(value: object, selection: Selection, tools: tuple[Tool, ...]) -> Selection:
    """Read back what ``encode_selection`` wrote.

    Args:
        value: what was written.
        selection: gives the words.
        tools: what the head holds.
    """
    if not isinstance(value, Mapping):
        return selection.adopted(tools, ())
    tags, allow = (cast("Sequence[str] | None", value.get(key)) for key in ("tags", "allow"))
    rule = Pruning(
        None if tags is None else tuple(tags),
        None if allow is None else tuple(allow),
        cast("Combine", value.get("combine", "union")),
    )
    registry = ToolRegistry(tuple(_decode(item) for item in cast("Sequence[object]", value.get("registered", ()))))
    blocked = dict(cast("Sequence[tuple[str, str]]", value.get("blocked", ())))
    loaded = cast("Sequence[str]", value.get("loaded", ()))
    return selection.restored(registry, EVERYTHING if rule == EVERYTHING else rule, loaded, blocked)


def _encode(entry: Entry) -> dict[str, object]:
    match entry:
        case Registered():
            return {"tool": encode_tool(entry.tool), "tags": list(entry.tags)}
        case ToolNamespace():
            return _several("namespace", entry) | {"argument": entry.argument}
        case Toolkit():
            return _several("toolkit", entry)


def _several(kind: str, entry: ToolNamespace | Toolkit) -> dict[str, object]:
    return {
        kind: entry.name,
        "description": entry.description,
        "tools": [encode_tool(tool) for tool in entry.tools],
        "tags": list(entry.tags),
    }


def _decode(value: object) -> Entry:
    given = cast("Mapping[str, object]", value if isinstance(value, Mapping) else EMPTY)
    tags = tuple(cast("Sequence[str]", given.get("tags", ())))
    if "tool" in given:
        return Registered(decode_tool(given["tool"]), tags)
    description = str(given["description"])
    tools = tuple(decode_tool(tool) for tool in cast("Sequence[object]", given["tools"]))
    if "toolkit" in given:
        return Toolkit(str(given["toolkit"]), description, tools, tags)
    return ToolNamespace(str(given["namespace"]), description, tools, tags, str(given["argument"]))
