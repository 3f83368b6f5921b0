"""The official inspector, strict about what clients and models can take."""

from __future__ import annotations

import json

import pytest

from .conftest import Node, Serve

INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("schema", ["default", "grammar", "gemini", "openai-strict"])
def test_all_schemas_of_each_profile_are_portable(node: Node, serve: Serve, schema: str) -> None:
    command = [*serve.command, "--enable", "all", "--schema", schema]
    server = {"type": "stdio", "command": command[0], "args": command[1:]}
    settings = serve.folder / "inspector.json"
    settings.write_text(json.dumps({"mcpServers": {"transom": server}}), encoding="utf-8")
    done = node.run(INSPECTOR, "--cli", "--config", str(settings), "--server", "transom", "--method", "tools/list", "--strict")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert '"explore_tools"' in done.stdout


@pytest.mark.timeout(300)
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_both_kinds_of_revision_are_spoken_over_http(node: Node, serve: Serve, era: str) -> None:
    with serve.http() as url:
        done = node.run(
            INSPECTOR, "--cli", "--server-url", url, "--transport", "http", "--protocol-era", era,
            "--method", "tools/call", "--tool-name", "explore_tools", "--format", "json",
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "execute_tool" in done.stdout
