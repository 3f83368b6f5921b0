"""Writes the reference pages that follow from the code: settings, commands, errors.

``script/docs`` runs it; a test holds the pages to what it would write.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from transom import errors
from transom.cli.app import COMMANDS
from transom.settings import catalogue

REFERENCE = Path(__file__).resolve().parent / "reference"
NOTICE = "<!-- Written by script/docs from the code. Change the code, then run it again. -->\n"


def pages() -> dict[Path, str]:
    """The generated pages with their text."""
    made = {"settings.md": settings(), "cli.md": commands(), "errors.md": error_tree()}
    return {REFERENCE / name: text for name, text in made.items()}


def settings() -> str:
    """One row a setting."""
    rows = [
        "| setting | default | what it is | valid | variable | option |",
        "|---|---|---|---|---|---|",
        *(
            f"| `{setting.key}` | {_default(setting.default)} | {setting.help} | {setting.valid} "
            f"| `{setting.variable}` | `{setting.flag}` |"
            for setting in catalogue().values()
        ),
    ]
    intro = (
        "Where a value comes from, in rising precedence: the default, `transom.toml` in the user's configuration directory,\n"
        "the nearest `transom.toml` from the working directory upward (no further than the repository it lies in), the\n"
        "environment, the command line. `transom config show` prints each value and its source.\n"
        "How to set one: [Configure](../how-to/configure.md).\n"
    )
    return "\n".join([NOTICE, "# Settings\n", intro, *rows, ""])


def commands() -> str:
    """The help of every command, as a pipe gets it."""
    intro = (
        "Every command takes `--json`. Exit status: 0 ok, 1 the work failed, 2 wrong usage, 130 interrupted, 141 the reader\n"
        "of the output went away. Errors are one line on stderr. On a terminal tables are drawn, in a pipe they are aligned\n"
        "lines.\n"
    )
    parts = [NOTICE, "# Commands\n", intro, _fenced(help_of())]
    for command in COMMANDS:
        for words in (command.name, *(f"{command.name} {name}" for name in subcommands(help_of(command.name)))):
            parts += [f"## transom {words}\n", _fenced(help_of(*words.split()))]
    return "\n".join(parts)


def help_of(*words: str) -> str:
    """What ``transom WORDS --help`` prints."""
    environment = os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", "transom", *words, "--help"], env=environment, capture_output=True, check=True, encoding="utf-8"
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def subcommands(text: str) -> Iterator[str]:
    """The names in the list of commands of a help text."""
    for line in text.partition("Commands:\n")[2].splitlines():
        name, colon, _ = line.strip().partition(": ")
        if colon and line.startswith("  ") and not name.startswith("-") and " " not in name:
            yield name


def error_tree() -> str:
    """The tree as the module draws it, and one row a class."""
    drawing = (errors.__doc__ or "").partition("\n\n")[2].partition("\n\n")[2].strip()
    rows = ["| error | code | when |", "|---|---|---|"]
    for name in errors.__all__:
        kind = getattr(errors, name)
        first = " ".join((kind.__doc__ or "").strip().split("\n\n")[0].split())
        rows.append(f"| `{name}` | `{kind.code}` | {first} |")
    intro = "Branch on `code`; `hint` says what can be done. `from transom.errors import StoreError`.\n"
    return "\n".join([NOTICE, "# Errors\n", intro, _fenced(drawing), *rows, ""])


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```\n"


def _default(value: object) -> str:
    match value:
        case None:
            return "unset"
        case bool():
            return "`true`" if value else "`false`"
        case _:
            return f"`{value}`"


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.name}")
