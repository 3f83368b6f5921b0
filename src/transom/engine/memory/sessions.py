"""What a session leaves for the next one: its summary, what was decided, what is still to do.

Knows the store's namespace ``sessions``, no model and no conversation: who writes the summary is the caller's business. A
summary lies at ``<project>/<id>``, those of no project at ``_/<id>``. Lookups are local first: a project sees its own sessions,
and those of no project where it has none of its own or where they are asked for; never another project's.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...errors import CapabilityError, InputError, NotFoundError, URIError
from ...store.backend import StoredEntry
from ...store.store import Store
from ...store.uri import check_path, parse_uri
from .kinds import Where
from .projects import check_project
from .summaries import Session, SessionInfo, draft, info_of, packed, session_of

__all__ = ["OF_NO_PROJECT", "FoundSession", "Sessions", "Where", "new_session_id"]

NAMESPACE = "sessions"
OF_NO_PROJECT = "_"
"""The folder of sessions that belong to no project; no project can be called so."""


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session that a search found, how well it matches (comparable within one search only), and a verbatim excerpt."""

    session: SessionInfo
    score: float
    snippet: str


def new_session_id() -> str:
    """An id that no other session has."""
    return uuid.uuid4().hex[:16]


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of one project, or of none.

    Attributes:
        store: where they are kept.
        project: its id in the registry; empty for none. Whether it is registered is not asked here (see ``switch_context``).
        clock: unix time in seconds.
        ids: makes the ids of sessions that are saved without one.

    Every method raises ``StoreError`` when the store fails.
    """

    store: Store
    project: str = field(default="", kw_only=True)
    clock: Callable[[], float] = field(default=time.time, kw_only=True)
    ids: Callable[[], str] = field(default=new_session_id, kw_only=True)

    def __post_init__(self) -> None:
        if self.project:
            check_project(self.project)

    def uri(self, session_id: str) -> str:
        """The address of one of the project's own sessions, whether there is one or not."""
        return self.store.uri(NAMESPACE, self._path(session_id))

    async def save(
        self,
        summary: str,
        *,
        title: str = "",
        tags: Iterable[str] = (),
        session_id: str | None = None,
        files: Iterable[str] = (),
        decisions: Iterable[str] = (),
        next_steps: Iterable[str] = (),
    ) -> str:
        """Keep a session, or replace what was kept of it.

        Args:
            summary: the text, of any length up to 16 MiB.
            title: one line; the summary's first line by default.
            tags: for lists and search.
            session_id: which session; a new one by default. Saving under an id again replaces its summary and keeps the time
                of the first.
            files, decisions, next_steps: one line each. A next step that begins with ``[x]`` is done.

        Returns:
            The session's id.

        Raises:
            InputError: an empty summary, one that is too large, or an id that is no name.
        """
        now = self.clock()
        body = draft(summary, title=title, saved=now, tags=tags, decisions=decisions, next_steps=next_steps, files=files)
        if session_id is not None:
            path = self._path(session_id)
            old = await self.store.read(NAMESPACE, path)
            await self._write(path, body, created=(self._info(path, old).created if old is not None else 0.0) or now)
            return session_id
        while True:
            session_id = self.ids()
            if await self._write_new(self._path(session_id), body, created=now):
                return session_id

    async def put_back(self, session: Session) -> bool:
        """Keep a session as it was, with its times, unless one of its id is kept; whether it was. For copies and imports.

        Raises:
            InputError: an empty summary, one that is too large, or an id that is no name.
        """
        body = draft(
            session.summary,
            title=session.title,
            saved=session.saved,
            origin=session.origin,
            tags=session.tags,
            decisions=session.decisions,
            next_steps=session.next_steps,
            files=session.files,
        )
        return await self._write_new(self._path(session.id), body, created=session.created or session.saved)

    async def get(self, session_id: str | None = None) -> Session:
        """One session: the one of that id, or the one saved last.

        The project's own come first; one of no project is taken where the project has none (of that id).

        Raises:
            NotFoundError: there is none.
            IntegrityError: what is stored there cannot be read.
        """
        if session_id is None:
            known = [info for info in await self.list(limit=None) if not info.damaged]
            if not known:
                raise NotFoundError(f"no session is saved{self._here}", hint="one has to be saved first")
            return await self._read(parse_uri(known[0].uri).path)
        for folder in self._folders:
            path = self._path(session_id, folder)
            if await self.store.exists(self.store.uri(NAMESPACE, path)):
                return await self._read(path)
        raise NotFoundError(
            f"no session {session_id!r}{self._here}",
            hint="the list of sessions names them; to see those of another project, switch to it",
        )

    async def list(self, limit: int | None = 20, *, where: Where = "project", tag: str = "") -> list[SessionInfo]:
        """Sessions, the one saved last first.

        Args:
            limit: how many at most; ``None`` for all.
            where: whose; see ``Where``.
            tag: only those that carry it.
        """
        if limit is not None and limit < 1:
            raise InputError(f"limit {limit} asks for nothing", hint="1 or more")
        found: list[SessionInfo] = []
        for folder in self._folders_of(where):
            entries = await self.store.read_all(NAMESPACE, f"{folder}/")
            infos = [self._info(path, entry) for path, entry in entries.items()]
            found += [info for info in infos if not tag or tag in info.tags]
            if found and where == "project":
                break
        found.sort(key=lambda info: (info.saved, info.id), reverse=True)
        return found[:limit]

    async def search(self, query: str, limit: int = 10, *, where: Where = "project") -> Sequence[FoundSession]:
        """Sessions by the words in them, the best match first; with ``where="all"`` the project's own before the others.

        Args:
            query: as ``Store.search`` takes it.
            limit: how many at most.
            where: whose; see ``Where``.
        """
        if limit < 1:
            raise InputError(f"limit {limit} asks for nothing", hint="1 or more")
        folders = self._folders_of(where)
        enough = len(folders) == 1 or where == "all"
        asked = max(limit * 4, 32)
        while True:
            hits = await self.store.search(query, (NAMESPACE,), asked)
            by_folder = {
                folder: [hit for hit in hits if parse_uri(hit.uri).path.startswith(f"{folder}/")] for folder in folders
            }
            wanted = sum(map(len, by_folder.values())) if enough else len(by_folder[folders[0]])
            # Other projects' sessions take places in the answer too: ask for more until ours are among them.
            if wanted >= limit or len(hits) < asked:
                break
            asked *= 4
        found: list[FoundSession] = []
        for folder in folders:
            for hit in by_folder[folder][: limit - len(found)]:
                path = parse_uri(hit.uri).path
                entry = (await self.store.read_all(NAMESPACE, path)).get(path)
                if entry is not None:
                    found.append(FoundSession(self._info(path, entry), hit.score, hit.snippet))
            if len(found) >= limit or (found and where == "project"):
                break
        return found

    async def delete(self, session_id: str) -> bool:
        """Forget one of the project's own sessions; whether there was one. Never touches those of no project from a project."""
        return await self.store.delete(NAMESPACE, self._path(session_id))

    async def clear(self) -> int:
        """Forget all of the project's own sessions; how many."""
        paths = await self.store.list(NAMESPACE, f"{self._folder}/")
        return sum([await self.store.delete(NAMESPACE, path) for path in paths])

    # ── what lies where ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _folder(self) -> str:
        return self.project or OF_NO_PROJECT

    @property
    def _folders(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self._folder, OF_NO_PROJECT)))

    @property
    def _here(self) -> str:
        return f" in project {self.project}" if self.project else ""

    def _folders_of(self, where: Where) -> tuple[str, ...]:
        match where:
            case "project" | "all":
                return self._folders
            case "global":
                return (OF_NO_PROJECT,)
            case other:
                raise InputError(f"where cannot be {other!r}", hint="project, global or all")

    def _path(self, session_id: str, folder: str = "") -> str:
        if "/" in session_id:
            raise InputError(f"{session_id!r} is no id of a session", hint="the list of sessions names them")
        try:
            return check_path(f"{folder or self._folder}/{session_id}")
        except URIError as error:
            raise InputError(f"{session_id!r} is no id of a session: {error.message}", hint=error.hint) from None

    async def _write(self, path: str, body: Mapping[str, object], *, created: float) -> None:
        data, meta, text = packed(body, created)
        await self.store.put(NAMESPACE, data, path=path, meta=meta, text=text, sync=True)

    async def _write_new(self, path: str, body: Mapping[str, object], *, created: float) -> bool:
        data, meta, text = packed(body, created)
        try:
            return await self.store.put_if_absent(NAMESPACE, path, data, meta, text=text) is None
        except CapabilityError:
            if await self.store.exists(self.store.uri(NAMESPACE, path)):
                return False
            await self.store.put(NAMESPACE, data, path=path, meta=meta, text=text)
            return True

    async def _read(self, path: str) -> Session:
        entry = await self.store.read(NAMESPACE, path)
        if entry is None:
            raise NotFoundError(f"session {path.partition('/')[2]!r} is gone", hint="it was deleted just now")
        return session_of(entry, **self._named(path))

    def _info(self, path: str, entry: StoredEntry) -> SessionInfo:
        return info_of(entry, **self._named(path))

    def _named(self, path: str) -> dict[str, str]:
        folder, _, name = path.partition("/")
        return {"id": name, "project": "" if folder == OF_NO_PROJECT else folder, "uri": self.store.uri(NAMESPACE, path)}
