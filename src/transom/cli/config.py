"""``transom config``: every setting with its value and its source, and a way to change one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..safety.masking import masked_address
from ..settings import FILE_NAME, catalogue, load, project_file, set_in_file, unset_in_file, user_file
from . import output
from .options import JSON

__all__ = ["app"]

app = App(name="config", help="Show each setting and where it came from, or change one.")

ForUser = Annotated[
    bool, Parameter(name="--user", negative="", show_default=False, help="Change the user's own file instead of the project's.")
]


@app.command
def show(*, json: JSON = False) -> None:
    """Print each setting, its value and its source."""
    resolved = load()
    if json:
        output.json_line(
            {
                "settings": {
                    entry.key: {"value": _without_secrets(entry.value), "source": entry.source, "where": entry.where}
                    for entry in resolved.entries.values()
                },
                "ignored": resolved.ignored,
            }
        )
        return
    known = catalogue()
    output.table(
        ("setting", "value", "source", "what it is"),
        [
            (entry.key, _said(entry.value), entry.where or entry.source, known[entry.key].help)
            for entry in resolved.entries.values()
        ],
    )
    for variable in resolved.ignored:
        output.note(f"{variable} is set and is no setting of transom")


@app.command(name="set")
def set_(key: str, value: str, /, *, user: ForUser = False, json: JSON = False) -> None:
    """Write one setting into the project's transom.toml, everything else in the file left as it is.

    The project's file is the nearest one from here upward; where there is none, it is made here.

    Parameters
    ----------
    key:
        A setting, as transom config show names it.
    value:
        Its value: 32000, 0.7, true, a name, a path.
    """
    path = _file(user=user)
    written = set_in_file(path, key, value)
    if json:
        output.json_line({"key": key, "value": _without_secrets(written), "file": str(path)})
    else:
        output.line(f"{key} = {_said(written)} in {path}")


@app.command
def unset(key: str, /, *, user: ForUser = False, json: JSON = False) -> None:
    """Take one setting out of the project's transom.toml, so that the next source decides.

    Parameters
    ----------
    key:
        A setting, as transom config show names it.
    """
    path = _file(user=user)
    removed = unset_in_file(path, key)
    if json:
        output.json_line({"key": key, "removed": removed, "file": str(path)})
    else:
        output.line(f"{key} {'taken out of' if removed else 'does not stand in'} {path}")


def _file(*, user: bool) -> Path:
    return user_file() if user else project_file() or Path.cwd() / FILE_NAME


def _said(value: object) -> str:
    match value:
        case None:
            return "(unset)"
        case bool():
            return "true" if value else "false"
        case _:
            return str(_without_secrets(value))


def _without_secrets(value: object) -> object:
    """A value as it is shown: people do put passwords into addresses."""
    return masked_address(value) if isinstance(value, str) else value
