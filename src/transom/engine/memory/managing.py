"""``manage_projects``: the registry of projects as one verb with actions, the shape in which a model is offered it.

Knows the registry; decides nothing that it does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from ...errors import InputError
from .kinds import Action
from .projects import Project, Projects, Removal

__all__ = ["Action", "ProjectAnswer", "manage_projects"]


@dataclass(frozen=True, slots=True)
class ProjectAnswer:
    """What ``manage_projects`` did: the action, the projects it is about, and for a removal what became of the memory."""

    action: Action
    projects: tuple[Project, ...]
    removal: Removal | None = None


async def manage_projects(
    projects: Projects,
    action: str,
    *,
    project: str = "",
    name: str = "",
    id: str = "",  # noqa: A002
    root: str | None = None,
    description: str | None = None,
    query: str = "",
    erase: bool = False,
) -> ProjectAnswer:
    """One verb for the whole registry.

    Args:
        projects: the registry.
        action: list, search (query), get (project), register (name, id, root, description), rename (project, name),
            update (project, root, description), remove (project, erase).
        project: the id or name of the project meant.
        name: the name it gets.
        id: the id it gets, for register.
        root, description: what it gets; what is left out stays.
        query: words to look for.
        erase: remove what is remembered of it too.

    Raises:
        InputError: an unknown action, or one that lacks an argument.
        NotFoundError: the project is not registered.
    """
    match action:
        case "list":
            return ProjectAnswer("list", tuple(await projects.list()))
        case "search":
            return ProjectAnswer("search", await projects.search(_given(query, action, "query")))
        case "get":
            return ProjectAnswer("get", (await projects.get(_given(project or name, action, "project")),))
        case "register":
            made = await projects.register(
                _given(name or project, action, "name"), id=id, root=root or "", description=description or ""
            )
            return ProjectAnswer("register", (made,))
        case "rename":
            renamed = await projects.rename(_given(project, action, "project"), _given(name, action, "name"))
            return ProjectAnswer("rename", (renamed,))
        case "update":
            if root is None and description is None:
                raise InputError("update changes nothing", hint="give root or description; another name is rename")
            changed = await projects.update(_given(project or name, action, "project"), root=root, description=description)
            return ProjectAnswer("update", (changed,))
        case "remove":
            removal = await projects.remove(_given(project or name, action, "project"), erase=erase)
            return ProjectAnswer("remove", (removal.project,), removal)
        case other:
            raise InputError(f"there is no action {other!r}", hint=f"one of {', '.join(get_args(Action))}")


def _given(value: str, action: str, argument: str) -> str:
    if not value.strip():
        raise InputError(f"{action} needs {argument}", hint=f'for example manage_projects(action="{action}", {argument}="…")')
    return value
