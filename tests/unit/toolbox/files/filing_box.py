"""A toolbox with one folder to work in."""

from __future__ import annotations

from pathlib import Path

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.files import FAMILY
from transom.toolbox.tool import Envelope

__all__ = ["Box"]


class Box:
    """Calls file tools in a folder.

    Args:
        root: the folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = Workspace([root])
        self.toolbox = Toolbox([FAMILY], services={Workspace: self.workspace})

    async def __call__(self, name: str, /, **arguments: object) -> Envelope:
        return await self.toolbox.call(name, arguments, Caller(session="s", stateful=True))

    async def once(self, name: str, /, **arguments: object) -> Envelope:
        """A call that belongs to no session."""
        return await self.toolbox.call(name, arguments)

    async def works(self, name: str, /, **arguments: object) -> Envelope:
        answer = await self(name, **arguments)
        assert answer.ok, answer
        return answer

    async def refuses(self, name: str, /, **arguments: object) -> Envelope:
        answer = await self(name, **arguments)
        assert not answer.ok, answer
        assert answer.text.startswith("Error: ")
        return answer

    def write(self, name: str, data: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
