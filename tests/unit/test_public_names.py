"""The small public surface, pinned: a change here is a change of the contract and needs its reason in the changelog."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import transom

PUBLIC = {
    *("Context", "Payload", "Message", "Text", "Call", "Result", "Tool", "TransomError"),
    *("Store", "MemoryBackend", "SQLiteBackend"),
    *("chain", "clear", "digest", "reset"),
}


def test_the_public_names_are_these() -> None:
    assert set(transom.__all__) == PUBLIC
    assert set(dir(transom)) >= PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_the_thing_that_its_home_defines(name: str) -> None:
    found = getattr(transom, name)
    assert getattr(importlib.import_module(found.__module__), name) is found
    assert found.__doc__


def test_a_type_checker_sees_the_names_where_they_are_loaded_from() -> None:
    tree = ast.parse(Path(str(transom.__file__)).read_text(encoding="utf-8"))
    imports = {
        (f".{node.module}", tuple(alias.name for alias in node.names))
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level == 1
    }
    assert imports == set(vars(transom)["_HOMES"])


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'transom' has no attribute 'Contxt'"):
        vars(transom)["__getattr__"]("Contxt")


def test_importing_the_package_loads_none_of_its_parts() -> None:
    code = "import transom, sys, json; print(json.dumps([name for name in sys.modules if name.startswith('transom')]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert json.loads(done.stdout) == ["transom"]
