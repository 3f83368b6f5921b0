"""What of the SDK is loaded, in processes of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest


def ran(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_server_loads_no_client() -> None:
    script = (
        "import sys; from transom.mcp_server.loading import load_server_half; load_server_half();"
        "import transom.mcp_server.server, transom.mcp_server.stdio, transom.mcp_server.http;"
        "print([name for name in ('mcp.client', 'mcp.server.mcpserver', 'httpx2') if name in sys.modules])"
    )
    assert ran(script) == "[]"


@pytest.mark.parametrize(
    "asked",
    [
        "from mcp import Client, StdioServerParameters",
        "import mcp; mcp.ClientSession, mcp.__all__",
        "from mcp.server import MCPServer; MCPServer('x')",
        "import mcp.server; mcp.server.Server",
        "from mcp import *; Client",
        "import mcp.client.session",
    ],
)
def test_whoever_asks_for_the_rest_gets_it(asked: str) -> None:
    script = f"from transom.mcp_server.loading import load_server_half; load_server_half()\n{asked}\nprint('had it')"
    assert ran(script) == "had it"


def test_what_a_package_does_not_have_is_an_error_as_ever() -> None:
    script = (
        "from transom.mcp_server.loading import load_server_half; load_server_half()\n"
        "import mcp\n"
        "try:\n    mcp.nothing_of_the_kind\nexcept AttributeError as error:\n    print(error)"
    )
    assert ran(script) == "module 'mcp' has no attribute 'nothing_of_the_kind'"


def test_other_commands_do_not_load_the_sdk() -> None:
    script = (
        "import sys; from transom.cli.app import COMMANDS; from importlib import import_module;"
        "[import_module(command.target.partition(':')[0]) for command in COMMANDS];"
        "print([name for name in ('mcp', 'mcp_types', 'starlette', 'anyio', 'pydantic') if name in sys.modules])"
    )
    assert ran(script) == "[]"


def test_a_list_of_tools_loads_nothing_that_only_their_calls_need() -> None:
    script = (
        "import asyncio, sys, tempfile\n"
        "from transom.mcp_server.loading import load_server_half; load_server_half()\n"
        "from transom.mcp_server.server import build\n"
        "from transom.runtime import open_toolbox\n"
        "from transom.store.store import Store\n"
        "async def main():\n"
        "    with tempfile.TemporaryDirectory() as folder:\n"
        "        async with open_toolbox(roots=[folder], store=folder + '/store.db') as toolbox:\n"
        "            assert len(build(toolbox, toolbox.services[Store], version='1').tools.shown()) == 40\n"
        "asyncio.run(main())\n"
        "late = ('engine.memory.memory', 'engine.skills.library', 'engine.selection', 'engine.offload.excerpts', 'messages',"
        " 'tokens', 'wire.schemas', 'safety.commands', 'safety.archives', 'toolbox.sandbox.bubblewrap',"
        " 'toolbox.editing.patching', 'toolbox.families.utilities.converting', 'toolbox.families.text.transforming',"
        " 'vocabulary.retrieving', 'vocabulary.refusing')\n"
        "print([name for name in late if 'transom.' + name in sys.modules])"
    )
    assert ran(script) == "[]"
