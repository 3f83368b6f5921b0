"""The tools that remember, recall, search and forget: both families of records in one view."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ....engine.memory.kinds import MOST, EntryType, Scope
from ...tool import Alias, Confidence, Result, ToolContext, tool
from .opened import Memories
from .records import entry_data, entry_line, fact_data, fact_line, hit_data, hit_line

__all__ = ["clear_context_memory", "forget", "recall", "remember", "search_context"]

Limit = Annotated[int, Meta(ge=1, le=MOST)]


@tool(
    family="memory",
    title="Remember",
    destructive=False,
    visible=True,
    tier=1,
    aliases=(
        Alias(name="save_memory", arguments={"memory": "fact", "content": "fact", "text": "fact", "value": "fact"}),
        Alias(
            name="track_important_event",
            arguments={"content": "fact", "description": "fact", "details": "fact", "event": "fact", "event_type": "type"},
        ),
    ),
)
async def remember(
    context: ToolContext,
    fact: str,
    title: str | None = None,
    tags: list[str] | None = None,
    type: EntryType | None = None,  # noqa: A002  # the tool's name for it
    scope: Scope | None = None,
    confidence: Confidence = "extracted",
) -> Result:
    """Keep something worth knowing in later sessions.

    Args:
        fact: the text.
        title: one line.
        tags: words to sort by.
        type: what it is about; by default decision with a title, summary without.
        scope: who recalls it; by default the open project, else everybody. A session's entries last 24 hours.
        confidence: extracted, if it was seen or said; inferred, if you concluded it; ambiguous, if it may be meant otherwise.
    """
    opened = await context.use(Memories).of(context)
    entry = await opened.memory.entries.remember(
        fact, title=title, tags=tags or (), type=type, scope=scope, confidence=confidence
    )
    return Result(
        data={"entry_id": entry.id, "remembered": True, "scope": entry.scope, "uri": entry.uri},
        text=context.words.memorizing.remembered.format(id=entry.id, scope=entry.scope),
        provenance=entry.uri,
    )


@tool(
    family="memory",
    title="Recall",
    read_only=True,
    idempotent=True,
    visible=True,
    tier=1,
    aliases=(
        Alias(name="get_memory"),
        Alias(name="get_context_memory", arguments={"max_results": "limit"}, fixed={"scope": "entries"}),
        Alias(name="context_summary", fixed={"scope": "entries", "limit": 5}),
    ),
)
async def recall(
    context: ToolContext,
    scope: Literal["all", "facts", "entries"] = "all",
    limit: Limit = 20,
    type: EntryType | None = None,  # noqa: A002
) -> Result:
    """Show what is remembered, what matters most first.

    Args:
        scope: facts, which have a key; entries, which have an id, as remember gives one; or all.
        limit: how many of each.
        type: entries of this type only.
    """
    opened = await context.use(Memories).of(context)
    found = await opened.memory.recall(scope, limit, type)
    words = context.words
    lines = [fact_line(fact, words) for fact in found.facts] + [entry_line(entry, words) for entry in found.entries]
    diagnostics = found.diagnostics
    return Result(
        data={
            "facts": [fact_data(fact) for fact in found.facts],
            "entries": [entry_data(entry) for entry in found.entries],
            "diagnostics": {
                "total_records_in_file": diagnostics.total_records_in_file,
                "memory_entries_found": diagnostics.memory_entries_found,
                "context_entries_found": diagnostics.context_entries_found,
            },
            "summary": found.summary,
        },
        text="\n".join([found.summary, *lines]),
    )


@tool(family="memory", title="Search memory", read_only=True, idempotent=True, visible=True, tier=2)
async def search_context(
    context: ToolContext,
    query: str,
    limit: Limit = 20,
    type: EntryType | None = None,  # noqa: A002
) -> Result:
    """Search what is remembered, facts and entries, by their words.

    Args:
        query: words (any may match), or a "phrase in quotes".
        limit: how many at most.
        type: entries of this type only.
    """
    opened = await context.use(Memories).of(context)
    found = await opened.memory.search_context(query, limit, type)
    words = context.words.memorizing
    heading = words.found.format(count=len(found.hits), query=query) if found.hits else words.found_none.format(query=query)
    return Result(
        data={"query": query, "hits": [hit_data(hit) for hit in found.hits]},
        text="\n".join([heading, *(hit_line(hit, context.words) for hit in found.hits)]),
    )


@tool(
    family="memory",
    title="Forget",
    idempotent=True,
    visible=True,
    tier=3,
    aliases=(
        Alias(name="delete_memory", arguments={"key": "entry_id", "memory_id": "entry_id", "id": "entry_id"}),
        Alias(name="delete_context_entry", arguments={"id": "entry_id"}),
    ),
)
async def forget(context: ToolContext, entry_id: str) -> Result:
    """Delete one record of memory.

    Args:
        entry_id: its id or the first letters of it (6 or more), its key, or its address.
    """
    opened = await context.use(Memories).of(context)
    gone = await opened.memory.forget(entry_id)
    return Result(
        data={"deleted": True, "family": gone.family, "entry_id": entry_id},
        text=context.words.memorizing.forgotten.format(id=entry_id),
    )


@tool(family="memory", title="Clear memory", idempotent=True, confirm=True, drains=True, tier=4)
async def clear_context_memory(
    context: ToolContext, scope: Literal["all", "facts", "entries"] = "all", confirm: bool = False
) -> Result:
    """Delete everything that is remembered of the open project, or, where none is open, of no project.

    Args:
        scope: which records.
        confirm: must be true.
    """
    opened = await context.use(Memories).of(context)
    memory, project = opened.memory, opened.memory.facts.project
    facts = await memory.facts.clear() if scope != "entries" else 0
    entries = 0
    if scope != "facts":
        own = ("project" if project else "global", "session")
        for entry in await memory.entries.list():
            if entry.scope in own:
                entries += await memory.entries.forget(entry.id) is not None
    words = context.words.memorizing
    return Result(
        data={"facts": facts, "entries": entries, "project": project},
        text=words.cleared.format(facts=facts, entries=entries, whose=words.whose(project)),
    )
