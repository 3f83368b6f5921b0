"""Where a user finds the file behind an address."""

from __future__ import annotations

from pathlib import Path

import pytest

from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.sqlite import SQLiteBackend
from transom.store.store import Store


@pytest.mark.feature("S7")
async def test_a_store_of_plain_files_names_the_file_that_holds_an_address(tmp_path: Path) -> None:
    async with Store(FilesystemBackend(tmp_path / "store")) as store:
        uri = await store.put("vfs", "the whole text")
        file = store.physical_path(uri)
        assert file is not None
        assert file.read_bytes() == b"the whole text"


@pytest.mark.feature("S7")
async def test_a_database_has_no_file_for_one_address(tmp_path: Path) -> None:
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        assert store.physical_path(await store.put("vfs", "the whole text")) is None
