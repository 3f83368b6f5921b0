"""Dispatch: one call of one of our tools in, the text of its result out.

The one place in the engine where a model's mistake becomes text. What the model wrote can go wrong in any way and never raises;
what the programmer got wrong (a tool that is not ours, a hook that fails) does. A store that fails is told to the model as a
failure, never as a success.
"""

from __future__ import annotations

import inspect
import logging

from ...errors import InputError, NotFoundError, StoreError
from .addresses import Address, address
from .arguments import Arguments, read_arguments
from .calls import Asked
from .definition import COMMANDS, MEMORY_TOOL, NEW_CONTEXT
from .finding import find
from .host import Host
from .listing import listing, namespaces
from .native import answer_memory
from .places import place_of
from .reading import not_found, snippet, view_entry
from .refusal import Refused, sayable
from .writing import create, delete, insert_lines, rename, str_replace

__all__ = ["dispatch", "owned"]

log = logging.getLogger(__name__)


def owned(host: Host) -> frozenset[str]:
    """The names that ``dispatch`` answers to."""
    return frozenset({host.name, NEW_CONTEXT, MEMORY_TOOL})


async def dispatch(host: Host, call: Asked) -> str:
    """Answer a call.

    Args:
        host: the session it was made in.
        call: its name and arguments.

    Returns:
        The text of the result, never more than ``host.budget`` tokens. It begins with ``Error:`` (in the vocabulary's language)
        where the call could not be answered.

    Raises:
        InputError: the name is none of ours.
    """
    if call.name not in owned(host):
        raise InputError(
            f"{call.name!r} is no tool of this context", hint="ask owns_tool first; answer the calls of your own tools yourself"
        )
    words = host.vocabulary.retrieving
    try:
        text = await _answer(host, call)
    except Refused as refused:
        text = sayable(words.refusal(refused.kind, refused.values))
    except (InputError, NotFoundError) as error:
        # What memory's rules refuse, and what was taken away while we looked.
        text = sayable(words.error.format(what=words.refused.format(why=error)))
    except StoreError as error:
        log.warning("a call of %s could not be answered: %s", call.name, error)
        text = sayable(words.error.format(what=words.store_failed.format(why=error)))
    return host.room.clamp(text, words.cut)


async def _answer(host: Host, call: Asked) -> str:
    if call.name == host.name:
        return await _context(host, read_arguments(call.arguments, COMMANDS))
    if call.name == NEW_CONTEXT:
        return await _new_context(host)
    return await answer_memory(host, call.arguments)


async def _new_context(host: Host) -> str:
    if host.request_new_context is None:
        raise Refused("no_new_context")
    asked = host.request_new_context()
    if inspect.isawaitable(asked):
        await asked
    return host.vocabulary.retrieving.closing


async def _context(host: Host, given: Arguments) -> str:
    words = host.vocabulary.retrieving
    match given.command:
        case "view":
            return await _view(host, given)
        case "search":
            query = given.text("query")
            if not query.strip():
                raise Refused("missing", command="search", name="query")
            path = given.optional_text("path")
            return await find(host, query, _at(host, path) if path and path.strip(" /") else None, given.offset)
        case "create":
            at = _at(host, given.text("path"))
            await create(host, at, given.text("file_text"))
            return words.created.format(uri=at.uri)
        case "str_replace":
            at = _at(host, given.text("path"))
            edited = await str_replace(host, at, given.text("old_str"), given.optional_text("new_str") or "")
            return snippet(host, edited.text, edited.line, edited.count, words.edited.format(uri=at.uri))
        case "insert":
            at = _at(host, given.text("path"))
            edited = await insert_lines(host, at, given.number("insert_line"), given.text("insert_text", "new_str"))
            return snippet(host, edited.text, edited.line, edited.count, words.edited.format(uri=at.uri))
        case "delete":
            at = _at(host, given.text("path"))
            await delete(host, at)
            return words.deleted.format(uri=at.uri)
        case _:
            old, new = _at(host, given.text("old_path", "path")), _at(host, given.text("new_path"))
            await rename(host, old, new)
            return words.renamed.format(old=old.uri, new=new.uri)


def _at(host: Host, path: str) -> Address:
    return address(path, host.readable)


async def _view(host: Host, given: Arguments) -> str:
    words = host.vocabulary.retrieving
    path = given.optional_text("path")
    if not path or not path.strip(" /"):
        return namespaces(host.readable)
    at = _at(host, path)
    place = place_of(host, at.namespace)
    if at.path and not at.folder:
        shown = await view_entry(host, place, at, given.view_range, given.offset)
        if shown is not None:
            return shown
    below = await place.paths(at.prefix)
    if not below and at.path:
        raise not_found(at)
    return listing(at, below, given.offset, host.room, words)
