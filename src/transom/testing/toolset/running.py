"""Tools that run something: code and commands, git and its hosting, HTTP, databases: 5 + 3 + 8 + 7 + 3 + 1 definitions."""

from __future__ import annotations

from .definitions import choice, closed, decimal, flag, integer, listed, plain, text

__all__ = ["FAMILIES"]

_TIMEOUT = integer(
    "Maximum run time in seconds. The process and all its children are stopped when it is over. Default: 60.",
    minimum=1,
    maximum=300,
    default=60,
)
_ENVIRONMENT = {
    "type": "object",
    "description": 'Additional environment variables as name and value. Example: {"NODE_ENV": "test"}',
    "additionalProperties": {"type": "string"},
}
_REPOSITORY = text("Path of the git repository. Defaults to the repository that holds the current working directory.")
_OWNER = text("Owner of the repository, a user or an organization. If omitted, it is read from the remote named origin.")
_REPO = text("Name of the repository without its owner. If omitted, it is read from the remote named origin.")

_EXECUTION = (
    closed(
        "run_javascript",
        "Execute a snippet of JavaScript in a sandbox and return everything it prints. The code runs in a fresh process with "
        "no network access and may only write inside the workspace. Use console.log to output results; the value of the last "
        "expression is not returned automatically. Suitable for calculations, data conversion and quick experiments. State is "
        "not kept between calls.",
        {
            "javascript": text("The code to run. Top-level await is allowed.", minLength=1, maxLength=100000),
            "timeout_seconds": decimal("Time limit in seconds. Default: 5.", minimum=0.1, maximum=60, default=5),
        },
        ("javascript",),
    ),
    closed(
        "run_python",
        "Execute a Python script in a sandbox and return its standard output, its standard error and the exit code. The script "
        "runs in a fresh interpreter with the standard library, without network access, and may only write inside the "
        "workspace. Print what you want to see. Suitable for calculations, data analysis, and checking a hypothesis quickly. "
        "State is not kept between calls.",
        {
            "python": text("The script to run.", minLength=1, maxLength=100000),
            "timeout_seconds": decimal("Time limit in seconds. Default: 5.", minimum=0.1, maximum=60, default=5),
        },
        ("python",),
    ),
    closed(
        "execute_command",
        "Execute a shell command in the workspace and wait for it to finish. Returns the exit code, standard output and "
        "standard error. Long output is shortened in the middle and kept in full at an address that is part of the answer. "
        "Commands that could damage the system are refused with a reason. IMPORTANT: do not use this for reading, searching "
        "or editing files; the specialised tools are safer and faster. For commands that run longer than five minutes use "
        "run_background_command.",
        {
            "command": text("The command line. Example: npm run build", minLength=1, maxLength=10000),
            "timeout": _TIMEOUT,
            "working_directory": text("Directory the command runs in. Defaults to the current working directory."),
            "env": _ENVIRONMENT,
        },
        ("command",),
    ),
    closed(
        "run_in_terminal",
        "Open a visible terminal window on the user's desktop and run a command in it. The user can see and interact with the "
        "command; you do not receive its output. Use this only when the user explicitly asks for a terminal or when a program "
        "needs input from the user, for example a login.",
        {
            "command": text("The command line to run in the terminal.", minLength=1, maxLength=10000),
            "keep_open": flag("Whether the window stays open after the command has ended. Default: true.", default=True),
        },
        ("command",),
    ),
    closed(
        "run_tests",
        "Run the automated tests of the project and return a structured summary: number of passed, failed and skipped tests, "
        "and for each failure its name, message and location. The test framework is detected from the project (pytest, "
        "unittest, jest, vitest, mocha, go test, cargo test) and can be named explicitly. Run the tests after each change of "
        "the code.",
        {
            "path": text("Test file or directory. Defaults to all tests of the project."),
            "framework": choice(
                "Test framework to use. Default: auto.",
                "auto",
                "pytest",
                "unittest",
                "jest",
                "vitest",
                "mocha",
                "go",
                "cargo",
                default="auto",
            ),
            "filter": text("Only run tests whose names contain this text.", maxLength=200),
            "fail_fast": flag("Whether the run stops at the first failure. Default: false.", default=False),
            "timeout": _TIMEOUT,
        },
    ),
)

_BACKGROUND = (
    closed(
        "run_background_command",
        "Start a command in the background and return at once with a job id. Use this for servers, watchers and anything else "
        "that runs for a long time. Look at its output with check_background_command and stop it with "
        "cancel_background_command. At most eight jobs can run at the same time.",
        {
            "command": text("The command line to start. Example: npm run dev", minLength=1, maxLength=10000),
            "label": text("Short name for the job, shown in listings.", maxLength=60),
            "env": _ENVIRONMENT,
        },
        ("command",),
    ),
    closed(
        "check_background_command",
        "Check on a command that was started in the background. Returns whether it is still running, its exit code if it has "
        "ended, and the output since the last check. Without a job id all jobs of this session are listed.",
        {
            "job_id": text("Id of the job, as returned by run_background_command."),
            "tail_lines": integer(
                "How many lines of output to return at most. Default: 100.", minimum=1, maximum=5000, default=100
            ),
        },
    ),
    closed(
        "cancel_background_command",
        "Stop a command that was started in the background, together with all processes it has started. The process is asked "
        "to end first and is killed after five seconds. Returns the final output.",
        {"job_id": text("Id of the job, as returned by run_background_command.", minLength=1)},
        ("job_id",),
    ),
)

_GIT = (
    plain(
        "git_status",
        "Show the status of the working tree: the current branch, how far it is ahead of or behind its upstream, staged "
        "changes, unstaged changes and untracked files. Nothing is modified. Call this before you commit.",
        {"repo_path": _REPOSITORY},
    ),
    plain(
        "git_diff",
        "Show changes in the repository as a unified diff. By default the changes that are not staged are shown. Use staged "
        "to see what would be committed, or target to compare with a branch, a tag or a commit.",
        {
            "file_path": text("Restrict the diff to this file or directory."),
            "staged": flag("Show staged changes instead of unstaged ones. Default: false.", default=False),
            "target": text("Branch, tag or commit to compare with. Example: main"),
            "context_lines": integer("Unchanged lines around each change. Default: 3.", minimum=0, maximum=100, default=3),
            "repo_path": _REPOSITORY,
        },
    ),
    plain(
        "git_commit",
        "Record the staged changes as a new commit with the given message. Only what was staged with git_add is committed; "
        "other changes stay in the working tree. Hooks of the repository are not run. Write a short summary in the imperative "
        "mood, followed by a blank line and an explanation if one is needed.",
        {
            "message": text("The commit message.", minLength=1, maxLength=10000),
            "allow_empty": flag("Whether a commit without changes is allowed. Default: false.", default=False),
            "repo_path": _REPOSITORY,
        },
        ("message",),
    ),
    plain(
        "git_log",
        "Show the commit history of the current branch, newest first, with hash, author, date and subject. The history can be "
        "restricted to a file, an author or a period of time.",
        {
            "max_count": integer("How many commits to show at most. Default: 10.", minimum=1, maximum=1000, default=10),
            "file_path": text("Only show commits that touch this file."),
            "author": text("Only show commits whose author's name or address contains this text."),
            "since": text("Only show commits after this date, as YYYY-MM-DD.", format="date"),
            "until": text("Only show commits before this date, as YYYY-MM-DD.", format="date"),
            "repo_path": _REPOSITORY,
        },
    ),
    plain(
        "git_add",
        "Stage files for the next commit. Paths are taken literally, wildcards are not expanded. Use a single dot to stage all "
        "changes below the current directory.",
        {
            "paths": listed("Files and directories to stage.", {"type": "string", "minLength": 1}, minItems=1, maxItems=500),
            "repo_path": _REPOSITORY,
        },
        ("paths",),
    ),
    plain(
        "git_checkout",
        "Switch to another branch, or create a new branch and switch to it. The call fails if local changes would be "
        "overwritten; commit or stash them first.",
        {
            "branch_name": text("Name of the branch.", minLength=1, maxLength=250, pattern="^[A-Za-z0-9._/-]+$"),
            "create_new": flag("Whether the branch is created. Default: false.", default=False),
            "start_point": text("Commit or branch at which a new branch begins. Defaults to the current commit."),
            "repo_path": _REPOSITORY,
        },
        ("branch_name",),
    ),
    plain(
        "git_stash",
        "Put local changes aside and bring them back later. The operation push saves the changes and cleans the working tree; "
        "pop restores the most recent entry and removes it; apply restores it and keeps it; list shows all entries; drop "
        "deletes one entry.",
        {
            "operation": choice("What to do. Default: push.", "push", "pop", "apply", "list", "drop", default="push"),
            "message": text("Description of the entry, for push.", maxLength=500),
            "index": integer("Number of the entry, for pop, apply and drop. Default: 0, the latest.", minimum=0, default=0),
            "include_untracked": flag("Whether untracked files are put aside too. Default: false.", default=False),
            "repo_path": _REPOSITORY,
        },
    ),
    plain(
        "git_blame",
        "Show for each line of a file which commit and which author changed it last, and when. Useful to find out why a line "
        "is the way it is. The range of lines can be restricted.",
        {
            "file_path": text("Path of the file inside the repository.", minLength=1),
            "start_line": integer("First line of the range, counted from 1.", minimum=1),
            "end_line": integer("Last line of the range, inclusive.", minimum=1),
        },
        ("file_path",),
    ),
)

_GITHUB = (
    plain(
        "gh_create_issue",
        "Create a new issue in a GitHub repository. The title and the body are published under the user's account, so show "
        "them to the user first unless you were told to file the issue. Returns the number and the address of the new issue.",
        {
            "owner": _OWNER,
            "repo": _REPO,
            "title": text("Title of the issue.", minLength=1, maxLength=256),
            "body": text("Text of the issue in Markdown.", maxLength=65536),
            "labels": listed("Labels to attach. They must exist in the repository.", {"type": "string"}, maxItems=100),
            "assignees": listed("Login names of the people to assign.", {"type": "string"}, maxItems=10),
        },
        ("title",),
    ),
    plain(
        "gh_list_issues",
        "List the issues of a GitHub repository with number, title, state, labels and author. Pull requests are not included. "
        "Results are paged; use page to get more of them.",
        {
            "owner": _OWNER,
            "repo": _REPO,
            "state": choice("Which issues are listed. Default: open.", "open", "closed", "all", default="open"),
            "labels": listed("Only list issues that carry all of these labels.", {"type": "string"}),
            "sort": choice("Order of the results. Default: created.", "created", "updated", "comments", default="created"),
            "direction": choice("Direction of the order. Default: desc.", "asc", "desc", default="desc"),
            "since": text("Only issues updated at or after this time, in ISO 8601 format.", format="date-time"),
            "per_page": integer("Results per page. Default: 30.", minimum=1, maximum=100, default=30),
            "page": integer("Page number for pagination, counted from 1. Default: 1.", minimum=1, default=1),
        },
    ),
    plain(
        "gh_view_comments",
        "Read the comments of an issue or of a pull request, oldest first, with author and time. For pull requests the review "
        "comments are included together with the file and the line they refer to.",
        {
            "owner": _OWNER,
            "repo": _REPO,
            "number": integer("Number of the issue or pull request.", minimum=1),
            "per_page": integer("Results per page. Default: 30.", minimum=1, maximum=100, default=30),
            "page": integer("Page number for pagination, counted from 1. Default: 1.", minimum=1, default=1),
        },
        ("number",),
    ),
    plain(
        "gh_create_pr",
        "Open a pull request on GitHub from one branch to another. The head branch must have been pushed before; use gh_push "
        "for that. Returns the number and the address of the pull request.",
        {
            "owner": _OWNER,
            "repo": _REPO,
            "title": text("Title of the pull request.", minLength=1, maxLength=256),
            "body": text("Description in Markdown. Say what was changed and why.", maxLength=65536),
            "head": text("Branch that holds the changes. Defaults to the current branch."),
            "base": text("Branch the changes are merged into. Defaults to the default branch of the repository."),
            "draft": flag("Whether the pull request is opened as a draft. Default: false.", default=False),
        },
        ("title",),
    ),
    plain(
        "gh_list_prs",
        "List the pull requests of a GitHub repository with number, title, state, author, head and base branch. Results are "
        "paged; use page to get more of them.",
        {
            "owner": _OWNER,
            "repo": _REPO,
            "state": choice(
                "Which pull requests are listed. Default: open.", "open", "closed", "merged", "all", default="open"
            ),
            "base": text("Only pull requests into this branch."),
            "author": text("Only pull requests by this login name."),
            "per_page": integer("Results per page. Default: 30.", minimum=1, maximum=100, default=30),
            "page": integer("Page number for pagination, counted from 1. Default: 1.", minimum=1, default=1),
        },
    ),
    plain(
        "gh_view_pr_diff",
        "Get the changes of a pull request as a unified diff. Large diffs are shortened; restrict them to single files with "
        "paths.",
        {
            "owner": _OWNER,
            "repo": _REPO,
            "number": integer("Number of the pull request.", minimum=1),
            "paths": listed("Only show the changes of these files.", {"type": "string"}),
        },
        ("number",),
    ),
    plain(
        "gh_push",
        "Push the commits of a local branch to the remote repository. A branch without upstream gets one. Forced pushes are "
        "not possible with this tool.",
        {
            "branch": text("Branch to push. Defaults to the current branch."),
            "remote": text("Name of the remote. Default: origin.", default="origin"),
            "repo_path": _REPOSITORY,
        },
    ),
)

_URL = text(
    "Address to call, with http or https. Private and local addresses are refused.", format="uri", minLength=1, maxLength=2048
)
_HEADERS = {
    "type": "object",
    "description": 'Request headers as name and value. Example: {"Accept": "application/json"}',
    "additionalProperties": {"type": "string"},
}

_HTTP = (
    closed(
        "http_request",
        "Send an HTTP request with any method and return status, headers and body of the response. Redirects are followed, at "
        "most five. The body is returned as text, shortened to 500000 characters. Use http_get_json or http_post_json when you "
        "work with a JSON API, and fetch_web_content when you want to read a web page.",
        {
            "url": _URL,
            "method": choice(
                "HTTP method. Default: GET.", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", default="GET"
            ),
            "headers": _HEADERS,
            "body": text("Request body as text.", maxLength=1000000),
            "timeout_seconds": integer("Time limit in seconds. Default: 30.", minimum=1, maximum=120, default=30),
            "follow_redirects": flag("Whether redirects are followed. Default: true.", default=True),
        },
        ("url",),
    ),
    closed(
        "http_get_json",
        "Fetch JSON data from a web API with a GET request and return the parsed value. The call fails with the status and the "
        "beginning of the body if the answer is not valid JSON.",
        {
            "url": _URL,
            "headers": _HEADERS,
            "query": {
                "type": "object",
                "description": "Query parameters, encoded and added to the address.",
                "additionalProperties": {"type": ["string", "number", "boolean"]},
            },
        },
        ("url",),
    ),
    closed(
        "http_post_json",
        "Send JSON data to a web API with a POST request and return the parsed answer. The content type is set for you.",
        {"url": _URL, "headers": _HEADERS, "data": {"description": "Value to send as JSON: an object, a list or a scalar."}},
        ("url", "data"),
    ),
)

_DATABASE = (
    closed(
        "query_database",
        "Run a read-only SQL query against a SQLite database file and return columns and rows. Only a single statement that "
        "reads is allowed; anything that writes is refused by the database itself. Without a database path an empty database "
        "in memory is used. Results are limited to 1000 rows.",
        {
            "query": text("The SQL statement. Use ? for parameters. Example: SELECT name FROM users WHERE id = ?", minLength=1),
            "db_path": text("Path of the database file."),
            "parameters": listed(
                "Values for the placeholders, in order.", {"type": ["string", "number", "boolean", "null"]}, maxItems=100
            ),
            "max_rows": integer("Maximum number of rows to return. Default: 100.", minimum=1, maximum=1000, default=100),
        },
        ("query",),
    ),
)

FAMILIES = (
    ("execution", _EXECUTION),
    ("background", _BACKGROUND),
    ("git", _GIT),
    ("github", _GITHUB),
    ("http", _HTTP),
    ("database", _DATABASE),
)
"""Family name and its tools."""
