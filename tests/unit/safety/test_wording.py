"""Rules and their words name each other: no verdict without a sentence, no sentence that lacks what it says."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path
from string import Formatter

import pytest

from transom.vocabulary import ENGLISH
from transom.vocabulary.refusing import RefusingWords

RULES = [item.name for item in fields(RefusingWords)]


def texts(tree: ast.AST) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.fixture(scope="module")
def sources(repository: Path) -> dict[str, ast.Module]:
    return {path.name: ast.parse(path.read_bytes()) for path in (repository / "src/transom/safety").glob("*.py")}


def test_every_rule_that_has_words_is_one_that_refuses(sources: dict[str, ast.Module]) -> None:
    spoken = set().union(*map(texts, sources.values()))
    # Dispatch says it in place of a rule that names a tool which is not in the catalog.
    named = {rule: rule.removeprefix("command_") for rule in RULES if rule != "command_no_tool"}
    assert [rule for rule, short in named.items() if rule not in spoken and short not in spoken] == []


def test_every_refusal_gives_what_its_words_are_filled_with(sources: dict[str, ast.Module]) -> None:
    missing = []
    for name, tree in sources.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "refuse":
                continue
            if (
                len(node.args) < 2
                or not isinstance(node.args[1], ast.Constant)
                or any(word.arg is None for word in node.keywords)
            ):
                continue
            rule = str(node.args[1].value)
            needed = {field for _, field, _, _ in Formatter().parse(getattr(ENGLISH.refusing, rule)) if field}
            missing += [(name, node.lineno, rule, field) for field in needed - {word.arg for word in node.keywords}]
    assert missing == []


@pytest.mark.parametrize("rule", RULES)
def test_words_say_what_is_wrong_and_what_to_do(rule: str) -> None:
    text = getattr(ENGLISH.refusing, rule)
    assert text.endswith(".")
    assert len(text) < 260
    assert ". " in text or " — " in text
