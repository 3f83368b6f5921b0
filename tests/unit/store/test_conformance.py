"""Every backend does what the contract says: the shipped suite, run against the three we have."""

from __future__ import annotations

from pathlib import Path

import pytest

from transom.store.backend import Batch, PutIfAbsent, ReadAll, Search, StorageBackend
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.memory import MemoryBackend
from transom.store.backends.sqlite import SQLiteBackend
from transom.testing.store_conformance import CHECKS, Case, Check


def memory(directory: Path) -> StorageBackend:
    return MemoryBackend()


def filesystem(directory: Path) -> StorageBackend:
    return FilesystemBackend(directory / "files")


def sqlite(directory: Path) -> StorageBackend:
    return SQLiteBackend(directory / "store.db")


FACTORIES = {"memory": memory, "filesystem": filesystem, "sqlite": sqlite}


@pytest.mark.feature("S1", "S3", "S5")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", FACTORIES)
async def test_every_backend_conforms(check: Check, name: str, tmp_path: Path) -> None:
    await check(Case(FACTORIES[name], tmp_path, persistent=name != "memory"))


@pytest.mark.feature("S1")
def test_capabilities_are_found_by_asking(tmp_path: Path) -> None:
    assert not isinstance(filesystem(tmp_path), Search)
    assert not isinstance(filesystem(tmp_path), ReadAll)
    for name, factory in FACTORIES.items():
        assert isinstance(factory(tmp_path), Batch | PutIfAbsent), name
    for factory in (memory, sqlite):
        assert isinstance(factory(tmp_path), Search)
