"""Real clients, run by ``transom wrap`` as a user would: one prompt and one tool call, and a task that no window holds.

``script/client-checks`` installs them, and runs this; what is neither there nor on the path is skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.gateway.conftest import Serve
from tests.gateway.relay import Passed, Relay
from tests.gateway.task import DONE, STEPS, WINDOW, Script, missing, readable, result

from transom.jsontext import loads
from transom.messages import Call
from transom.testing.provider import Received, Reply, ScriptedProvider, calls, says

INSTALLED = Path(__file__).resolve().parents[2] / ".venv" / "client-checks"
FOLDERS = [INSTALLED / "node_modules" / ".bin", INSTALLED / "bin"]
PATH = os.pathsep.join([*map(str, FOLDERS), os.environ.get("PATH", "")])


@dataclass(frozen=True)
class Real:
    """A client: how it is told of a provider, what it is run with, and the tool it runs commands with."""

    name: str
    environment: Callable[[str], Mapping[str, str]]
    arguments: Sequence[str]
    tool: str
    command: str
    more: Mapping[str, object]
    files: Mapping[str, str]

    def run(self, base: str, home: Path, prompt: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run it through ``transom wrap``, in a home of its own, with no way out of this machine."""
        work = home / "work"
        work.mkdir()
        for name, text in self.files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text, encoding="utf-8")
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ANTHROPIC", "OPENAI", "GEMINI", "CLAUDE"))
        }
        nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
        private = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
        return subprocess.run(
            [sys.executable, "-m", "transom", "wrap", self.name, *options, "--store", str(home / "gateway.db"), "--"]
            + [argument.replace("PROMPT", prompt) for argument in self.arguments],
            cwd=work,
            env=kept | nowhere | private | {"PATH": PATH, "DO_NOT_TRACK": "1"} | dict(self.environment(base)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=240,
            check=False,
        )

    def steps(self, home: Path) -> Callable[[int], Mapping[str, object]]:
        """What its tool is called with: a file with the step's result is shown."""

        def step(number: int) -> Mapping[str, object]:
            path = home / f"part-{number}.txt"
            path.write_text(result(number), encoding="utf-8")
            return {self.command: f"cat {path}", **self.more}

        return step


BILLING = re.compile(rb'(?<="system":\[)\{"type":"text","text":"x-anthropic-billing-header:[^"]*"\},?')
"""What no upstream but Anthropic's is sent of a body of Claude Code."""

CLIENTS = [
    Real(
        name="claude",
        environment=lambda base: {
            "ANTHROPIC_BASE_URL": base,
            "ANTHROPIC_API_KEY": "key",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        arguments=["-p", "--allowedTools", "Bash", "--", "PROMPT"],
        tool="Bash",
        command="command",
        more={"description": "Show a part"},
        files={},
    ),
    Real(
        name="codex",
        environment=lambda base: {"OPENAI_BASE_URL": f"{base}/v1", "CODEX_API_KEY": "key"},
        arguments=["exec", "-m", "gpt-5", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "PROMPT"],
        tool="exec_command",
        command="cmd",
        more={"max_output_tokens": 10_000},
        files={},
    ),
    Real(
        name="opencode",
        environment=lambda base: {
            "OPENCODE_CONFIG_CONTENT": json.dumps(
                {"permission": "allow", "provider": {"anthropic": {"options": {"baseURL": f"{base}/v1", "apiKey": "key"}}}}
            ),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
        arguments=["run", "-m", "anthropic/claude-sonnet-4-5", "PROMPT"],
        tool="bash",
        command="command",
        more={"description": "Show a part"},
        files={},
    ),
    Real(
        name="gemini",
        environment=lambda base: {
            "GOOGLE_GEMINI_BASE_URL": base,
            "GEMINI_API_KEY": "key",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        arguments=["-m", "gemini-2.5-pro", "--approval-mode=yolo", "-p", "PROMPT"],
        tool="run_shell_command",
        command="command",
        more={"description": "Show a part"},
        files={
            ".gemini/settings.json": json.dumps(
                {
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "general": {"disableAutoUpdate": True},
                    "privacy": {"usageStatisticsEnabled": False},
                }
            )
        },
    ),
]
CODEX = next(client for client in CLIENTS if client.name == "codex")
AIDER = Real(
    name="aider",
    environment=lambda base: {
        "OPENAI_API_BASE": f"{base}/v1",
        "OPENAI_API_KEY": "key",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    },
    arguments=[
        *("--model", "openai/m", "--no-git", "--yes-always", "--analytics-disable", "--no-check-update", "--map-tokens", "0"),
        *("--no-show-model-warnings", "--no-show-release-notes", "--message", "PROMPT"),
    ],
    tool="",
    command="",
    more={},
    files={},
)


@pytest.fixture(params=CLIENTS, ids=lambda client: client.name)
def client(request: pytest.FixtureRequest) -> Real:
    found: Real = request.param
    return there(found)


def there(found: Real) -> Real:
    if os.name == "nt" or shutil.which(found.name, path=PATH) is None:
        pytest.skip(f"{found.name} is not installed: script/client-checks does that")
    return found


def requests_of(home: Path) -> list[str]:
    """Runs of which something is left."""
    return [path.name for path in (home / "cache" / "transom" / "wrap").iterdir()]


def asked(relay: Relay) -> list[Passed]:
    return [each for each in relay.posted() if each.status == 200]


@pytest.mark.feature("G1", "G11")
def test_a_prompt_and_a_tool_call_go_on_as_the_very_bytes_that_came(client: Real, tmp_path: Path, serve: Serve) -> None:
    done = False

    def script(received: Received) -> Reply:
        nonlocal done
        if client.tool not in received.tools:
            return says("A title")
        if not done:
            done = True
            return calls(client.tool, **{client.command: "echo it-was-run", **client.more})
        assert "it-was-run" in received.data.decode()
        return says("All is well.")

    with ScriptedProvider(script) as provider, Relay(serve(provider.url, "--window", "200000").url) as relay:
        ended = client.run(relay.url, tmp_path, "Say that all is well.", "--gateway", relay.url)
        assert (ended.returncode, provider.refusals) == (0, []), ended.stderr
        assert "All is well." in ended.stdout
        came, went = [each.body for each in asked(relay)], [each.data for each in provider.received]
    assert len(came) >= 2
    assert sorted(went) == sorted(BILLING.sub(b"", body, count=1) for body in came)


@pytest.mark.feature("G1", "G2", "G11")
async def test_a_task_that_no_window_holds_is_finished_and_nothing_of_it_is_lost(client: Real, tmp_path: Path) -> None:
    script = Script(client.tool, client.steps(tmp_path))
    with ScriptedProvider(script, window=WINDOW) as provider, Relay(provider.url) as relay:
        ended = client.run(relay.url, tmp_path, "Show all twelve parts, one after the other.", "--window", str(WINDOW))
        assert (ended.returncode, provider.refusals) == (0, []), f"{ended.stdout}\n{ended.stderr}"
        assert DONE in ended.stdout
        assert script.step == STEPS
        last = provider.received[-1].data.decode()
        headers = asked(relay)[-1].headers
    left_behind(tmp_path)
    assert missing(last), "nothing left, so that nothing was shown"
    assert missing(last, await readable(tmp_path / "gateway.db", headers)) == []


def scripted(tool: str, **arguments: object) -> Reply:
    """How the models call that Codex runs by default: their one tool takes a script, which calls the others."""
    script = f"const done = await tools.exec_command({json.dumps(arguments)});\ntext(done.output ?? done);"
    return Reply(calls=(Call(tool, script, kind="custom"),))


@pytest.mark.feature("G1", "G2", "G11")
@pytest.mark.parametrize("tells", [True, False], ids=["the server tells its window", "the table names more than it takes"])
async def test_codex_with_its_own_model_and_no_window_set_finishes_a_task_that_no_window_holds(
    tells: bool, tmp_path: Path, serve: Serve
) -> None:
    named = {"-m", "gpt-5"}
    arguments = [argument for argument in CODEX.arguments if argument not in named]
    codex = there(replace(CODEX, arguments=arguments, tool="exec"))
    script = Script(codex.tool, codex.steps(tmp_path), scripted)
    with ScriptedProvider(script, window=70_000) as provider, Relay(provider.url, tells=tells) as beyond:
        served = serve(beyond.url)
        with Relay(served.url) as relay:
            ended = codex.run(relay.url, tmp_path, "Show all twelve parts, one after the other.", "--gateway", relay.url)
            assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
            assert DONE in ended.stdout
            assert script.step == STEPS
            passed = [each for each in relay.posted() if each.path.endswith("/responses")]
            assert {each.status for each in passed} == {200}
            # What offers the tools and instructs the model leads the conversation here, and never leaves.
            first, last = (loads(provider.received[at].data)["input"] for at in (0, -1))  # type: ignore[index]
            leading = [item for item in first if item.get("role") == "developer"]
            assert leading[0]["type"] == "additional_tools"
            assert last[: len(leading)] == leading
            shown = provider.received[-1].data.decode()
            assert "a table" in passed[0].answered["x-transom-reason"] or tells
            assert len(provider.refusals) == 0 or not tells
    assert missing(shown), "nothing left, so that nothing was shown"
    assert missing(shown, await readable(served.store, passed[-1].headers)) == []


@pytest.mark.feature("G11")
def test_aider_answers_a_prompt(tmp_path: Path) -> None:
    with ScriptedProvider([says("All is well.")]) as provider:
        ended = there(AIDER).run(provider.url, tmp_path, "Say that all is well.", "--window", "32000")
        assert (ended.returncode, provider.refusals) == (0, []), ended.stderr
    assert "All is well." in ended.stdout


def left_behind(home: Path) -> None:
    until = time.monotonic() + 10
    while (left := requests_of(home)) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []
