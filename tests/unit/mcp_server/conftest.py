"""A small toolbox of its own, so that what is tested is the server and not a tool."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from transom.mcp_server.server import Face, build
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.families.skills import FAMILY as SKILLS
from transom.toolbox.families.skills import skill_services
from transom.toolbox.tool import Family, Result, ToolContext, tool


@tool(family="words", title="Echo", read_only=True, idempotent=True, visible=True)
async def echo(context: ToolContext, text: str) -> Result:
    """Say it again.

    Args:
        text: what to say.
    """
    return Result(data={"said": text}, text=text)


@tool(family="words", title="Count slowly", read_only=True, visible=True)
def count(context: ToolContext, seconds: float = 0.0, steps: int = 1) -> Result:
    """Count, and tell how far it is."""
    notes = context.use(Notes)
    notes.started.set()
    end = time.monotonic() + seconds
    for step in range(1, steps + 1):
        context.report(step, steps, f"step {step}")
    try:
        while time.monotonic() < end:
            context.check()
            notes.never.wait(0.01)
    except BaseException:
        notes.called_off.set()
        raise
    return Result(text="counted")


@tool(family="words", title="Wipe", visible=True, confirm=True)
async def wipe(context: ToolContext, confirm: bool = False) -> Result:
    """Remove everything."""
    context.use(Notes).wiped += 1
    return Result(text="wiped")


@tool(family="words", title="Break", name="break", visible=True)
async def break_(context: ToolContext) -> Result:
    """Break."""
    raise RuntimeError("secret detail")


@tool(family="place", title="Say where", read_only=True, visible=True)
def where(context: ToolContext) -> Result:
    """Say which folders may be worked in, and in whose session."""
    workspace = context.use(Workspace)
    roots = [root.given for root in workspace.roots.all]
    return Result(data={"roots": roots, "cwd": workspace.cwd, "session": context.session, "stateful": context.stateful})


@tool(family="place", title="Go", visible=True)
def go(context: ToolContext, directory: str) -> Result:
    """Work in another folder."""
    context.use(Workspace).change_directory(directory)
    return Result(text="there")


@tool(family="hidden", title="Hide", on=False, read_only=True)
async def hide(context: ToolContext) -> Result:
    """Stay away."""
    return Result(text="found")


@dataclass
class Notes:
    """What tools did."""

    started: threading.Event = field(default_factory=threading.Event)
    called_off: threading.Event = field(default_factory=threading.Event)
    never: threading.Event = field(default_factory=threading.Event)
    wiped: int = 0


FAMILIES = (
    Family(name="words", title="Words", tools=(echo, count, wipe, break_)),
    Family(name="place", title="Places", tools=(where, go)),
    Family(name="hidden", title="Hidden", tools=(hide,)),
)


@dataclass(frozen=True)
class Scene:
    """A server and what is behind it."""

    face: Face
    toolbox: Toolbox
    store: Store
    notes: Notes
    root: Path


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with Store(MemoryBackend()) as store:
        yield scene_over(tmp_path, store)


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Callable[..., Scene]]:
    async with Store(MemoryBackend()) as store:
        yield lambda **options: scene_over(tmp_path, store, **options)


def scene_over(tmp_path: Path, store: Store, **options: object) -> Scene:
    root = tmp_path / "work"
    (root / "inner").mkdir(parents=True)
    notes = Notes()
    workspace = Workspace([root])
    families = (*FAMILIES, SKILLS) if options.pop("skills", False) else FAMILIES
    toolbox = Toolbox(
        families,
        services={Store: store, Notes: notes, Workspace: workspace, **skill_services()},
        per_session=lambda: {Workspace: workspace.for_session()},
    )
    return Scene(build(toolbox, store, version="1.2.3", **options), toolbox, store, notes, root)  # type: ignore[arg-type]
