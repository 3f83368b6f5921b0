"""Tools of an agent's own work: plans, memory, documents it may look things up in, backups: 3 + 15 + 7 + 5 definitions."""

from __future__ import annotations

from .definitions import choice, closed, decimal, flag, integer, listed, plain, text, titled

__all__ = ["FAMILIES"]

_STEP_STATES = ("pending", "in_progress", "done", "blocked")

_PLANNING = (
    plain(
        "create_plan",
        "Create a plan for a larger task as a list of steps. Use this at the beginning of any task that needs more than three "
        "steps, so that the progress is visible to the user and survives when the conversation is shortened. A new plan "
        "replaces the previous one.",
        {
            "title": text("What the plan is for, in one line.", minLength=1, maxLength=200),
            "steps": listed(
                "The steps in the order in which they are done. Each step should be one verifiable piece of work.",
                {
                    "type": "object",
                    "properties": {
                        "description": {"type": "string", "description": "What is done in this step.", "maxLength": 500},
                        "status": {"type": "string", "enum": list(_STEP_STATES), "default": "pending"},
                    },
                    "required": ["description"],
                },
                minItems=1,
                maxItems=30,
            ),
        },
        ("title", "steps"),
    ),
    plain(
        "get_plan",
        "Get the current plan with the status and the notes of every step. Call this when you have lost track of what has been "
        "done already and what comes next.",
        {"include_notes": flag("Whether the notes of the steps are included. Default: true.", default=True)},
    ),
    plain(
        "update_plan_step",
        "Update the status of one step of the current plan. A step goes from pending to in_progress to done; it can become "
        "blocked at any time, and then a note that says why is required. Only one step should be in progress at a time.",
        {
            "step": integer("Number of the step, counted from 1.", minimum=1, maximum=30),
            "status": choice("New status of the step.", *_STEP_STATES),
            "note": text("What was found or why the step is blocked.", maxLength=1000),
        },
        ("step", "status"),
    ),
)

_SCOPE = choice(
    "Where the memory applies. session: only in this conversation; project: in all conversations of this project; global: "
    "everywhere. Default: project.",
    "session",
    "project",
    "global",
    default="project",
)

_MEMORY = (
    titled(
        "remember",
        "Store a piece of information in long-term memory so that it is available in later conversations. Use this for "
        "decisions, preferences of the user, facts about the project and lessons learned. Do not store secrets, and do not "
        "store what can be read from the files at any time. A memory with the same key is replaced.",
        {
            "key": text(
                "Short and stable name for the memory. Example: build.command", pattern="^[a-z0-9._-]+$", maxLength=100
            ),
            "value": text("What is remembered, in one or two complete sentences.", maxLength=4000),
            "tags": listed("Words by which it is found later.", {"type": "string", "maxLength": 40}, maxItems=10),
            "importance": decimal("How important it is, between 0 and 1. Default: 0.5.", minimum=0, maximum=1, default=0.5),
            "scope": _SCOPE,
        },
        ("key", "value"),
    ),
    titled(
        "recall",
        "Retrieve information from long-term memory, either by its exact key or by a search in plain words. Search results are "
        "ranked by relevance, recency and importance. Call this at the beginning of a task to find out what is already known.",
        {
            "key": text("Exact key of the memory."),
            "query": text("What you want to know, in plain words. Ignored when a key is given.", maxLength=500),
            "tags": listed("Only memories that carry all of these tags.", {"type": "string"}),
            "limit": integer("Maximum number of memories to return. Default: 5.", minimum=1, maximum=50, default=5),
            "scope": _SCOPE,
        },
    ),
    titled(
        "forget",
        "Delete a memory by its key. Use this when the user asks you to forget something or when a memory has turned out to be "
        "wrong and there is nothing to replace it with. This cannot be undone.",
        {"key": text("Exact key of the memory.", minLength=1), "scope": _SCOPE},
        ("key",),
    ),
    titled(
        "search_context",
        "Search everything that was said and done earlier in this conversation, including the parts that no longer fit into "
        "the context window. Returns the best passages with their position and an address under which the full text can be "
        "read. Use this before you ask the user something that may have been answered already.",
        {
            "query": text(
                "Words to search for. Rare words such as names and error codes work best.", minLength=1, maxLength=500
            ),
            "limit": integer("Maximum number of passages. Default: 10.", minimum=1, maximum=50, default=10),
            "role": choice("Only search what this side said.", "user", "assistant", "tool"),
        },
        ("query",),
    ),
    titled(
        "auto_summarize_context",
        "Summarize the older part of the conversation now instead of waiting until the context window is full. The full text "
        "is kept and stays searchable. Use this at natural break points, for example when a subtask has been finished.",
        {
            "keep_last": integer(
                "How many recent messages are left as they are. Default: 10.", minimum=2, maximum=200, default=10
            ),
            "focus": text("What the summary should pay special attention to.", maxLength=500),
        },
    ),
    titled(
        "save_session_summary",
        "Save a summary of this session so that the work can be continued in another one. Write down the goal, what has been "
        "done, which files were changed, what is still open and what the next step is.",
        {
            "title": text("Title under which the session is listed.", maxLength=120),
            "summary": text("The summary in Markdown.", minLength=20, maxLength=20000),
            "open_points": listed("What is still to be done.", {"type": "string", "maxLength": 500}, maxItems=50),
            "files": listed("Paths of the files that were changed.", {"type": "string"}, maxItems=200),
        },
        ("title", "summary"),
    ),
    titled(
        "get_session_summary",
        "Read the saved summary of a session. Without an id the most recent summary of the current project is returned.",
        {"session_id": text("Id of the session, as shown by list_sessions.")},
    ),
    titled(
        "list_sessions",
        "List earlier sessions with id, title, date and the number of messages, newest first. Use this to find out what was "
        "worked on before.",
        {
            "limit": integer("Maximum number of sessions. Default: 20.", minimum=1, maximum=200, default=20),
            "project": text("Only sessions of this project."),
            "since": text("Only sessions after this date, as YYYY-MM-DD.", format="date"),
        },
    ),
    titled(
        "search_sessions",
        "Search the summaries of all earlier sessions by words and return the best matching ones with an excerpt. To search "
        "inside the current conversation use search_context instead.",
        {
            "query": text("Words to search for.", minLength=1, maxLength=500),
            "limit": integer("Maximum number of results. Default: 10.", minimum=1, maximum=50, default=10),
        },
        ("query",),
    ),
    titled(
        "clear_session_index",
        "Remove the search index over earlier sessions. The summaries themselves are kept and the index is rebuilt on the next "
        "search. Only needed when the index is damaged.",
        {"confirm": flag("Must be true, to avoid accidents.")},
        ("confirm",),
    ),
    titled(
        "restore_session_context",
        "Load the saved context of an earlier session into this conversation: its summary, its open points and its plan. Use "
        "this when the user wants to continue earlier work.",
        {
            "session_id": text("Id of the session, as shown by list_sessions.", minLength=1),
            "include_plan": flag("Whether the plan is restored too. Default: true.", default=True),
        },
        ("session_id",),
    ),
    titled(
        "clear_context_memory",
        "Delete all memories of a scope. This is irreversible and should only be done when the user asks for it explicitly.",
        {"scope": choice("Which memories are deleted.", "session", "project", "global"), "confirm": flag("Must be true.")},
        ("scope", "confirm"),
    ),
    titled(
        "manage_projects",
        "Manage the list of known projects: register a project with its directory, show what is known about it, list all "
        "projects or search them by name. Memories and sessions belong to a project.",
        {
            "action": choice("What to do.", "register", "info", "list", "search", "remove"),
            "name": text("Name of the project, for register, info and remove.", maxLength=100),
            "directory": text("Root directory of the project, for register."),
            "query": text("Words to search for, for search.", maxLength=200),
        },
        ("action",),
    ),
    titled(
        "switch_context",
        "Switch to the memories and sessions of another project. The working directory is not changed; use change_directory "
        "for that. The project must have been registered before.",
        {"project": text("Name of the project to switch to.", minLength=1, maxLength=100)},
        ("project",),
    ),
    titled(
        "context_stats",
        "Show how full the context window is: tokens used by instructions, tools, conversation and tool results, and how much "
        "room is left. Helps you to decide whether a large file should be read in full.",
        {"detailed": flag("Whether the largest messages are listed one by one. Default: false.", default=False)},
    ),
)

_COLLECTION = text("Name of the collection. Default: default.", default="default", maxLength=60, pattern="^[A-Za-z0-9_-]+$")
_CHUNKS = {
    "chunk_size": integer("Size of a chunk in tokens. Default: 400.", minimum=50, maximum=2000, default=400),
    "chunk_overlap": integer("Overlap of neighbouring chunks in tokens. Default: 50.", minimum=0, maximum=500, default=50),
}

_RAG = (
    closed(
        "rag_index_files",
        "Index text and source files for semantic search. The files are split into chunks and stored in a local collection. "
        "Unchanged files are skipped, so that the tool can be called again at any time. After indexing, use rag_query_vector "
        "to ask questions about the content.",
        {
            "paths": listed("Files and directories to index.", {"type": "string", "minLength": 1}, minItems=1, maxItems=200),
            "glob": text("Only index files that match this pattern. Example: **/*.md"),
            "collection": _COLLECTION,
            **_CHUNKS,
        },
        ("paths",),
    ),
    closed(
        "rag_index_pdf",
        "Index a PDF document for semantic search. Text is extracted page by page and each chunk remembers its page number. "
        "Scanned documents without a text layer are reported; use image_to_text on their pages first.",
        {
            "file_path": text("Path of the PDF file.", minLength=1),
            "pages": text("Pages to index, for example 1-10,15. Defaults to all pages.", pattern="^[0-9,\\- ]+$"),
            "collection": _COLLECTION,
            **_CHUNKS,
        },
        ("file_path",),
    ),
    closed(
        "rag_index_docx",
        "Index a Word document (.docx) for semantic search. Headings become part of the chunks below them, and tables are "
        "converted to text.",
        {"file_path": text("Path of the Word document.", minLength=1), "collection": _COLLECTION, **_CHUNKS},
        ("file_path",),
    ),
    closed(
        "rag_index_xlsx",
        "Index a spreadsheet (.xlsx) for semantic search. Each row becomes one entry that repeats the column headers. "
        "Formulas are indexed by their last calculated values.",
        {
            "file_path": text("Path of the spreadsheet.", minLength=1),
            "sheets": listed("Names of the sheets to index. Defaults to all sheets.", {"type": "string"}),
            "header_row": integer("Number of the row that holds the headers. Default: 1.", minimum=1, default=1),
            "collection": _COLLECTION,
        },
        ("file_path",),
    ),
    closed(
        "rag_query_vector",
        "Ask a question about indexed documents. Returns the most similar passages with file, position and score, so that you "
        "can quote the source. If nothing has been indexed yet, call one of the rag_index tools first.",
        {
            "query": text("The question in plain words.", minLength=2, maxLength=2000),
            "collection": _COLLECTION,
            "top_k": integer("How many passages to return. Default: 5.", minimum=1, maximum=50, default=5),
            "min_score": decimal("Leave out passages below this similarity. Default: 0.3.", minimum=0, maximum=1, default=0.3),
        },
        ("query",),
    ),
    closed(
        "rag_clear_index",
        "Delete a collection of indexed documents. The original files are not touched. The documents have to be indexed again "
        "before they can be searched.",
        {"collection": _COLLECTION, "confirm": flag("Must be true to delete the collection.")},
        ("confirm",),
    ),
    closed(
        "rag_web_content",
        "Fetch a web page, index its text in a temporary collection and answer a question from it in one step. Use this for "
        "long pages of which only a small part matters, such as reference documentation.",
        {
            "url": text("Address of the page.", format="uri", maxLength=2048),
            "query": text("The question in plain words.", minLength=2, maxLength=2000),
            "top_k": integer("How many passages to return. Default: 5.", minimum=1, maximum=50, default=5),
        },
        ("url", "query"),
    ),
)

_BACKUP = (
    closed(
        "create_backup",
        "Create a compressed backup of the workspace as a zip archive in the backup folder. Well-known generated folders are "
        "left out. Do this before risky operations such as large refactorings.",
        {
            "label": text("Short text that becomes part of the file name.", maxLength=40, pattern="^[A-Za-z0-9_-]*$"),
            "include_patterns": listed("Only back up files that match one of these glob patterns.", {"type": "string"}),
            "confirm": flag("Must be true to create the backup. Default: false.", default=False),
        },
    ),
    closed(
        "list_backups",
        "List the available backups of this workspace with file name, date, size and label, newest first.",
        {"limit": integer("Maximum number of backups to list. Default: 20.", minimum=1, maximum=200, default=20)},
    ),
    closed(
        "restore_backup",
        "Restore the workspace, or a part of it, from a backup. Existing files are overwritten. The archive is checked before "
        "anything is written.",
        {
            "backupFile": text("File name of the backup, as shown by list_backups. It must not contain a path.", minLength=1),
            "paths": listed("Only restore these files and directories.", {"type": "string"}),
            "confirm": flag("Must be true to overwrite files. Default: false.", default=False),
        },
        ("backupFile",),
    ),
    closed(
        "delete_backup",
        "Delete a single backup file. This cannot be undone.",
        {
            "backupFile": text("File name of the backup, as shown by list_backups.", minLength=1),
            "confirm": flag("Must be true to delete the backup. Default: false.", default=False),
        },
        ("backupFile",),
    ),
    closed(
        "cleanup_backups",
        "Delete old backups and keep the most recent ones. Without confirm the backups that would be deleted are only listed.",
        {
            "keep": integer("How many backups are kept. Default: 5.", minimum=1, maximum=100, default=5),
            "older_than_days": integer("Only delete backups that are older than this many days.", minimum=1, maximum=3650),
            "confirm": flag("Must be true to delete. Default: false.", default=False),
        },
    ),
)

FAMILIES = (("planning", _PLANNING), ("memory", _MEMORY), ("rag", _RAG), ("backup", _BACKUP))
"""Family name and its tools."""
