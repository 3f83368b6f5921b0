"""What git is given: arguments that cannot be taken for something else, and no program that a repository names.

Knows arguments and keys of the configuration; runs nothing and reads no repository. That a path is inside the allowed roots,
and where ``.git`` points, is for whoever opens them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .verdict import ALLOWED, Verdict, refuse

__all__ = ["PLAIN", "arguments", "judge", "overrides", "runs_program"]

PLAIN: tuple[str, ...] = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.editor=false"),
    *("-c", "core.askPass="),
    *("-c", "core.sshCommand=false"),
    *("-c", "credential.helper="),
    *("-c", "diff.external="),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "protocol.ext.allow=never"),
    *("-c", "commit.gpgSign=false"),
    *("-c", "tag.gpgSign=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "submodule.recurse=false"),
)
"""What stands before the verb of every call: no pager, no patterns in paths, and no program that a repository names
(https://git-scm.com/docs/git-config). Filters, drivers and aliases carry names of their own: see ``overrides``."""

_SHOWING = {
    "blame": ("--no-textconv",),
    **dict.fromkeys(("diff", "log", "show"), ("--no-ext-diff", "--no-textconv")),
}
"""Options that keep the verbs that show content from running what the configuration has for showing it."""

_RUNNING = re.compile(
    r"""
    core\.(fsmonitor|hookspath|editor|pager|askpass|sshcommand|gitproxy|alternaterefscommand)
  | (sequence\.editor|diff\.external|interactive\.difffilter|uploadpack\.packobjectshook|gpg\.program|web\.browser)
  | alias\..+ | pager\..+
  | credential\.(.+\.)?helper
  | diff\..+\.(command|textconv)
  | difftool\..+\.(cmd|path) | mergetool\..+\.(cmd|path) | merge\..+\.driver
  | filter\..+\.(clean|smudge|process)
  | gpg\..+\.(program|defaultkeycommand)
  | trailer\..+\.(command|cmd)
  | remote\..+\.(uploadpack|receivepack|vcs|proxy)
  | submodule\..+\.update
  | sendemail\..+ | browser\..+\.(cmd|path) | man\..+\.(cmd|path) | guitool\..+\.cmd | tar\..+\.command | hook\..+\.command
  | include\.path | includeif\..+\.path
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_NO_BRANCH = re.compile(r"\.\.|//|@\{|/\.|^[./]|[./]$|\.lock(?:/|$)|[ ~^:?*\[\\]|^@$")
"""https://git-scm.com/docs/git-check-ref-format."""
_SHELL = re.compile(r"[\"'`$&|;<>(){}!#]")
_NO_REVISION = re.compile(r"[ ?*\[\\\"'`$&|;<>()!#]")


def judge(
    *,
    revisions: Sequence[str] = (),
    branch: str | None = None,
    create: bool = False,
    paths: Sequence[str] = (),
    message: str | None = None,
    configuration: Iterable[str] = (),
) -> Verdict:
    """Whether a call may be made with these arguments.

    Args:
        revisions: commits, tags, ranges: ``HEAD~2``, ``v1..main``.
        branch: the name of a branch.
        create: the branch is to be made. Its name may then hold nothing that a shell reads: scripts of others will meet it.
        paths: files and folders, relative to the top of the repository.
        message: of a commit; data, whatever it looks like, and never empty, for git would open an editor.
        configuration: the keys that the repository sets (``git config --local --includes --list --name-only -z``).

    Returns:
        ``invalid_ref`` for names and revisions, ``invalid_input`` for a path that looks like an option and an empty message,
        ``outside_root`` for a path that leaves the repository, ``invalid_path`` for one that is none, ``command_blocked`` for a
        key that runs a program and cannot be switched off.
    """
    for revision in revisions:
        if not revision or _CONTROL.search(revision) or _NO_REVISION.search(revision.replace("^!", "")):
            return refuse("invalid_ref", "git_revision", value=revision)
        if revision.startswith("-"):
            return refuse("invalid_ref", "git_option", value=revision)
    if branch is not None:
        if branch.startswith("-"):
            return refuse("invalid_ref", "git_option", value=branch)
        if not branch or _CONTROL.search(branch) or _NO_BRANCH.search(branch) or (create and _SHELL.search(branch)):
            return refuse("invalid_ref", "git_branch", value=branch)
    for path in paths:
        verdict = _judge_path(path)
        if not verdict:
            return verdict
    if message is not None:
        if not message.strip():
            return refuse("invalid_input", "git_message")
        if "\0" in message:
            return refuse("invalid_input", "git_character", value=message)
    for key in configuration:
        if runs_program(key) and "=" in key:
            # ``-c`` takes the first = for the end of the key.
            return refuse("command_blocked", "git_config", key=key)
    return ALLOWED


def _judge_path(path: str) -> Verdict:
    if path.startswith("-"):
        return refuse("invalid_input", "git_option", value=path)
    if not path or _CONTROL.search(path):
        return refuse("invalid_path", "git_character", value=path)
    depth = 0
    for part in path.replace("\\", "/").split("/"):
        depth += 0 if part in {"", "."} else -1 if part == ".." else 1
        if depth < 0:
            return refuse("outside_root", "git_path_outside", value=path)
    return ALLOWED


def arguments(
    verb: str,
    *options: str,
    revisions: Sequence[str] = (),
    paths: Sequence[str] = (),
    configuration: Iterable[str] = (),
) -> tuple[str, ...]:
    """The arguments of a call, after the program's name: options first, then revisions, then ``--``, then paths.

    Args:
        verb: for example ``diff``.
        options: written by us, never by a model.
        revisions, paths: allowed by ``judge``.
        configuration: the keys that the repository sets, allowed by ``judge``; those that run a program are switched off.
    """
    return (*PLAIN, *overrides(configuration), verb, *options, *_SHOWING.get(verb, ()), *revisions, "--", *paths)


def overrides(keys: Iterable[str]) -> tuple[str, ...]:
    """Options that switch off the programs that a repository's configuration names, by their keys."""
    settings: dict[str, str] = {}
    for key in keys:
        # An alias never replaces a verb that exists; what an included file holds is among the keys itself.
        if runs_program(key) and not key.lower().startswith(("alias.", "include")):
            settings[key] = ""
            if key.lower().startswith("filter."):
                # Without a program, a filter that is required fails the call.
                settings[f"{key.rpartition('.')[0]}.required"] = "false"
    return tuple(part for key, value in settings.items() for part in ("-c", f"{key}={value}"))


def runs_program(key: str) -> bool:
    """Whether a key of git's configuration names a program, or a file with more such keys."""
    return _RUNNING.fullmatch(key) is not None
