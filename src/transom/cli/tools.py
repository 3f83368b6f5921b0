"""``transom tools``: the toolbox without a client: what there is, how it is described to a target, and one call.

Knows the toolbox by its verbs; decides nothing about a tool. Consent is given by ``--yes``, or asked for on a terminal.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..errors import UsageError
from ..jsontext import loads
from ..runtime import build_toolbox, open_toolbox
from ..toolbox.access.workspace import Workspace
from ..toolbox.box import Toolbox
from ..toolbox.dispatch import Caller
from ..toolbox.tool import Envelope, Tool
from ..wire.profiles import Profile
from . import output
from .options import JSON, StorePath

__all__ = ["app"]

app = App(name="tools", help="The tools a model can be given: list them, see their schemas, call one.")

_SENTENCE = re.compile(r"(?<=[.:])\s|\n")

Roots = Annotated[
    tuple[Path, ...],
    Parameter(
        name="--root", negative="", show_default=False, help="A folder that tools may work in; may be given again. [here]"
    ),
]
Enabled = Annotated[
    tuple[str, ...],
    Parameter(
        name="--enable",
        negative="",
        show_default=False,
        help="A family or tool to switch on and list, or all; may be given again.",
    ),
]
Disabled = Annotated[
    tuple[str, ...],
    Parameter(
        name="--disable", negative="", show_default=False, help="A family or tool to switch off; may be given several times."
    ),
]
Project = Annotated[
    str | None,
    Parameter(
        name="--project",
        show_default=False,
        help="What memory, sessions and plans belong to; registered if need be. [the project of the first folder]",
    ),
]
Everything = Annotated[bool, Parameter(name="--all", negative="", help="Also those that are off or not listed by default.")]
Target = Annotated[
    Profile,
    Parameter(name="--schema", help="Spell schemas for grammars (llama.cpp, LM Studio), Gemini, or OpenAI's strict mode."),
]


@app.command(name="list")
def list_(
    *,
    all_: Annotated[
        bool, Parameter(name="--all", negative="", help="Also those that are off or not listed by default.")
    ] = False,
    enable: Enabled = (),
    disable: Disabled = (),
    json: JSON = False,
) -> None:
    """List the tools a client is shown."""
    toolbox = _described(enable, disable)
    tools = list(toolbox.tools.values()) if all_ else toolbox.listed()
    if json:
        output.json_line({"tools": [_row(toolbox, tool) for tool in tools]})
        return
    rows = [(tool.name, tool.family, _state(toolbox, tool), _short(tool.description)) for tool in tools]
    output.table(("tool", "family", "state", "what it does"), rows, spare=(3,))


@app.command
def schema(*names: str, schema: Target = "default", enable: Enabled = (), disable: Disabled = (), json: JSON = False) -> None:
    """Write the schemas of tools as a target takes them, as JSON; what that weakened is listed on stderr.

    Parameters
    ----------
    names:
        The tools; those listed if none is named.
    """
    toolbox = _described(enable, disable)
    if unknown := [name for name in names if name not in toolbox.tools]:
        raise UsageError(f"no tool {unknown[0]!r}", hint="transom tools list --all shows every one")
    described, report = toolbox.schemas(schema, [toolbox.tools[name] for name in names] or None)
    output.json_line(
        [
            {
                "name": item.name,
                "title": toolbox.tools[item.name].title,
                "description": item.description,
                "inputSchema": item.parameters,
                "annotations": _annotations(toolbox.tools[item.name]),
            }
            for item in described
        ]
    )
    for note in report.notes:
        if json:
            output.json_note({"where": note.where, "change": note.change, "detail": note.detail})
        else:
            output.note(f"{note.where}: {note.detail}")


@app.command
def call(
    name: str,
    arguments: Annotated[str, Parameter(allow_leading_hyphen=True)] = "{}",
    /,
    *,
    root: Roots = (),
    enable: Enabled = (),
    disable: Disabled = (),
    project: Project = None,
    yes: Annotated[bool, Parameter(name="--yes", negative="", help="Consent to what needs the user's consent.")] = False,
    store: StorePath = None,
    json: JSON = False,
) -> int:
    """Call one tool and print what a model would read.

    Parameters
    ----------
    name:
        The tool.
    arguments:
        Its arguments as a JSON object; - reads them from stdin.
    """
    given = _arguments(sys.stdin.read() if arguments == "-" else arguments)
    answer = asyncio.run(_called(name, given, root, enable, disable, store, project, consent=yes))
    if json:
        output.json_line(answer.as_dict())
    elif answer.ok:
        output.raw(answer.text.encode("utf-8", "backslashreplace") + b"\n")
    else:
        output.note(f"transom: {answer.text.removeprefix('Error: ')} ({answer.error})")
    return 0 if answer.ok else 1


async def _called(
    name: str,
    given: object,
    roots: tuple[Path, ...],
    enable: tuple[str, ...],
    disable: tuple[str, ...],
    store: str | None,
    project: str | None,
    *,
    consent: bool,
) -> Envelope:
    async def ask(question: str) -> bool | None:
        if consent:
            return True
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        output.note(f"{question} [y/N]")
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    async with open_toolbox(roots=roots, store=store, enable=enable, disable=disable, project=project) as toolbox:
        report_missing_roots(toolbox)
        return await toolbox.call(name, given, Caller(session="cli", ask=ask, services=toolbox.session()))


def report_missing_roots(toolbox: Toolbox) -> None:
    """Say which of the named folders are not there; the others hold."""
    workspace = toolbox.services[Workspace]
    assert isinstance(workspace, Workspace)
    for root in workspace.roots.missing:
        output.note(f"transom: there is no folder {root}; it is left out")


def _described(enable: tuple[str, ...], disable: tuple[str, ...]) -> Toolbox:
    return build_toolbox(enable=enable, disable=disable)


def _arguments(text: str) -> object:
    try:
        return loads(text)
    except ValueError as error:
        raise UsageError(f"the arguments are not JSON: {error}", hint='quote them for the shell: \'{"path": "."}\'') from None


def _state(toolbox: Toolbox, tool: Tool) -> str:
    if not toolbox.toggles.is_on(tool):
        return "off"
    return "listed" if toolbox.toggles.is_listed(tool) else "on"


def _short(text: str) -> str:
    first = _SENTENCE.split(text, maxsplit=1)[0].rstrip(".:")
    return first if len(first) <= 100 else first[:99] + "…"


def _row(toolbox: Toolbox, tool: Tool) -> dict[str, object]:
    return {
        "name": tool.name,
        "family": tool.family,
        "title": tool.title,
        "enabled": toolbox.toggles.is_on(tool),
        "listed": toolbox.toggles.is_listed(tool),
        "description": tool.description,
        "aliases": [alias.name for alias in tool.aliases],
    }


def _annotations(tool: Tool) -> dict[str, bool]:
    return {
        "readOnlyHint": tool.hints.read_only,
        "destructiveHint": tool.hints.destructive,
        "idempotentHint": tool.hints.idempotent,
        "openWorldHint": tool.hints.open_world,
    }
