"""Reads what AI Toolbox, the plugin for LM Studio, left: ``.session_context`` and ``.ai_toolbox/compaction``.

Two families share one file, ``.ai_toolbox_memory.msgpack``: context entries ``{id, type, title, content, tags, timestamp, …}``
and state records ``{key, value, timestamp}``, of which ``memory_<time>`` are facts and ``session_summary…`` summaries. Older
versions wrote entries to ``.ai_toolbox_context.msgpack`` and put both files into the working directory itself. Times are
milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath, PureWindowsPath

from ..engine.memory.entry import ENTRY_TYPES, Entry, EntryType, title_of
from ..engine.memory.fact import Fact
from ..engine.memory.origin import Origin
from ..engine.memory.projects import Project
from ..errors import InputError, JSONError
from ..jsontext import loads
from ..store.blobs import blob_digest
from ..vocabulary.placing import CONFIDENCES, Confidence
from .findings import Finding, Found, Left, Text
from .msgpack import Damaged, Oversized, Value, records
from .session_summaries import is_packed_text, session_of
from .source import Refused, Source
from .values import day, moment, name_of, number, object_of, text_of, texts

__all__ = ["NAME", "read_toolbox"]

NAME = "ai-toolbox"

_FOLDER = ".session_context"
_STORES = (".ai_toolbox_memory.msgpack", ".ai_toolbox_context.msgpack")
_BACKUP, _UNFINISHED = ".backup.json", ".tmp"
_REGISTRY, _INDEX = "project_registry.json", "sessions.json"
_PAYLOADS = (".ai_toolbox/compaction", "compaction")
_PAYLOAD = re.compile(r"[0-9a-f]{64}\.payload")
_WITHIN = re.compile(r"[\\/]+\.session_context([\\/].*)?$")
_TYPES: Mapping[str, EntryType] = {name: name for name in ENTRY_TYPES}
_SURE: Mapping[str, Confidence] = {name: name for name in CONFIDENCES}


def read_toolbox(source: Source, now: float) -> Iterator[Finding]:
    """Everything of AI Toolbox in a source, the registry of projects first; nothing where it left nothing here.

    Args:
        source: a working directory, the plugin's folder, ``.session_context`` itself, or one file of these.
        now: unix time in seconds; what was to last until then has ended.
    """
    if source.only:
        yield from _one(source, source.only, now)
        return
    folders = [folder for folder in (_FOLDER, "") if _is_ours(source, folder)]
    for folder in folders:
        yield from _if_there(source, _in(folder, _REGISTRY), _projects)
    for folder in folders:
        for name in _STORES:
            yield from _store(source, _in(folder, name), now)
    for folder in folders:
        yield from _if_there(source, _in(folder, _INDEX), _sessions)
    for folder in (*_PAYLOADS, ""):
        for name in source.names(folder):
            if _PAYLOAD.fullmatch(name):
                yield _payload(source, _in(folder, name))
    if _FOLDER in folders:
        yield from _rest(source, _FOLDER)


def _is_ours(source: Source, folder: str) -> bool:
    if folder or source.root.name == _FOLDER:
        return bool(source.names(folder))
    names = source.names()
    return _REGISTRY in names or any(name.startswith(_STORES) for name in names)


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _one(source: Source, name: str, now: float) -> Iterator[Finding]:
    if name.endswith((".msgpack", f".msgpack{_UNFINISHED}")):
        yield from _records(source, name, now)
    elif name.endswith(f".msgpack{_BACKUP}"):
        yield from _copy(source, name, now)
    elif name == _REGISTRY:
        yield from _if_there(source, name, _projects)
    elif name == _INDEX:
        yield from _if_there(source, name, _sessions)
    elif _PAYLOAD.fullmatch(name):
        yield _payload(source, name)


def _rest(source: Source, folder: str) -> Iterator[Left]:
    known = {_REGISTRY, _INDEX} | {f"{name}{end}" for name in _STORES for end in ("", _BACKUP, _UNFINISHED)}
    for name in source.names(folder):
        if name not in known:
            yield Left(Origin(NAME, _in(folder, name)), "no file of memory", fault=False)


# ── the two families ───────────────────────────────────────────────────────────────────────────────────────────────────


def _store(source: Source, path: str, now: float) -> Iterator[Finding]:
    """One file of records; where it is damaged or gone, the copies beside it as well."""
    whole = source.has(path)
    if whole:
        for finding in _records(source, path, now):
            # What breaks off, or cannot be opened at all, is about the file and not about a record of it.
            whole = whole and not (isinstance(finding, Left) and finding.fault and not finding.origin.id)
            yield finding
    for copy, read in ((path + _BACKUP, _copy), (path + _UNFINISHED, _records)):
        if not source.has(copy):
            continue
        if whole:
            yield Left(Origin(NAME, copy), f"a copy of {path}, which was read", fault=False)
        else:
            yield from read(source, copy, now)


def _records(source: Source, path: str, now: float) -> Iterator[Finding]:
    where = Origin(NAME, path)
    written = source.modified(path)
    try:
        file = source.open(path)
    except Refused as error:
        yield Left(where, error.message)
        return
    with file:
        if file.read(1) in {b"[", b"{"}:
            # One version wrote JSON under this name. As MessagePack it would begin with a lone number.
            yield from _copy(source, path, now)
            return
        file.seek(0)
        for place, record in enumerate(records(file)):
            match record:
                case Value(value):
                    yield from _record(value, place, where, written, now)
                case Oversized(size):
                    yield Left(Origin(NAME, path, f"record {place}"), f"a record of {size:,} bytes")
                case Damaged(reason, before):
                    yield Left(where, f"{reason}, after {before:,} whole records")


def _copy(source: Source, path: str, now: float) -> Iterator[Finding]:
    where = Origin(NAME, path)
    try:
        listed = loads(source.read(path))
    except (Refused, JSONError) as error:
        yield Left(where, error.message)
        return
    if not isinstance(listed, list):
        yield Left(where, "it is no list of records")
        return
    for place, record in enumerate(listed):
        yield from _record(record, place, where, source.modified(path), now)


def _record(value: object, place: int, file: Origin, written: float, now: float) -> Iterator[Finding]:
    if isinstance(value, Mapping):
        name = value.get("key")
        if isinstance(name, str) and "value" in value:
            yield from _state(name, value, Origin(NAME, file.file, name or f"record {place}"), written)
            return
        name = value.get("id")
        if isinstance(name, str) and (value.get("content") or value.get("title")):
            origin = Origin(NAME, file.file, name or f"record {place}")
            if name.startswith("session_summary"):
                yield session_of(name, value.get("content"), moment(value.get("timestamp")) or written, origin)
            else:
                yield _entry(value, origin, written, now)
            return
    yield Left(Origin(NAME, file.file, f"record {place}"), "neither an entry nor a state record")


def _entry(record: Mapping[str, object], origin: Origin, written: float, now: float) -> Finding:
    remarks = []
    created = moment(record.get("timestamp")) or written
    title = " ".join(text_of(record.get("title")).split())
    content = text_of(record.get("content"))
    if not content.strip():
        content = title
    if not content:
        return Left(origin, "it says nothing", fault=False)
    ends = None
    if record.get("scope") == "session":
        lasts = number(record.get("ttl_ms"))
        ends = created + (lasts / 1000 if lasts is not None else 86_400)
        if ends <= now:
            return Left(origin, f"its session is over: it was to last until {day(ends)}", fault=False)
        remarks.append("kept until its time is over; its session is not there any more")
    tags = [*texts(record.get("tags"))]
    named = text_of(record.get("type"))
    kind = _TYPES.get(named)
    if kind is None and named:
        remarks.append(f"its type {named!r} is kept as a tag")
        tags.append(named)
    identifier = name_of(origin.id, "ctx_")
    if identifier != origin.id:
        remarks.append("its id could not stay")
    entry = Entry(
        id=identifier,
        content=content,
        title=title or title_of(content),
        type=kind or "summary",
        tags=tuple(dict.fromkeys(filter(None, (" ".join(tag.split()) for tag in tags)))),
        confidence=_SURE.get(text_of(record.get("confidence")).lower(), "extracted"),
        created=created,
        expires_at=ends,
        origin=origin,
    )
    root = _WITHIN.sub("", text_of(record.get("project_path"))).rstrip("\\/") if record.get("scope") == "project" else ""
    return Found(entry, origin, root=root, remarks=tuple(remarks))


def _state(key: str, record: Mapping[str, object], origin: Origin, written: float) -> Iterator[Finding]:
    value, at = record["value"], moment(record.get("timestamp")) or written
    if key.startswith("memory_"):
        yield _fact(key, value, at, origin)
    elif key.endswith("_timestamp") and number(value) is not None:
        return  # The time of a summary, which its own record has too.
    elif key.startswith("session_summary") or (key.endswith("_data") and is_packed_text(value)):
        yield session_of(key.removesuffix("_data"), value, at, origin)
    elif "project" in key and isinstance(value, list | Mapping):
        yield from _registered(value, origin)
    else:
        yield Left(origin, "state of the tool itself, nothing that was remembered", fault=False)


def _fact(key: str, value: object, at: float, origin: Origin) -> Finding:
    said = value.get("fact") if isinstance(value, Mapping) and "fact" in value else value
    text = text_of(said)
    if not text.strip():
        return Left(origin, "it says nothing", fault=False)
    if isinstance(value, Mapping):
        at = moment(value.get("timestamp")) or at
    fact = Fact(key=name_of(key, "memory_"), value=text, created=at, updated=at, origin=origin)
    return Found(fact, origin, remarks=() if isinstance(said, str) else ("it was no text and is kept as JSON",))


# ── files of their own ─────────────────────────────────────────────────────────────────────────────────────────────────


def _if_there(
    source: Source, path: str, read: Callable[[Mapping[str, object], Origin, float], Iterator[Finding]]
) -> Iterator[Finding]:
    if not source.has(path):
        return
    origin = Origin(NAME, path)
    try:
        body = object_of(source.read(path))
    except Refused as error:
        yield Left(origin, error.message)
        return
    if body is None:
        yield Left(origin, "it is no JSON object")
    else:
        yield from read(body, origin, source.modified(path))


def _projects(body: Mapping[str, object], origin: Origin, _written: float) -> Iterator[Finding]:
    if isinstance(body.get("projects"), list | Mapping):
        yield from _registered(body["projects"], origin)
    else:
        yield Left(origin, "it lists no projects")


def _registered(listed: object, origin: Origin) -> Iterator[Finding]:
    if isinstance(listed, Mapping):
        listed = listed.get("projects") if isinstance(listed.get("projects"), list) else [*listed.values()]
    for place, each in enumerate(listed if isinstance(listed, list) else ()):
        values = each if isinstance(each, Mapping) else {}
        root = text_of(values.get("path")).strip().rstrip("\\/")
        name = " ".join(text_of(values.get("name")).split()) or _last(root)
        where = Origin(NAME, origin.file, root or name or f"{origin.id or 'project'} {place}")
        if not name:
            yield Left(where, "a project without a name")
            continue
        at = moment(values.get("lastAccessed")) or 0.0
        folders = ", ".join(texts(values.get("sourceDirs")))
        yield Found(Project(id="", name=name[:200], root=root, description=folders, created=at, updated=at), where)


def _last(root: str) -> str:
    return (PureWindowsPath(root) if "\\" in root else PurePath(root)).name


def _sessions(body: Mapping[str, object], origin: Origin, written: float) -> Iterator[Finding]:
    listed = body.get("sessions")
    if not isinstance(listed, list):
        yield Left(origin, "it lists no sessions")
        return
    for place, each in enumerate(listed):
        values = each if isinstance(each, Mapping) else {}
        at = moment(values.get("timestamp"))
        where = Origin(NAME, origin.file, f"session {place}" if at is None else str(int(at * 1000)))
        line = {"task_description": values.get("task_description"), "timestamp": values.get("timestamp")}
        name = "" if at is None else f"session_{int(at * 1000)}"
        yield session_of(name, line, at or written, where)


def _payload(source: Source, path: str) -> Finding:
    name = path.rpartition("/")[2].removesuffix(".payload")
    origin = Origin(NAME, path, f"compaction://{name}")
    try:
        data = source.read(path)
    except InputError as error:
        return Left(origin, error.message)
    right = blob_digest(data) == name
    return Found(Text(data), origin, remarks=() if right else ("its bytes are not the ones that it was named after",))
