"""Takes what an importer found into a store, once: what is there already stays as it is.

Knows memory, sessions, projects and the store; no format of another system. Everything is filed under a name that follows from
what it was called or from its bytes, put if absent: whoever is stopped in the middle goes on by starting again.

What was offloaded is cited by nobody here, so that a note beside it says what each text was called and where it is now. That
keeps it from being collected, and lets an old address be looked up. Such notes lie at ``notes/imports/<system>/``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath, PureWindowsPath

from ..engine.memory.entries import Entries
from ..engine.memory.entry import Entry
from ..engine.memory.fact import Fact
from ..engine.memory.facts import Facts
from ..engine.memory.origin import Origin, origin_meta
from ..engine.memory.projects import Project, Projects
from ..engine.memory.sessions import OF_NO_PROJECT, Sessions
from ..engine.memory.stored import MAX_BYTES
from ..engine.memory.summaries import Session
from ..errors import InputError, IntegrityError
from ..store.archive import archive_lines
from ..store.backend import Write
from ..store.blobs import blob_text, blob_uri, blob_write, encode_text
from ..store.store import Store
from ..store.uri import check_path, format_uri
from .findings import Archive, Found, Left, Note, Text
from .report import Report, Taken
from .values import digest

__all__ = ["Taking"]

_BATCH = 64
_BATCH_BYTES = 8 * 1024 * 1024


@dataclass(slots=True)
class _Batch:
    """Texts and archives that wait to be stored together."""

    writes: list[Write] = field(default_factory=list)
    taken: list[tuple[int, Taken]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    bytes: int = 0


class Taking:
    """One import into one store.

    Args:
        store: where to; ``None`` where there is none yet and nothing is to be written.
        report: what became of each thing is added here.
        project: id of the project that what is not somebody's is filed for; empty for everybody.
        dry_run: look only.
    """

    def __init__(self, store: Store | None, report: Report, *, project: str = "", dry_run: bool = False) -> None:
        self.project = project
        self._store = store
        self._report = report
        self._dry = dry_run or store is None
        self._roots: dict[str, str] | None = None
        self._met: set[str] = set()
        self._summaries: set[str] = set()
        self._sessions: dict[str, str] = {}
        self._batch = _Batch()
        self._noted: dict[str, set[str]] = {}

    async def take(self, found: Found) -> None:
        """Take one thing, or wait with it for others; ``finish`` stores what waits."""
        match found.thing:
            case Fact() as fact:
                await self._fact(fact, found)
            case Entry() as entry:
                await self._entry(entry, found)
            case Session() as session:
                await self._session(session, found)
            case Project() as project:
                await self._project(project, found)
            case Note() as note:
                await self._note(note, found)
            case Text() | Archive() as left:
                await self._blob(left, found)

    async def finish(self) -> None:
        """Store what waits."""
        batch, self._batch = self._batch, _Batch()
        if not batch.writes:
            return
        assert self._store is not None
        writes = batch.writes
        if batch.lines:
            text = "\n".join(batch.lines) + "\n"
            path = f"imports/{batch.taken[0][1].origin.importer}/{digest(text)}"
            writes = [*writes, Write("notes", path, encode_text(text), text=text, if_absent=True)]
        stored = await self._store.commit(writes)
        for place, taken in batch.taken:
            self._report.add(replace(taken, fresh=stored[place]))

    # ── memory ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _fact(self, fact: Fact, found: Found) -> None:
        project, remarks = await self._whose(found)
        fact = replace(fact, project=project)
        if await self._too_long(fact.value, f"facts/{fact.key}", found):
            return
        there = await self._store.read("memory", fact.path) if self._store is not None else None
        if there is not None and there.data != encode_text(fact.value):
            self._report.leave(Left(found.origin, f"a fact {fact.key!r} is here already, and says something else", fault=False))
            return
        fresh = there is None and not self._again(fact.uri)
        if fresh and not self._dry:
            assert self._store is not None
            fresh = await Facts(self._store, project=project).put_back(fact)
        self._told("fact", fact.uri, found, fresh, remarks)

    async def _entry(self, entry: Entry, found: Found) -> None:
        project, remarks = await self._whose(found)
        entry = replace(entry, scope="project" if project else "global", owner=project)
        if await self._too_long(entry.content, f"entries/{entry.id}", found):
            return
        there = await self._store.read("memory", entry.path) if self._store is not None else None
        if there is not None and there.data != encode_text(entry.content):
            # Two files of one system may hold different states of one entry: both are kept.
            entry = replace(entry, id=f"{entry.id[:200]}-{digest(entry.content, 8)}")
            remarks = (*remarks, "another state of it is here under its own id")
            there = await self._store.read("memory", entry.path) if self._store is not None else None
        fresh = there is None and not self._again(entry.uri)
        if fresh and not self._dry:
            assert self._store is not None
            fresh = await Entries(self._store, project=project).put_back(entry)
        self._told("entry", entry.uri, found, fresh, remarks)

    async def _session(self, session: Session, found: Found) -> None:
        address = self._session_address(session)
        if session.summary in self._summaries and address not in self._met:
            self._report.leave(Left(found.origin, "the summary of that session, which is taken, says it too", fault=False))
            return
        remarks = found.remarks
        if await self._says_otherwise(session, address):
            session = replace(session, id=f"{session.id[:200]}-{digest(session.summary, 8)}")
            address = self._session_address(session)
            remarks = (*remarks, "another summary is here under its own id")
        self._sessions[address] = session.summary
        # A line of an index repeats what the summary of the same session begins with.
        self._summaries |= {session.summary, session.summary.partition("\n\n")[0]}
        fresh = not await self._has(address)
        if fresh and not self._dry:
            assert self._store is not None
            try:
                fresh = await Sessions(self._store, project=self.project).put_back(session)
            except InputError as error:
                self._report.leave(Left(found.origin, error.message))
                return
        self._told("session", address, found, fresh, remarks)

    def _session_address(self, session: Session) -> str:
        return format_uri("sessions", f"{self.project or OF_NO_PROJECT}/{session.id}")

    async def _says_otherwise(self, session: Session, address: str) -> bool:
        """Whether another summary is, or is about to be, at an address."""
        if address not in self._sessions and self._store is not None and await self._store.exists(address):
            try:
                self._sessions[address] = (await Sessions(self._store, project=self.project).get(session.id)).summary
            except IntegrityError:
                self._sessions[address] = ""
        return self._sessions.get(address, session.summary) != session.summary

    async def _project(self, project: Project, found: Found) -> None:
        roots = await self._known_roots()
        if project.root and project.root in roots:
            self._told("project", format_uri("projects", roots[project.root]) if roots[project.root] else "", found, False, ())
            return
        if self._store is None or self._dry:
            roots[project.root] = ""
            self._told("project", "", found, True, ())
            return
        projects = Projects(self._store, clock=lambda: project.created or 0.0)
        parent = (PureWindowsPath(project.root) if "\\" in project.root else PurePath(project.root)).parent.name
        names = [project.name, *([f"{project.name} ({parent})"] if parent else [])]
        reason = ""
        for name in names:
            try:
                made = await projects.register(name, root=project.root, description=project.description)
            except InputError as error:
                reason = error.message
                continue
            roots[project.root] = made.id
            remarks = () if name == project.name else (f"another project has its name; it is called {name!r}",)
            self._told("project", made.uri, found, True, remarks)
            return
        self._report.leave(Left(found.origin, reason, fault=False))

    async def _whose(self, found: Found) -> tuple[str, tuple[str, ...]]:
        """The project that something is filed for, and what is to be said of that."""
        if not found.root or self.project:
            return self.project, found.remarks
        roots = await self._known_roots()
        if found.root in roots:
            return roots[found.root], found.remarks
        # What was of one project is never seen in another: it gets a project of its own, and the report says so.
        remarks = (*found.remarks, f"it was of the project at {found.root}, which was not registered and now is")
        roots[found.root] = "" if self._store is None or self._dry else await self._registered(found.root)
        return roots[found.root], remarks

    async def _registered(self, root: str) -> str:
        """A new project for a folder, called after it; its id."""
        assert self._store is not None
        folder = (PureWindowsPath(root) if "\\" in root else PurePath(root)).name or "imported"
        projects = Projects(self._store)
        for name in (folder[:150], f"{folder[:150]} {digest(root, 8)}", f"imported {digest(root, 8)}"):
            try:
                return (await projects.register(name, root=root)).id
            except InputError:
                continue
        raise InputError(f"no project can be registered for {root}", hint="import with --project")

    async def _known_roots(self) -> dict[str, str]:
        if self._roots is None:
            listed = await Projects(self._store).list() if self._store is not None else []
            self._roots = {project.root: project.id for project in listed if project.root}
        return self._roots

    # ── texts ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _too_long(self, text: str, name: str, found: Found) -> bool:
        """Whether a text is too long for memory; it is kept as a note then."""
        size = len(encode_text(text)) if len(text) * 4 > MAX_BYTES else 0
        if size <= MAX_BYTES:
            return False
        remark = f"{size:,} bytes are too many for memory, so that it is a note"
        note = Note(f"imported/{name}", text)
        await self._note(note, replace(found, thing=note, remarks=(*found.remarks, remark)))
        return True

    async def _note(self, note: Note, found: Found) -> None:
        path = note.path
        try:
            check_path(path)
        except InputError as error:
            self._report.leave(Left(found.origin, error.message))
            return
        data, remarks = encode_text(note.text), found.remarks
        if self._store is not None:
            there = await self._store.read("notes", path)
            if there is not None and there.data != data:
                path = f"imported/{digest(note.text, 8)}/{path}"
                remarks = (*remarks, f"another note has its name; it is called {path}")
        address = format_uri("notes", path)
        fresh = not await self._has(address)
        if fresh and not self._dry:
            assert self._store is not None
            write = Write("notes", path, data, origin_meta(found.origin), text=note.text, if_absent=True)
            fresh = (await self._store.commit([write]))[0]
        self._told("note", address, found, fresh, remarks)

    async def _blob(self, left: Text | Archive, found: Found) -> None:
        meta = origin_meta(found.origin)
        if isinstance(left, Text):
            address, kind = blob_uri(left.data), "text"
            writes: Sequence[Write] = [blob_write(left.data, _readable(left.data), meta=meta)]
        else:
            blobs, data = archive_lines(left.lines)
            path = hashlib.sha256(b"\n".join(left.lines)).hexdigest()[:32]
            address, kind = f"context://archive/{path}", "archive"
            meta = {"messages": len(left.lines), **meta}
            writes = [*blobs, Write("archive", path, data, meta, if_absent=True)]
        if self._dry:
            self._told(kind, address, found, not await self._has(address), found.remarks)
            return
        batch = self._batch
        batch.writes += writes
        batch.bytes += sum(len(write.data) for write in writes)
        batch.taken.append((len(batch.writes) - 1, Taken(kind, found.origin, address, remarks=found.remarks)))
        line = f"{found.origin.id.rpartition('/')[2]}: {address}"
        if line not in await self._notes_of(found.origin):
            batch.lines.append(line)
            self._noted[found.origin.importer].add(line)
        if len(batch.writes) >= _BATCH or batch.bytes >= _BATCH_BYTES:
            await self.finish()

    async def _notes_of(self, origin: Origin) -> set[str]:
        """The lines of all notes on what was brought from a system."""
        known = self._noted.get(origin.importer)
        if known is None:
            assert self._store is not None
            known = self._noted[origin.importer] = set()
            async for _, entry in self._store.entries("notes", f"imports/{origin.importer}/"):
                known.update(blob_text(entry.data).splitlines())
        return known

    async def _has(self, address: str) -> bool:
        return self._again(address) or (self._store is not None and await self._store.exists(address))

    def _again(self, address: str) -> bool:
        """Whether this import met an address before."""
        if address in self._met:
            return True
        self._met.add(address)
        return False

    def _told(self, kind: str, address: str, found: Found, fresh: bool, remarks: tuple[str, ...]) -> None:
        self._report.add(Taken(kind, found.origin, address, fresh=fresh, remarks=remarks))


def _readable(data: bytes) -> str | None:
    try:
        return blob_text(data)
    except UnicodeDecodeError:
        return None
