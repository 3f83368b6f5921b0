"""The feature catalogue and the tests name each other: a built row has a test, a test names a row that is built."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

MANIFEST = tomllib.loads((Path(__file__).parent / "manifest.toml").read_text(encoding="utf-8"))


def _marked(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every literal argument of a ``feature`` mark in a module, wherever the mark stands, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "feature":
            owner = node.func.value
            if isinstance(owner, ast.Attribute) and owner.attr == "mark":
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield argument.value, node.lineno
                    else:
                        yield ast.unparse(argument), node.lineno


@pytest.fixture(scope="module")
def claims(repository: Path) -> dict[str, list[str]]:
    """Where each id is claimed."""
    found = defaultdict(list)
    for path in sorted((repository / "tests").rglob("*.py")):
        for feature, line in _marked(ast.parse(path.read_bytes(), str(path))):
            found[feature].append(f"{path.relative_to(repository)}:{line}")
    return found


def test_every_row_says_its_state_its_title_and_its_place_in_the_plan() -> None:
    for feature, row in MANIFEST.items():
        assert set(row) - {"note"} == {"state", "plan", "title"}, feature
        assert row["state"] in {"built", "planned"}, feature
        assert row["plan"] == "later" or row["plan"].isdigit(), feature


def test_every_built_row_has_a_test(claims: dict[str, list[str]]) -> None:
    assert [feature for feature, row in MANIFEST.items() if row["state"] == "built" and feature not in claims] == []


def test_no_planned_row_has_a_test(claims: dict[str, list[str]]) -> None:
    planned = {feature for feature, row in MANIFEST.items() if row["state"] == "planned"}
    early = {feature: places for feature, places in claims.items() if feature in planned}
    assert early == {}, "set the state of these rows to built in tests/features/manifest.toml"


def test_every_mark_names_a_row_of_the_catalogue(claims: dict[str, list[str]]) -> None:
    assert {feature: places for feature, places in claims.items() if feature not in MANIFEST} == {}
