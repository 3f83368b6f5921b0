"""The tools for what a session leaves to the next: save, list, search, restore, delete."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ....engine.memory.kinds import Where
from ...tool import Result, ToolContext, tool
from .opened import Memories
from .records import ago, info_data, info_line, session_data

__all__ = [
    "clear_session_index",
    "get_session_summary",
    "list_sessions",
    "restore_session_context",
    "save_session_summary",
    "search_sessions",
]


@tool(family="memory", title="Save a session summary", destructive=False, visible=True, tier=2)
async def save_session_summary(
    context: ToolContext,
    summary: str,
    title: str = "",
    tags: list[str] | None = None,
    decisions: list[str] | None = None,
    next_steps: list[str] | None = None,
    files: list[str] | None = None,
    session_id: str | None = None,
) -> Result:
    """Leave a summary for the next session; restore_session_context gives it back.

    Args:
        summary: what was done and what matters.
        title: one line.
        tags: words to sort by.
        decisions: what was decided, one line each.
        next_steps: what is left to do, one line each; begin done ones with [x].
        files: files that matter.
        session_id: a summary saved before, to replace it.
    """
    opened = await context.use(Memories).of(context)
    saved = await opened.sessions.save(
        summary,
        session_id=session_id,
        title=title,
        tags=tags or (),
        decisions=decisions or (),
        next_steps=next_steps or (),
        files=files or (),
    )
    uri = opened.sessions.uri(saved)
    return Result(
        data={"session_id": saved, "saved": True, "project": opened.sessions.project, "uri": uri},
        text=context.words.memorizing.saved.format(id=saved, uri=uri),
        provenance=uri,
    )


@tool(family="memory", title="Show a session summary", read_only=True, idempotent=True, tier=4)
async def get_session_summary(context: ToolContext, session_id: str | None = None) -> Result:
    """Show a session's summary whole.

    Args:
        session_id: which; the one saved last if left out.
    """
    opened = await context.use(Memories).of(context)
    session = await opened.sessions.get(session_id)
    words, dossier = context.words.memorizing, context.words.remembering.dossier
    parts = [
        words.summary.format(title=session.title, saved=ago(session.saved, context.clock(), context.words), uri=session.uri),
        session.summary,
    ]
    lists = {"decisions": session.decisions, "next_steps": session.next_steps, "files": session.files}
    parts += [
        "\n".join([dossier.heading(kind), *(dossier.item_line(item) for item in items)])
        for kind, items in lists.items()
        if items
    ]
    return Result(data=session_data(session), text="\n\n".join(parts), confidence="inferred", provenance=session.uri)


@tool(family="memory", title="List sessions", read_only=True, idempotent=True, tier=4)
async def list_sessions(
    context: ToolContext, limit: Annotated[int, Meta(ge=1, le=200)] = 20, where: Where = "project", tag: str = ""
) -> Result:
    """List saved sessions, the newest first.

    Args:
        limit: how many at most.
        where: those of the open project, of no project, or both.
        tag: only those that carry it.
    """
    opened = await context.use(Memories).of(context)
    infos = await opened.sessions.list(limit, where=where, tag=tag)
    words, now = context.words.memorizing, context.clock()
    whose = words.whose(opened.sessions.project)
    heading = words.sessions.format(count=len(infos), whose=whose) if infos else words.no_sessions.format(whose=whose)
    return Result(
        data={"sessions": [info_data(info) for info in infos]},
        text="\n".join([heading, *(info_line(info, now, context.words) for info in infos)]),
    )


@tool(family="memory", title="Search sessions", read_only=True, idempotent=True, tier=4)
async def search_sessions(
    context: ToolContext, query: str, limit: Annotated[int, Meta(ge=1, le=50)] = 10, where: Where = "project"
) -> Result:
    """Search saved sessions by their words, the best match first.

    Args:
        query: words (any may match), or a "phrase in quotes".
        limit: how many at most.
        where: those of the open project, of no project, or both.
    """
    opened = await context.use(Memories).of(context)
    found = await opened.sessions.search(query, limit, where=where)
    words, now = context.words.memorizing, context.clock()
    lines = [
        words.session_hit.format(line=info_line(hit.session, now, context.words), snippet="\n  ".join(hit.snippet.splitlines()))
        for hit in found
    ]
    heading = words.found.format(count=len(found), query=query) if found else words.found_none.format(query=query)
    return Result(
        data={
            "query": query,
            "sessions": [{**info_data(hit.session), "score": hit.score, "snippet": hit.snippet} for hit in found],
        },
        text="\n".join([heading, *lines]),
    )


@tool(family="memory", title="Delete all session summaries", idempotent=True, confirm=True, drains=True, tier=4)
async def clear_session_index(context: ToolContext, confirm: bool = False) -> Result:
    """Delete every session summary of the open project, or, where none is open, of no project.

    Args:
        confirm: must be true.
    """
    opened = await context.use(Memories).of(context)
    count = await opened.sessions.clear()
    words, project = context.words.memorizing, opened.sessions.project
    return Result(
        data={"deleted": count, "project": project},
        text=words.sessions_cleared.format(count=count, whose=words.whose(project)),
    )


@tool(family="memory", title="Restore a session", read_only=True, idempotent=True, visible=True, tier=2)
async def restore_session_context(
    context: ToolContext, session_id: str | None = None, max_tokens: Annotated[int, Meta(ge=100, le=20_000)] = 2_000
) -> Result:
    """Show what a session left: open steps, summary, decisions, facts and entries, within a budget. Call it when you begin.

    Args:
        session_id: which; the one saved last if left out.
        max_tokens: how long the answer may be.
    """
    from ....tokens.heuristic import Heuristic

    opened = await context.use(Memories).of(context)
    dossier = await opened.restore(session_id, max_tokens=max_tokens, count=Heuristic().count, vocabulary=context.words)
    return Result(
        data={
            "session_id": dossier.session.id,
            "title": dossier.session.title,
            "tokens": dossier.tokens,
            "stale": dossier.stale,
            "age": dossier.age,
            "shown": [{"kind": part.kind, "shown": part.shown, "total": part.total} for part in dossier.parts],
            "left_out": [{"kind": part.kind, "uri": part.uri, "total": part.total} for part in dossier.left_out],
        },
        text=dossier.text,
        confidence="inferred",
        provenance=dossier.session.uri,
        uri=dossier.session.uri if dossier.left_out else None,
    )
