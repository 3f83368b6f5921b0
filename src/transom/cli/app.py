"""The table of commands and the one loop that runs them.

Knows names, import paths and one line of help for each command; a command's module is imported when it is called. To add a
command, write ``cli/NAME.py`` and add its line to ``COMMANDS`` (how such a module looks: ``docs/how-to/add-a-command.md``).
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from cyclopts import App

from . import output
from .errors import Failure, explain

__all__ = ["COMMANDS", "Command", "build", "run"]


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the table.

    Attributes:
        name: what the user types.
        target: ``package.module:attribute``, a function or (for a command with subcommands) a cyclopts ``App`` of that name.
        summary: the line that ``transom --help`` shows, so that help imports no command.
    """

    name: str
    target: str
    summary: str


COMMANDS: tuple[Command, ...] = (
    Command("convert", "transom.cli.convert:convert", "Write a conversation in another wire format."),
    Command("validate", "transom.cli.validate:validate", "Name every rule of a provider that a conversation breaks."),
    Command("compile", "transom.cli.compile:compile_", "Write the payload for a conversation's last turn."),
    Command("replay", "transom.cli.replay:replay_", "Run a recorded session through a window, turn by turn."),
    Command("store", "transom.cli.store:app", "List, read, search, check, tidy and export what left the window."),
    Command("memory", "transom.cli.memory:app", "List, read, write, forget and search what is remembered."),
    Command("import", "transom.cli.import_:import_", "Bring memory along that an earlier system left."),
    Command("tools", "transom.cli.tools:app", "List the tools a model can be given, see their schemas, call one."),
    Command("mcp", "transom.cli.mcp:mcp_", "Serve the tools to a client that speaks the Model Context Protocol."),
    Command("serve", "transom.cli.serve:serve_", "Serve clients through the guard: any model, no conversation too long."),
    Command("wrap", "transom.cli.wrap.wrapping:wrap_", "Run a client through the guard, and leave nothing behind."),
    Command("doctor", "transom.cli.doctor:doctor", "Look at what works here, what is missing, and how to get it."),
    Command("config", "transom.cli.config:app", "Show each setting and where it came from, or change one."),
)


def build(commands: Sequence[Command] = COMMANDS, called: str = "") -> App:
    """The application, with nothing imported yet that a command needs.

    Args:
        commands: the table.
        called: the command that will run: its own help is all that its docstring says, not only its line in the table.
    """
    app = App(
        name="transom",
        help="Fits a conversation with a language model into any window and loses nothing.",
        version=_version,
        version_flags=["--version"],
        # Paragraphs are reflowed as Markdown; the table of commands has none, and the parser takes 60 ms to import.
        help_format="markdown" if called else "plaintext",
        help_formatter="default" if sys.stdout.isatty() else "plain",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for command in commands:
        app.command(command.target, name=command.name, **({} if command.name == called else {"help": command.summary}))
    return app


def _version() -> str:
    from importlib.metadata import version

    return f"transom {version('transom')}"


class _Closed(io.RawIOBase):
    """Stdin where there is none."""

    def readable(self) -> bool:
        return True

    def readinto(self, _buffer: object) -> int:
        raise OSError(errno.EBADF, "it is closed, so there is nothing to read", "stdin")


def run(arguments: Sequence[str], commands: Sequence[Command] = COMMANDS) -> int:
    """Run one command.

    Returns:
        The exit status: 0 ok, 1 the work failed, 2 wrong usage, 130 interrupted, 141 the reader of our output went away.
    """
    # A caller may have closed any of them. There is nobody to tell then; what is to be read from nowhere is no empty text.
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(_Closed()))
    sys.stdout = sys.stdout or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.TextIOWrapper(io.BytesIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A transcript holds characters that a terminal's encoding may not: show them escaped instead of failing.
            stream.reconfigure(errors="backslashreplace")
    if any(command.name == next(iter(arguments), "") for command in commands):
        # Not for help, which logs nothing and is to be quick.
        from .logs import mask_last_resort

        mask_last_resort()
    try:
        status = build(commands, called=next(iter(arguments), ""))(list(arguments))
        sys.stdout.flush()
    except Exception as error:
        failure = explain(error)
        if failure is None:
            raise
        return _fail(failure)
    except KeyboardInterrupt:
        return _fail(Failure(130, "interrupted"))
    return status if isinstance(status, int) else 0


def _fail(failure: Failure) -> int:
    if failure.status == Failure.PIPE_CLOSED:
        # Python flushes stdout once more on the way out and would complain there.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if failure.line:
        from ..safety.masking import masked_address

        output.note(f"transom: {masked_address(failure.line)}")
    return failure.status
