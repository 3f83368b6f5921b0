"""Tools on files and text: 26 + 3 + 1 definitions."""

from __future__ import annotations

from .definitions import choice, closed, flag, integer, listed, plain, record, text, titled

__all__ = ["FAMILIES"]

_PATH = text(
    "Path of the file, absolute or relative to the current working directory. It must lie inside the workspace root. "
    "Example: src/index.ts",
    minLength=1,
    maxLength=4096,
)
_BACKUP = flag(
    "Whether a copy of the file is written next to it with the ending .bak before anything is changed. Defaults to true.",
    default=True,
)

_READING = (
    closed(
        "list_directory",
        "List the files and folders inside a directory. Returns one entry per line with its type (file or directory), its "
        "size in bytes and the time of its last change. Hidden entries are included unless you ask otherwise. Use this tool "
        "when you want to know what is in a single folder; for a recursive overview use directory_tree, and for finding a "
        "file by its name use find_files. The listing stops after 1000 entries, and the answer then says how many were left "
        "out.",
        {
            "path": text("Directory to list. If omitted, the current working directory is listed. Example: src/components"),
            "include_hidden": flag("Whether entries whose names begin with a dot are listed too. Default: true.", default=True),
            "sort_by": choice("What the entries are sorted by. Default: name.", "name", "size", "modified", default="name"),
        },
    ),
    closed(
        "read_file",
        "Read the complete contents of a text file from the file system and return it with line numbers. Handles UTF-8 and "
        "UTF-16 with a byte order mark, and returns a detailed error message if the file cannot be read. Use this tool when "
        "you need to examine the contents of a single file. Files larger than 256 KB are returned in chunks; call "
        "read_file_chunked to get the remaining parts. Binary files are refused: use get_file_metadata or image_to_text for "
        "those.",
        {
            "file_name": _PATH,
            "start_line": integer("First line to return, counted from 1. If omitted, reading begins at line 1.", minimum=1),
            "end_line": integer(
                "Last line to return, inclusive. If omitted, reading goes on to the end of the file.", minimum=1
            ),
        },
        ("file_name",),
    ),
    closed(
        "read_file_chunked",
        "Read a large text file piece by piece. Each call returns one chunk together with a cursor for the next one, so that a "
        "file of any size can be read without filling the context. Call it without a cursor first, then repeat the call with "
        "the cursor from the previous answer until no cursor is returned. Use read_file instead if the file is small.",
        {
            "file_name": _PATH,
            "chunk_size": integer(
                "Number of characters in one chunk. Values between 1000 and 50000 are accepted. Default: 8000.",
                minimum=1000,
                maximum=50000,
                default=8000,
            ),
            "cursor": text("The cursor from the previous answer. Leave it out to start at the beginning of the file."),
        },
        ("file_name",),
    ),
    closed(
        "get_file_metadata",
        "Get detailed metadata about a file or a directory without reading its contents: size, creation time, last modified "
        "time, permissions, type, line endings (LF, CRLF or mixed), byte order mark and detected text encoding. This tool is "
        "useful before you edit a file, because it tells you which line endings and which encoding the edit has to respect. "
        "Works on files of any size.",
        {"path": _PATH},
        ("path",),
    ),
    closed(
        "directory_tree",
        "Get a recursive tree view of files and directories as indented text. Directories end with a slash. Well-known folders "
        "that are large and rarely interesting (node_modules, .git, dist, build, __pycache__, .venv) are shown but not "
        "descended into. Use this to get an overview of an unfamiliar project. Be careful with large depths: the output grows "
        "quickly.",
        {
            "path": text("Directory where the tree begins. Defaults to the current working directory.", default="."),
            "max_depth": integer("How many levels to descend. Default: 3. Maximum: 10.", minimum=1, maximum=10, default=3),
            "exclude_patterns": listed(
                "Glob patterns for entries to leave out, for example *.log or coverage/**. They are added to the built-in "
                "ones.",
                {"type": "string", "minLength": 1},
                maxItems=50,
            ),
        },
    ),
    closed(
        "find_files",
        "Search for files by name, using a glob pattern. The search is recursive and starts in the given directory. Returns "
        "the matching paths, newest first, at most 200 of them. Use this tool when you know a part of the file's name or its "
        "ending. If you are looking for something inside files, use ripgrep or pattern_scan instead. If you are not sure how "
        "the name is spelled, use fuzzy_find_local_files.",
        {
            "pattern": text("Glob pattern, for example **/*.test.ts or docs/*.md. Matching is case-sensitive.", minLength=1),
            "path": text("Directory to search in. Defaults to the current working directory."),
            "max_results": integer("Maximum number of paths to return. Default: 200.", minimum=1, maximum=1000, default=200),
        },
        ("pattern",),
    ),
    closed(
        "fuzzy_find_local_files",
        "Find files whose names resemble the given text, even when it is misspelled or incomplete. Candidates are ranked by "
        "similarity, best first, with a score between 0 and 1. Use this tool when find_files returned nothing or when the user "
        "mentions a file only vaguely, such as 'the settings file of the parser'.",
        {
            "query": text(
                "Approximate name of the file. It does not need to contain the file ending.", minLength=2, maxLength=200
            ),
            "path": text("Directory to search in. Defaults to the current working directory."),
            "max_results": integer("How many candidates to return at most. Default: 10.", minimum=1, maximum=50, default=10),
        },
        ("query",),
    ),
    closed(
        "ripgrep",
        "Search the contents of files with a regular expression, at the speed of ripgrep. Returns matching lines with file "
        "name, line number and the requested number of context lines. Ignores files that are listed in .gitignore unless "
        "no_ignore is set. Prefer this tool over reading files one by one when you are looking for a symbol, a message or a "
        "setting. The pattern uses Rust regex syntax: look-around and back references are not supported.",
        {
            "pattern": text(
                "Regular expression to search for. Escape special characters if you search for literal text. Example: "
                "def\\s+parse_",
                minLength=1,
                maxLength=1000,
            ),
            "path": text("File or directory to search in. Defaults to the current working directory."),
            "glob": text("Only search files whose path matches this glob pattern. Example: *.py"),
            "case_sensitive": flag("Whether upper and lower case are told apart. Default: true.", default=True),
            "context_lines": integer(
                "Lines to show before and after each match. Default: 0.", minimum=0, maximum=20, default=0
            ),
            "no_ignore": flag("Whether ignored and hidden files are searched too. Default: false.", default=False),
            "max_matches": integer("Stop after this many matches. Default: 200.", minimum=1, maximum=2000, default=200),
        },
        ("pattern",),
    ),
    closed(
        "pattern_scan",
        "Scan a file or a whole directory for a pattern with strict limits on time and size, so that it can be used safely on "
        "untrusted trees. Links are not followed, large files and files with very long lines are skipped and listed with the "
        "reason. If the regular expression is invalid or unsafe, it is searched as literal text and the answer says so. Use "
        "ripgrep for ordinary code search; use pattern_scan when you need to know what was not searched.",
        {
            "pattern": text("Regular expression or literal text, depending on mode.", minLength=1, maxLength=500),
            "root": text("File or directory to scan. Defaults to the current working directory."),
            "mode": choice("How the pattern is understood. Default: regex.", "regex", "literal", default="regex"),
            "maxFileSizeBytes": integer(
                "Files larger than this many bytes are skipped. Default: 262144 (256 KiB).",
                minimum=1024,
                maximum=10485760,
                default=262144,
            ),
            "max_depth": integer("How many directory levels are entered. Default: 10.", minimum=1, maximum=50, default=10),
        },
        ("pattern",),
    ),
    closed(
        "file_diff",
        "Compare two text files line by line and return the differences as a unified diff. Use this tool to review what "
        "changed between two versions of a file, or between a file and its .bak copy. The files do not need to be in a git "
        "repository. For changes that are tracked by git, use git_diff.",
        {
            "file_a": text("Path of the first file, the older one."),
            "file_b": text("Path of the second file, the newer one."),
            "context_lines": integer("Unchanged lines around each change. Default: 3.", minimum=0, maximum=50, default=3),
            "ignore_whitespace": flag("Whether differences in white space alone are left out. Default: false.", default=False),
        },
        ("file_a", "file_b"),
    ),
    closed(
        "analyze_project",
        "Analyze the structure of a software project and return a summary: programming languages with their share of lines, "
        "frameworks and package managers that were detected, entry points, test folders, configuration files and the largest "
        "files. Run this once at the beginning of a task in an unfamiliar repository. It reads manifests and counts lines but "
        "does not execute anything.",
        {
            "path": text("Root directory of the project. Defaults to the current working directory."),
            "depth": choice(
                "How thorough the analysis is. Default: standard.", "quick", "standard", "deep", default="standard"
            ),
            "include_dependencies": flag("Whether declared dependencies are listed. Default: true.", default=True),
        },
    ),
    closed(
        "change_directory",
        "Change the current working directory of this session. All relative paths in later calls are resolved against the new "
        "directory. The directory must exist and must lie inside the workspace root; otherwise the call fails and the working "
        "directory stays as it was.",
        {"directory": text("Directory to change to, absolute or relative. Example: ../packages/core", minLength=1)},
        ("directory",),
    ),
)

_WRITING = (
    closed(
        "save_file",
        "Create a new file or completely overwrite an existing file with new content. Use with caution as it will overwrite "
        "existing files without warning. Parent directories are created when they are missing. The content is written exactly "
        "as given, in UTF-8, with the line endings it has. For small changes in an existing file prefer replace_text_in_file "
        "or insert_at_line, because they do not need the whole file to be repeated.",
        {
            "file_name": _PATH,
            "content": text("The complete content of the file. It may be empty.", maxLength=10000000),
        },
        ("file_name", "content"),
    ),
    closed(
        "replace_text_in_file",
        "Replace text in a file with other text. The old text must match exactly, including white space and indentation; it is "
        "literal text and not a regular expression. By default all occurrences are replaced. If the old text does not occur, "
        "the call fails and the nearest similar passage is shown together with its line number, so that you can correct the "
        "call. Line endings of the file are kept. Always read the file before you edit it.",
        {
            "file_name": _PATH,
            "old_string": text(
                "The text to be replaced. Include enough surrounding lines to make it unique if only one place is meant.",
                minLength=1,
                maxLength=100000,
            ),
            "new_string": text("The text to put in its place. May be empty to delete the old text.", maxLength=1000000),
            "global": flag("Replace all occurrences (true) or only the first one (false). Default: true.", default=True),
            "normalize_line_endings": flag(
                "Whether a newline in old_string matches both LF and CRLF. Default: true.", default=True
            ),
            "backup": _BACKUP,
        },
        ("file_name", "old_string", "new_string"),
    ),
    closed(
        "insert_at_line",
        "Insert new lines into a text file before the given line number. Existing lines move down. To add something at the "
        "end of the file, use the number of lines plus one, or append_file. After writing, the neighbourhood of the insertion "
        "is returned so that you can verify the result.",
        {
            "file_name": _PATH,
            "line_number": integer("Line before which the text is inserted, counted from 1.", minimum=1),
            "content_to_insert": text("Text to insert. A missing newline at its end is added.", maxLength=1000000),
            "backup": _BACKUP,
        },
        ("file_name", "line_number", "content_to_insert"),
    ),
    closed(
        "append_file",
        "Append text to the end of a file. The file is created if it does not exist yet. The text is written as it is: if the "
        "file does not end with a newline, the new text continues the last line. Useful for logs and for files that are built "
        "step by step.",
        {"file_name": _PATH, "content": text("Text to append. It must not be empty.", minLength=1, maxLength=10000000)},
        ("file_name", "content"),
    ),
    closed(
        "delete_lines_in_file",
        "Delete one or several consecutive lines from a text file. To be safe against line numbers that have moved, pass the "
        "expected text in verify_before_delete: the lines are only deleted if they match, and a match within three lines is "
        "found and used. If nothing matches, the actual lines around the place are returned and the file is left untouched.",
        {
            "file_name": _PATH,
            "start_line": integer("First line to delete, counted from 1.", minimum=1),
            "end_line": integer("Last line to delete, inclusive. If omitted, only one line is deleted.", minimum=1),
            "verify_before_delete": text("Expected content of the lines, compared without outer white space.", maxLength=500),
            "backup": _BACKUP,
        },
        ("file_name", "start_line"),
    ),
    closed(
        "line_operations",
        "Insert, delete or move single lines in a text file, either by line number or relative to a line that contains a given "
        "text. At most five lines can be handled in one call; use replace_text_in_file for larger changes. With "
        "verify_before_insert the operation is only carried out if the target line contains the expected text.",
        {
            "file_name": _PATH,
            "operation": choice("What to do with the lines.", "insert", "delete", "move"),
            "target_line": integer(
                "Line the operation refers to, counted from 1. Needed unless a pattern is given.", minimum=1
            ),
            "lines": integer("How many lines are deleted. Default: 1.", minimum=1, maximum=5, default=1),
            "content": text("Text to insert. Only used by the operation insert.", maxLength=5000),
            "move_from": integer("Number of the line that is moved. Only used by the operation move.", minimum=1),
            "move_to": integer("Number that the moved line will have afterwards. Only used by the operation move.", minimum=1),
            "insert_after_pattern": text("Insert after the first line that contains this text.", maxLength=500),
            "insert_before_pattern": text("Insert before the first line that contains this text.", maxLength=500),
            "verify_before_insert": text("Text that the target line must contain.", maxLength=200),
        },
        ("file_name", "operation"),
    ),
    plain(
        "apply_patch",
        "Apply a patch that changes several files in one call. The patch names each file to add, update, move or delete, and "
        "locates its hunks by context lines instead of line numbers. Either all files are changed or none: if one hunk does "
        "not apply, nothing is written and the error names the file and the hunk. This is the preferred tool for changes that "
        "belong together across files.",
        {
            "patch": text(
                "The patch text. It begins with the line '*** Begin Patch' and ends with the line '*** End Patch'.", minLength=1
            ),
            "dry_run": flag("Only check whether the patch applies, without writing anything. Default: false.", default=False),
        },
        ("patch",),
    ),
    closed(
        "make_directory",
        "Create a new directory or ensure that a directory exists. Can create multiple nested directories in one operation. If "
        "the directory already exists, this operation succeeds silently. Perfect for setting up directory structures for "
        "projects.",
        {"directory_name": text("Directory to create, including its parents. Example: src/features/login", minLength=1)},
        ("directory_name",),
    ),
    closed(
        "move_file",
        "Move or rename a file or a directory. The file can be moved between directories and renamed in a single operation. If "
        "the destination exists already, the operation fails unless overwrite is set. Both paths must lie inside the workspace "
        "root.",
        {
            "source": text("Path of the file or directory to move.", minLength=1),
            "destination": text("Path it will have afterwards. Missing parent directories are created.", minLength=1),
            "overwrite": flag("Whether an existing file at the destination is replaced. Default: false.", default=False),
        },
        ("source", "destination"),
    ),
    closed(
        "copy_file",
        "Copy a file to another place. The copy keeps the permission bits of the original. If the destination exists already, "
        "the operation fails unless overwrite is set. Directories are not copied; use execute_command for that.",
        {
            "source": text("Path of the file to copy.", minLength=1),
            "destination": text("Path of the copy, including its file name.", minLength=1),
            "overwrite": flag("Whether an existing file at the destination is replaced. Default: false.", default=False),
        },
        ("source", "destination"),
    ),
    closed(
        "delete_path",
        "Delete a file or an empty directory. This cannot be undone, so make sure that you have the right path. A directory "
        "that is not empty is refused unless recursive is set. A symbolic link is removed itself; what it points to stays.",
        {
            "path": text("Path of the file or directory to delete.", minLength=1),
            "recursive": flag("Whether a directory is deleted with everything in it. Default: false.", default=False),
        },
        ("path",),
    ),
    closed(
        "delete_files_by_pattern",
        "Delete all files whose names match a glob pattern. Without confirm the matching files are only listed, so that you "
        "can check them first; call the tool again with confirm set to true to really delete them. Directories are never "
        "deleted.",
        {
            "pattern": text("Glob pattern of the files to delete. Example: **/*.tmp", minLength=1, maxLength=500),
            "confirm": flag("Set to true to delete the files that were listed. Default: false.", default=False),
        },
        ("pattern",),
    ),
    closed(
        "find_replace_all",
        "Find and replace a text in many files of a directory at once. By default this is a dry run that shows, file by file, "
        "how many places would be changed. To write the changes, set dry_run to false and confirm to true. Files larger than "
        "100 KB and binary files are skipped and listed in the answer.",
        {
            "directory": text("Directory to work in, searched recursively.", minLength=1),
            "pattern": text("Literal text to look for.", minLength=1, maxLength=1000),
            "replacement": text("Text to put in its place.", maxLength=10000),
            "file_glob": text("Only change files that match this glob pattern. Example: *.md"),
            "case_sensitive": flag("Whether upper and lower case are told apart. Default: true.", default=True),
            "dry_run": flag("Only show what would be changed. Default: true.", default=True),
            "confirm": flag("Must be true together with dry_run set to false. Default: false.", default=False),
        },
        ("directory", "pattern", "replacement"),
    ),
    closed(
        "restore_from_bak",
        "Restore a file from the .bak copy that an earlier edit left next to it. The bytes are copied back exactly and the "
        ".bak file is removed afterwards. If there is no .bak copy, the available ones in the working directory are listed.",
        {"file_name": _PATH},
        ("file_name",),
    ),
)

_TEXT = (
    titled(
        "text_transform",
        "Transform a piece of text without touching any file. Supports changes of case, sorting and deduplication of lines, "
        "trimming, wrapping to a width, encoding and decoding (base64, URL, HTML entities) and slug creation. Use this "
        "instead of doing such transformations by hand, because it is exact.\n\nArgs:\n    input_text: the text\n    "
        "operation: what to do\n\nReturns:\n    The transformed text.",
        {
            "input_text": text("The text to transform.", maxLength=1000000),
            "operation": choice(
                "Name of the transformation.",
                "upper",
                "lower",
                "title",
                "sort_lines",
                "unique_lines",
                "trim",
                "wrap",
                "base64_encode",
                "base64_decode",
                "url_encode",
                "url_decode",
                "html_escape",
                "html_unescape",
                "slug",
            ),
            "width": integer("Width in characters for the operation wrap.", minimum=20, maximum=400),
        },
        ("input_text", "operation"),
    ),
    titled(
        "text_extract",
        "Extract structured pieces from a text: e-mail addresses, links, phone numbers, dates, numbers, hashtags, code blocks "
        "or the matches of a regular expression of your own. Returns every match with its position. The text is not changed.",
        {
            "input_text": text("The text to search.", maxLength=1000000),
            "kind": choice(
                "What to extract.", "emails", "urls", "phones", "dates", "numbers", "hashtags", "code_blocks", "regex"
            ),
            "pattern": text("Regular expression for the kind regex. Named groups become fields.", maxLength=500),
            "unique": flag("Whether equal matches are returned once. Default: true.", default=True),
        },
        ("input_text", "kind"),
    ),
    titled(
        "markdown_table_gen",
        "Generate a well-formed and aligned Markdown table from headers and rows. Pipes and line breaks inside cells are "
        "escaped. Use this tool whenever you present tabular data with more than a few rows, because alignment by hand is "
        "error-prone.",
        {
            "headers": listed("Column titles from left to right.", {"type": "string"}, minItems=1, maxItems=50),
            "rows": listed(
                "Rows from top to bottom. Each row is a list of cells as text.",
                {"type": "array", "items": {"type": "string"}},
                maxItems=5000,
            ),
            "alignment": listed(
                "Alignment of each column. Missing entries are left-aligned.",
                {"type": "string", "enum": ["left", "center", "right"]},
            ),
        },
        ("headers", "rows"),
    ),
)

_REFACTORING = (
    titled(
        "refactor_code",
        "Refactor source code safely across files by rules instead of by text search. Supported rules: rename an identifier in "
        "its scope, move a function to another module, extract a function from a range of lines and clean up unused imports. "
        "The default is a dry run that returns a diff. After you have reviewed the diff, call the tool again with dry_run set "
        "to false. Supports Python, JavaScript and TypeScript.",
        {
            "rule": choice(
                "Which refactoring is done.", "rename_identifier", "move_function", "extract_function", "unused_import_cleanup"
            ),
            "target": {"$ref": "#/$defs/CodePlace"},
            "new_name": text("New name, for renaming and extracting.", pattern="^[A-Za-z_$][A-Za-z0-9_$]*$", maxLength=100),
            "destination_file": text("File that receives the function, for moving."),
            "dry_run": flag("Only return the diff. Default: true.", default=True),
        },
        ("rule", "target"),
        {
            "CodePlace": {
                **record(
                    "A place in source code.",
                    {
                        "file_name": {"type": "string", "title": "File Name", "description": "Path of the source file."},
                        "symbol": {"type": "string", "title": "Symbol", "description": "Name of the function or variable."},
                        "start_line": {"type": "integer", "title": "Start Line", "minimum": 1},
                        "end_line": {"type": "integer", "title": "End Line", "minimum": 1},
                    },
                    ("file_name",),
                ),
                "title": "CodePlace",
            }
        },
    ),
)

FAMILIES = (("files", _READING + _WRITING), ("text", _TEXT), ("refactoring", _REFACTORING))
"""Family name and its tools."""
