"""What the tools for memory, sessions and projects answer. How a fact or a session itself reads is said in ``remembering``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["MemorizingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MemorizingWords:
    """What the tools for memory answer.

    Attributes:
        remembered: something is kept (``{id}``, ``{scope}``).
        fact, entry, untitled_entry: one line of a recall (``{line}``; ``{id}``, ``{type}``, ``{title}``, ``{content}``), its
            label (``{label}``) at the end.
        hit: one match of a search (``{id}``, ``{kind}``, ``{snippet}``, ``{label}``).
        found, found_none: above matches (``{count}``, ``{query}``); where there are none.
        forgotten: a record is gone (``{id}``).
        cleared: what was deleted (``{facts}``, ``{entries}``, ``{whose}``).
        of_project, of_nobody: whose memory that was (``{project}``).
        as_fact, as_entry: what kind of record a match is (``{type}``).

    Sessions:

    Attributes:
        saved: a summary is kept (``{id}``, ``{uri}``).
        summary: above a summary (``{title}``, ``{saved}``, ``{uri}``).
        session, damaged_session: one line of a list (``{id}``, ``{title}``, ``{saved}``, ``{more}``); one that cannot be read.
        open_steps, tags: what is added to it (``{count}``; ``{tags}``).
        sessions, no_sessions: above a list (``{count}``, ``{whose}``); where there are none.
        session_hit: a match of a search (``{line}``, ``{snippet}``).
        sessions_cleared: how many were deleted (``{count}``, ``{whose}``).

    Projects:

    Attributes:
        project: one line of a list (``{id}``, ``{name}``).
        project_root, project_about: what is added to it (``{root}``; ``{description}``).
        no_projects: there are none.
        registered, renamed, updated, removed, erased, kept: what became of one (``{project}``); what became of its memory
            (``{count}``, ``{places}``).
        switched: a project's memory is open now (``{project}``, ``{facts}``, ``{entries}``, ``{sessions}``).
        closed: no project's is.
        stateless: this call belongs to no session, so nothing can stay open.

    A conversation:

    Attributes:
        no_conversation: whoever called holds none (``{tool}``).
        nothing_to_summarize: neither events nor a conversation to take an account of.
        account_title: the title of an account (``{day}``).
        often, others, decisions, changes, errors, requests, events: what stands in one, each a heading.
        counted: a tool and how often it was called (``{tool}``, ``{count}``).
        more: how many further items are left out (``{count}``).
        usage: how full the window is (``{tokens}``, ``{window}``, ``{percent}``).
        stats: what is kept beside it (``{messages}``, ``{current}``, ``{facts}``, ``{entries}``, ``{sessions}``).
    """

    remembered: str
    fact: str
    entry: str
    untitled_entry: str
    hit: str
    found: str
    found_none: str
    forgotten: str
    cleared: str
    of_project: str
    of_nobody: str
    as_fact: str
    as_entry: str
    saved: str
    summary: str
    session: str
    damaged_session: str
    open_steps: str
    tags: str
    sessions: str
    no_sessions: str
    session_hit: str
    sessions_cleared: str
    project: str
    project_root: str
    project_about: str
    no_projects: str
    registered: str
    renamed: str
    updated: str
    removed: str
    erased: str
    kept: str
    switched: str
    closed: str
    stateless: str
    no_conversation: str
    nothing_to_summarize: str
    account_title: str
    often: str
    others: str
    decisions: str
    changes: str
    errors: str
    requests: str
    events: str
    counted: str
    more: str
    usage: str
    stats: str

    def whose(self, project: str) -> str:
        """Whose memory something is."""
        return self.of_project.format(project=project) if project else self.of_nobody

    def entry_line(self, id: str, type: str, title: str, content: str, label: str) -> str:  # noqa: A002 - the entry's words
        """One entry; its title only where the text does not begin with it."""
        template = self.untitled_entry if content.startswith(title) else self.entry
        return template.format(id=id, type=type, title=title, content=content, label=label)

    def project_line(self, id: str, name: str, root: str, description: str) -> str:  # noqa: A002
        """One project."""
        line = self.project.format(id=id, name=name)
        line += self.project_root.format(root=root) if root else ""
        return line + (self.project_about.format(description=description) if description else "")

    def session_line(self, id: str, title: str, saved: str, open_steps: int, tags: Sequence[str]) -> str:  # noqa: A002
        """One session of a list; ``saved`` says when, in words."""
        more = self.open_steps.format(count=open_steps) if open_steps else ""
        more += self.tags.format(tags=", ".join(tags)) if tags else ""
        return self.session.format(id=id, title=title, saved=saved, more=more)

    def section(self, heading: str, items: Sequence[str], most: int) -> str:
        """A heading and what stands under it, ``most`` items at most."""
        lines = [f"- {item}" for item in items[:most]]
        lines += [self.more.format(count=len(items) - most)] if len(items) > most else []
        return "\n".join([str(getattr(self, heading)), *lines])

    def tally(self, counts: Mapping[str, int]) -> str:
        """Tools and how often each was called, in one line."""
        return ", ".join(self.counted.format(tool=name, count=count) for name, count in counts.items())
