"""What the tools tell of where they run, and the numbers of a file that cannot be read off it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.families.utilities import FAMILY
from transom.toolbox.toggles import Toggles
from transom.toolbox.tool import Envelope

Call = Callable[..., Envelope]

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


def test_the_working_directory_and_the_folders_are_told(call: Call, root: Path) -> None:
    answer = call("get_current_working_directory")
    assert answer.data == {"path": str(root), "roots": [str(root)]}
    assert str(root) in answer.text


def test_the_system_is_told(call: Call) -> None:
    answer = call("detect_os_environment")
    assert answer.data["system"] == platform.system()
    assert answer.data["shell"] == ("windows" if os.name == "nt" else "posix")
    assert platform.system() in answer.text


def test_tools_are_listed_by_family_with_those_that_are_off(root: Path) -> None:
    toolbox = Toolbox((FAMILY,), services={Workspace: Workspace([root])}, toggles=Toggles(disable=["hash_file"]))
    answer = asyncio.run(toolbox.call("get_enabled_tools", {}))
    on = answer.data["enabled"]
    assert isinstance(on, dict)
    assert "json_query" in on["utilities"]
    assert answer.data["disabled"] == ["hash_file"]
    assert "Off: hash_file" in answer.text
    assert answer.data["total"] == len(toolbox.tools) - 1
    only = asyncio.run(toolbox.call("get_enabled_tools", {"family": "utilities"}))
    assert list(only.data["enabled"]) == ["utilities"]  # type: ignore[call-overload]
    unknown = asyncio.run(toolbox.call("get_enabled_tools", {"family": "nope"}))
    assert unknown.error == "not_found"
    assert "utilities" in unknown.text


def test_a_file_has_a_digest_that_can_be_compared(call: Call, root: Path) -> None:
    data = os.urandom(3_000_000)
    (root / "x").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    assert call("hash_file", path="x").data == {"algorithm": "sha256", "digest": digest, "bytes": 3_000_000}
    same = call("hash_file", path="x", expected=f" sha256:{digest.upper()}\n")
    assert same.data["matches"] is True
    other = call("hash_file", path="x", algorithm="md5", expected="0" * 32)
    assert other.data["matches"] is False
    assert "not what was expected" in other.text
    assert call("hash_file", path="nope").error == "not_found"
    assert call("hash_file", path="x", algorithm="crc32").error == "invalid_input"


def test_tokens_are_counted_of_a_text_or_a_file(call: Call, root: Path) -> None:
    text = "The quick brown fox jumps over the lazy dog."
    (root / "x.txt").write_text(text)
    counted = call("token_count", text=text)
    assert counted.data == {"tokens": 10, "tokenizer": "o200k", "characters": 44}
    assert call("token_count", path="x.txt").data == counted.data
    assert call("token_count", text=text, tokenizer="chars4").data["tokenizer"] == "chars4"
    assert call("token_count").error == "invalid_input"
    assert call("token_count", text="a", path="x.txt").error == "invalid_input"
    (root / "b").write_bytes(b"\0\0")
    assert call("token_count", path="b").error == "encoding"


def test_secrets_are_found_where_they_are_and_never_shown(call: Call, root: Path) -> None:
    (root / "src").mkdir()
    (root / "src/conf.env").write_text(f"# settings\nTOKEN={TOKEN}\n")
    (root / "wide.txt").write_text(f"token: {TOKEN}", encoding="utf-16")
    (root / "node_modules").mkdir()
    (root / "node_modules/x").write_text(TOKEN)
    (root / "pic").write_bytes(b"\0" + TOKEN.encode())
    (root / "huge").write_text(TOKEN + "x" * 1_000_000)
    (root / "link").symlink_to(root / "src/conf.env")
    answer = call("secret_scan")
    assert answer.ok, answer.text
    found = answer.data["findings"]
    assert isinstance(found, list)
    assert [(item["path"], item["line"], item["kind"]) for item in found] == [
        ("src/conf.env", 2, "github_token"),
        ("wide.txt", 1, "github_token"),
    ]
    assert (answer.data["files"], answer.data["unread"], answer.data["complete"]) == (2, 2, True)
    assert TOKEN not in answer.text + json.dumps(answer.data)
    assert "src/conf.env:2: github_token" in answer.text
    assert call("secret_scan", path="src/conf.env").data["total"] == 1
    assert call("secret_scan", path="nope").error == "not_found"


def test_of_many_secrets_the_first_hundred_are_listed_and_all_are_counted(call: Call, root: Path) -> None:
    (root / "many").write_text(f"{TOKEN}\n" * 150)
    answer = call("secret_scan")
    assert answer.data["total"] == 150
    assert len(answer.data["findings"]) == 100  # type: ignore[arg-type]
    assert "Not listed: 50 more" in answer.text


def test_a_tree_of_a_thousand_folders_in_one_another_is_scanned_to_its_end(call: Call, root: Path) -> None:
    folder = os.open(root, os.O_RDONLY)
    for _ in range(1_000):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    file = os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=folder)
    os.write(file, TOKEN.encode())
    os.close(file)
    os.close(folder)
    began = time.process_time()
    answer = call("secret_scan")
    took = time.process_time() - began
    # Removed here, from the top: what clears temporary folders goes down as deep as they are.
    while (root / "d/d").exists():
        (root / "d/d").rename(root / "next")
        (root / "d").rmdir()
        (root / "next").rename(root / "d")
    assert took < 2.0
    assert (answer.data["total"], answer.data["unread"], answer.data["complete"]) == (1, 0, True)


def test_a_clean_folder_is_said_to_be_clean(call: Call, root: Path) -> None:
    (root / "a.py").write_text("commit = '3f786850e387550fdab836ed7e6dc881de23001b'\n")
    answer = call("secret_scan")
    assert answer.data["findings"] == []
    assert answer.text == "No secrets found in the 1 files that were read."


@pytest.mark.parametrize("tool", [tool.name for tool in FAMILY.tools])
def test_every_utility_says_what_it_changes(tool: str) -> None:
    made = next(item for item in FAMILY.tools if item.name == tool)
    assert made.hints.read_only == (tool != "convert_format")
    assert not made.hints.open_world
    assert made.description
