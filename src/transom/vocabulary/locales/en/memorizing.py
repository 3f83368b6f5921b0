"""English. See ``vocabulary.memorizing``."""

from __future__ import annotations

from ...memorizing import MemorizingWords

__all__ = ["MEMORIZING"]

MEMORIZING = MemorizingWords(
    remembered="Remembered as {id} (scope {scope}).",
    fact="{line} {label}",
    entry="- {id}: {title} ({type}): {content} {label}",
    untitled_entry="- {id} ({type}): {content} {label}",
    hit="- {id} ({kind}): {snippet} {label}",
    found='{count} found for "{query}", the best first.',
    found_none='Nothing that is remembered matches "{query}". Try other words, or recall for all of it.',
    forgotten="Forgot {id}.",
    cleared="Deleted {facts} facts and {entries} entries {whose}.",
    of_project="of project {project}",
    of_nobody="that belong to no project",
    as_fact="fact",
    as_entry="{type}",
    saved="Saved as session {id}: {uri}",
    summary='Session "{title}", saved {saved}: {uri}',
    session="- {id}: {title} (saved {saved}{more})",
    damaged_session="- {id}: cannot be read",
    open_steps=", {count} open steps",
    tags=", {tags}",
    sessions="{count} sessions {whose}, the newest first.",
    no_sessions="No session is saved {whose}.",
    session_hit="{line}\n  {snippet}",
    sessions_cleared="Deleted {count} session summaries {whose}.",
    project="- {id}: {name}",
    project_root=" in {root}",
    project_about=" ({description})",
    no_projects='No project is registered. manage_projects(action="register", name=…) adds one.',
    registered="Registered {project}. switch_context opens its memory.",
    renamed="Renamed {project}.",
    updated="Updated {project}.",
    removed="Removed {project} from the registry.",
    erased=" {count} records of its memory were deleted.",
    kept=" Its memory stays: {count} records, there again when the same id is registered: {places}",
    switched="The memory of project {project} is open: {facts} facts, {entries} entries, {sessions} sessions. The working "
    "directory stays as it is.",
    closed="No project's memory is open; what belongs to nobody is seen.",
    stateless="This call belongs to no session, so no project can stay open. Set the project where the toolbox is started.",
    no_conversation="{tool} works on a conversation, and whoever called holds none here. Use recall and the context tool for "
    "what is stored.",
    nothing_to_summarize="There is no conversation here to take an account of. Give session_events, or use "
    "save_session_summary with a text of your own.",
    account_title="Account of {day}",
    often="Tools called more than 3 times:",
    others="Other tools:",
    decisions="Decisions:",
    changes="Configuration changes:",
    errors="Errors:",
    requests="Asked for:",
    events="Events:",
    counted="{tool} {count}",
    more="- {count} more",
    usage="Window: {tokens:,} of {window:,} tokens ({percent} %).",
    stats="{messages} messages, in window {current}. Memory: {facts} facts, {entries} entries, {sessions} sessions.",
)
