"""``compile`` and ``replay`` with a model that writes summaries: from a settings file, options and variables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from transom.testing.provider import Fault, Received, ScriptedProvider
from transom.testing.script import Step

SUMMARY = """<analysis>All of it was about parts.</analysis>
<summary>
## Goal
Every part of the engine is to be looked at, in the order of the list.

## State
The parts so far are fine; the summary holds what was seen in them.
</summary>"""
SESSION = [
    message
    for part in range(60)
    for message in (
        {"role": "user", "content": f"Look at part {part} of the engine and tell me what you see in it."},
        {
            "role": "assistant",
            "content": f"Part {part} is fine. " + f"This is what I saw in part {part}, in some detail. " * 12,
        },
    )
]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    (tmp_path / "session.json").write_text(json.dumps({"model": "m", "messages": SESSION}), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRANSOM_")}

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "transom", *arguments],
            cwd=tmp_path,
            env=environment | variables,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    def answer(received: Received) -> Step:
        return SUMMARY

    with ScriptedProvider(answer, window=16_000) as started:
        yield started


def test_a_window_is_closed_by_a_summary(run: Run, provider: ScriptedProvider) -> None:
    fitting = ("--window", "8000", "--strategy", "summarize,digest,reset", "--store", "s.db")
    done = run("compile", "session.json", *fitting, "--summarizer-url", provider.url, "--summarizer-model", "small")
    assert done.returncode == 0, done.stderr
    assert "in the order of the list" in done.stdout
    assert "All of it was about parts." not in done.stdout
    assert {received.body["model"] for received in provider.received} == {"small"}
    again = run("compile", "session.json", *fitting, "--summarizer-url", provider.url, "--summarizer-model", "small")
    assert (again.returncode, again.stdout) == (0, done.stdout)


def test_a_settings_file_names_the_model_and_the_variable_of_its_key(
    run: Run, provider: ScriptedProvider, tmp_path: Path
) -> None:
    lines = (
        'strategy = "clear,summarize,digest,reset"',
        f'summarizer_url = "{provider.url}/v1"',
        'summarizer_model = "small"',
        'summarizer_key = "MY_KEY"',
    )
    (tmp_path / "transom.toml").write_text("\n".join(lines), encoding="utf-8")
    done = run("replay", "session.json", "--window", "8000", "--json", MY_KEY="secret-1")
    assert done.returncode == 0, done.stderr
    turns = json.loads(done.stdout)["turns"]
    assert {turn["closed_by"] for turn in turns} >= {"summarize"}
    assert {received.headers["authorization"] for received in provider.received} == {"Bearer secret-1"}
    assert "secret-1" not in done.stdout + done.stderr


@pytest.mark.parametrize("key_on_the_command_line", [True, False])
def test_a_key_does_not_go_to_an_address_that_a_folder_names(
    key_on_the_command_line: bool, run: Run, provider: ScriptedProvider, tmp_path: Path
) -> None:
    lines = ('strategy = "summarize,reset"', f'summarizer_url = "{provider.url}"', 'summarizer_model = "small"')
    (tmp_path / "transom.toml").write_text("\n".join(lines), encoding="utf-8")
    options = ("--summarizer-key", "MY_KEY") if key_on_the_command_line else ()
    variables = {} if key_on_the_command_line else {"TRANSOM_SUMMARIZER_KEY": "MY_KEY"}
    done = run("compile", "session.json", "--window", "8000", *options, MY_KEY="secret-1", **variables)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "they belong together" in done.stderr
    assert provider.received == []


def test_an_address_of_the_command_line_takes_its_key_from_there_only(run: Run, provider: ScriptedProvider) -> None:
    fitting = ("--window", "8000", "--strategy", "summarize,reset")
    asked = ("compile", "session.json", *fitting, "--summarizer-url", provider.url, "--summarizer-model", "small")
    keys = {"MY_KEY": "secret-1", "OTHER": "secret-2", "TRANSOM_SUMMARIZER_KEY": "MY_KEY"}
    assert run(*asked, **keys).returncode == 0
    without = {received.headers.get("authorization", "") for received in provider.received}
    assert run(*asked, "--summarizer-key", "OTHER", **keys).returncode == 0
    every = {received.headers.get("authorization", "") for received in provider.received}
    assert (without, every - without) == ({""}, {"Bearer secret-2"})


def test_a_model_that_fails_leaves_the_window_to_the_next_strategy(run: Run) -> None:
    def fail(received: Received) -> Step:
        return Fault.refuses(500, "out of memory")

    with ScriptedProvider(fail) as provider:
        asked = ("--summarizer-url", provider.url, "--summarizer-model", "small")
        done = run("replay", "session.json", "--window", "8000", "--strategy", "summarize,digest,reset", "--json", *asked)
    assert done.returncode == 0, done.stderr
    assert {turn["closed_by"] for turn in json.loads(done.stdout)["turns"]} >= {"digest"}


@pytest.mark.parametrize("strategy", ["summarize", "clear,anchored,reset", "background,reset", "server,summarize"])
def test_a_strategy_that_needs_a_model_says_so_in_one_line(run: Run, strategy: str) -> None:
    done = run("compile", "session.json", "--window", "8000", "--strategy", strategy)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "needs a model that writes summaries (set summarizer_url and summarizer_model)" in done.stderr


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"TRANSOM_SUMMARIZER_URL": "http://127.0.0.1:9"}, "set summarizer_model too"),
        ({"TRANSOM_SUMMARIZER_MODEL": "small"}, "set summarizer_url too"),
        ({"TRANSOM_SUMMARIZER_URL": "127.0.0.1:9"}, "summarizer_url cannot be what it is set to"),
        ({"TRANSOM_SUMMARIZER_URL": "http://me:hunter2@host/v1"}, "summarizer_url cannot be what it is set to"),
        ({"TRANSOM_SUMMARIZER_KEY": "sk-hunter2"}, "summarizer_key cannot be what it is set to"),
        (
            {
                "TRANSOM_SUMMARIZER_URL": "http://127.0.0.1:9",
                "TRANSOM_SUMMARIZER_MODEL": "small",
                "TRANSOM_SUMMARIZER_KEY": "NOT_SET",
            },
            "names the variable NOT_SET, which is not set",
        ),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_what_is_half_set_is_said_and_no_secret_is_repeated(run: Run, variables: dict[str, str], said: str) -> None:
    done = run("compile", "session.json", "--window", "8000", "--strategy", "summarize,reset", **variables)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
    assert "hunter2" not in done.stderr


def test_strategies_that_ask_no_model_ask_none(run: Run) -> None:
    with ScriptedProvider() as provider:
        asked = ("--summarizer-url", provider.url, "--summarizer-model", "small")
        done = run("compile", "session.json", "--window", "8000", "--strategy", "clear,digest,reset", *asked)
    assert done.returncode == 0
    assert (provider.received, provider.refusals) == ([], [])


def test_server_leaves_the_window_to_anthropic_and_has_a_fallback_for_the_rest(run: Run) -> None:
    done = run("compile", "session.json", "--window", "32000", "--target", "anthropic", "--strategy", "server,digest,reset")
    assert done.returncode == 0, done.stderr
    assert "context_management" in json.loads(done.stdout)
    late = run("compile", "session.json", "--window", "8000", "--strategy", "digest,server")
    assert (late.returncode, late.stdout) == (2, "")
    assert "the strategy 'server' comes first" in late.stderr
