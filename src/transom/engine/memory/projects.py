"""The registry of projects: which there are, what they are called, and where what is remembered of each lies.

Knows the store's namespace ``projects``, one entry a project at ``<id>``, and the folders of the other families by name. A
project is registered by being named as new, or for the folder it lies in; who asks for an unknown one is told which are known.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from ...errors import CapabilityError, InputError, JSONError, NotFoundError
from ...jsontext import dumps, loads
from ...store.store import Store

__all__ = ["Kept", "Project", "Projects", "Removal", "check_project", "project_id", "unknown_project"]

NAMESPACE = "projects"

_MOST = 64
"""Characters of an id: it is part of every path of its project, and a path segment has 255 bytes at most."""
_APART = re.compile("-+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """One project of the registry.

    Attributes:
        id: what its memory is filed under; never changes.
        name: what people call it.
        root: the folder it lies in, as it was given; empty if it lies in none. Nothing is looked up there.
        description: what it is about.
        created, updated: unix times in seconds.
        uri: where it is registered.
    """

    id: str
    name: str
    root: str = ""
    description: str = ""
    created: float = 0.0
    updated: float = 0.0
    uri: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """How many entries of a project lie in one folder, by its address as ``transom store ls`` takes it."""

    uri: str
    entries: int


@dataclass(frozen=True, slots=True)
class Removal:
    """What became of a project.

    Attributes:
        project: as it was.
        memory: what is remembered of it, by place; empty if nothing is.
        erased: whether that was deleted with it.
    """

    project: Project
    memory: tuple[Kept, ...]
    erased: bool


def project_id(name: str) -> str:
    """The id that a project of this name gets: its letters and digits in lower case, parted by hyphens, of any script.

    Raises:
        InputError: there is no letter and no digit in it.
    """
    made = _plain(name)[:_MOST].strip("-")
    if not made or len(made.encode("utf-8", "surrogatepass")) > 3 * _MOST:
        raise InputError(
            f"{name!r} gives no id of a project", hint="name it with a few letters or digits, or give an id as well"
        )
    return made


def check_project(project: str) -> str:
    """The id itself.

    Raises:
        InputError: no project can have this id.
    """
    if not project:
        raise InputError("an empty id of a project", hint="manage_projects lists the ids")
    odd = any(not _in_words(char) and char not in ".-_" for char in project)
    if odd or len(project) > _MOST or project.startswith((".", "-", "_")) or project != project.casefold():
        raise InputError(
            f"{project!r} is no id of a project",
            hint=f"lower-case letters, digits, - and . up to {_MOST} characters; manage_projects lists the ids",
        )
    return project


@dataclass(frozen=True, slots=True)
class Projects:
    """The projects of one store.

    Attributes:
        store: where they are kept.
        clock: unix time in seconds.

    A project is named by its id or by its name (case, blanks and hyphens make no difference). Every method raises
    ``StoreError`` when the store fails, and ``NotFoundError`` for a project that is not registered, with the list of those
    that are.
    """

    store: Store
    clock: Callable[[], float] = field(default=time.time, kw_only=True)

    async def list(self) -> list[Project]:
        """All projects, by id."""
        found = await self.store.read_all(NAMESPACE)
        return [self._project(path, entry.data) for path, entry in found.items()]

    async def search(self, query: str) -> tuple[Project, ...]:
        """Projects with any word of a question in id, name, description or root; those with the most of them first."""
        words = {word for word in _plain(query).split("-") if word}
        scored = [
            (sum(word in f"{known.id} {known.name} {known.description} {known.root}".casefold() for word in words), known)
            for known in await self.list()
        ]
        return tuple(known for score, known in sorted(scored, key=lambda pair: -pair[0]) if score)

    async def get(self, project: str) -> Project:
        """The project of that id or name."""
        known = await self.list()
        for candidate in known:
            if candidate.id == project:
                return candidate
        named = [candidate for candidate in known if _same(candidate.name, project) or _same(candidate.id, project)]
        if len(named) == 1:
            return named[0]
        if named:
            ids = ", ".join(candidate.id for candidate in named)
            raise InputError(f"{len(named)} projects are called {project!r}", hint=f"name one by its id: {ids}")
        raise unknown_project(project, known)

    async def register(self, name: str, *, id: str = "", root: str = "", description: str = "") -> Project:  # noqa: A002
        """Add a project.

        Args:
            name: what people call it.
            id: what its memory is filed under; made from the name by default.
            root: the folder it lies in.
            description: what it is about.

        Raises:
            InputError: the id or the name is taken, or cannot be one.
        """
        name = _name(name)
        wanted = check_project(id) if id else project_id(name)
        for known in await self.list():
            if known.id == wanted or _same(known.name, name) or _same(known.id, name):
                raise _taken(known)
        now = self.clock()
        project = Project(
            id=wanted,
            name=name,
            root=root.strip(),
            description=description.strip(),
            created=now,
            updated=now,
            uri=self._uri(wanted),
        )
        if not await self._write_new(project):
            raise _taken(await self.get(wanted))
        return project

    async def named(self, name: str) -> Project:
        """The project of that id or name, registered if it is not.

        Raises:
            InputError: it cannot be a project's name.
        """
        with contextlib.suppress(NotFoundError):
            return await self.get(name)
        try:
            return await self.register(name)
        except InputError:
            # Another process may have registered it meanwhile.
            with contextlib.suppress(NotFoundError):
                return await self.get(name)
            raise

    async def of_folder(self, root: str, *also: str) -> Project:
        """The project that lies in a folder, registered under the folder's name if there is none.

        Args:
            root: the folder's absolute path. Where its name is taken by another folder's project, some letters of a digest of
                the path stand behind it.
            also: other paths of the same folder.
        """
        if (found := await self._in_folder({root, *also})) is not None:
            return found
        name = PurePath(root).name[:150]
        digest = hashlib.sha256(root.encode("utf-8", "surrogatepass")).hexdigest()
        for wanted in (name, f"{name} {digest[:6]}", f"folder {digest[:16]}"):
            # Taken, or no name of a project: the next one. Whoever took it may have meant the same folder.
            with contextlib.suppress(InputError):
                return await self.register(wanted, root=root)
            if (found := await self._in_folder({root, *also})) is not None:
                return found
        return await self.get(f"folder {digest[:16]}")

    async def _in_folder(self, paths: set[str]) -> Project | None:
        return next((known for known in await self.list() if known.root in paths), None)

    async def rename(self, project: str, name: str) -> Project:
        """Give a project another name. Its id stays, and with it what is remembered of it.

        Raises:
            InputError: another project is called so.
        """
        name = _name(name)
        old = await self.get(project)
        for known in await self.list():
            if known.id != old.id and (_same(known.name, name) or _same(known.id, name)):
                raise _taken(known)
        return await self._change(old, name=name)

    async def update(self, project: str, *, root: str | None = None, description: str | None = None) -> Project:
        """Change root or description; what is ``None`` stays."""
        old = await self.get(project)
        return await self._change(
            old,
            root=old.root if root is None else root.strip(),
            description=old.description if description is None else description.strip(),
        )

    async def remove(self, project: str, *, erase: bool = False) -> Removal:
        """Take a project out of the registry.

        Args:
            project: its id or name.
            erase: delete what is remembered of it as well: facts, entries, sessions, plans. Otherwise all of it stays where it
                is, and is there again when a project of the same id is registered.
        """
        old = await self.get(project)
        memory = await self.memory_of(old.id)
        if erase:
            for namespace, folder in _folders(old.id):
                for path in await self.store.list(namespace, folder):
                    await self.store.delete(namespace, path)
        await self.store.delete(NAMESPACE, old.id)
        return Removal(old, memory, erase)

    async def memory_of(self, project: str) -> tuple[Kept, ...]:
        """Where what is remembered of a project lies, and how much it is."""
        found = []
        for namespace, folder in _folders(check_project(project)):
            count = len(await self.store.list(namespace, folder))
            if count:
                found.append(Kept(f"{self.store.uri(namespace, folder[:-1])}/", count))
        return tuple(found)

    def _uri(self, project: str) -> str:
        return self.store.uri(NAMESPACE, project)

    def _project(self, path: str, data: bytes) -> Project:
        try:
            body = loads(data)
        except JSONError:
            body = None
        values: Mapping[str, object] = body if isinstance(body, Mapping) else {}
        text = {key: value for key, value in values.items() if isinstance(value, str)}
        times = {key: float(value) for key, value in values.items() if isinstance(value, int | float)}
        return Project(
            id=path,
            name=text.get("name", path),
            root=text.get("root", ""),
            description=text.get("description", ""),
            created=times.get("created", 0.0),
            updated=times.get("updated", 0.0),
            uri=self._uri(path),
        )

    async def _change(self, old: Project, **changes: str) -> Project:
        values = {"name": old.name, "root": old.root, "description": old.description} | changes
        changed = Project(id=old.id, created=old.created, updated=self.clock(), uri=old.uri, **values)
        data, text = _stored(changed)
        await self.store.put(NAMESPACE, data, path=changed.id, text=text, sync=True)
        return changed

    async def _write_new(self, project: Project) -> bool:
        data, text = _stored(project)
        try:
            return await self.store.put_if_absent(NAMESPACE, project.id, data, text=text) is None
        except CapabilityError:
            await self.store.put(NAMESPACE, data, path=project.id, text=text)
            return True


def unknown_project(project: str, known: list[Project]) -> NotFoundError:
    """The refusal of a project that is not registered: it names those that are, and how one is registered."""
    listed = ", ".join(candidate.id for candidate in known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    have = f"registered are {listed}" if known else "none is registered"
    return NotFoundError(
        f"no project {project!r} is registered", hint=f'{have}; manage_projects(action="register", name=…) adds one'
    )


def _folders(project: str) -> tuple[tuple[str, str], ...]:
    """Where the families keep what belongs to a project: namespace and prefix."""
    return (
        ("memory", f"projects/{project}/"),
        ("memory", f"entries/project/{project}/"),
        ("sessions", f"{project}/"),
        ("plans", f"{project}/"),
    )


def _stored(project: Project) -> tuple[bytes, str]:
    body = {
        "name": project.name,
        "root": project.root,
        "description": project.description,
        "created": project.created,
        "updated": project.updated,
    }
    return dumps(body), "\n".join(filter(None, (project.id, project.name, project.description, project.root)))


def _taken(known: Project) -> InputError:
    return InputError(
        f"there is a project {known.id} already, called {known.name!r}", hint="use it, or choose another name and id"
    )


def _name(name: str) -> str:
    line = " ".join(name.split())
    if not line or len(line) > 200:
        raise InputError(
            f"a project's name has 1 to 200 characters, not {len(line)}", hint="a few words; the rest is description"
        )
    return line


def _same(one: str, other: str) -> bool:
    """Whether two names are the same but for case, blanks, hyphens and underscores."""
    return (_plain(one) or one) == (_plain(other) or other)


def _plain(name: str) -> str:
    """The words of a name in lower case, parted by hyphens; empty where it has none."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _APART.sub("-", "".join(char if _in_words(char) else "-" for char in folded)).strip("-")


def _in_words(char: str) -> bool:
    """Letters and digits of any script, and the marks that some write their vowels with."""
    return char.isalnum() or unicodedata.category(char).startswith("M")
