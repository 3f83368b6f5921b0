"""``transom convert`` and ``transom validate`` as a user runs them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CHAT = {
    "model": "m",
    "seed": 7,
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "a", "content": "done"},
    ],
}


def saved(folder: Path, body: object) -> str:
    file = folder / "body.json"
    file.write_text(json.dumps(body, indent=1), encoding="utf-8")
    return str(file)


@pytest.mark.feature("M11")
def test_converting_to_the_same_format_gives_the_same_json_back(transom: Run, tmp_path: Path) -> None:
    done = transom("convert", saved(tmp_path, CHAT), "--to", "openai")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == CHAT


@pytest.mark.feature("M12")
def test_a_model_that_the_target_requires_and_the_source_does_not_name_is_asked_for(transom: Run, tmp_path: Path) -> None:
    gemini = saved(tmp_path, {"contents": [{"role": "user", "parts": [{"text": "go"}]}]})
    for target in ("openai", "openai-responses"):
        done = transom("convert", gemini, "--to", target)
        assert done.stderr == f"skipped: model: {target} requires a model and the source names none: add it before you send\n"
    assert transom("convert", gemini, "--to", "gemini").stderr == ""


@pytest.mark.feature("M12")
def test_what_the_target_cannot_carry_is_listed_on_stderr(transom: Run, tmp_path: Path) -> None:
    done = transom("convert", saved(tmp_path, CHAT), "--from", "openai-chat", "--to", "anthropic")
    assert done.returncode == 0
    assert json.loads(done.stdout)["messages"][2]["content"][0]["tool_use_id"] == "a"
    assert "seed" in done.stderr
    noted = [
        json.loads(line)
        for line in transom("convert", str(tmp_path / "body.json"), "--to", "anthropic", "--json").stderr.splitlines()
    ]
    assert {"code", "where", "detail"} == set(noted[0])
    assert "seed" in {note["where"] for note in noted}


def test_a_session_file_is_converted_and_cannot_be_written(transom: Run, transcripts: Path) -> None:
    file = str(transcripts / "claude-code-orchestrator-ja.jsonl")
    done = transom("convert", file, "--to", "openai", "--conversation", "main")
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[0])["messages"]
    refused = transom("convert", file, "--to", "claude-code")
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "content", [b"", b'{"messages": [', b"\x00\xff\x13binary", b'{"hello": "world"}', b"[" * 10_000, b'{"messages":[NaN]}']
)
def test_a_file_that_is_no_conversation_is_refused_in_one_line(transom: Run, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    for command in (("convert", str(file), "--to", "openai"), ("validate", str(file))):
        done = transom(*command)
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr.startswith("transom: ")
        assert len(done.stderr.splitlines()) == 1


def test_wrong_usage_exits_with_two(transom: Run, tmp_path: Path) -> None:
    file = saved(tmp_path, CHAT)
    assert transom("convert", file).returncode == 2
    assert transom("convert", file, "--to", "openai", "--thinking", "loudly").returncode == 2
    assert transom("convert", str(tmp_path / "absent.json"), "--to", "openai").returncode == 1


@pytest.mark.feature("M15")
def test_validate_names_each_broken_rule_with_its_message(transom: Run, tmp_path: Path) -> None:
    assert transom("validate", saved(tmp_path, CHAT)).returncode == 0
    file = saved(tmp_path, {**CHAT, "messages": [*CHAT["messages"][:2], {"role": "user", "content": "?"}]})  # type: ignore[index]
    done = transom("validate", file)
    assert done.returncode == 1
    assert "messages[1]: openai.calls-answered" in done.stdout
    exact = json.loads(transom("validate", file, "--json").stdout)
    assert exact["valid"] is False
    assert [violation["index"] for violation in exact["violations"]] == [1]
    for target in ("openai-responses", "anthropic", "gemini"):
        assert transom("validate", file, "--target", target).returncode == 1, target
