"""Searches in a folder, by both engines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.files import FAMILY
from transom.toolbox.sandbox import Sandbox
from transom.toolbox.searching.engine import Engine, search
from transom.toolbox.searching.query import Query
from transom.toolbox.tool import Envelope, Family, Result, Tool, ToolContext, tool

__all__ = ["Box", "tool_over"]


def tool_over(query: Query, engine: Engine | None) -> Tool:
    """A tool that searches the working directory by one engine, and tells what it found."""

    @tool(family="probing", title="Probe", read_only=True)
    def probe(context: ToolContext) -> Result:
        """Search."""
        found = search(context, context.use(Workspace).place("."), query, engine=engine)
        data = {
            "hits": [[hit.path, hit.line, hit.column, hit.text.decode("latin-1")] for hit in found.hits],
            "complete": found.complete,
            "capped": found.capped,
            "fuller": sorted(found.fuller),
            "searched": found.searched,
            "skipped": dict(found.skipped),
            "engine": found.engine,
        }
        return Result(data=data)

    return probe


class Box:
    """Calls tools in a folder.

    Args:
        root: the folder.
        path: where programs are looked for.
    """

    def __init__(self, root: Path, path: str | None = None) -> None:
        self.root = root
        self.workspace = Workspace([root])
        services: dict[type, object] = {Workspace: self.workspace}
        if path is not None:
            services[Sandbox] = Sandbox({"PATH": path})
        self.toolbox = Toolbox([FAMILY], services=services)

    async def __call__(self, name: str, /, **arguments: object) -> Envelope:
        return await self.toolbox.call(name, arguments, Caller(session="s", stateful=True))

    async def works(self, name: str, /, **arguments: object) -> Any:
        answer = await self(name, **arguments)
        assert answer.ok, answer
        return answer

    async def refuses(self, name: str, /, **arguments: object) -> Envelope:
        answer = await self(name, **arguments)
        assert not answer.ok, answer
        return answer

    async def probe(self, query: Query, engine: Engine | None = None) -> Mapping[str, Any]:
        """What one engine finds."""
        probing = Family(name="probing", title="Probing", tools=(tool_over(query, engine),))
        toolbox = Toolbox([probing], services={Workspace: self.workspace})
        answer = await toolbox.call("probe", {}, Caller(session="s"))
        assert answer.ok, answer
        return answer.data

    def write(self, name: str, data: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
