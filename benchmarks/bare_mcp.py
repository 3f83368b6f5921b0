"""The SDK's low-level server with nothing behind it, to measure ours against. ``bare_mcp.py FILE`` lists the tools in FILE."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOLS = [types.Tool.model_validate(tool) for tool in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))]


async def listed(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=TOOLS)


async def called(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    given = params.arguments or {}
    return types.CallToolResult(content=[types.TextContent(text=str(given))], structured_content=given)


async def main() -> None:
    server: Server[Any] = Server("bare", on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


asyncio.run(main())
