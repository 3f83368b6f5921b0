"""``transom doctor``: what works on this machine, what is missing, and how to get it.

Knows where each part says what it can do; decides nothing itself, makes and changes nothing. Exit status 1 where something is
missing that a default needs.
"""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, replace
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import TransomError
from ..runtime import default_store_path, open_store, open_toolbox
from ..safety.masking import masked_address
from ..settings import Resolved, load
from . import output
from .options import JSON, StorePath
from .tools import Roots

if TYPE_CHECKING:
    from ..toolbox.access.workspace import Workspace

__all__ = ["doctor"]

State = Literal["ok", "limited", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        part: what.
        state: ``limited`` works in part, or with less protection.
        detail: what was found.
        mend: how to get what is missing; empty where nothing is.
        needed: a default does not work without it.
    """

    part: str
    state: State
    detail: str
    mend: str = ""
    needed: bool = False


_STAND_IN = "Python without a sandbox"
_EXTRAS: tuple[tuple[str, str, str, str], ...] = (
    ("MCP server", "mcp", "mcp", "transom mcp"),
    ("JavaScript", "quickjs", "mcp", "run_javascript"),
    ("gateway", "aiohttp", "gateway", "transom serve, transom wrap"),
    ("file search", "ripgrep", "mcp", "fast search; without it a slower engine of our own looks"),
    (_STAND_IN, "pydantic_monty", "sandbox", "run_python where the system confines nothing"),
    ("telemetry", "opentelemetry", "otel", "spans and metrics"),
)
"""What is looked for: part, module or distribution, extra, what it is for."""


def doctor(*, root: Roots = (), store: StorePath = None, json: JSON = False) -> int:
    """Look at what works here, what is missing, and how to get it."""
    found = [
        replace(item, detail=masked_address(item.detail), mend=masked_address(item.mend))
        for item in asyncio.run(_looked(root, store))
    ]
    if json:
        output.json_line({"findings": [asdict(item) for item in found]})
    else:
        rows = [(item.state, item.part, item.detail) for item in found]
        output.table(("state", "part", "what was found"), rows, spare=(2,))
        for item in found:
            if item.mend:
                output.line(f"{item.part}: {item.mend}")
    return 1 if any(item.needed and item.state == "missing" for item in found) else 0


async def _looked(roots: tuple[Path, ...], store: str | None) -> list[Finding]:
    found = [Finding(part="Python", state="ok", detail=f"{platform.python_version()} on {platform.platform(terse=True)}")]
    found += [_extra(*row) for row in _EXTRAS]
    resolved = load({"store": store})
    settings = resolved.settings
    place = Path(settings.store or default_store_path())
    there = await asyncio.to_thread(place.exists)
    found.append(
        await _store(place, settings.scope)
        if there
        else Finding(part="store", state="ok", detail=f"{place} is made when it is first written")
    )
    found += await _upstreams(resolved)
    found += [item async for item in _tools(roots, store)]
    if any(item.part == "sandbox" and item.state != "missing" for item in found):
        # Stands in where nothing confines, and here something does.
        found = [
            replace(item, state="ok", detail=f"not needed: {item.detail}", mend="")
            if item.part == _STAND_IN and item.mend
            else item
            for item in found
        ]
    return found


def _extra(part: str, module: str, extra: str, purpose: str) -> Finding:
    try:
        version = metadata.version(module.replace("_", "-"))
    except metadata.PackageNotFoundError:
        version = "" if util.find_spec(module) is None else "installed"
    if version:
        return Finding(part=part, state="ok", detail=f"{module} {version}: {purpose}")
    return Finding(part=part, state="missing", detail=purpose, mend=f"pip install 'transom[{extra}]'")


async def _store(place: Path, scope: str) -> Finding:
    try:
        async with open_store(place, scope=scope, create=False) as opened:
            await opened.list("memory")
    except TransomError as error:
        return Finding(part="store", state="missing", detail=error.message, mend=error.hint, needed=True)
    return Finding(part="store", state="ok", detail=str(place))


async def _upstreams(resolved: Resolved) -> list[Finding]:
    """The servers of models that settings name: each is asked."""
    if resolved.settings.upstream is None:
        return []
    from ..gateway.configured import configured
    from ..gateway.operations.health import health

    try:
        _, told = await health(configured(resolved))
    except TransomError as error:
        return [Finding(part="upstreams", state="missing", detail=error.message, mend=error.hint)]
    listed = told["upstreams"]
    assert isinstance(listed, list)
    return [
        Finding(
            part=f"upstream {each['name']}",
            state="ok" if each["ok"] else "missing",
            detail=f"{each['url']}: {'answers' if each['ok'] else each['message']}",
            mend="" if each["ok"] else "start it, or: transom config set upstream URL",
        )
        for each in listed
    ]


async def _tools(roots: tuple[Path, ...], store: str | None) -> AsyncIterator[Finding]:
    from ..toolbox.access.workspace import Workspace
    from ..toolbox.sandbox import Sandbox

    try:
        async with open_toolbox(roots=roots, store=store, only_looks=True) as toolbox:
            workspace, sandbox = toolbox.services[Workspace], toolbox.services[Sandbox]
            assert isinstance(workspace, Workspace)
            assert isinstance(sandbox, Sandbox)
            yield _folders(workspace)
            described = await sandbox.describe()
            if described.confined_by is None:
                reasons = "; ".join(f"{name}: {reason}" for name, reason in described.reasons.items())
                mend = "install bubblewrap (Debian and Ubuntu: sudo apt install bubblewrap)" if sys.platform == "linux" else ""
                yield Finding(
                    part="sandbox",
                    state="missing",
                    detail=f"commands stay off, Python runs restricted ({reasons or 'no confinement for this system yet'})",
                    mend=mend,
                )
            else:
                open_ = f"; not confined: {', '.join(described.not_confined)}" if described.not_confined else ""
                state: State = "limited" if described.not_confined else "ok"
                yield Finding(part="sandbox", state=state, detail=f"{described.confined_by}{open_}")
            listed = toolbox.listed()
            on = sum(toolbox.toggles.is_on(tool) for tool in toolbox.tools.values())
            more, off = on - len(listed), len(toolbox.tools) - on
            told = (
                f"{output.counted(len(toolbox.tools), 'tool')}: {len(listed)} shown to clients, {more} more that they can call"
            )
            yield Finding(part="tools", state="ok", detail=f"{told}, {off} off (transom tools list --all)")
    except TransomError as error:
        yield Finding(part="tools", state="missing", detail=error.message, mend=error.hint, needed=True)


def _folders(workspace: Workspace) -> Finding:
    told = workspace.describe()
    roots = told["roots"]
    assert isinstance(roots, list)
    if not roots:
        return Finding(part="folders", state="limited", detail="tools may work in none", mend="name one with --root FOLDER")
    if told["descriptors"] is not True:
        return Finding(
            part="folders", state="limited", detail=f"{', '.join(roots)}; a link swapped in behind a check is not noticed here"
        )
    if workspace.roots.missing:
        missing = ", ".join(workspace.roots.missing)
        return Finding(part="folders", state="limited", detail=f"{', '.join(roots)}; not there, and left out: {missing}")
    return Finding(part="folders", state="ok", detail=", ".join(roots))
