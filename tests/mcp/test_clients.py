"""The official clients list every tool and call each once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters
from mcp_types import TextContent, Tool

from mcp import Client

from .conftest import Node, Serve

SENSIBLE: Mapping[str, Mapping[str, Any]] = {
    "append_file": {"file_name": "notes.txt", "content": "more\n"},
    "apply_patch": {"patch": "*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch"},
    "change_directory": {"directory": "."},
    "context": {"command": "view", "path": "context://notes"},
    "convert_format": {"action": "json_to_csv", "input": "data.json", "output": "data.csv"},
    "copy_file": {"source": "notes.txt", "destination": "copy.txt"},
    "create_plan": {"steps": ["one"]},
    "delete_lines_in_file": {"file_name": "notes.txt", "start_line": 1},
    "delete_path": {"path": "spare.txt"},
    "execute_tool": {"tool_name": "get_plan"},
    "file_diff": {"path": "notes.txt", "other_path": "spare.txt"},
    "insert_at_line": {"file_name": "notes.txt", "line_number": 1, "content_to_insert": "first"},
    "json_query": {"file_path": "data.json", "query": ".[0].name"},
    "line_operations": {"file_name": "notes.txt", "operation": "insert", "target_line": 1, "content": "first"},
    "markdown_table_gen": {"rows": [["a", "b"], ["1", "2"]]},
    "move_file": {"source": "spare.txt", "destination": "moved.txt"},
    "replace_text_in_file": {"file_name": "notes.txt", "old_string": "note", "new_string": "mark"},
    "run_javascript": {"javascript": "1 + 1"},
    "run_python": {"python": "print(1)"},
    "token_count": {"text": "note"},
    "update_plan_step": {"step": 1, "status": "in_progress"},
}
"""Arguments that make sense; other tools are called with what their schema asks for."""
MODES = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


def arguments(tool: Tool) -> dict[str, Any]:
    """Arguments that a schema takes."""
    if tool.name in SENSIBLE:
        return dict(SENSIBLE[tool.name])
    schema = tool.input_schema
    return {name: _value(name, schema["properties"][name]) for name in schema.get("required", [])}


def _value(name: str, schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "array":
            return [_value(name, schema.get("items", {"type": "string"}))]
        case "object":
            return {}
        case _:
            return "notes.txt" if "path" in name or "file" in name else "note"


def furnish(folder: Path) -> None:
    for name in ("notes.txt", "spare.txt"):
        (folder / name).write_text("note\nline\n", encoding="utf-8")
    (folder / "data.json").write_text('[{"name": "a"}]', encoding="utf-8")


def judge(name: str, error: str | None, text: str) -> str | None:
    """What is wrong with an answer. A refusal with its reason is none: here some have nothing to work on."""
    if error in {"invalid_input", "runtime_error", "unknown_tool", "disabled", "timeout"}:
        return f"{name}: {error}: {text}"
    return None if text else f"{name}: no text"


@pytest.mark.timeout(300)
@MODES
async def test_the_python_client_lists_and_calls_every_tool(serve: Serve, mode: str) -> None:
    furnish(serve.folder)
    command = [*serve.command, "--enable", "all"]
    wrong: list[str | None] = []
    async with Client(StdioServerParameters(command=command[0], args=command[1:]), mode=mode) as client:
        listed = await client.list_tools()
        assert listed.next_cursor is None
        for tool in listed.tools:
            result = await client.call_tool(tool.name, arguments(tool))
            (content,) = result.content
            assert isinstance(content, TextContent)
            error = (result.meta or {}).get("transom/error")
            assert (error is None) is not result.is_error
            if tool.name == "change_directory" and mode != "legacy":
                assert error is not None, "there is nothing to remember it in"
                continue
            wrong.append(judge(tool.name, error, content.text))
    assert "\n".join(text for text in wrong if text) == ""


@pytest.mark.timeout(300)
async def test_the_typescript_client_lists_and_calls_every_tool(node: Node, serve: Serve) -> None:
    furnish(serve.folder)
    command = [*serve.command, "--enable", "all"]
    async with Client(StdioServerParameters(command=command[0], args=command[1:])) as client:
        tools = (await client.list_tools()).tools
    calls = {tool.name: arguments(tool) for tool in tools}
    script = Path(__file__).with_name("client.mjs")
    sdk = node.packages / "@modelcontextprotocol" / "sdk"
    done = node.run(script, str(sdk), json.dumps(command[0]), json.dumps(command[1:]), json.dumps(calls))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["listed"] == [tool.name for tool in tools]
    assert set(told["results"]) == set(calls)
    answers = [judge(name, answer["error"], answer["text"]) for name, answer in told["results"].items()]
    assert "\n".join(text for text in answers if text) == ""
