"""The one place where parts meet: settings in, store and contexts out. Builds and closes; decides nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .engine.context import Context
from .engine.offload.payloads import PruneSettings
from .engine.overflow.strategies import chain, clear, digest, reset
from .engine.overflow.strategy import Strategy
from .errors import SettingError, StoreError
from .settings import Settings
from .store.backend import StorageBackend
from .store.backends.sqlite import SQLiteBackend
from .store.store import Store
from .wire.registry import FormatRegistry

__all__ = ["LOCAL_SCOPE", "build_context", "build_strategy", "fresh_store_path", "open_store"]

LOCAL_SCOPE = "default"
"""The scope of a store's only user; its namespaces carry no prefix."""

STRATEGIES = ("clear", "digest", "reset")


def build_strategy(names: str) -> Strategy:
    """Overflow strategies by name, in order, as a chain.

    Args:
        names: separated by commas.

    Raises:
        SettingError: a name that is no strategy.
    """
    steps: list[Strategy] = []
    for name in names.split(","):
        match name.strip():
            case "clear":
                steps.append(clear())
            case "digest":
                steps.append(digest())
            case "reset":
                steps.append(reset())
            case unknown:
                raise SettingError(
                    f"no overflow strategy {unknown!r}", hint=f"use {', '.join(STRATEGIES)}, separated by commas"
                )
    return steps[0] if len(steps) == 1 else chain(*steps)


def build_context(settings: Settings, store: Store, registry: FormatRegistry, *, window: int) -> Context:
    """A context as the settings say.

    Raises:
        SettingError: an unknown strategy or tokenizer.
    """
    return Context(
        window=window,
        store=store,
        overflow=build_strategy(settings.strategy),
        tokenizer=settings.tokenizer,
        trigger=settings.trigger,
        low_water=settings.low_water,
        prune=PruneSettings(threshold=settings.prune_bytes) if settings.prune else False,
        formats=registry,
    )


def open_store(path: str | Path, *, scope: str = LOCAL_SCOPE, create: bool = True) -> Store:
    """A store by its path: a directory (or a path that ends with a separator) holds plain files, anything else is SQLite.

    Raises:
        StoreError: there is none and ``create`` is false, or it cannot be opened.
    """
    place = Path(path)
    if not create and not place.exists():
        raise StoreError(
            f"there is no store at {place}", hint="give the path that `transom replay` printed, or set one with --store"
        )
    return Store(_backend(str(path), place, create=create), scope="" if scope == LOCAL_SCOPE else scope)


def _backend(written: str, place: Path, *, create: bool) -> StorageBackend:
    if place.is_dir() or written.endswith(("/", "\\")):
        from .store.backends.filesystem import FilesystemBackend

        return FilesystemBackend(place, create=create)
    return SQLiteBackend(place, create=create)


def fresh_store_path() -> Path:
    """Where a store goes that nobody named: a new directory for temporary files."""
    return Path(tempfile.mkdtemp(prefix="transom-")) / "store.db"
