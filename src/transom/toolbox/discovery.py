"""Two tools in place of a hundred: one that finds, one that calls, for models and clients that cannot take so many schemas.

Knows the catalog only by what a tool may know of it. They are listed always; in discovery mode they are the whole list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from ..jsontext import dumps
from .meaning import asked_for, meant_tools, near_tools
from .tool import Envelope, Family, Listing, Refused, Result, ToolContext, tool

__all__ = ["DISCOVERY", "execute_tool", "explore_tools"]

_SUMMARY = 160
"""Characters of a description in a list."""


@tool(family="discovery", title="Find tools", read_only=True, idempotent=True, visible=True, reader=True, tier=1)
def explore_tools(
    context: ToolContext,
    query: str = "",
    family: str = "",
    tool_name: str = "",
    limit: Annotated[int, Meta(ge=1, le=50)] = 8,
) -> Result:
    """Find tools that are not in your list: by a task in plain words, by family, or one by name with its arguments.

    Args:
        query: what you want to do, in plain words.
        family: only tools of this family.
        tool_name: one tool, to see its arguments.
        limit: how many tools at most.
    """
    words = context.words.tooling
    listings = [item for item in context.catalog.listings() if item.family != DISCOVERY.name]
    if tool_name:
        item = _named(context, tool_name, listings)
        schema = dumps(item.schema).decode()
        text = words.described.format(tool=item.name, description=item.description, schema=schema)
        return Result(data=_data(item, schema=True), text=text + ("" if item.enabled else words.off))
    chosen = [item for item in listings if family in {"", item.family}]
    if query.strip():
        # What ranks is loaded by who searches.
        from ..engine.selection.ranking import search_tools
        from ..messages import Tool as Described

        described = [
            Described(name=item.name, description=f"{asked_for(item.name)} {item.description}".strip(), parameters=item.schema)
            for item in chosen
        ]
        known = {item.name: item for item in chosen}
        names = [*meant_tools(query, known), *(hit.tool.name for hit in search_tools(query, described, limit))]
        chosen = [known[name] for name in dict.fromkeys(names)][:limit]
        lines = [words.found.format(query=query.strip()), *(_line(context, item) for item in chosen), words.how_to_call]
        text = "\n".join(lines) if chosen else words.nothing_found.format(query=query.strip())
        return Result(data={"tools": [_data(item) for item in chosen], "total": len(chosen)}, text=text)
    if family:
        lines = [*(_line(context, item) for item in chosen[:limit]), words.how_to_call]
        return Result(
            data={"tools": [_data(item) for item in chosen[:limit]], "total": len(chosen)},
            text="\n".join(lines) if chosen else words.nothing_found.format(query=family),
        )
    by_family: dict[str, list[Listing]] = {}
    for item in chosen:
        by_family.setdefault(item.family, []).append(item)
    lines = [
        words.family_line.format(
            family=name, tools=", ".join(item.name + ("" if item.enabled else words.off) for item in items)
        )
        for name, items in by_family.items()
    ]
    return Result(
        data={"families": {name: [item.name for item in items] for name, items in by_family.items()}},
        text="\n".join([words.families, *lines, words.how_to_call]),
    )


@tool(
    family="discovery", title="Call a tool by name", destructive=True, open_world=True, visible=True, reader=True, tier=1,
    seconds=600.0, forwards=True,
)  # fmt: skip
async def execute_tool(context: ToolContext, tool_name: str, arguments: dict[str, object] | None = None) -> Envelope:
    """Call a tool that explore_tools found.

    Args:
        tool_name: its name.
        arguments: its arguments, by name, as its schema has them.
    """
    if tool_name in {explore_tools.name, execute_tool.name}:
        raise Refused("invalid_input", context.words.tooling.no_such_tool(tool_name, ()))
    return await context.catalog.call(tool_name, arguments or {})


DISCOVERY = Family(name="discovery", title="Finding tools", tools=(explore_tools, execute_tool))


def _named(context: ToolContext, name: str, listings: Sequence[Listing]) -> Listing:
    for item in listings:
        if name == item.name or name in item.aliases:
            return item
    known = [item.name for item in listings]
    text = context.words.tooling.no_such_tool(name, near_tools(name, known), meant_tools(name, known))
    raise Refused("unknown_tool", text)


def _line(context: ToolContext, item: Listing) -> str:
    words = context.words.tooling
    short = item.description if len(item.description) <= _SUMMARY else item.description[: _SUMMARY - 1] + "…"
    return words.found_line.format(tool=item.name, description=short) + ("" if item.enabled else words.off)


def _data(item: Listing, *, schema: bool = False) -> Mapping[str, object]:
    shown: dict[str, object] = {"name": item.name, "family": item.family, "title": item.title, "enabled": item.enabled}
    return {**shown, "description": item.description, "schema": item.schema} if schema else shown
