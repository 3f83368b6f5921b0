"""The tools for what left the window, and for the conversation itself: ``context``, and three that need one.

The ``context`` tool is the engine's own, with the same arguments and answers: over the caller's conversation where it holds
one, else over the store and its memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from ...tool import Refused, Result, ToolContext, tool
from .opened import Conversation, Memories, conversation_of

if TYPE_CHECKING:
    from ....vocabulary.retrieving import RetrievalWords

__all__ = ["auto_summarize_context", "context_stats", "context_tool", "new_context"]

_NAME = "context"


@tool(family="memory", title="Read what left the window", destructive=False, visible=True, reader=True, tier=1, name=_NAME)
async def context_tool(
    context: ToolContext,
    command: Literal["view", "create", "str_replace", "insert", "delete", "rename", "search"],
    path: str | None = None,
    view_range: list[int] | None = None,
    offset: int | None = None,
    query: str | None = None,
    file_text: str | None = None,
    old_str: str | None = None,
    new_str: str | None = None,
    insert_line: int | None = None,
    insert_text: str | None = None,
    old_path: str | None = None,
    new_path: str | None = None,
) -> Result:
    """Reads what left the conversation, and keeps what should outlast it. Addresses such as context://archive/… or
    context://vfs/… in the conversation name texts that are kept whole: view them, a page at a time. memory and notes can
    also be written: memory holds facts under a key, notes hold texts of your own. search finds words in all of them; do
    so before you repeat work.

    Args:
        command: view: read a text, an archive or a listing. create, str_replace, insert, delete, rename: edit memory and notes.
            search: find words in everything that is kept.
        path: An address (context://notes/plan.md, or notes/plan.md), or a namespace or folder to list (notes). For search:
            where to look; everywhere if left out.
        view_range: For view: the first and the last line to show (of an archive: message), counted from 1; -1 stands for the
            end. [1, -1] if left out.
        offset: Where to go on, as an earlier answer told: characters of the first line or message to leave out, or entries of a
            listing or search.
        query: For search: words, or a "phrase in quotes".
        file_text: For create: the whole text.
        old_str: For str_replace: the text to replace. It must occur exactly once.
        new_str: For str_replace: what takes its place; nothing if left out.
        insert_line: For insert: the line to insert after; 0 for the beginning.
        insert_text: For insert: the lines to insert.
        old_path: For rename: the present address.
        new_path: For rename: the new address.
    """
    given: dict[str, object] = {
        "command": command,
        "path": path,
        "view_range": view_range,
        "offset": offset,
        "query": query,
        "file_text": file_text,
        "old_str": old_str,
        "new_str": new_str,
        "insert_line": insert_line,
        "insert_text": insert_text,
        "old_path": old_path,
        "new_path": new_path,
    }
    text = await _answered(context, {name: value for name, value in given.items() if value is not None})
    words = context.words.retrieving
    if _begins(text, words.error):
        raise Refused(_symbol(text, words), text.removeprefix(words.error.partition("{")[0]))
    return Result(data={"command": command, "path": path or old_path}, text=text)


@tool(family="memory", title="Open a new window", idempotent=True, drains=True, tier=4)
async def new_context(context: ToolContext) -> Result:
    """Closes the present window: the conversation so far is set aside, kept in full, and a short account of it stays. Call
    it between two tasks, or when what was said no longer matters. Write down first what you need to go on.
    """
    _held(context, "new_context").context.request_new_context()
    return Result(text=context.words.retrieving.closing)


@tool(family="memory", title="Take an account of the session", destructive=False, tier=4)
async def auto_summarize_context(
    context: ToolContext,
    session_events: list[str | dict[str, object]] | None = None,
    config_changes: list[str | dict[str, object]] | None = None,
    title: str = "",
) -> Result:
    """Remember an account of this session: tools used, what was asked, decided and changed, what went wrong.

    Args:
        session_events: what happened, as texts or objects with type, tool and title; the conversation itself if left out.
        config_changes: what was configured, as texts or objects with key and value.
        title: one line.
    """
    from ....engine.placement.labels import day_of
    from .accounts import account_of_events, account_of_messages

    words, held = context.words.memorizing, conversation_of(context)
    account = account_of_events(session_events or (), config_changes or ())
    if account.empty and held is not None:
        account = account_of_messages(held.context.messages)
    if account.empty:
        raise Refused("unavailable" if held is None else "invalid_input", words.nothing_to_summarize)
    text = account.text(words)
    named = title or words.account_title.format(day=day_of(context.clock()))
    opened = await context.use(Memories).of(context)
    entry = await opened.memory.entries.remember(text, title=named, type="summary", confidence="inferred")
    return Result(
        data={"entry_id": entry.id, "title": entry.title, "tools": dict(account.tools), "uri": entry.uri},
        text="\n".join([words.remembered.format(id=entry.id, scope=entry.scope), text]),
        confidence="inferred",
        provenance=entry.uri,
    )


@tool(family="memory", title="Show how full the window is", read_only=True, idempotent=True, tier=4)
async def context_stats(context: ToolContext) -> Result:
    """Show how full the window is, and what is kept beside it."""
    held = _held(context, "context_stats").context
    opened = await context.use(Memories).of(context)
    usage, lineage = held.usage, held.lineage
    facts, entries = len(await opened.memory.facts.list()), len(await opened.memory.entries.headings())
    sessions = len(await opened.sessions.list(None))
    words, messages = context.words.memorizing, len(held.messages)
    lines = [
        words.usage.format(tokens=usage.tokens, window=usage.window, percent=round(100 * usage.share)),
        words.stats.format(messages=messages, current=lineage.current, facts=facts, entries=entries, sessions=sessions),
    ]
    return Result(
        data={
            "tokens": usage.tokens,
            "window": usage.window,
            "share": usage.share,
            "messages": messages,
            "window_id": lineage.current,
            "facts": facts,
            "entries": entries,
            "sessions": sessions,
        },
        text="\n".join(lines),
    )


async def _answered(context: ToolContext, arguments: Mapping[str, object]) -> str:
    held = conversation_of(context)
    if held is not None and held.context.owns_tool(_NAME):
        return await held.context.handle_tool((_NAME, arguments))
    # It brings the wire formats along: 40 ms that a list of tools does not need.
    from ....engine.retrieval import Asked, Host, dispatch
    from ....tokens.heuristic import Heuristic

    opened = await context.use(Memories).of(context)
    host = Host(
        store=opened.sessions.store,
        count=Heuristic().count,
        facts=opened.memory.facts,
        entries=opened.memory.entries,
        vocabulary=context.words,
        clock=context.clock,
    )
    return await dispatch(host, Asked(_NAME, arguments))


def _held(context: ToolContext, name: str) -> Conversation:
    held = conversation_of(context)
    if held is None:
        raise Refused("unavailable", context.words.memorizing.no_conversation.format(tool=name))
    return held


def _begins(text: str, template: str) -> bool:
    """Whether a text begins as a template does, up to its first gap."""
    return text.startswith(template.partition("{")[0])


def _symbol(text: str, words: RetrievalWords) -> str:
    """The class of a refusal, by its words: they are all that the engine hands over."""
    if _begins(text, words.error.format(what=words.not_found)):
        return "not_found"
    return "io_error" if _begins(text, words.error.format(what=words.store_failed)) else "invalid_input"
