"""No sentence for a model stands in the code: what reads like one is for people, and says so here.

Looked for are three words in a row in the string constants of what makes payloads. Docstrings, the texts of errors with their
hints, log lines, and what a transform reports are for people in any case; other modules that speak to people are listed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.feature("X5")

SOURCE = Path(__file__).resolve().parents[2] / "src" / "transom"
PARTS = ("engine", "messages", "wire")

FOR_PEOPLE = {
    "engine/breaks.py": "why a prefix moved, in a payload's metadata",
    "engine/explaining.py": "what explain prints",
    "engine/invariants.py": "what a broken invariant says, in an event",
    "engine/overflow/deciding.py": "why a step failed, in an event",
    "engine/overflow/digesting/cues.py": "patterns that find what people wrote",
    "engine/overflow/digesting/outcomes.py": "patterns that find what tools wrote",
    "engine/memory/projects.py": "the hint of an error",
    "engine/overflow/jobs.py": "why work in the background was dropped, in an event",
    "engine/overflow/runner.py": "why a closing was dropped, in an event",
    "engine/overflow/strategies/background.py": "why work in the background was dropped, in an event",
    "engine/overflow/summarizing/failures.py": "patterns that find what a server wrote",
    "engine/phases/overflow.py": "why a window did not close, in an event",
    "engine/placement/cache_audit.py": "what the cache audit reports",
    "engine/placement/prefix.py": "why a prefix moved, in a payload's metadata",
    "engine/pool.py": "the text of an error",
    "engine/retrieval/recall.py": "why nothing was recalled, in a payload's metadata",
    "engine/retrieval/referring.py": "words that people write",
    "engine/selection/terms.py": "words that people write",
    "engine/skills/arguments.py": "the hint of an error",
    "engine/skills/folder.py": "why a folder holds no skill, in the library's report",
    "engine/skills/library.py": "why a skill cannot be used, in the library's report",
    "engine/skills/values.py": "what is wrong with a skill's head, in an error",
    "messages/history.py": "what was repaired, in the report",
    "wire/anthropic/blocks.py": "why a file was left out, in the report",
    "wire/anthropic/render.py": "why a file was left out, in the report",
    "wire/mistyped.py": "what a provider would say to the caller, for its rules",
    "wire/ollama/parse.py": "the hint of an error",
    "wire/openai_chat/render.py": "whose field was left out, in the report",
    "wire/openai_responses/parse.py": "the hint of an error",
    "wire/openai_responses/render.py": "whose field was left out, in the report",
    "wire/registry.py": "the hint of an error",
    "wire/schemas/conversion.py": "what became of a schema, in the report",
    "wire/schemas/converting.py": "what tools weigh together, in the report",
    "wire/schemas/flattening.py": "what became of a schema, in the report",
    "wire/schemas/gemini_subset.py": "what a provider would refuse, in the report",
    "wire/schemas/grammar.py": "what a grammar could not hold, in the report",
    "wire/schemas/openai_strict.py": "what a provider would refuse, in the report",
    "wire/schemas/root.py": "what became of a schema, in the report",
}
"""Modules whose sentences no model reads, and who does. May only shrink, or grow with a reason."""

_SENTENCE = re.compile(r"[A-Za-z][A-Za-z'’]+(?:,? [a-z][A-Za-z'’]+){2,}")
_REPORTING = frozenset({"Note", "Repair", "TypeVar", "Violation", "_drop", "note", "notes"})
_LOGS = frozenset({"_log", "_report", "log", "re", "report"})
"""What is called on one of these is for people, or a pattern."""


def modules() -> Iterator[Path]:
    for part in PARTS:
        for path in sorted((SOURCE / part).rglob("*.py")):
            # Rules are what a provider would say to the caller; a transcript's reader reports what it skipped.
            if path.name != "rules.py" and "transcripts" not in path.parts:
                yield path


def sentences(path: Path) -> list[str]:
    """What reads like a sentence and is not for people by where it stands."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    spared = {id(node) for node in _for_people(tree)}
    return [
        f"line {node.lineno}: {node.value[:80]!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spared
        if _SENTENCE.search(node.value)
    ]


def _for_people(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield from ast.walk(node.exc)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.Call) and _reports(node.func):
            yield from ast.walk(node)


def _reports(function: ast.expr) -> bool:
    match function:
        case ast.Name(id=name):
            return name in _REPORTING or name.endswith("Error")
        case ast.Attribute(value=ast.Name(id=owner)):
            return owner in _LOGS
        case ast.Attribute(attr=name, value=ast.Attribute(attr=owner)):
            return owner in _LOGS or name in _REPORTING
        case ast.Attribute(attr=name):
            return name in _REPORTING
        case _:
            return False


@pytest.mark.parametrize("path", list(modules()), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_no_module_holds_a_sentence_that_a_model_could_read(path: Path) -> None:
    if path.relative_to(SOURCE).as_posix() not in FOR_PEOPLE:
        assert sentences(path) == [], "model-read text belongs into transom.vocabulary; text for people gets its reason above"


def test_every_module_that_is_excused_still_needs_it() -> None:
    assert [name for name in FOR_PEOPLE if not sentences(SOURCE / name)] == []
