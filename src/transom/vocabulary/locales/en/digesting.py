"""English. See ``vocabulary.digesting``."""

from __future__ import annotations

from ...digesting import DigestWords

__all__ = ["DIGESTING"]

DIGESTING = DigestWords(
    mark="# Digest of earlier conversation:",
    explanation=(
        "An extract made by rule, not by a model; a record, not a new message. What follows > or $ is verbatim, [… N] marks"
        " what is left out. w3:41 means message 41 of archive w3. Carry on from here; everything is kept word for word under:"
    ),
    title="stands for {messages:,} messages of window {window}",
    one_before=" and {before:,} of {windows:,} window before",
    many_before=" and {before:,} of {windows:,} windows before",
    archive="archive {window}: {uri}",
    older_archives="(earlier archives are named at the beginning of archive {window})",
    kept_under="{title}. Every word of it is kept under {uri}",
    more="{count:,} more",
    title_task="Task",
    title_tasks="Open tasks",
    title_constraints="Constraints stated",
    title_rules="Standing instructions",
    title_stood="Where it stood",
    title_steps="Last steps",
    title_requests="Requests",
    title_errors="Errors",
    title_decisions="Decisions and findings",
    title_files="Files",
    title_commands="Commands",
    title_recurring="Recurring numbers and names",
    title_calls="Calls and their full results",
    user="user",
    assistant="assistant",
    system="system",
    summary="summary",
    asked="to",
    shown_of="(first {shown:,} of {size:,})",
    part_of="(from {size:,} chars)",
    size="{size:,} chars, whole: {where}",
    in_archive="archive",
    attached="[attached: {name}]",
    searched="{tool} {what} in {path}",
    call="call",
    unresolved="unresolved",
    passed_later="later ok",
    changed_later="file changed later",
    full="full: {uri}",
    base="(…/ is {base})",
    read="read",
    written="written",
    edited="edited",
    deleted="deleted",
    moved="moved",
    last_failed="(last failed)",
    some_failed="({count} failed)",
    ok="ok",
    failed="failed",
    exit_code="exit {code}",
    no_result="no result",
    unknown="unknown",
    bytes="{size:,} bytes",
    plan="plan",
    said="said",
)
