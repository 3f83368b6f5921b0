"""The commands that a text holds, wherever they stand in it: in lists, pipelines, groups, loops and conditions.

Knows the grammar of the shell as far as it says which words are run. Constructs whose commands cannot be told by reading
(functions, ``case``, coprocesses) end the reading with a problem.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .lexer import Operator, Problem, Redirection, Token, Word, tokens

__all__ = ["PASSED_OVER", "UNREADABLE", "Command", "Script", "read"]

PASSED_OVER = frozenset({"if", "then", "elif", "else", "fi", "do", "done", "while", "until", "!", "{", "}"})
"""After these the next word is run again."""
UNREADABLE = frozenset({"case", "esac", "select", "function", "coproc"})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)")


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command: a program and its arguments.

    Attributes:
        words: the program first. Empty where only redirections or assignments stand.
        assignments: words of the form ``NAME=value`` before the program.
        redirections: in their order.
        piped: a pipe stands somewhere before it, so its input may come from another command.
        pipeline: number of the pipeline it is part of.
        background: it is started with ``&``.
    """

    words: tuple[Word, ...]
    assignments: tuple[Word, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    piped: bool = False
    pipeline: int = 0
    background: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """What a text runs.

    Attributes:
        commands: all of them, up to the problem if there is one.
        pipes, semicolons: how many of them are live, which those in quotes and comments are not.
        documents: how many texts are fed to commands (here-documents and here-strings).
        problem: why the rest could not be read; ``case``, ``function`` or ``ambiguous`` beside those of the lexer.
    """

    commands: tuple[Command, ...]
    pipes: int
    semicolons: int
    documents: int
    problem: Problem | None


def read(text: str) -> Script:
    """Find every command of a text. Never raises; takes time in proportion to the text.

    Args:
        text: one or more command lines, without NUL.
    """
    lexed = tokens(text)
    reader = _Grammar()
    problem = next((found for token in lexed.tokens if (found := reader.take(token))), None)
    reader.end(Operator("\n"))
    return Script(tuple(reader.commands), reader.pipes, reader.semicolons, reader.documents, problem or lexed.problem)


@dataclass(slots=True)
class _Grammar:
    commands: list[Command] = field(default_factory=list)
    pipes: int = 0
    semicolons: int = 0
    documents: int = 0
    pipeline: int = 0
    words: list[Word] = field(default_factory=list)
    assignments: list[Word] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    both: bool = False
    """``&>`` was seen: bash redirects, others start a new command."""
    loop: int = 0
    """Within the head of a ``for``: 1 before the name, 2 after it, 3 within the list."""

    def take(self, token: Token) -> Problem | None:
        match token:
            case Word():
                return self.word(token)
            case Redirection():
                self.redirections.append(token)
                self.documents += token.operator.startswith("<<")
                self.both |= token.operator.startswith("&>")
                return None
            case Operator():
                return self.operator(token)

    def word(self, word: Word) -> Problem | None:
        if self.both:
            return Problem("ambiguous", word.text)
        if self.loop:
            return self.loop_head(word)
        if self.words:
            self.words.append(word)
            return None
        if word.plain and not self.assignments:
            if word.text in UNREADABLE:
                return Problem("case", word.text)
            if word.text == "for":
                self.loop = 1
                return None
            if word.text in PASSED_OVER:
                return None
        assigned = _ASSIGNMENT.match(word.text[: word.bare])
        if assigned and (assigned.group(2) != "[" or "=" in word.text):
            self.assignments.append(word)
        else:
            self.words.append(word)
        return None

    def loop_head(self, word: Word) -> Problem | None:
        if self.loop == 2:
            if not word.plain or word.text not in {"in", "do", "{"}:
                return Problem("syntax", word.text)
            self.loop = 3 if word.text == "in" else 0
        elif self.loop == 1:
            self.loop = 2
        return None

    def operator(self, operator: Operator) -> Problem | None:
        text = operator.text
        if text == "(" and self.words:
            return Problem("function" if len(self.words) == 1 else "syntax", self.words[0].text + " (")
        if text == "(" and (self.assignments or self.loop):
            return Problem("syntax", "(")
        if text in {";;", ";&", ";;&"}:
            return Problem("syntax", text)
        self.pipes += text in {"|", "|&"}
        self.semicolons += text == ";"
        self.end(operator)
        return None

    def end(self, operator: Operator) -> None:
        """A command ends here, if one began."""
        if self.words or self.assignments or self.redirections:
            self.commands.append(
                Command(
                    words=tuple(self.words),
                    assignments=tuple(self.assignments),
                    redirections=tuple(self.redirections),
                    piped=self.pipes > (operator.text in {"|", "|&"}),
                    pipeline=self.pipeline,
                    background=operator.text == "&",
                )
            )
        elif operator.text == "&":
            # A group or a loop is what goes to the background here.
            self.commands.append(Command(words=(), background=True))
        if operator.text not in {"|", "|&", "(", ")"}:
            self.pipeline += 1
        self.words, self.assignments, self.redirections = [], [], []
        self.both = False
        self.loop = 2 if self.loop == 2 else 0
