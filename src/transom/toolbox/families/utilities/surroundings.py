"""Where the tools run and which there are: the system, the working directory, the catalog."""

from __future__ import annotations

import os
import platform

from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["detect_os_environment", "get_current_working_directory", "get_enabled_tools"]


@tool(family="utilities", title="Which tools are on", read_only=True, idempotent=True)
def get_enabled_tools(context: ToolContext, family: str | None = None) -> Result:
    """List the tools that can be called, by family, and those that are switched off.

    Args:
        family: only this one.
    """
    words, found = context.words.converting, context.catalog.listings()
    families = list(dict.fromkeys(item.family for item in found))
    if family is not None and family not in families:
        raise Refused("not_found", words.none_enabled.format(family=family, families=", ".join(families)))
    chosen = [item for item in found if family in {None, item.family}]
    on: dict[str, list[str]] = {}
    for item in chosen:
        if item.enabled:
            on.setdefault(item.family, []).append(item.name)
    off = [item.name for item in chosen if not item.enabled]
    lines = [words.enabled_family.format(family=name, number=len(names), tools=", ".join(names)) for name, names in on.items()]
    if off:
        lines.append(words.disabled_tools.format(tools=", ".join(off)))
    data = {"enabled": on, "disabled": off, "total": sum(len(names) for names in on.values())}
    return Result(data=data, text="\n".join(lines))


@tool(family="utilities", title="Which system this is", read_only=True, idempotent=True)
def detect_os_environment(context: ToolContext) -> Result:
    """Tell the operating system, processor, Python and shell conventions of the machine the tools run on."""
    words, system, release = context.words.converting, platform.system(), platform.release()
    windows, wsl = os.name == "nt", "microsoft" in release.lower()
    shell = words.windows_shell if windows else words.posix_shell
    data = {
        "system": system,
        "release": release,
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "shell": "windows" if windows else "posix",
        "path_separator": os.sep,
        "line_ending": "crlf" if windows else "lf",
        "wsl": wsl,
    }
    text = words.system.format(
        system=system,
        release=release,
        machine=data["machine"],
        cpus=data["processors"],
        python=data["python"],
        shell=f"{shell} {words.wsl}" if wsl else shell,
    )
    return Result(data=data, text=text)


@tool(family="utilities", title="Working directory", read_only=True, idempotent=True)
def get_current_working_directory(context: ToolContext) -> Result:
    """Tell the working directory, which relative paths begin at, and the allowed folders."""
    workspace = context.use(Workspace)
    path, roots = workspace.cwd, [root.given for root in workspace.roots.all]
    text = context.words.converting.working_directory.format(path=path, roots=", ".join(roots))
    return Result(data={"path": path, "roots": roots}, text=text)
