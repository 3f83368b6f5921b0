"""What single programs must not be asked to do: by name, and by their arguments.

Knows one program and its words at a time; how the words were put together is the business of ``shell``. A rule that an unknown
word could break counts as broken: ``undecided``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath
from types import MappingProxyType

from .lexer import HOLE, Word

__all__ = ["Objection", "Use", "device", "may_be_option", "objection_to"]


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a program is not run: the rule's name without its prefix, and the word that broke it."""

    reason: str
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How a program is called.

    Attributes:
        name: the program, without path, in small letters.
        arguments: its words.
        appended: further words come from the input (``xargs``).
        repeated: it is run for many files (``find``, ``xargs``).
        encoded: text that was encoded flows into it.
        fed: its input may come from another command.
    """

    name: str
    arguments: Sequence[Word]
    appended: bool = False
    repeated: bool = False
    encoded: bool = False
    fed: bool = False


_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "privilege": (
            "sudo sudo-rs sudoedit su doas pkexec run0 runuser dzdo gosu su-exec setpriv sg newgrp chroot unshare nsenter "
            "capsh machinectl"
        ),
        "netcat": "nc ncat netcat socat telnet cryptcat",
        "transfer": "scp sftp ssh ftp lftp tftp rcp rsh rlogin rclone sshfs sshpass mosh croc magic-wormhole wormhole ngrok",
        "destructive": (
            "shred wipe srm scrub mke2fs mkswap newfs wipefs fdisk cfdisk sfdisk gdisk sgdisk parted blkdiscard hdparm "
            "badblocks cryptsetup lvremove vgremove pvremove mdadm nvme"
        ),
        "system": "shutdown reboot halt poweroff init telinit systemctl service launchctl insmod rmmod modprobe kexec mount",
        "eval": "eval trap fc compgen complete let bind",
        "exec": "exec",
        "environment": "export unset declare typeset readonly local alias unalias source . setenv unsetenv enable",
        "undecided": (
            "parallel watch script entr flock strace ltrace gdb expect proot bwrap firejail nsjail prlimit numactl cgexec "
            "chpst setuidgid runcon valgrind perf hyperfine rlwrap xvfb-run dbus-run-session torsocks proxychains ld.so "
            "pwsh powershell cmd"
        ),
    }
)
_REASONS: Mapping[str, str] = MappingProxyType({name: reason for reason, names in _REFUSED.items() for name in names.split()})
_FAMILIES = MappingProxyType({"mkfs": "destructive", "nc": "netcat", "ld-linux-x86-64": "undecided", "ld-linux": "undecided"})
"""Programs whose name goes on after a dot: mkfs.ext4, nc.openbsd, the loaders ld-linux-x86-64.so.2 and their like."""

_DEVICE = re.compile(r"/dev/(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd/[0-9]+|shm(?:/.*)?|pts(?:/.*)?)?")
_OPTION_LIKE = re.compile(r"[-A-Za-z0-9*?]*")
_RUNS_PROGRAMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "tar": (
            "--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--info-script",
            "--new-volume-script", "-I",
        ),
        "bsdtar": ("--use-compress-program",),
        "rg": ("--pre", "--hostname-bin"),
        "sort": ("--compress-program",),
        "zip": ("-TT", "--unzip-command"),
        "man": ("-P", "--pager", "-H", "--html"),
        "fd": ("-x", "-X", "--exec", "--exec-batch"),
        "fdfind": ("-x", "-X", "--exec", "--exec-batch"),
        "split": ("--filter",),
        "hash": ("-p",),
        "mapfile": ("-C",),
        "readarray": ("-C",),
    }
)  # fmt: skip
"""Options by which a program runs another one."""
_EVALUATES_NAMES = frozenset({"[", "[[", "test", "printf", "read", "wait", "getopts", "mapfile", "readarray"})
"""Builtins that read some argument as the name of an array element, and run what stands in its index."""
_INTERPRETERS = re.compile(r"(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|tclsh|wish|osascript|rscript|r)[0-9.]*")
_CURL_FLAGS = re.compile(r"-[aBfgGiIjklLMnNOpqRsSvZ#0-9]*")
_SETS = re.compile(r"[-+][abefhkmnptuvxBCEHPT]*o?")


def objection_to(use: Use) -> Objection | None:
    """Whether a program may not be run in this way, and why.

    Args:
        use: the program and how it is called.
    """
    reason = _REASONS.get(use.name) or _FAMILIES.get(use.name.partition(".")[0])
    if reason:
        return Objection(reason, use.name)
    for word in use.arguments:
        if device(word.text):
            return Objection("device", word.text)
    options = _RUNS_PROGRAMS.get(use.name)
    if options and (found := _option_that_runs(options, use)):
        return found
    if use.name == "[[" and (not use.arguments or use.arguments[-1].text != "]]"):
        # For bash it goes on behind && and line breaks, for others it does not.
        return Objection("case", "[[")
    if use.name in _EVALUATES_NAMES and (evaluated := _evaluated(use)):
        return evaluated
    if use.fed and _INTERPRETERS.fullmatch(use.name) and all(word.text == "-" for word in use.arguments):
        return Objection("piped", use.name)
    judge = _JUDGES.get(use.name)
    return judge(use) if judge else None


def device(path: str) -> bool:
    """The path names a device other than those that every program may use, or a network connection of bash."""
    if not path.startswith(("/dev/", "//")) and "/dev/" not in path:
        return False
    clean = "/" + normpath(path).lstrip("/") if path.startswith("/") else path
    return clean.startswith("/dev/") and not _DEVICE.fullmatch(clean)


def may_be_option(word: Word) -> bool:
    """A word that is not known may turn out to be an option, or several words."""
    if word.known:
        return False
    if word.splits or word.braces or word.text.startswith((HOLE, "-", "[")):
        return True
    # A pattern matches names of files, and those may look like options; not if a dot or a slash is in each of them.
    letters = word.text.replace(HOLE, "")
    return word.matches and letters[0] in "*?" and ("[" in letters or _OPTION_LIKE.fullmatch(letters) is not None)


def _option_that_runs(options: tuple[str, ...], use: Use) -> Objection | None:
    for word in use.arguments:
        if may_be_option(word):
            return Objection("undecided", word.text)
        name = word.text.partition("=")[0]
        if (
            any(
                (name.startswith("--") and len(name) > 3 and option.startswith(name))
                or (len(option) == 2 and word.text.startswith(option))
                for option in options
            )
            or name in options
        ):
            return Objection("runs_program", word.text)
    return None


def _evaluated(use: Use) -> Objection | None:
    comparing = use.name == "[[" and any(word.text in {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"} for word in use.arguments)
    naming = use.name not in {"[", "[[", "test", "printf"} or any(word.text.startswith("-v") for word in use.arguments)
    if not comparing and not naming:
        return None
    for word in use.arguments:
        if HOLE in word.text or "[" in word.text[:-1] or "`" in word.text:
            return Objection("eval", word.text)
    return None


def _rm(use: Use) -> Objection | None:
    forced, recursive, only_operands = False, use.repeated, False
    for word in use.arguments:
        text = word.text
        if only_operands:
            continue
        if may_be_option(word):
            return Objection("undecided", text)
        if text == "--":
            only_operands = True
        elif text.startswith("--"):
            name, _, value = text[2:].partition("=")
            recursive |= "recursive".startswith(name)
            forced |= "force".startswith(name) or ("interactive".startswith(name) and value[:1] == "n")
        elif text.startswith("-"):
            recursive |= "r" in text or "R" in text
            forced |= "f" in text
    if recursive and forced:
        return Objection("removal", " ".join(["rm", *(word.text for word in use.arguments[:4])]))
    return Objection("undecided", "rm") if use.appended and not only_operands else None


def _dd(use: Use) -> Objection | None:
    for word in use.arguments:
        name, _, value = word.text.partition("=")
        if may_be_option(word) or use.appended or (name == "of" and not word.known):
            return Objection("undecided", word.text)
        if device(value):
            return Objection("device", word.text)
        if (
            name == "of"
            and (value.startswith(("/", "~")) or ".." in value.split("/"))
            and not _DEVICE.fullmatch(normpath(value))
        ):
            return Objection("destructive", word.text)
    return None


def _curl(use: Use) -> Objection | None:
    if use.encoded:
        return Objection("transfer", "curl")
    words = use.arguments
    for place, word in enumerate(words):
        text = word.text
        if may_be_option(word) or use.appended:
            return Objection("undecided", text)
        following = words[place + 1].text if place + 1 < len(words) else ""
        if text.startswith("--"):
            name, equals, value = text[2:].partition("=")
            value = value if equals else following
            if "upload-file".startswith(name):
                return Objection("transfer", text)
            if name.startswith(("c", "K")) and "config".startswith(name):
                return Objection("undecided", text)
            sends = name.startswith(("da", "json", "url-q", "form"))
        elif text.startswith("-") and len(text) > 1:
            rest = text[len(_match(_CURL_FLAGS, text)) :]
            if rest.startswith("T"):
                return Objection("transfer", text)
            if rest.startswith("K"):
                return Objection("undecided", text)
            sends, value = rest.startswith(("d", "F")), rest[1:] or following
        else:
            continue
        if sends and (
            HOLE in value or value.startswith(("@", "<")) or "=@" in value or "=<" in value or "@" in value.partition("=")[0]
        ):
            return Objection("transfer", text)
    return None


def _match(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return found.group() if found else ""


def _wget(use: Use) -> Objection | None:
    if use.encoded:
        return Objection("transfer", "wget")
    for word in use.arguments:
        text = word.text
        if may_be_option(word) or use.appended:
            return Objection("undecided", text)
        name = text[2:].partition("=")[0] if text.startswith("--") else ""
        if name.startswith(("post-f", "body-f")) and ("post-file".startswith(name) or "body-file".startswith(name)):
            return Objection("transfer", text)
        if text.startswith("-e") or (name and any(known.startswith(name) for known in ("execute", "config", "use-askpass"))):
            return Objection("undecided", text)
    return None


def _rsync(use: Use) -> Objection | None:
    for word in use.arguments:
        text = word.text
        if may_be_option(word) or use.appended:
            return Objection("undecided", text)
        if text.startswith(("--rsh", "--rsync-path", "--daemon")) or (
            text.startswith("-") and not text.startswith("--") and "e" in text
        ):
            return Objection("transfer", text)
        if not text.startswith("-") and ":" in text.partition("/")[0]:
            return Objection("transfer", text)
        if text.startswith(("--del", "--remove-source")):
            return Objection("destructive", text)
    return None


def _set(use: Use) -> Objection | None:
    """``set -eu`` is about this command alone; ``set --`` and ``set -a`` prepare what later words will be."""
    for place, word in enumerate(use.arguments):
        follows_o = place > 0 and use.arguments[place - 1].text.endswith("o")
        if not word.known or not (follows_o or _SETS.fullmatch(word.text)) or ("a" in word.text[:3] and not follows_o):
            return Objection("environment", "set " + word.text)
    return None


_JUDGES: Mapping[str, Callable[[Use], Objection | None]] = MappingProxyType(
    {"rm": _rm, "dd": _dd, "curl": _curl, "wget": _wget, "wget2": _wget, "rsync": _rsync, "set": _set}
)
