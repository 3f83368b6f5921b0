"""The project whose memory a command works on: the option that names it, and its memory, opened for the length of the work.

Naming a project registers none: one that is unknown is refused with those that are known.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated, TypeVar

from cyclopts import Parameter

from ..engine.memory.projects import Projects
from ..engine.memory.switching import MemoryScope, open_memory
from ..errors import NotFoundError
from ..store.store import Store
from .opened import with_store

__all__ = ["Project", "moment", "with_memory"]

T = TypeVar("T")

Project = Annotated[str, Parameter(name="--project", help="The project meant, by id or name; none if left out.")]


def with_memory(path: str | None, project: str, work: Callable[[MemoryScope], Awaitable[T]], *, create: bool = False) -> T:
    """Open the memory of a project, or of none, work with it, close its store.

    Args:
        path: what ``--store`` says; ``None`` leaves it to the setting.
        project: what ``--project`` says.
        work: gets the memory.
        create: make a store where there is none.

    Raises:
        NotFoundError: the project is not registered.
    """

    async def opened(store: Store) -> T:
        try:
            memory = await open_memory(store, project)
        except NotFoundError as error:
            known = ", ".join(each.id for each in await Projects(store).list())
            have = f"registered are {known}" if known else "none is"
            raise NotFoundError(error.message, hint=f"{have}; transom memory register NAME adds one") from None
        return await work(memory)

    return with_store(path, None, opened, create=create)


def moment(time: float) -> str:
    """A unix time as people and programs read it, in UTC; empty where it is not known."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S") if time else ""
