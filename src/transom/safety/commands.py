"""Whether a command line may be run: parsed as a shell would, then every program in it judged.

What cannot be decided by reading is refused. A script or a program can still do what its text hides; what stops it then is the
sandbox. The rules here say early, and in words, what would fail or must not be tried.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from .categories import Category, category_of
from .lexer import HOLE, Redirection, Word
from .paths import protected
from .programs import Objection, Use, device, may_be_option, objection_to
from .shell import UNREADABLE, Command, Script, read
from .verdict import ALLOWED, Verdict, refuse
from .wrappers import WRAPPERS, program_name, unwrap

__all__ = ["COMMAND_LENGTH", "PIPES", "SEMICOLONS", "judge"]

COMMAND_LENGTH = 65_536
"""Characters; a system takes 131,072 bytes in one argument (Linux, ``MAX_ARG_STRLEN``)."""
PIPES = 2
SEMICOLONS = 1
_DEPTH = 8
"""Commands within commands (``sh -c``, ``find -exec``, wrappers): each level may read the same words again."""

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "mksh", "rbash", "posh"})
_OTHER_SHELLS = frozenset({"zsh", "fish", "csh", "tcsh", "yash", "xonsh", "elvish", "nu", "oksh"})
"""Their language is not the one read here."""
_SHELL_FLAGS = frozenset("abefhiklmnprtuvxBCDEHPT")
_SHELL_LONG_FLAGS = frozenset({"--posix", "--norc", "--noprofile", "--login", "--noediting", "--restricted", "--verbose"})
_SHELL_LONG_NAMES = frozenset(
    {"debug", "debugger", "dump-po-strings", "dump-strings", "help", "init-file", "login", "noediting", "noprofile", "norc"}
    | {"posix", "pretty-print", "protected", "rcfile", "restricted", "verbose", "version", "wordexp"}
)
_STANDARD_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_ENCODERS = frozenset({"base64", "base32", "basenc", "xxd", "od", "hexdump", "uuencode", "openssl", "gpg", "age"})
_SURROGATE = re.compile("[\ud800-\udfff]")


def judge(text: str, *, allowed: Collection[Category] = (), shell: Literal["posix"] = "posix") -> Verdict:
    """Whether a command line may be handed to a shell. Takes time in proportion to the text.

    Args:
        text: one or more command lines.
        allowed: the categories whose programs may be run; for the others the toolbox has tools.
        shell: the language; POSIX, read as both ``sh`` and ``bash`` would.

    Returns:
        ``command_blocked`` or ``protected_path`` when refused, ``invalid_input`` when there is nothing to run.
    """
    if HOLE in text:
        return refuse("command_blocked", "command_nul", shown=text)
    if _SURROGATE.search(text):
        return refuse("command_blocked", "command_surrogate", shown=text)
    if len(text) > COMMAND_LENGTH:
        return refuse("command_blocked", "command_long", limit=f"{COMMAND_LENGTH:,}", shell=shell)
    if not text.strip():
        return refuse("invalid_input", "command_empty")
    judging = _Judging(frozenset(allowed))
    objection = judging.script(text, 0, fed=False) or judging.excess()
    if objection is None:
        return ALLOWED
    if objection.reason.startswith("path_"):
        return refuse("protected_path", objection.reason, segment=objection.shown)
    shown = objection.shown.replace(HOLE, "$…")
    return refuse("command_blocked", f"command_{objection.reason}", shown=shown, pipes=str(PIPES), semicolons=str(SEMICOLONS))


@dataclass(slots=True)
class _Judging:
    allowed: frozenset[Category]
    pipes: int = 0
    semicolons: int = 0

    def excess(self) -> Objection | None:
        if self.pipes > PIPES:
            return Objection("pipes", str(self.pipes))
        return Objection("semicolons", str(self.semicolons)) if self.semicolons > SEMICOLONS else None

    def script(self, text: str, depth: int, *, fed: bool) -> Objection | None:
        if depth > _DEPTH:
            return Objection("nested", text)
        script = read(text)
        self.pipes += script.pipes
        self.semicolons += script.semicolons
        encoded: set[int] = set()
        for command in script.commands:
            run = _Run(self, script, command, depth, fed or command.piped, command.pipeline in encoded)
            if objection := run.judge():
                return objection
            if command.words and any(program_name(word) in _ENCODERS for word in command.words[:4]):
                encoded.add(command.pipeline)
        return Objection(script.problem.reason, script.problem.shown) if script.problem else None


@dataclass(slots=True)
class _Run:
    """One simple command, and how deep it stands."""

    judging: _Judging
    script: Script
    command: Command
    depth: int
    fed: bool
    encoded: bool
    appended: bool = False
    repeated: bool = False
    replaced: tuple[str, ...] = ()

    def judge(self) -> Objection | None:
        command = self.command
        for word in command.assignments:
            return Objection("separator" if word.text.startswith("IFS") else "environment", word.text)
        for redirection in command.redirections:
            if objection := _redirected(redirection):
                return objection
        objection = self.words(command.words, self.depth) if command.words else None
        return objection or (self.category("background", "&") if command.background else None)

    def words(self, words: Sequence[Word], depth: int) -> Objection | None:
        for _ in range(_DEPTH):
            program = words[0]
            if not program.known or self.fills(program):
                return Objection("computed", program.text)
            name = program_name(program)
            if name in UNREADABLE and program.plain:
                return Objection("case", name)
            use = Use(
                name=name,
                arguments=words[1:],
                appended=self.appended,
                repeated=self.repeated,
                encoded=self.encoded,
                fed=self.fed,
            )
            if objection := objection_to(use):
                return objection
            if (kind := category_of(name)) and (objection := self.category(kind, name)):
                return objection
            if name in _OTHER_SHELLS:
                return Objection("undecided", name)
            if name in _SHELLS:
                return self.shell(words[1:], depth)
            if name == "find":
                return self.find(words[1:], depth)
            if name not in WRAPPERS:
                return None
            found = unwrap(name, words[1:])
            if found.reason:
                return Objection(found.reason, found.shown)
            if not found.words:
                # What is appended to a wrapper without a program is the program.
                return Objection("undecided", name) if self.appended and not found.harmless else None
            if name == "xargs":
                self.repeated = True
                self.appended |= not found.replaced
                self.replaced = (*self.replaced, found.replaced) if found.replaced else self.replaced
            words = found.words
        return Objection("nested", words[0].text)

    def category(self, kind: Category, name: str) -> Objection | None:
        return None if kind in self.judging.allowed else Objection(kind, name)

    def fills(self, word: Word) -> bool:
        """The word is where ``find`` or ``xargs`` puts what it found."""
        return any(text in word.text for text in self.replaced)

    def shell(self, arguments: Sequence[Word], depth: int) -> Objection | None:
        """What a shell within the shell runs: a text after ``-c``, a file, or its input."""
        at, from_text, from_input = 0, False, False
        while at < len(arguments):
            word = arguments[at]
            if may_be_option(word) or (self.fills(word) and not from_text):
                return Objection("undecided", word.text)
            text = word.text
            if text in {"-", "--"} or text[:1] not in {"-", "+"}:
                at += text in {"-", "--"}
                break
            at += 1
            if text.startswith("--"):
                if text not in _SHELL_LONG_FLAGS:
                    return Objection("undecided", text)
                continue
            if text[1:] in _SHELL_LONG_NAMES:
                # For bash it is the long option, for others so many letters.
                return Objection("undecided", text)
            for letter in text[1:]:
                from_text |= letter == "c"
                from_input |= letter == "s"
                at += letter in "oO"
                if letter not in _SHELL_FLAGS and letter not in "csoO":
                    return Objection("undecided", text)
        rest = arguments[at:]
        if from_text:
            if not rest or not rest[0].known or self.fills(rest[0]):
                return Objection("undecided", rest[0].text if rest else "-c")
            return self.judging.script(rest[0].text, depth + 1, fed=self.fed or self.script.documents > 0)
        if rest and not from_input and rest[0].text not in _STANDARD_INPUT:
            return None
        if self.appended:
            return Objection("undecided", "sh")
        return self.input(depth)

    def input(self, depth: int) -> Objection | None:
        """What a shell reads when no text and no file is named."""
        sources = [found for found in self.command.redirections if found.operator in {"<", "<&", "<>", "<<", "<<-", "<<<"}]
        if sources and sources[-1].operator.startswith("<<"):
            if HOLE in sources[-1].target.text:
                return Objection("undecided", sources[-1].target.text)
            return self.judging.script(sources[-1].target.text, depth + 1, fed=False)
        if sources and sources[-1].operator == "<":
            return None
        return Objection("piped", "sh") if sources or self.fed or self.script.documents else None

    def find(self, arguments: Sequence[Word], depth: int) -> Objection | None:
        """The commands that ``find`` runs, and its own removal."""
        if depth >= _DEPTH:
            return Objection("nested", "find")
        at = 0
        while at < len(arguments):
            word = arguments[at]
            at += 1
            if may_be_option(word) or self.appended:
                return Objection("undecided", word.text)
            if word.text == "-delete":
                return Objection("removal", "find -delete")
            if word.text not in {"-exec", "-execdir", "-ok", "-okdir"}:
                continue
            start = at
            while at < len(arguments) and not _ends_exec(arguments, at):
                at += 1
            if start < at:
                inner = _Run(
                    self.judging,
                    self.script,
                    self.command,
                    depth + 1,
                    self.fed,
                    self.encoded,
                    repeated=True,
                    replaced=(*self.replaced, "{}"),
                )
                if objection := inner.words(arguments[start:at], depth + 1):
                    return objection
            at += 1
        return None


def _ends_exec(arguments: Sequence[Word], at: int) -> bool:
    text = arguments[at].text
    return text == ";" or (text == "+" and at > 0 and arguments[at - 1].text == "{}")


def _redirected(redirection: Redirection) -> Objection | None:
    """Where output must not go. Outside the root it cannot: the sandbox sees to that."""
    target = redirection.target
    if redirection.operator.startswith("<<"):
        return None
    if target.splits or target.matches or target.braces:
        return Objection("undecided", target.text)
    if device(target.text):
        return Objection("device", target.text)
    if redirection.operator in {"<", "<&"}:
        return None
    verdict = protected(target.text.split("/"))
    return None if verdict.allowed else Objection(verdict.reason, verdict.facts["segment"])
