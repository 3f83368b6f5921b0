"""Which project a call belongs to: the one that was named, or else that of the first folder it may work in.

Knows the registry and the workspace, no family. What is remembered in one folder is so kept from the next, without anybody
having to name either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...store.store import Store
from ..tool import Refused, ToolContext
from .workspace import Workspace

if TYPE_CHECKING:
    from ...engine.memory.projects import Projects

__all__ = ["FolderProjects", "project_of"]


class FolderProjects:
    """The projects of callers that name none.

    Args:
        store: where they are registered.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._named = ""

    async def name(self, project: str) -> None:
        """Let every caller that names no project belong to this one, whatever folder it works in; it is registered if need be.

        Raises:
            InputError: it cannot be a project's name.
        """
        from ...engine.memory.projects import Projects

        self._named = (await Projects(self._store).named(project)).id

    async def of(self, context: ToolContext) -> str:
        """The id of the project that a call belongs to; empty where it may work in no folder."""
        if self._named:
            return self._named
        try:
            roots = context.use(Workspace).roots.all
        except Refused:
            return ""
        if not roots:
            return ""
        return (await self._registry(context).of_folder(roots[0].real, roots[0].given)).id

    def _registry(self, context: ToolContext) -> Projects:
        # Most calls remember nothing, and the engine's memory takes a while to load.
        from ...engine.memory.projects import Projects

        return Projects(self._store, clock=context.clock)


async def project_of(context: ToolContext) -> str:
    """The id or name of the project that a call belongs to; empty for none."""
    if context.project:
        return context.project
    try:
        projects = context.use(FolderProjects)
    except Refused:
        return ""
    return await projects.of(context)
