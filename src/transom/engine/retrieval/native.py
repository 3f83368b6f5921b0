"""Anthropic's memory tool: its six commands on ``/memories``, answered from memory in the wording its models know.

A file below ``/memories`` is a fact whose key is the rest of the path. A directory is what several keys begin with.
Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool (type ``memory_20250818``): texts of results
and errors, numbers six wide and a tab before each line, sizes and two levels in a listing, hidden items and ``node_modules``
left out. Beyond it: answers keep to their budget and name the call that goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import URIError
from ...store.uri import check_path
from ...vocabulary.retrieving import NativeWords
from ..offload.excerpts import byte_size
from .addresses import Address, check_steps
from .arguments import Arguments, read_arguments
from .editing import lines_of
from .host import Host
from .places import memory_of
from .reading import View, snippet
from .refusal import Refused, sayable
from .views import next_mark
from .writing import create, delete, insert_lines, rename, str_replace

__all__ = ["MEMORY_COMMANDS", "answer_memory"]

MEMORY_COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")
"""What Anthropic's memory tool can do."""

_ROOT = "/memories"
_LEVELS = 2
_MOST_LINES = 999_999
_SHOWN = 120


async def answer_memory(host: Host, given: object) -> str:
    """Answer a call of the memory tool.

    Raises:
        Refused: for what its documentation has no words.
        InputError: memory's rules refuse it.
        StoreError: the store failed.
    """
    arguments = read_arguments(given, MEMORY_COMMANDS)
    words = host.vocabulary.retrieving.native
    if arguments.command == "rename":
        old, new = _file(arguments.text("old_path")), _file(arguments.text("new_path"))
        try:
            await _rename(host, old, new)
        except Refused as refused:
            return _told(host, refused, arguments, new if refused.kind == "taken" else old)
        return words.renamed.format(old=_path(old), new=_path(new))
    at = _address(arguments.text("path"))
    try:
        return await _answer(host, arguments, at, words)
    except Refused as refused:
        return _told(host, refused, arguments, at)


async def _answer(host: Host, given: Arguments, at: Address, words: NativeWords) -> str:
    path = _path(at)
    match given.command:
        case "view":
            return await _view(host, given, at, words)
        case "create":
            await create(host, _file(path), given.text("file_text"))
            return words.created.format(path=path)
        case "str_replace":
            edited = await str_replace(host, at, given.text("old_str"), given.optional_text("new_str") or "")
            return snippet(host, edited.text, edited.line, edited.count, words.edited_memory)
        case "insert":
            await insert_lines(host, at, given.number("insert_line"), given.text("insert_text", "new_str"))
            return words.edited.format(path=path)
        case _:
            await _delete(host, _file(path))
            return words.deleted.format(path=path)


async def _view(host: Host, given: Arguments, at: Address, words: NativeWords) -> str:
    place, path = memory_of(host), _path(at)
    data = await place.read(at.path) if at.path and not at.folder else None
    if data is not None:
        text = data.decode("utf-8", "surrogatepass")
        if len(lines_of(text)) > _MOST_LINES:
            return host.vocabulary.retrieving.error.format(what=words.too_many_lines.format(path=path))
        return View(host, path, words.content.format(path=path)).text(text, given.view_range, given.offset)
    facts = await place.below(at.prefix)
    if not facts and at.path:
        raise Refused("not_found", uri=at.uri, folder=_ROOT)
    sizes = {fact.key: byte_size(fact.value) for fact in facts if not _hidden(fact.key)}
    return _listed(host, at, sizes, given.offset, words)


def _listed(host: Host, at: Address, sizes: dict[str, int], offset: int, words: NativeWords) -> str:
    """Sizes and paths, two levels deep, as many as fit."""
    below: dict[str, int] = {}
    for key, size in sizes.items():
        steps = key.removeprefix(at.prefix).split("/")
        for depth in range(1, min(len(steps), _LEVELS) + 1):
            name = at.prefix + "/".join(steps[:depth])
            below[name] = below.get(name, 0) + size
    rows = [f"{_size(sum(sizes.values()))}\t{_path(at)}"]
    rows += [f"{_size(size)}\t{_ROOT}/{name}" for name, size in sorted(below.items())]
    if offset >= len(rows):
        raise Refused("bad_number", given=offset, total=len(rows))
    rows = rows[offset:]
    heading = words.listing.format(path=_path(at))
    room, general = host.room, host.vocabulary.retrieving

    def build(count: int) -> str:
        text = "\n".join([heading, *rows[:count]])
        if count == len(rows):
            return text
        call = {"command": "view", "path": _path(at), "offset": offset + count}
        return f"{text}\n{next_mark(call, general.to_come_entries.format(count=len(rows) - count), general)}"

    whole = build(len(rows))
    return whole if room.fits(whole) else build(max(1, room.most(len(rows) - 1, build)))


async def _delete(host: Host, at: Address) -> None:
    """A file, or a directory with everything in it."""
    for key in await _files(host, at):
        await delete(host, Address("memory", key))


async def _rename(host: Host, old: Address, new: Address) -> None:
    """A file, or each file of a directory; nothing is moved where one of the new places is taken."""
    keys = await _files(host, old)
    moves = [(Address("memory", key), Address("memory", new.path + key.removeprefix(old.path))) for key in keys]
    place = memory_of(host)
    for _, target in moves:
        if await place.read(target.path) is not None:
            raise Refused("taken", uri=target.uri)
    for source, target in moves:
        await rename(host, source, target)


async def _files(host: Host, at: Address) -> Sequence[str]:
    place = memory_of(host)
    if not at.folder and await place.read(at.path) is not None:
        return [at.path]
    keys = await place.paths(at.prefix)
    if not keys:
        raise Refused("not_found", uri=at.uri, folder=_ROOT)
    return keys


def _told(host: Host, refused: Refused, given: Arguments, at: Address) -> str:
    """A refusal in the documented wording, where there is one. As documented, not all of them begin with ``Error:``."""
    general = host.vocabulary.retrieving
    words, path = general.native, _path(at)
    plain = ""
    match refused.kind:
        case "not_found" | "is_folder" if given.command == "view":
            plain = words.unknown.format(path=path)
        case "not_found" | "is_folder" if given.command == "str_replace":
            what = words.unknown.format(path=path)
        case "not_found" | "is_folder":
            what = words.missing.format(path=path)
        case "no_match":
            plain = words.no_match.format(path=path, old=given.text("old_str"))
        case "several":
            plain = words.several.format(old=given.text("old_str"), lines=refused.values["lines"])
        case "exists":
            what = words.exists.format(path=path)
        case "taken":
            what = words.taken.format(path=path)
        case "bad_line":
            what = words.bad_line.format(line=refused.values["line"], lines=refused.values["lines"])
        case _:
            plain = general.refusal(refused.kind, refused.values)
    return sayable(plain or general.error.format(what=what))


def _address(written: str) -> Address:
    """Where a path points: below ``/memories``, however it is spelt.

    Raises:
        Refused: outside, or no path.
    """
    path = written.strip()
    _check(path)
    root, _, key = path.removeprefix("/").partition("/")
    if not path.startswith("/") or f"/{root}" != _ROOT:
        raise Refused("outside", path=path[:_SHOWN], root=_ROOT)
    if not key:
        return Address("memory", "", folder=True)
    try:
        return Address("memory", check_path(key.removesuffix("/")), key.endswith("/"))
    except URIError:
        raise Refused("outside", path=path[:_SHOWN], root=_ROOT) from None


def _check(path: str) -> None:
    try:
        check_steps(path, path)
    except Refused:
        raise Refused("outside", path=path[:_SHOWN], root=_ROOT) from None


def _file(written: str) -> Address:
    """The same for what may not be the directory itself."""
    at = _address(written)
    if not at.path:
        raise Refused("outside", path=written, root=_ROOT + "/")
    return at


def _path(at: Address) -> str:
    return f"{_ROOT}/{at.path}" if at.path else _ROOT


def _hidden(key: str) -> bool:
    return any(step.startswith(".") or step == "node_modules" for step in key.split("/"))


def _size(size: int) -> str:
    """As ``ls -h`` writes it."""
    if size < 1024:
        return str(size)
    kibibytes = size / 1024
    return f"{kibibytes:.1f}K" if kibibytes < 1024 else f"{kibibytes / 1024:.1f}M"
