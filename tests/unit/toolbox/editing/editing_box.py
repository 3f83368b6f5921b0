"""A toolbox with one folder to edit in, and the session that counts changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transom.toolbox.access.intents import Intents
from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.editing.counts import EditCounts
from transom.toolbox.families.files import FAMILY
from transom.toolbox.tool import Envelope

__all__ = ["Box", "field"]


class Box:
    """Calls tools that edit, in a folder.

    Args:
        root: the folder; its journal lies beside it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        workspace = Workspace([root], intents=Intents(root.with_name("journal")))
        self.toolbox = Toolbox([FAMILY], services={Workspace: workspace})
        self.caller = Caller(session="s", services={EditCounts: EditCounts()})

    def file(self, content: str | bytes, name: str = "f.txt") -> Path:
        """A file that holds this."""
        path = self.root / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def holds(self, name: str = "f.txt") -> bytes:
        return (self.root / name).read_bytes()

    async def __call__(self, name: str, /, file_name: str | None = "f.txt", **arguments: object) -> Envelope:
        given: dict[str, object] = {} if file_name is None else {"file_name": file_name}
        return await self.toolbox.call(name, {**given, **arguments}, self.caller)

    async def works(self, name: str, /, file_name: str | None = "f.txt", **arguments: object) -> Envelope:
        answer = await self(name, file_name, **arguments)
        assert answer.ok, answer
        return answer

    async def refuses(self, error: str, name: str, /, file_name: str | None = "f.txt", **arguments: object) -> Envelope:
        """A call that is refused, and changes nothing."""
        before = {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}
        answer = await self(name, file_name, **arguments)
        assert answer.error == error, answer
        assert before == {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}
        return answer


def field(answer: Envelope, *path: str | int) -> Any:
    """Something in the structured part of an answer."""
    value: Any = answer.data
    for step in path:
        assert isinstance(value, Mapping | list)
        value = value[step]  # type: ignore[index]
    return value
