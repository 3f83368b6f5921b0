"""The lines that the pages for clients say to paste."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from transom.cli.app import COMMANDS, build

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
PAGES = sorted(HOW_TO.glob("connect-*.md"))


def commands(page: Path) -> Iterator[list[str]]:
    """What a page has clients run, without the program's name."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for servers in json.loads(block).values():
            for server in servers.values():
                command = server["command"]
                words = [command, *server["args"]] if isinstance(command, str) else command
                assert words[0] == "transom"
                yield words[1:]
    for block in re.findall(r"^```(?:sh|text)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if found := re.search(r"(?:^|-- )transom (mcp .*)", line):
                yield found[1].replace('"$(cat token)"', "token").split()
            elif found := re.search(r"args\s*[=:]\s*(\[.*\])", line):
                yield json.loads(found[1])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_command_takes_what_a_page_gives_it(page: Path) -> None:
    found = [words for words in commands(page) if words != ["mcp", "--help"]]
    assert found
    for words in found:
        assert words[:2] == ["mcp", "--root"]
        build(COMMANDS, called="mcp").parse_args(words)


def test_the_page_of_all_clients_leads_to_each() -> None:
    text = (HOW_TO / "connect-a-client.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.name != "connect-a-client.md" and f"({page.name})" not in text] == []
