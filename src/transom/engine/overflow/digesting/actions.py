"""What a call does, read off its name and arguments: a command, files touched, a plan, or something else.

Knows the habits of the tools that agents carry (argument names, patch headers, redirections), no particular agent. A wrong
guess costs a line in a list, never a fact: what is shown is always the argument as it stood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ....errors import JSONError
from ....jsontext import loads
from ....vocabulary.digesting import DigestWords

__all__ = ["Action", "action_of", "command_key", "command_label", "informational"]

_MAX_ARGUMENTS = 400_000  # longer arguments are read by their beginning alone
_PATH_KEYS = ("file_path", "path", "filepath", "file", "filename", "file_name", "target_file", "absolute_path", "relative_path",
              "notebook_path", "relative_workspace_path", "source", "destination")  # fmt: skip
_COMMAND_KEYS = ("command", "cmd", "script", "shell_command", "commandline", "code", "keystrokes")
_EDIT_KEYS = ("new_string", "newText", "new_str", "new_text", "replace", "replacement", "edits", "insert_text", "patch", "diff")
_WRITE_KEYS = ("content", "contents", "file_text", "text", "code_edit")
_SUBJECT_KEYS = ("pattern", "query", "regex", "url", "q", "description", "subject", "skill", "name")
_EDITOR_VERBS = {"view": "read", "create": "written", "str_replace": "edited", "insert": "edited", "undo_edit": "edited",
                 "write": "written", "read": "read", "delete": "deleted"}  # fmt: skip
_NAME_VERBS = (
    (re.compile(r"delete|remove|unlink|trash", re.IGNORECASE), "deleted"),
    (re.compile(r"move|rename", re.IGNORECASE), "moved"),
    (re.compile(r"edit|replace|patch|insert|append|update|modify|apply", re.IGNORECASE), "edited"),
    (re.compile(r"write|create|save|new_file|put_file", re.IGNORECASE), "written"),
    (re.compile(r"glob|grep|search|find|list|^ls$|tree|ripgrep|rg$", re.IGNORECASE), ""),
    (re.compile(r"read|open|view|cat|get|show|load|fetch|head|tail|scroll", re.IGNORECASE), "read"),
)
_PATCH = re.compile(
    r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$|^\+\+\+ (?:b/)?(\S+)", re.MULTILINE
)
_PATCH_VERBS = {"Add": "written", "Update": "edited", "Delete": "deleted"}
_SHELL_TOOLS = re.compile(r"bash|shell|exec|terminal|command|run|powershell|user ran", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Action:
    """One call, understood.

    Attributes:
        label: tool and main argument, verbatim; for a command ``$ `` and the command.
        command: the command, empty when it is none.
        files: (verb, path) for every file touched.
        arguments: the parsed arguments, empty when they are no JSON object.
    """

    label: str
    command: str = ""
    files: tuple[tuple[str, str], ...] = ()
    arguments: Mapping[str, object] | None = None


def action_of(name: str, arguments: str, *, custom: bool, words: DigestWords) -> Action:
    """Understand one call; ``words`` join the parts of its label."""
    given = None if custom else _object(arguments)
    if given is None:
        return _free_text(name, arguments, words)
    patch = _text(given, ("patch", "input", "diff"))
    if "*** " in patch:
        return Action(_labelled(name, "", words), files=_patched(patch), arguments=given)
    path = _text(given, _PATH_KEYS)
    command = _command(given)
    if command and path and command in _EDITOR_VERBS:
        return Action(f"{name} {command} {path}", files=((_EDITOR_VERBS[command], path),), arguments=given)
    if command and (not path or _SHELL_TOOLS.search(name)):
        return Action(command_label(command), command, _shell_files(command), given)
    if path:
        verb = _verb(name, given)
        what = "" if verb else _text(given, _SUBJECT_KEYS)
        label = words.searched.format(tool=name, what=what, path=path) if what else _labelled(name, path, words)
        return Action(label, files=((verb, path),) if verb else (), arguments=given)
    subject = _text(given, _SUBJECT_KEYS) or _compact(arguments)
    if "\n" in subject and subject[0] in "{[":
        subject = next((value for value in given.values() if isinstance(value, str) and value), "")
    return Action(_labelled(name, subject, words), arguments=given)


def command_label(command: str) -> str:
    """``$`` and the command; ``$…`` where directory changes or output plumbing around it are left out."""
    key = command_key(command)
    return f"$ {key}" if key == command.strip() else f"$… {key}"


def _text(given: Mapping[str, object], keys: tuple[str, ...]) -> str:
    """The first of these arguments that is text and not empty."""
    for key in keys:
        value = given.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def _object(arguments: str) -> Mapping[str, object] | None:
    text = arguments if len(arguments) <= _MAX_ARGUMENTS else ""
    try:
        value = loads(text) if text else None
    except JSONError:
        return None
    return value if isinstance(value, dict) else None


def _free_text(name: str, text: str, words: DigestWords) -> Action:
    if "*** Begin Patch" in text[:2_000] or "\n+++ " in text[:4_000]:
        return Action(_labelled(name, "", words), files=_patched(text[:_MAX_ARGUMENTS]))
    if _SHELL_TOOLS.search(name) and not text.lstrip().startswith("{"):
        return Action(command_label(text), text, _shell_files(text))
    return Action(_labelled(name, _compact(text), words))


def _patched(patch: str) -> tuple[tuple[str, str], ...]:
    touched: list[tuple[str, str]] = []
    for match in _PATCH.finditer(patch):
        kind, path, target, diffed = match.groups()
        if path:
            touched.append((_PATCH_VERBS[kind], path))
        elif target:
            touched.append(("moved", target))
        elif diffed and diffed != "/dev/null":
            touched.append(("edited", diffed))
    return tuple(dict.fromkeys(touched))


def _command(given: Mapping[str, object]) -> str:
    for key in _COMMAND_KEYS:
        value = given.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            words = [word for word in value if isinstance(word, str)]
            return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return ""


def _verb(name: str, given: Mapping[str, object]) -> str:
    for pattern, verb in _NAME_VERBS:
        if pattern.search(name):
            return verb
    if any(key in given for key in _EDIT_KEYS):
        return "edited"
    return "written" if any(key in given for key in _WRITE_KEYS) else "read"


def _labelled(name: str, argument: str, words: DigestWords) -> str:
    return f"{name} {argument}".strip() or words.call


def _compact(arguments: str) -> str:
    text = arguments.strip()
    return "" if text in ("{}", "null") else text


# ── shell ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
_SPLIT = re.compile(r"&&|\|\||[;|\n]")
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_REDIRECT = re.compile(r"(?<![\d&>=-])>>?\s*([^\s;&|<>()$`]+)")
_READERS = ("cat", "head", "tail", "nl", "less", "more", "bat", "type")
_SHOWS = frozenset(
    (
        *_READERS,
        "sed",
        "awk",
        "grep",
        "egrep",
        "rg",
        "ag",
        "find",
        "fd",
        "ls",
        "tree",
        "wc",
        "jq",
        "echo",
        "printf",
        "diff",
        "stat",
        "file",
        "which",
        "pwd",
        "env",
        "xxd",
        "strings",
        "cut",
        "sort",
        "history",
        "ps",
        "df",
        "du",
    )
)
_GIT_SHOWS = frozenset(("log", "show", "diff", "status", "grep", "blame", "branch", "ls-files", "rev-parse", "cat-file"))
_LEADING = re.compile(
    r"^(?:\s*(?:cd\s+(?:\"[^\"]*\"|'[^']*'|[^\s;&|]+)\s*(?:&&|;)|export\s+\S+\s*(?:&&|;)|\w+=\S*\s|sudo\s|time\s|timeout\s+\S+\s))+"
)
_TRAILING = re.compile(
    r"(?:\s*(?:\d?>&\d|\d?>\s*/dev/null|&>\s*/dev/null|\|\s*(?:head|tail|cat|tee|grep|less|sort|wc)\b(?:\"[^\"]*\"|'[^']*'|[^|;&\"'])*))+\s*$"
)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def command_key(command: str) -> str:
    """A command without what does not change what it is: directory changes, environment, output plumbing."""
    text = command.strip()
    if len(text) > 2_000:
        return text
    text = _LEADING.sub("", text)
    return _TRAILING.sub("", text).strip() or command.strip()


def informational(command: str) -> bool:
    """Whether the command only shows things, so that ``error`` in its output is something it found, not something it did."""
    for part in _SPLIT.split(_LEADING.sub("", command[:2_000].strip()))[:1]:
        words = part.split()
        if not words:
            return False
        head = words[0].rsplit("/", 1)[-1]
        if head == "git" and len(words) > 1:
            return next((word for word in words[1:] if not word.startswith("-")), "") in _GIT_SHOWS
        return head in _SHOWS and not (head == "sed" and any(word.startswith("-i") for word in words))
    return False


def _shell_files(command: str) -> tuple[tuple[str, str], ...]:
    line = _COMMENT.sub("", command[:1_500])
    heredoc = line.find("<<")
    if heredoc >= 0:
        line = line[: line.find("\n", heredoc)] if "\n" in line[heredoc:] else line
    line = _QUOTED.sub(lambda match: match.group() if _pathlike(match.group()[1:-1]) else "_", line)
    touched: list[tuple[str, str]] = []
    for part in _SPLIT.split(line):
        words = [word.strip("\"'") for word in part.split()]
        if not words:
            continue
        redirected = [path.strip("\"'") for path in _REDIRECT.findall(part)]
        touched.extend(("written", path) for path in redirected if _pathlike(path))
        operands = [word for word in words[1:] if not word.startswith(("-", "<", ">")) and word not in redirected]
        match words[0]:
            case "sed" if any(word.startswith("-i") for word in words[1:]):
                touched.extend(("edited", word) for word in operands[-1:] if _pathlike(word))
            case "rm":
                touched.extend(("deleted", word) for word in operands if _pathlike(word))
            case "mv":
                touched.extend(("moved", word) for word in operands[-1:] if _pathlike(word))
            case "cp" | "touch" | "tee":
                touched.extend(("written", word) for word in operands[-1:] if _pathlike(word))
            case "sed" | "cat" | "head" | "tail" | "nl" if not redirected:
                touched.extend(("read", word) for word in operands[-2:] if _pathlike(word))
            case "patch":
                touched.extend(("edited", word) for word in operands[:1] if _pathlike(word))
            case _:
                pass
    return tuple(dict.fromkeys(touched))


_PATHLIKE = re.compile(r"(?:[~.\w@-]*/)*[\w@.+-]*\.?[A-Za-z][\w.+-]*$")


def _pathlike(word: str) -> bool:
    if not 2 < len(word) < 300 or word.startswith("/dev/") or "$" in word or "*" in word:
        return False
    return ("/" in word or "." in word) and _PATHLIKE.match(word) is not None
