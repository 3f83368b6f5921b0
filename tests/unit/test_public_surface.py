"""The small public surface, pinned.

A ratchet: users script against these names. One may be added, with a changelog fragment (`added`) that says what it is for;
one may be taken away or renamed only with a fragment (`removed`, `changed`) that gives the reason. What is not listed may move.
"""

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
    *("Store", "FilesystemBackend", "MemoryBackend", "SQLiteBackend"),
    *("anchored", "background", "chain", "clear", "digest", "reset", "server", "summarize"),
    *("Handoff", "guard", "Labels", "MemorySettings", "Recall", "Retrieval", "Temporal"),  # arguments of Context
    *("minify", "convert_tools", "restore_arguments"),  # tool definitions made to fit
    *("ContextPool", "Snapshot"),  # sessions by key, and as values
    *("Projects", "Sessions", "manage_projects", "open_memory", "switch_context"),  # memory beyond one session
    *("CompactionSettings", "ChatModel"),  # how deep to fold; a model behind an OpenAI-compatible endpoint
    *("plan_compaction", "compact_history", "summarize_history"),  # for callers who keep their own history
    *("Registered", "ToolNamespace", "Toolkit"),  # tools with what they are for, and what they stand in
    *("Skill", "SkillLibrary", "parse_skill", "render_skill"),  # instructions for one kind of task
    "search_tools",  # the tools that fit a task in plain words
    "PruneSettings",  # the type of an argument of Context
}

CONTEXT = {
    *("system", "model", "tools", "tail", "load", "append"),  # what goes in
    *("sticky", "state", "guardrail", "announce", "retract", "announcements", "memory"),  # what is added to it
    *("skill", "skills"),  # what it is to follow, and what there is to follow
    *("compile", "compile_sync", "aclose", "close", "snapshot", "restore", "branch"),
    *("select_tools", "loaded_toolkits", "block_tools", "unblock_tools", "blocked_tools"),  # what the model may call
    *("check_tool_call", "resolve_tool_call"),  # what becomes of a call
    *("owns_tool", "handle_tool", "handle_tool_sync"),  # what the model asks of it
    *("use", "on", "join", "report_usage", "request_new_context"),  # who steps in, who listens, who tells
    *("store", "formats", "bus", "head", "messages", "lineage", "input_tokens"),  # what can be asked
    *("usage", "calibration", "calibrate", "explain"),
    *("adds", "standing"),  # what a load would bring, and whether a compile would change anything
}

STORE = {
    *("put", "append", "put_if_absent", "commit", "delete"),
    *("get", "expand", "read", "peek", "read_all", "entries", "exists", "list", "stats", "search"),
    *("eviction", "cleanup", "gc", "verify", "export", "reconcile", "flush_uses", "close"),
    *("uri", "namespace", "scoped", "scope", "scopes", "backend", "physical_path"),
}


def _public(value: object) -> set[str]:
    return {name for name in dir(value) if not name.startswith("_")}


def test_a_context_has_these_verbs_and_answers() -> None:
    assert _public(transom.Context(window=8_000)) == CONTEXT


def test_a_store_has_these_verbs_and_answers() -> None:
    assert _public(transom.Store(transom.MemoryBackend())) == STORE


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
