"""What models mean when they call a tool in the ways of other products: its name, the names of its arguments, JSON as text.

Pure. An argument is only taken for another where the tool has one that can be meant; a tool's name is only ever a hint.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from ..errors import JSONError
from ..jsontext import loads

__all__ = ["asked_for", "meant_arguments", "meant_tools", "near_tools"]

_PATHS = frozenset({"path", "file_path", "file_name", "filename"})
_FOLDERS = frozenset({"directory", "directory_name", "root", "dir", "folder", "file"})
"""Also paths, but not always the same one: they stand for each other only where a tool takes a single path."""

_SAME: tuple[frozenset[str], ...] = (
    frozenset({"start_line", "target_line", "line_number"}),
    frozenset({"python", "javascript", "code", "script"}),
    frozenset({"command", "cmd"}),
    frozenset({"entry_id", "plan_id", "session_id", "id"}),
    frozenset({"old_string", "old_str", "old_text", "search", "find"}),
    frozenset({"new_string", "new_str", "new_text", "replace", "replacement"}),
    frozenset({"global", "replace_all"}),
    frozenset({"content", "content_to_insert", "contents", "file_text", "text"}),
    frozenset({"fact", "content", "memory", "text"}),
    frozenset({"pattern", "query", "regex", "search"}),
    frozenset({"timeout", "timeout_seconds"}),
    frozenset({"limit", "max_results"}),
    frozenset({"backupFile", "backup_file"}),
    frozenset({"tool_name", "name"}),
)
"""Names that stand for one another: models mix them up, and what they mean is never in doubt."""

_ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "read_file": "cat head tail less more open read view open_file view_file show_file read_text_file get_file_contents",
        "ripgrep": "grep egrep rg ag ack search search_file search_files search_code grep_search codebase_search findstr",
        "find_files": "find fd glob locate find_file file_search glob_file_search search_by_name",
        "list_directory": "ls dir list list_dir list_files list_folder ls_dir",
        "directory_tree": "tree list_tree",
        "execute_command": (
            "bash sh zsh shell cmd powershell terminal exec run run_command run_shell run_shell_command run_terminal_cmd "
            "run_terminal_command run_in_terminal execute execute_bash execute_shell shell_exec local_shell"
        ),
        "run_python": "python python3 ipython execute_python python_exec code_interpreter run_code execute_code",
        "run_javascript": "javascript js node execute_javascript eval_javascript",
        "replace_text_in_file": (
            "str_replace str_replace_editor str_replace_based_edit_tool edit edit_file edit_text_file file_edit replace "
            "replace_file replace_in_file replace_string_in_file search_replace search_and_replace multi_edit multiedit sed "
            "text_editor modify_file update_file"
        ),
        "apply_patch": "patch apply_diff diff_edit multi_edit multiedit edit edit_file edit_files",
        "save_file": "write write_file write_to_file file_write create create_file create_new_file new_file touch",
        "append_file": "append append_to_file",
        "insert_at_line": "insert insert_line insert_text",
        "make_directory": "mkdir create_directory create_dir create_folder",
        "move_file": "mv move rename rename_file",
        "copy_file": "cp copy",
        "delete_path": "rm rmdir del unlink delete delete_file delete_directory remove remove_file",
        "change_directory": "cd chdir",
        "get_current_working_directory": "pwd cwd getcwd",
        "file_diff": "diff cmp compare_files",
        "get_file_metadata": "stat file_info get_file_info",
        "restore_from_bak": "undo undo_edit revert revert_file",
        "restore_backup": "undo undo_edit revert rollback",
        "json_query": "jq",
        "hash_file": "sha256sum md5sum checksum",
        "create_plan": "todo todo_write todowrite write_todos update_plan manage_todo_list plan",
        "update_plan_step": "todo todo_write todowrite write_todos update_plan manage_todo_list",
        "remember": "memory store_memory add_memory create_memory add_memories create_entities",
        "recall": "memory read_memory list_memories read_graph",
        "search_context": "search_memory search_memories memory_search search_nodes",
        "explore_tools": "search_tools tool_search find_tools list_tools",
        "detect_os_environment": "uname",
    }
)
"""The tools of ours that do what a shell or another product calls by another name."""

_EVERYDAY: Mapping[str, str] = MappingProxyType(
    {
        "ripgrep": "search text in files, search the code for a word, find where a function is defined or used",
        "read_file": "open a file, look at a file, show what is in it",
        "list_directory": "show folder contents, list files",
        "save_file": "create a new file, write a file",
        "replace_text_in_file": "edit a file, change a line, fix code",
        "find_replace_all": "rename a function or variable everywhere",
        "delete_path": "delete a file, remove a folder",
        "move_file": "rename a file",
        "file_diff": "compare two files",
        "restore_from_bak": "undo my last edit, undo a change",
        "restore_backup": "undo changes",
        "execute_command": "run tests, run a program, build, install",
        "run_python": "calculate something, compute, run a test",
        "run_javascript": "calculate something",
        "recall": "what do I know about a user",
        "restore_session_context": "go on where I stopped last time",
        "create_plan": "make a todo list",
    }
)
"""What people ask for, and do not find in what a tool says of itself: that stays short, for models read it on every turn."""


def meant_arguments(given: Mapping[str, object], valid: Sequence[str], kinds: object) -> dict[str, object]:
    """Arguments under the names that a tool knows, lists and objects out of their JSON.

    Args:
        given: as they were sent.
        valid: the tool's names.
        kinds: the JSON Schema of each.
    """
    made = dict(given)
    single = sum(name in _PATHS or name in _FOLDERS for name in valid) == 1
    for same in ((_PATHS | _FOLDERS) if single else _PATHS, *_SAME):
        wanted = [name for name in valid if name in same and name not in made]
        sent = [name for name in made if name in same and name not in valid]
        if len(wanted) == 1 and len(sent) == 1:
            made[wanted[0]] = made.pop(sent[0])
    return {name: _out_of_json(value, kinds.get(name) if isinstance(kinds, Mapping) else None) for name, value in made.items()}


def _out_of_json(value: object, kind: object) -> object:
    wanted = kind.get("type") if isinstance(kind, Mapping) else None
    if not isinstance(value, str) or wanted not in {"object", "array"} or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        read = loads(value)
    except JSONError:
        return value
    return read if isinstance(read, dict if wanted == "object" else list) else value


def meant_tools(name: str, known: Collection[str]) -> list[str]:
    """The tools that a name of another product, a shell or a client stands for; none where it is not known.

    Args:
        name: for example ``grep``, or ``mcp__transom__read_file``.
        known: the tools there are.
    """
    plain = "_".join(name.strip().casefold().replace("-", "_").replace(" ", "_").split())
    ours = [tool for tool in known if plain == tool or plain.endswith((f"__{tool}", f".{tool}", f"transom_{tool}"))]
    return ours or [tool for tool, names in _ELSEWHERE.items() if tool in known and plain in names.split()]


def asked_for(name: str) -> str:
    """What people say when they mean a tool; empty where its description says it."""
    return _EVERYDAY.get(name, "")


def near_tools(name: str, known: Collection[str]) -> list[str]:
    """Tools that are spelt like a name."""
    # Most calls name a tool there is.
    import difflib

    return difflib.get_close_matches(name, sorted(known), n=3)
