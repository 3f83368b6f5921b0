"""What a digest says in its own voice: titles, labels, marks. The text it quotes is the conversation's.

An earlier digest is read back through the very words it was written with, so every template here is matched as well as filled.
Marks of structure (``- ``, ``  > ``, ``## ``, ``[… …]``, ``×``, ``$``) are the same in all locales and stand with the layout.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DigestWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DigestWords:
    """What a digest says in its own voice.

    No word holds a line break or the mark ``>``. Those called *one word* hold no blank either, and those that stand in one
    place (speakers, deeds, endings, outcomes, section titles) differ from each other.

    Attributes:
        mark: how every digest begins.
        explanation: the second line: what this is, and how to read it.
        title: what the digest stands for: ``{messages}`` of ``{window}``. Follows ``mark``.
        one_before, many_before: added to the title: how many messages (``{before}``) the one window before had, or the several
            (``{windows}``).
        archive: one archive: ``{window}``, ``{uri}``.
        older_archives: said instead of the oldest archives; ``{window}`` is the last one that is named.
        kept_under: the short form of a digest without explanation: the ``{title}`` and one ``{uri}``.
        more: entries left out (``{count}``), between ``[… `` and ``]``.
        title_task … title_calls: the headings of the sections.
        user, assistant, system, summary: who said it; one word each.
        asked: one word before what a mere yes or no answers.
        shown_of: how many characters of how many a line shows: ``{shown}``, ``{size}``.
        part_of: a line taken out of ``{size}`` characters.
        size: how many characters (``{size}``) a shortened quote had, and where all of it is (``{where}``).
        in_archive: that place where it is the archive; one word.
        attached: stands for the words of a message that is nothing but a file: its ``{name}``.
        searched: what a tool (``{tool}``) looked for (``{what}``) and where (``{path}``).
        call: a call without a name and without arguments.
        unresolved, passed_later, changed_later: how an error ended: not yet; the same call went well later; the file it names
            was changed later.
        full: where the whole result is: ``{uri}``.
        base: what ``…/`` at the beginning of a path stands for: ``{base}``.
        read, written, edited, deleted, moved: what was done to a file.
        last_failed: the last thing done to a file failed.
        some_failed: how many runs (``{count}``) of a command failed.
        ok, failed, exit_code, no_result, unknown: how a call ended; ``{code}`` is a number.
        bytes: the size of a result: ``{size}``.
        plan, said: where an item of work was found: in a plan that a tool keeps; in the assistant's words. One word each.
    """

    mark: str
    explanation: str
    title: str
    one_before: str
    many_before: str
    archive: str
    older_archives: str
    kept_under: str
    more: str
    title_task: str
    title_tasks: str
    title_constraints: str
    title_rules: str
    title_stood: str
    title_steps: str
    title_requests: str
    title_errors: str
    title_decisions: str
    title_files: str
    title_commands: str
    title_recurring: str
    title_calls: str
    user: str
    assistant: str
    system: str
    summary: str
    asked: str
    shown_of: str
    part_of: str
    size: str
    in_archive: str
    attached: str
    searched: str
    call: str
    unresolved: str
    passed_later: str
    changed_later: str
    full: str
    base: str
    read: str
    written: str
    edited: str
    deleted: str
    moved: str
    last_failed: str
    some_failed: str
    ok: str
    failed: str
    exit_code: str
    no_result: str
    unknown: str
    bytes: str
    plan: str
    said: str

    def section(self, key: str) -> str:
        """The heading of a section."""
        return str(getattr(self, f"title_{key}"))

    def speaker(self, who: str) -> str:
        """``user``, ``assistant``, ``system`` or ``summary`` in these words."""
        return str(getattr(self, who))

    def deed(self, verb: str) -> str:
        """``read``, ``written``, ``edited``, ``deleted`` or ``moved`` in these words."""
        return str(getattr(self, verb))

    def ending(self, ended: str) -> str:
        """How an error ended: empty, ``passed`` or ``changed``."""
        return {"": self.unresolved, "passed": self.passed_later, "changed": self.changed_later}[ended]

    def outcome(self, word: str) -> str:
        """How a call ended: ``ok``, ``failed``, ``exit 2``, ``no result`` or ``unknown``."""
        if word.startswith("exit "):
            return self.exit_code.format(code=word[5:])
        return {"ok": self.ok, "failed": self.failed, "no result": self.no_result}.get(word, self.unknown)

    def source(self, found: str) -> str:
        """Where an item of work was found: ``plan`` and ``said`` are ours, anything else is a name or a number."""
        return {"plan": self.plan, "said": self.said}.get(found, found)
