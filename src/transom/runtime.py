"""The one place where parts meet: settings in, store and contexts out. Builds and closes; decides nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import SettingError, StoreError, UsageError
from .settings import Resolved, Settings, load
from .settings.belonging import belonging
from .settings.inherited import inherited_environment
from .settings.secrets import secret
from .store.backend import StorageBackend
from .store.backends.sqlite import SQLiteBackend
from .store.store import Store

if TYPE_CHECKING:
    from .engine.context import Context
    from .engine.overflow.strategy import Strategy
    from .tokens.usage import UsagePreference
    from .toolbox.access.workspace import Workspace
    from .toolbox.box import Toolbox
    from .upstream import ChatModel
    from .wire.registry import FormatRegistry

__all__ = [
    "LOCAL_SCOPE",
    "build_context",
    "build_strategy",
    "build_summarizer",
    "build_toolbox",
    "default_store_path",
    "fresh_store_path",
    "lasting_store_path",
    "memory_store",
    "open_store",
    "open_toolbox",
]

LOCAL_SCOPE = "default"
"""The scope of a store's only user; its namespaces carry no prefix."""

OWN_SKILLS = ("~/.agents/skills", "~/.claude/skills")
"""Where a user keeps skills for every project; agents agree on these places."""

MODEL_FREE = ("clear", "digest", "reset")
WITH_MODEL = ("summarize", "anchored", "background")


def build_strategy(names: str, summarizer: ChatModel | None = None, *, timeout: float = 60.0) -> Strategy:
    """Overflow strategies by name, in order, as a chain.

    ``background`` is ``summarize`` off-turn. ``server`` comes first, if at all: those after it are its fallback.

    Args:
        names: separated by commas.
        summarizer: the model that ``summarize``, ``anchored`` and ``background`` ask.
        timeout: seconds it may take for one closing.

    Raises:
        SettingError: a name that is no strategy, one that needs a model where there is none, or ``server`` in the wrong place.
    """
    # The engine is read by those who compile: tools need none of it, and a client waits for their server to start.
    from .engine.overflow.strategies import chain, server

    first, *rest = [name.strip() for name in names.split(",")]
    if first == "server":
        return server(fallback=build_strategy(",".join(rest or MODEL_FREE), summarizer, timeout=timeout))
    steps = [_step(name, summarizer, timeout) for name in (first, *rest)]
    return steps[0] if len(steps) == 1 else chain(*steps)


def _step(name: str, summarizer: ChatModel | None, timeout: float) -> Strategy:
    from .engine.overflow.strategies import anchored, background, clear, digest, reset, summarize

    if name in WITH_MODEL and summarizer is None:
        raise SettingError(
            f"the strategy {name!r} needs a model that writes summaries", hint="set summarizer_url and summarizer_model"
        )
    match name:
        case "clear":
            return clear()
        case "digest":
            return digest()
        case "reset":
            return reset()
        case "summarize" if summarizer is not None:
            return summarize(summarizer, timeout=timeout)
        case "anchored" if summarizer is not None:
            return anchored(summarizer, timeout=timeout)
        case "background" if summarizer is not None:
            return background(summarize(summarizer, timeout=None))
        case "server":
            raise SettingError(
                "the strategy 'server' comes first", hint="those after it are its fallback: server,clear,digest,reset"
            )
        case unknown:
            known = ", ".join((*MODEL_FREE, *WITH_MODEL, "server"))
            raise SettingError(f"no overflow strategy {unknown!r}", hint=f"use {known}, separated by commas")


async def build_summarizer(resolved: Resolved) -> ChatModel | None:
    """The model that writes summaries, if the settings name one and a strategy asks it; its window is learnt where it can be.

    Raises:
        SettingError: only half of it is named, its key was set in another place than its address, or the variable of its key
            is not set.
    """
    settings = resolved.settings
    if not {name.strip() for name in settings.strategy.split(",")} & set(WITH_MODEL):
        return None
    url, model = settings.summarizer_url, settings.summarizer_model
    if url is None and model is None:
        return None
    if url is None or model is None:
        missing = "summarizer_url" if url is None else "summarizer_model"
        raise SettingError("the model that writes summaries is only half named", hint=f"set {missing} too")
    # Most runs ask no model, and an HTTP client takes 15 ms to import.
    from .upstream import ChatModel

    key = belonging(resolved, "summarizer_key", "summarizer_url")
    summarizer = ChatModel(
        url,
        model,
        key=None if key is None else secret(key, "summarizer_key"),
        window=settings.summarizer_window,
        timeout=settings.summarizer_timeout,
    )
    await summarizer.learn_window()
    return summarizer


def build_context(
    settings: Settings,
    store: Store,
    registry: FormatRegistry,
    *,
    window: int,
    summarizer: ChatModel | None = None,
    prunes: bool = True,
    usage_preference: UsagePreference = "max",
) -> Context:
    """A context as the settings say.

    Args:
        settings, store, registry: its parts.
        window: tokens that payloads must fit.
        summarizer: what ``build_summarizer`` gave.
        prunes: large results are shortened where the settings say so; false where nobody could read the rest.
        usage_preference: which number counts once usage is reported; ``feed-first`` where every answer tells it.

    Raises:
        SettingError: an unknown strategy or tokenizer, or a strategy that needs a model where there is none.
    """
    from .engine.context import Context
    from .engine.offload.payloads import PruneSettings

    return Context(
        window=window,
        store=store,
        overflow=build_strategy(settings.strategy, summarizer, timeout=settings.summarizer_timeout),
        tokenizer=settings.tokenizer,
        trigger=settings.trigger,
        low_water=settings.low_water,
        prune=PruneSettings(threshold=settings.prune_bytes) if settings.prune and prunes else False,
        usage_preference=usage_preference,
        formats=registry,
    )


def open_store(path: str | Path, *, scope: str = LOCAL_SCOPE, create: bool = True, patience: float = 10.0) -> Store:
    """A store by its path: a directory (or a path that ends with a separator) holds plain files, anything else is SQLite.

    Args:
        path: where it is.
        scope: whose part of it.
        create: make one where there is none.
        patience: seconds to wait for another process that writes.

    Raises:
        StoreError: there is none and ``create`` is false, or it cannot be opened.
    """
    place = Path(path)
    if not create and not place.exists():
        raise StoreError(
            f"there is no store at {place}", hint="give the path that `transom replay` printed, or set one with --store"
        )
    return Store(_backend(str(path), place, create=create, patience=patience), scope="" if scope == LOCAL_SCOPE else scope)


def _backend(written: str, place: Path, *, create: bool, patience: float) -> StorageBackend:
    if place.is_dir() or written.endswith(("/", "\\")):
        from .store.backends.filesystem import FilesystemBackend

        return FilesystemBackend(place, busy_timeout=patience, create=create)
    return SQLiteBackend(place, busy_timeout=patience, create=create)


def memory_store() -> Store:
    """A store that ends with the process: for what is only tried."""
    from .store.backends.memory import MemoryBackend

    return Store(MemoryBackend())


def fresh_store_path() -> Path:
    """Where a store goes that nobody named: a new directory for temporary files."""
    return Path(tempfile.mkdtemp(prefix="transom-")) / "store.db"


def default_store_path() -> Path:
    """Where what tools remember goes if nobody named a store: the user's data directory."""
    from platformdirs import user_data_path

    return user_data_path("transom") / "store.db"


def lasting_store_path(settings: Settings) -> Path:
    """Where what outlives this process goes; the folder is made if need be."""
    place = Path(settings.store or default_store_path())
    if settings.store is None:
        place.parent.mkdir(parents=True, exist_ok=True)
    return place


def build_toolbox(
    *,
    enable: Iterable[str] = (),
    disable: Iterable[str] = (),
    services: Mapping[type, object] | None = None,
    per_session: Callable[[], Mapping[type, object]] = dict,
) -> Toolbox:
    """The toolbox with every family there is.

    Args:
        enable, disable: families and tools, or ``all``.
        services: what tools may use, by type; without any they can be listed and described, not called.
        per_session: makes what each session has for itself.

    Raises:
        UsageError: a name that is neither.
        InputError: two tools answer to one name.
    """
    # Families are read for the toolbox only: most commands need none.
    from .toolbox.box import Toolbox
    from .toolbox.catalog import families, installed_families
    from .toolbox.toggles import EVERYTHING, Toggles

    chosen = (*families(), *installed_families())
    switches = Toggles(enable, disable)
    toolbox = Toolbox(chosen, services=services, per_session=per_session, toggles=switches)
    known = {EVERYTHING, *toolbox.tools, *(family.name for family in toolbox.families)}
    for name in (*enable, *disable):
        if name not in known:
            names = ", ".join(family.name for family in toolbox.families)
            raise UsageError(
                f"{name!r} is no tool and no family", hint=f"all, a tool of `transom tools list --all`, or {names}"
            )
    return toolbox


@asynccontextmanager
async def open_toolbox(
    *,
    roots: Sequence[str | Path] = (),
    store: str | Path | None = None,
    enable: Iterable[str] = (),
    disable: Iterable[str] = (),
    project: str | None = None,
    only_looks: bool = False,
) -> AsyncIterator[Toolbox]:
    """The toolbox with all that its tools use, for as long as it is needed.

    Args:
        roots: folders that tools may work in; the working directory if none is given. One that is not there is left out, and
            stands in the workspace's ``roots.missing``.
        store: what keeps memory and answers too large to hand over: a path, what the setting ``store`` says, or a file in the
            user's data directory.
        enable, disable: as for ``build_toolbox``.
        project: what memory, sessions and plans belong to; registered if need be. By default each folder that is worked in
            has a project of its own, registered when something is first remembered there.
        only_looks: nothing is made, tidied or registered by opening it. Where there is no store yet, one in memory stands in.

    Raises:
        UsageError: no folder may be worked in, or a name that is no tool and no family.
        InputError: ``project`` cannot be a project's name.
        StoreError: the store cannot be opened.
    """
    from .toolbox.access.intents import Intents
    from .toolbox.access.projects import FolderProjects
    from .toolbox.access.workspace import Workspace
    from .toolbox.editing.counts import EditCounts
    from .toolbox.families.memory import memory_services
    from .toolbox.families.skills import skill_services
    from .toolbox.sandbox import Sandbox

    settings = load({"store": None if store is None else str(store)}).settings
    place = Path(settings.store or default_store_path()) if only_looks else lasting_store_path(settings)
    is_made = not only_looks or place.exists()
    async with (
        open_store(settings.store or place, scope=settings.scope, create=not only_looks) if is_made else memory_store()
    ) as opened:
        key = _key_place(place, _checked(roots), make=not only_looks)
        intents = Intents(place.with_name(f"{place.name}-intents"), key)
        try:
            workspace = Workspace(_checked(roots), intents=intents, own=[place, key])
            if not only_looks:
                # Made now, where a program could make its own in their place.
                if _in_reach(place, workspace):
                    await opened.reconcile()
                if _in_reach(key, workspace):
                    intents.prepare()
                workspace.tidy()
            sandbox = Sandbox(
                inherited_environment(), store=place, hidden=[key], notes=place.with_name(f"{place.name}-sandbox")
            )
            if not only_looks:
                sandbox.tidy([Path(root.real) for root in workspace.roots.all])
            projects = FolderProjects(opened)
            if project and not only_looks:
                await projects.name(project)
            yield build_toolbox(
                enable=enable,
                disable=disable,
                services={
                    Store: opened,
                    Workspace: workspace,
                    Sandbox: sandbox,
                    FolderProjects: projects,
                    **memory_services(opened),
                    **skill_services(*OWN_SKILLS),
                },
                per_session=lambda: {Workspace: workspace.for_session(), EditCounts: EditCounts()},
            )
        finally:
            intents.close()


def _key_place(store: Path, roots: Iterable[str | Path], *, make: bool) -> Path:
    """Where the key lies that journals are sealed with: with the user's data, not with a store that came with a folder."""
    mine = default_store_path().with_name("journal.key")
    beside = store.with_name(f"{store.name}-intents.key")
    if any(beside.resolve().is_relative_to(Path(root).resolve()) for root in roots):
        return mine
    if make:
        with suppress(OSError):
            mine.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return mine if mine.exists() or os.access(mine.parent, os.W_OK) else beside


def _in_reach(path: Path, workspace: Workspace) -> bool:
    """Whether a program that works in these folders could make or change it, were it not kept from that."""
    return workspace.roots.find(str(path.resolve())) is not None


def _checked(roots: Sequence[str | Path]) -> Sequence[str | Path]:
    """The folders that tools may work in. Nobody means all of a disk, or of a home, by saying nothing."""
    if roots and not any(Path(root).is_dir() for root in roots):
        named = ", ".join(map(str, roots))
        raise UsageError(f"there is no folder {named}", hint="--root names a folder that tools may work in")
    here = Path.cwd()
    return roots or (() if here in {Path(here.anchor), Path.home()} else (here,))
