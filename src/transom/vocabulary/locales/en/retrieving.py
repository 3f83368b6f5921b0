"""English. See ``vocabulary.retrieving``."""

from __future__ import annotations

from ...retrieving import ArgumentWords, NativeWords, RetrievalWords

__all__ = ["RETRIEVING"]

_ARGUMENTS = ArgumentWords(
    command=(
        "view: read a text, an archive or a listing. create, str_replace, insert, delete, rename: edit memory and notes. "
        "search: find words in everything that is kept."
    ),
    path=(
        "An address (context://notes/plan.md, or notes/plan.md), or a namespace or folder to list (notes). For search: where "
        "to look; everywhere if left out."
    ),
    view_range=(
        "For view: the first and the last line to show (of an archive: message), counted from 1; -1 stands for the end. "
        "[1, -1] if left out."
    ),
    offset=(
        "Where to go on, as an earlier answer told: characters of the first line or message to leave out, or entries of a "
        "listing or search."
    ),
    query='For search: words, or a "phrase in quotes".',
    file_text="For create: the whole text.",
    old_str="For str_replace: the text to replace. It must occur exactly once.",
    new_str="For str_replace: what takes its place; nothing if left out.",
    insert_line="For insert: the line to insert after; 0 for the beginning.",
    insert_text="For insert: the lines to insert.",
    old_path="For rename: the present address.",
    new_path="For rename: the new address.",
)

_NATIVE = NativeWords(
    listing="Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:",
    content="Here's the content of {path} with line numbers:",
    unknown="The path {path} does not exist. Please provide a valid path.",
    missing="The path {path} does not exist",
    created="File created successfully at: {path}",
    exists="File {path} already exists",
    edited_memory="The memory file has been edited.",
    no_match="No replacement was performed, old_str `{old}` did not appear verbatim in {path}.",
    several=(
        "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure it is unique"
    ),
    edited="The file {path} has been edited.",
    bad_line=("Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {lines}]"),
    deleted="Successfully deleted {path}",
    renamed="Successfully renamed {old} to {new}",
    taken="The destination {path} already exists",
    too_many_lines="File {path} exceeds maximum line limit of 999,999 lines.",
)

RETRIEVING = RetrievalWords(
    description=(
        "Reads what left the conversation, and keeps what should outlast it. Addresses such as context://archive/… or "
        "context://vfs/… in the conversation name texts that are kept whole: view them, a page at a time. memory and notes can "
        "also be written: memory holds facts under a key, notes hold texts of your own. search finds words in all of them; do "
        "so before you repeat work."
    ),
    arguments=_ARGUMENTS,
    new_context=(
        "Closes the present window: the conversation so far is set aside, kept in full, and a short account of it stays. Call "
        "it between two tasks, or when what was said no longer matters. Write down first what you need to go on."
    ),
    closing="The window closes before your next answer. What is said so far is kept and can be read back.",
    line="line {first} of {total}",
    lines="lines {first}-{last} of {total}",
    message="message {first} of {total}",
    messages="messages {first}-{last} of {total}",
    characters="{what}, characters {first}-{last} of {total}",
    empty="empty",
    more="{count} to come. Next: {call}",
    same_path="{call} with the same path",
    to_come_lines="{count} lines",
    to_come_messages="{count} messages",
    to_come_characters="{count} characters of it",
    to_come_entries="{count} entries",
    to_come_matches="{count} matches",
    listing="{where}: entries {first}-{last} of {total}",
    nothing_listed="{where}: nothing is kept here",
    folder="{uri} ({count} entries)",
    spoken="message {number} of {total}: {role}",
    head="what stood for earlier messages",
    thinking="thinking:",
    called="call {name}",
    result="result {name}",
    failed="failed",
    fields="fields:",
    encoded="{size} characters of base64: {uri}",
    unstored="a text that is not in the store any more: {uri}",
    binary="{uri}: {size} bytes that are no text{kind}. The first of them in hexadecimal:",
    found="matches {first}-{last} of {total}, the best first",
    found_none='Nothing matches "{query}" in {where}. Asking again will not help: try other words, or fewer.',
    in_line="line {number}",
    in_message="message {number}",
    in_messages="messages {numbers}",
    created="Created {uri}.",
    edited="Edited {uri}. It now reads:",
    deleted="Deleted {uri}.",
    renamed="Renamed {old} to {new}.",
    error="Error: {what}",
    bad_json="the arguments are not JSON: {why}. Send one JSON object.",
    bad_arguments="the arguments are no JSON object. Send one, for example {example}",
    no_command="no command. Give command, one of {commands}.",
    unknown_command="there is no command {command}. Give one of {commands}.",
    missing="{command} needs {name}. Give it and call again.",
    no_text="{name} must be text. Correct it and call again.",
    no_number="{name} must be a whole number, 0 or more. Correct it and call again.",
    no_range="{name} must be two whole numbers, for example [1, 40]. Correct it and call again.",
    bad_range="view_range {given} is no part of {total}. Give two numbers from 1 on, the smaller first; -1 is the end.",
    bad_number=(
        "offset {given} is beyond the end ({total}). It counts within one line, message or list: call again without it, "
        "and choose lines or messages by view_range."
    ),
    bad_path=(
        "{path} is no address. Write context://namespace/path, for example context://notes/plan.md: single slashes, no . or .. "
        "as a name, no backslashes or control characters, %25 for a per cent sign."
    ),
    unknown_namespace="there is no namespace {namespace} here. There are {namespaces}.",
    read_only="{uri} can be read only. Only {writable} can be written; keep a text of your own in context://notes/.",
    not_found=(
        "nothing is kept at {uri}. Asking again will not help: view {folder} for what there is, or search for words of it."
    ),
    is_folder="{uri} is a folder. Name one entry of it; view lists them.",
    outside="{path} is outside {root}. Give a path below it.",
    exists="there is something at {uri} already. Change it with str_replace or insert, or delete it first.",
    no_match="old_str does not occur in {uri}; nothing was changed. View it and give the text exactly as it stands there.",
    several="old_str occurs {count} times in {uri}, in lines {lines}; nothing was changed. Give more of the text around it.",
    same="old_str and new_str are the same; nothing was changed.",
    bad_line="insert_line {line} is beyond the end: {uri} has {lines} lines. Give 0 to {lines}.",
    too_large="{size} bytes are too much for one entry (at most {most}); nothing was changed. Keep it in several.",
    not_text="{uri} is no text and cannot be edited.",
    taken="there is something at {uri} already; nothing was renamed. Choose another name, or delete it first.",
    busy="somebody else is writing {uri}; nothing was changed. Call again.",
    no_memory="this session keeps no memory. Use context://notes/ instead.",
    no_new_context="this session does not close windows on request.",
    refused="{why}",
    store_failed="the store failed, so nothing is certain to be done: {why}. Go on without it, or try once more later.",
    cut="cut here",
    native=_NATIVE,
    recalled_name="earlier",
    recalled_opening="No longer shown, from earlier in this conversation, word for word; it may answer this message.",
    recalled_hint=" The `context` tool has the rest.",
    recalled_spoken="[{number}, {role}] {text}",
    recalled_text="[{number}] {text}",
    suggested="Earlier messages that may answer this and are no longer shown: {addresses}.",
    suggested_hint=" View them with the `context` tool.",
)
