"""What a path may look like, and which places file tools do not write.

Knows texts only. Where a path leads is for whoever opens it, segment by segment; a form that is refused here is never handed to
the system, on none of them, so that one answer holds everywhere.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence

from .verdict import ALLOWED, Verdict, refuse

__all__ = [
    "BELOW_NAMES", "NAMED_NAMES", "PATH_BYTES", "PERSONAL_NAMES", "PROJECT_NAMES", "SEGMENT_BYTES", "judge_form", "protected",
]  # fmt: skip

PATH_BYTES = 4096
"""Bytes of a path in UTF-8 (Linux, ``PATH_MAX``)."""
SEGMENT_BYTES = 255
"""Bytes of one name in UTF-8 (most file systems; NTFS counts UTF-16 units, which are never more)."""

_WINDOWS = os.name == "nt"
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x01-\x1f\x7f-\x9f]")
_DEVICE_SPACE = re.compile(r"[\\/]{2}[?.](?:[\\/]|$)|\\\?\?\\")
_NETWORK = re.compile(r"[\\/]{2}")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:/", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|$)")
_HOME = re.compile(r"~(?:[+-]?(?:[\\/]|$)|[A-Za-z_][A-Za-z0-9_-]*[\\/])")
_BACKSLASHED = re.compile(r"(?:^|[\\/])\.{1,2}\\|\\\.{1,2}(?:[\\/]|$)")
_WINDOWS_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(?:[.:].*)?", re.IGNORECASE)
_WINDOWS_CHARACTER = re.compile('[<>"|?*]')

_REPOSITORY = frozenset({".git", "git~1", ".hg", ".svn", ".jj", ".bzr"})
_PROJECT = (
    ".envrc .vscode .idea .zed .fleet .helix .vimrc .exrc .nvimrc .nvim.lua .lvimrc .claude .mcp.json .cursor .codex .gemini "
    ".windsurf .continue .cline .clinerules .roo .opencode .kiro .amazonq .aider.conf.yml .devcontainer .devcontainer.json "
    ".husky"
)
PROJECT_NAMES = tuple(_PROJECT.split())
"""Settings of editors, agents and tools that are obeyed in the folder where they lie."""
_PERSONAL = (
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc "
    ".mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment .gitconfig .hgrc "
    ".ripgreprc .vim .gvimrc .emacs .emacs.d .nanorc .claude.json .lmstudio .ssh .gnupg .netrc"
)
PERSONAL_NAMES = tuple(_PERSONAL.split())
"""Start-up files and credentials of a user, which are obeyed in a home folder."""
NAMED_NAMES = (".gitmodules", "opencode.json", "opencode.jsonc", "transom.toml")
"""Obeyed in a project as well, under names that nothing else can hold meanwhile. What a model may do is not for the model to
widen."""
BELOW_NAMES = {
    ".config": ("fish", "git", "nvim", "systemd", "autostart", "transom", "zed", "helix", "opencode"),
    ".local": ("bin",),
}
"""Names that count below another only."""
_PROTECTED_NAMES = frozenset((*PROJECT_NAMES, *PERSONAL_NAMES, *NAMED_NAMES))
_HEAD = "HEAD"
"""With it, a folder can pass for a bare repository, whose configuration git obeys. Compared exactly: ``head`` is a common
name."""
_IGNORABLE = re.compile("[\u200c-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]")


def judge_form(text: str, *, windows: bool = _WINDOWS) -> Verdict:
    """Whether a text can be a path of ours at all. A home directory is never expanded.

    Args:
        text: the path as it was given.
        windows: judge by the names that Windows does not take as well; its default is whether this system is one.

    Returns:
        ``invalid_path`` when refused.
    """
    for reason, pattern in (("path_nul", _NUL), ("path_surrogate", _SURROGATE), ("path_control", _CONTROL)):
        if pattern.search(text):
            return _invalid(reason, path=text)
    if not text:
        return _invalid("path_empty")
    if _DEVICE_SPACE.match(text):
        return _invalid("path_device", segment=text)
    for reason, pattern in (("path_network", _NETWORK), ("path_url", _URL), ("path_home", _HOME)):
        if pattern.match(text):
            return _invalid(reason, path=text)
    if not windows:
        if _DRIVE.match(text):
            return _invalid("path_drive", path=text)
        if _BACKSLASHED.search(text):
            return _invalid("path_backslash", path=text)
    if len(text.encode()) > PATH_BYTES:
        return _invalid("path_long", limit=str(PATH_BYTES))
    body = text
    if windows and re.match("[A-Za-z]:", text):
        if not _DRIVE.match(text):
            # Relative to the working directory that the drive happens to have.
            return _invalid("path_drive", path=text)
        body = text[2:]
    for segment in re.split(r"[\\/]" if windows else "/", body):
        if len(segment.encode()) > SEGMENT_BYTES:
            return _invalid("path_segment_long", segment=segment, limit=str(SEGMENT_BYTES))
        if windows and not (verdict := _judge_windows_name(segment)):
            return verdict
    return ALLOWED


_NUL = re.compile("\0")


def _judge_windows_name(segment: str) -> Verdict:
    if segment in {"", ".", ".."}:
        return ALLOWED
    if _WINDOWS_DEVICE.fullmatch(segment):
        return _invalid("path_device", segment=segment)
    if ":" in segment:
        return _invalid("path_stream", segment=segment)
    if _WINDOWS_CHARACTER.search(segment):
        return _invalid("path_character", segment=segment)
    return _invalid("path_trailing", segment=segment) if segment[-1] in ". " else ALLOWED


def _invalid(reason: str, **facts: str) -> Verdict:
    return refuse("invalid_path", reason, **facts)


def protected(parts: Sequence[str]) -> Verdict:
    """Whether file tools may write at a place, or make, move or remove it; it need not exist yet.

    Compared are whole names, as a file system would that ignores case, invisible characters or dots at the end: any of them may
    lie below.

    Args:
        parts: the names of the path, below the root or absolute.

    Returns:
        ``protected_path`` when refused.
    """
    before = ""
    for part in parts:
        name = _IGNORABLE.sub("", unicodedata.normalize("NFKC", part)).casefold().partition(":")[0].rstrip(". ")
        if name in _REPOSITORY:
            return refuse("protected_path", "path_repository", segment=part)
        if name in _PROTECTED_NAMES or name in BELOW_NAMES.get(before, ()):
            return refuse("protected_path", "path_protected", segment=part)
        before = name
    if parts and parts[-1] == _HEAD:
        return refuse("protected_path", "path_repository", segment=_HEAD)
    return ALLOWED
