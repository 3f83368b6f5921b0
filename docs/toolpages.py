"""The reference page of the tools: every tool by family, as its own code describes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from transom.toolbox.box import Toolbox
from transom.toolbox.tool import Family, Tool

__all__ = ["toolbox_page"]

INTRO = """\
Every tool, by family, as models see it. *Listed* tools stand in the default list of the MCP server; those that are *on* can be
called through `execute_tool`, or listed with `--enable NAME`; those that are *off* must be switched on first. `path`,
`file_path`, `file_name` and `filename` stand for one another in every call, and so do `start_line`, `target_line` and
`line_number` where one line is meant. An argument that a tool does not know is refused with the list of those it knows.

How a call goes: [Call tools](../how-to/call-tools.md). What keeps tools from doing harm:
[The sandbox](../explanation/sandbox.md).
"""


def toolbox_page() -> str:
    """The whole page, without its notice."""
    toolbox = Toolbox()
    parts = ["# Tools\n", INTRO]
    for family in toolbox.families:
        parts += [f"## {family.name}\n", f"{family.title}.\n", *_family(toolbox, family)]
    return "\n".join(parts)


def _family(toolbox: Toolbox, family: Family) -> Iterator[str]:
    for tool in family.tools:
        yield f"### {tool.name}\n"
        yield f"*{tool.title}* · {_state(toolbox, tool)} · {_behaviour(tool)}\n"
        yield f"{tool.description}\n"
        schema = tool.schema
        properties = schema["properties"]
        assert isinstance(properties, Mapping)
        if properties:
            yield "| argument | type | default | what it is |\n|---|---|---|---|"
            required = schema.get("required", [])
            assert isinstance(required, list)
            for name, part in properties.items():
                yield f"| `{name}` | {_type(part)} | {_default(part, name in required)} | {part.get('description', '')} |"
            yield ""
        if tool.aliases:
            yield "Older names: " + ", ".join(f"`{alias.name}`" for alias in tool.aliases) + ".\n"


def _state(toolbox: Toolbox, tool: Tool) -> str:
    if not toolbox.toggles.is_on(tool):
        return "off"
    return "listed" if toolbox.toggles.is_listed(tool) else "on"


def _behaviour(tool: Tool) -> str:
    hints = tool.hints
    told = (
        ["reads only"] if hints.read_only else ["may overwrite or remove" if hints.destructive else "writes, removes nothing"]
    )
    told += ["the same call again changes nothing more"] if hints.idempotent and not hints.read_only else []
    told += ["reaches beyond this machine"] if hints.open_world else []
    told += ["needs `confirm`"] if tool.confirm is True else ["may need `confirm`"] if tool.confirm else []
    return ", ".join(told)


def _type(part: Mapping[str, object]) -> str:
    match part:
        case {"enum": list(values)}:
            return " or ".join(f"`{value}`" for value in values)
        case {"type": "array", "items": Mapping() as items}:
            return f"list of {_type(items)}"
        case {"anyOf": list(kinds)}:
            return " or ".join(_type(kind) for kind in kinds)
        case {"type": str(kind)}:
            low, high = part.get("minimum"), part.get("maximum")
            bounds = f", {'' if low is None else low}–{'' if high is None else high}" if (low, high) != (None, None) else ""
            return f"{kind}{bounds}"
        case _:
            return "any"


def _default(part: Mapping[str, object], needed: bool) -> str:
    if needed:
        return "needed"
    return f"`{json.dumps(part['default'])}`" if "default" in part else ""
