"""The tool list as it goes over the wire: made once for each state of the toggles, so its bytes are the same every time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..toolbox.box import Toolbox
from ..toolbox.discovery import execute_tool
from ..toolbox.tool import Tool
from ..wire.profiles import Profile

if TYPE_CHECKING:
    from ..wire.schemas import SchemaReport

__all__ = ["PAGE", "ToolList"]

PAGE = 250
"""Tools of a page. All there are, by default: not every client asks for a second page."""
FILES = "files"
"""The family whose tools take paths."""


class ToolList:
    """What a client is shown of a toolbox.

    Args:
        toolbox: where the tools are.
        profile: the subset of JSON Schema that the client's model takes.
        discovery: only the two tools that find and call the others.
        most: how many tools the client can take.
    """

    def __init__(
        self, toolbox: Toolbox, *, profile: Profile = "default", discovery: bool = False, most: int | None = None
    ) -> None:
        self._toolbox = toolbox
        self._profile = profile
        self._discovery = discovery
        self._most = most
        self._made: list[dict[str, object]] | None = None

    def forget(self) -> None:
        """The toggles have changed."""
        self._made = None

    def shown(self) -> list[dict[str, object]]:
        """The list."""
        if self._made is None:
            # The default leaves a tool's schema as it is; what converts for the others takes a while to load.
            as_is = self._profile == "default"
            self._made = [_wire(tool, tool.schema) for tool in self._tools()] if as_is else self._make()[0]
        return self._made

    def instructions(self) -> str:
        """What a model is told of the server: what is true of this list."""
        listed = self._tools()
        reached = {tool.name: tool for tool in listed}
        if execute_tool.name in reached:
            reached |= {tool.name: tool for tool in self._toolbox.tools.values() if self._toolbox.toggles.is_on(tool)}
        files = any(tool.family == FILES for tool in reached.values())
        return self._toolbox.words.serving.instructions({tool.name for tool in listed}, reached, files=files)

    def report(self) -> SchemaReport:
        """What the profile weakened in it."""
        return self._make()[1]

    def restored(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """A call's arguments in the form of the tool's own schema."""
        tool = self._toolbox.tools.get(name)
        if self._profile == "default" or tool is None:
            return arguments
        from ..wire.schemas import restore_arguments

        return restore_arguments(tool.schema, arguments, self._profile)

    def _tools(self) -> list[Tool]:
        return self._toolbox.listed(discovery=self._discovery, most=self._most)

    def _make(self) -> tuple[list[dict[str, object]], SchemaReport]:
        tools = self._tools()
        described, report = self._toolbox.schemas(self._profile, tools)
        return [_wire(tool, item.parameters) for tool, item in zip(tools, described, strict=True)], report


def _wire(tool: Tool, schema: Mapping[str, object] | None) -> dict[str, object]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema or {"type": "object", "properties": {}},
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.hints.read_only,
            "destructiveHint": tool.hints.destructive,
            "idempotentHint": tool.hints.idempotent,
            "openWorldHint": tool.hints.open_world,
        },
    }
