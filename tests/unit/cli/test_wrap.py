"""``transom wrap`` with clients that only tell what they were given: what is set, where requests go, what is left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.gateway.serving import Asked, serving, upstream

from transom.gateway.access import Access
from transom.gateway.app import build_app
from transom.gateway.operations import Book, build_operations
from transom.gateway.upstreams import Routes, Upstream
from transom.testing.provider import ScriptedProvider, says

from .conftest import Run

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="programs are scripts here, which Windows does not run"),
    pytest.mark.feature("G11"),
]

TELLS = """\
import json, os, sys, time, urllib.request
told = {"arguments": sys.argv[1:], "pid": os.getpid(), "environment": dict(os.environ)}
print(json.dumps(told), flush=True)
if "wait" in sys.argv:
    time.sleep(60)
if "ask" in sys.argv:
    body = json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}).encode()
    headers = {"content-type": "application/json", "x-api-key": "mine", "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body, headers)
    with urllib.request.urlopen(request) as answer:
        print(json.load(answer)["content"][0]["text"])
    sys.exit(7)
"""


class Home:
    """A home of its own, with clients that are scripts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "cache" / "transom" / "wrap"
        (folder / "bin").mkdir()
        self.environment = {
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_DATA_HOME": str(folder / "data"),
            "PATH": str(folder / "bin"),
        }

    def install(self, name: str) -> None:
        program = self.folder / "bin" / name
        program.write_text(f"#!{sys.executable}\n{TELLS}")
        program.chmod(0o755)

    def start(self, client: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "transom", "wrap", client, "--", *arguments],
            cwd=self.folder,
            env=os.environ | self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def left(self) -> list[str]:
        return sorted(path.name for path in self.runs.iterdir()) if self.runs.is_dir() else []


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def printed(transom: Run, home: Home) -> Callable[..., dict[str, Any]]:
    """What ``--print`` says would be set."""

    def run(client: str, *options: str, **environment: str) -> dict[str, Any]:
        done = transom("wrap", client, "--print", "--json", *options, environment=home.environment | environment)
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    return run


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gateways(home: Home) -> list[int]:
    """The processes that attend a run of this home."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = place.read_bytes()
        except OSError:
            continue
        if b"--attend" in command and str(home.runs).encode() in command:
            found.append(int(place.parent.name))
    return found


# ── what is set ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_claude_is_told_the_address_its_window_and_to_search_for_tools(printed: Callable[..., dict[str, Any]]) -> None:
    told = printed("claude", "--window", "32000", "--", "-p", "--", "hello there")
    assert told["environment"] == {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:PORT",
        "ENABLE_TOOL_SEARCH": "true",
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "32000",
    }
    assert told["command"] == ["claude", "-p", "--", "hello there"]


def test_a_settings_file_that_would_win_over_the_environment_is_outdone_for_this_run(
    printed: Callable[..., dict[str, Any]], home: Home
) -> None:
    (home.folder / ".claude").mkdir()
    (home.folder / ".claude" / "settings.json").write_text('{"env": {"ANTHROPIC_BASE_URL": "http://other:1"}}')
    assert json.loads(printed("claude")["command"][2]) == {"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:PORT"}}


@pytest.mark.parametrize(
    "file, arguments, key",
    [
        ("", [], "openai_base_url"),
        ('model_provider = "mine"\n[model_providers.mine]\nbase_url = "http://x:1/v1"', [], "model_providers.mine.base_url"),
        (
            'profile = "a"\n[profiles.a]\nmodel_provider = "mine"\n[profiles.b]\nmodel_provider = "other"',
            ["--profile", "b"],
            "model_providers.other.base_url",
        ),
        ("", ["-c", 'model_provider="mine"'], "model_providers.mine.base_url"),
    ],
)
def test_codex_is_told_by_arguments_which_provider_is_elsewhere(
    printed: Callable[..., dict[str, Any]], home: Home, file: str, arguments: list[str], key: str
) -> None:
    (home.folder / ".codex").mkdir()
    (home.folder / ".codex" / "config.toml").write_text(file)
    told = printed("codex", "--window", "32000", "--", *arguments, "exec", "hello")
    assert told["environment"] == {}
    assert told["command"][:7] == [
        "codex",
        *("-c", f'{key}="http://127.0.0.1:PORT/v1"'),
        *("-c", "model_context_window=32000"),
        *("-c", "model_auto_compact_token_limit=28800"),
    ]


def test_a_login_of_chatgpt_is_asked_without_a_version(printed: Callable[..., dict[str, Any]], home: Home) -> None:
    (home.folder / ".codex").mkdir()
    (home.folder / ".codex" / "auth.json").write_text('{"OPENAI_API_KEY": null, "tokens": {"access_token": "t"}}')
    assert 'openai_base_url="http://127.0.0.1:PORT"' in printed("codex")["command"]


def test_opencode_is_told_in_its_configuration_for_every_provider_it_has(
    printed: Callable[..., dict[str, Any]], home: Home
) -> None:
    folder = home.folder / "config" / "opencode"
    folder.mkdir(parents=True)
    options = '"options": {"baseURL": "http://x:1/v1",}'
    own = '{ // mine\n "provider": {"lm": {"npm": "x", OPTIONS, "models": {"m": {"name": "M"}}}}}'.replace("OPTIONS", options)
    (folder / "opencode.jsonc").write_text(own)
    given = json.dumps({"theme": "dark", "provider": {"lm": {"options": {"apiKey": "k"}}}})
    told = printed("opencode", "--window", "32000", XDG_CONFIG_HOME=str(home.folder / "config"), OPENCODE_CONFIG_CONTENT=given)
    content = json.loads(told["environment"]["OPENCODE_CONFIG_CONTENT"])
    assert content["theme"] == "dark"
    assert content["provider"]["anthropic"]["options"] == {"baseURL": "http://127.0.0.1:PORT/anthropic/v1"}
    assert content["provider"]["google"]["options"] == {"baseURL": "http://127.0.0.1:PORT/google/v1beta"}
    assert content["provider"]["lm"]["options"] == {"baseURL": "http://127.0.0.1:PORT/lm/v1", "apiKey": "k"}
    assert content["provider"]["lm"]["models"] == {"m": {"name": "M", "limit": {"output": 8000, "context": 32000}}}


def test_opencode_is_offered_an_upstream_that_the_user_names(printed: Callable[..., dict[str, Any]]) -> None:
    told = printed("opencode", "--upstream", "http://localhost:1234")
    (provider,) = json.loads(told["environment"]["OPENCODE_CONFIG_CONTENT"])["provider"].items()
    assert provider[0] == "transom"
    assert provider[1]["options"] == {"baseURL": "http://127.0.0.1:PORT/v1"}


def test_gemini_is_told_by_a_variable(printed: Callable[..., dict[str, Any]]) -> None:
    told = printed("gemini", GEMINI_API_KEY="key")
    assert told == {
        "environment": {"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:PORT"},
        "command": ["gemini"],
        "notes": [],
    }


def test_aider_is_told_for_every_kind_of_model_it_could_ask(printed: Callable[..., dict[str, Any]]) -> None:
    told = printed("aider", "--", "--openai-api-base", "http://x:1/v1", OLLAMA_API_BASE="http://localhost:11434")
    assert told["environment"]["ANTHROPIC_API_BASE"] == "http://127.0.0.1:PORT/anthropic"
    assert told["environment"]["OLLAMA_API_BASE"] == "http://127.0.0.1:PORT/ollama"
    assert told["command"][-2:] == ["--openai-api-base", "http://127.0.0.1:PORT/openai/v1"]


def test_who_has_a_proxy_does_not_look_for_this_machine_behind_it(printed: Callable[..., dict[str, Any]]) -> None:
    told = printed("gemini", HTTPS_PROXY="http://proxy:3128", NO_PROXY="intranet")
    assert told["environment"]["NO_PROXY"] == told["environment"]["no_proxy"] == "intranet,127.0.0.1,localhost"


# ── what is refused ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "arguments, environment, said",
    [
        (["claude"], {}, "claude is not installed (npm install -g @anthropic-ai/claude-code)"),
        (["aider"], {}, "aider is not installed (pip install aider-chat)"),
        (["emacs"], {}, "'emacs' is no client that can be wrapped (claude, codex, opencode, gemini, aider)"),
        (["claude", "--print"], {"CLAUDE_CODE_USE_BEDROCK": "1"}, "CLAUDE_CODE_USE_BEDROCK is set"),
        (["claude", "--print", "--upstream", "other=http://x:1"], {}, "claude has no upstream 'other'"),
        (["claude", "--print", "--upstream", "x:1"], {}, "write it as --upstream http://x:1"),
        (["claude", "--print", "--gateway", "x:1"], {}, "write it as --gateway http://x:1"),
        (["claude", "--print", "-p", "hello"], {}, "stands after --"),
        (
            ["claude", "--print", "--gateway", "http://x:1", "--upstream", "http://y:1"],
            {},
            "--gateway has its upstreams already",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    transom: Run, home: Home, arguments: list[str], environment: dict[str, str], said: str
) -> None:
    done = transom("wrap", *arguments, environment=home.environment | environment)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout, said in line) == (2, "", True), line
    assert home.left() == []


def test_a_gateway_that_does_not_start_is_said_in_one_line_and_leaves_nothing(transom: Run, home: Home) -> None:
    home.install("claude")
    (home.folder / "data").write_text("where the store would lie")
    done = transom("wrap", "claude", environment=home.environment)
    assert done.returncode == 1
    assert "the gateway did not start" in done.stderr
    assert home.left() == []


# ── a run ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_clients_own_base_url_is_asked_with_its_own_key_and_its_status_is_ours(home: Home) -> None:
    home.install("claude")
    with ScriptedProvider([says("Hello")]) as provider:
        run = home.start("claude", "ask", ANTHROPIC_BASE_URL=provider.url)
        out, err = run.communicate(timeout=60)
        assert provider.received[0].headers["x-api-key"] == "mine"
    assert (run.returncode, out.splitlines()[1:]) == (7, ["Hello"])
    (line,) = err.splitlines()
    assert f"kept in {home.folder / 'data' / 'transom' / 'store.db'}: transom store " in line
    until(lambda: home.left() == [])


@pytest.fixture(params=["", "guarded"])
def running(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a gateway whose upstream is away; of one that asks for a token besides."""
    routes = Routes((Upstream(name="gone", url="http://127.0.0.1:9"),))
    access = Access(token=request.param or None)
    with serving(build_app(routes, operations=build_operations(routes, Book()), access=access)) as url:
        yield url


@pytest.mark.parametrize("path", ["/", "/gone/v1"])
def test_a_gateway_that_runs_already_is_used_well_or_not(transom: Run, home: Home, running: str, path: str) -> None:
    home.install("claude")
    done = transom("wrap", "claude", "--gateway", running + path, environment=home.environment)
    assert json.loads(done.stdout)["environment"]["ANTHROPIC_BASE_URL"] == (running + path).rstrip("/")
    assert home.left() == []


def test_where_no_gateway_answers_the_client_is_not_started(transom: Run, home: Home) -> None:
    home.install("claude")
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"http://127.0.0.1:{gone.getsockname()[1]}"
    done = transom("wrap", "claude", "--gateway", f"{url}/", environment=home.environment)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line == (
        f"transom: no gateway answers at {url}: nothing listens at {url}/_transom/healthz "
        "(start it with transom serve, or leave out --gateway)"
    )


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, b'{"error": {"message": "no such path"}}'),
        (200, b'["upstreams"]'),
        (503, b'{"error": {"message": "Loading model"}}'),
        (401, b'{"error": {"message": "Invalid key"}}'),
    ],
)
def test_before_a_server_that_is_no_gateway_the_client_is_not_started(
    transom: Run, home: Home, status: int, body: bytes
) -> None:
    home.install("claude")

    async def model_server(asked: Asked) -> None:
        await asked.answer(status, body)

    with upstream(model_server) as there:
        done = transom("wrap", "claude", "--gateway", there.url, environment=home.environment)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line == (
        f"transom: what answers at {there.url} is no gateway: {there.url}/_transom/healthz answered {status} "
        "(name one that transom serve has started, or use --upstream)"
    )


def test_a_gateway_behind_a_proxy_is_taken_to_be_there(transom: Run, home: Home) -> None:
    home.install("claude")
    environment = home.environment | {"HTTP_PROXY": "http://127.0.0.1:9"}
    done = transom("wrap", "claude", "--gateway", "http://gateway.invalid:8642", environment=environment)
    assert json.loads(done.stdout)["environment"]["ANTHROPIC_BASE_URL"] == "http://gateway.invalid:8642"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_signals_reach_the_client_and_nothing_is_left_behind(home: Home, number: signal.Signals) -> None:
    home.install("claude")
    run = home.start("claude", "wait")
    assert run.stdout is not None
    told = json.loads(run.stdout.readline())
    assert told["pid"] == run.pid
    assert home.left() != []
    run.send_signal(number)
    assert run.wait(30) != 0
    run.communicate()
    until(lambda: home.left() == [])


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc here")
def test_what_a_killed_run_left_is_cleared_up_by_the_next(home: Home) -> None:
    home.install("claude")
    first = home.start("claude", "wait")
    assert first.stdout is not None
    first.stdout.readline()
    (gateway,) = gateways(home)
    os.kill(gateway, signal.SIGKILL)
    first.kill()
    first.communicate()
    until(lambda: not alive(gateway))
    left = home.left()
    assert left != []
    second = home.start("claude")
    second.communicate(timeout=60)
    until(lambda: home.left() == [])


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc here")
def test_interrupted_at_the_terminal_the_gateway_stays_for_as_long_as_the_client_does(home: Home) -> None:
    home.install("claude")
    run = home.start("claude", "wait")
    assert run.stdout is not None
    run.stdout.readline()
    (gateway,) = gateways(home)
    assert os.getsid(gateway) != os.getsid(run.pid)
    run.kill()
    run.communicate()
    until(lambda: gateways(home) == [])
