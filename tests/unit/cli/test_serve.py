"""``transom serve`` as a user meets it: what it says, what it refuses, whose key goes where, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from transom.testing.provider import ScriptedProvider, says

from .conftest import Run

ASKED = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


@contextmanager
def served(
    folder: Path, *options: str, environment: dict[str, str] | None = None, store: str = "store.db"
) -> Iterator[subprocess.Popen[str]]:
    """One that runs; its first lines are read by who wants them."""
    process = subprocess.Popen(
        [sys.executable, "-m", "transom", "serve", "--port", "0", "--store", f"{folder}/{store}", *options],
        cwd=folder,
        env=os.environ | (environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return str(json.loads(line)["url"])


def ask(url: str, path: str = "/v1/chat/completions", body: dict[str, Any] | None = None, **headers: str) -> tuple[int, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()} | {"content-type": "application/json"}
    request = urllib.request.Request(url + path, json.dumps(ASKED | (body or {})).encode(), named)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def refused(transom: Run, *options: str, environment: dict[str, str] | None = None) -> str:
    done = transom("serve", *options, environment=environment)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("profile", ["agent", "chat"])
def test_a_profile_that_is_not_built_is_refused_in_one_line(transom: Run, profile: str) -> None:
    assert f"the profile {profile} is not built yet" in refused(
        transom, "--upstream", "http://127.0.0.1:1", "--profile", profile
    )


def test_without_an_upstream_it_says_how_to_name_one(transom: Run) -> None:
    assert "--upstream URL, for example http://localhost:1234" in refused(transom)


def test_a_port_that_is_taken_is_said_in_one_line(transom: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} is taken" in refused(transom, "--upstream", "http://127.0.0.1:1", "--port", str(port))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_a_gateway_that_would_ask_itself_does_not_start(transom: Run, host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    said = refused(transom, "--upstream", f"me=http://{host}:{port}", "--port", str(port))
    assert f"the upstream 'me' at http://{host}:{port}/v1 is this gateway itself" in said


@pytest.mark.feature("Z10")
def test_beyond_this_machine_it_wants_a_token(transom: Run) -> None:
    assert "there is no token" in refused(transom, "--upstream", "http://127.0.0.1:1", "--host", "0.0.0.0", "--port", "0")


@pytest.mark.parametrize(
    "options, said",
    [
        (["--upstream", "a=http://x:1", "--upstream", "a=http://x:2"], "two upstreams of one name"),
        (["--upstream", "http://x:1", "--upstream", "http://x:2"], "two upstreams of one name"),
        (["--upstream", "v1=http://x:1"], "cannot be called 'v1'"),
        (["--upstream", "x:1"], "write it as --upstream http://x:1"),
        (["--upstream", "localhost:1234"], "write it as --upstream http://localhost:1234"),
        (["--upstream", "me=localhost:1234"], "write it as --upstream me=http://localhost:1234"),
        (
            ["--upstream", "http://x:1", "--window", "16k"],
            "--window cannot be '16k' (it is a whole number in digits, such as 32000)",
        ),
        (["--upstream", "http://x:1", "--window", "512"], "a whole number of tokens, 1024 or more, 100000000 at most"),
        (["--upstream", "http://x:1", "--window", "16000000000"], "a whole number of tokens, 1024 or more, 100000000 at most"),
        (["--upstream", "http://x:1/v1?api-key=abc"], "holds a key (api-key=…)"),
        (["--upstream", "http://x:1", "--upstream-key", "NOT_THERE"], "names the variable NOT_THERE, which is not set"),
        (["--upstream", "a=http://x:1", "--upstream-key", "b=KEY"], "there is no upstream 'b'"),
        (["--upstream-key", "KEY"], "--upstream-key is for --upstream"),
        (["--upstream", "http://x:1", "--token", " "], "--token is empty"),
        (["--upstream", "http://x:1", "--port", "65536"], "a number from 0 to 65535"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(transom: Run, options: list[str], said: str) -> None:
    assert said in refused(transom, *options)


def test_what_may_be_a_key_is_not_repeated(transom: Run) -> None:
    assert "sk-mine" not in refused(transom, "--upstream", "sk-mine")
    assert "sk-mine" not in refused(transom, "--upstream", "http://x:1/v1?key=sk-mine")


def test_a_key_of_one_place_does_not_go_to_an_address_of_another(transom: Run, tmp_path: Path) -> None:
    (tmp_path / "here" / "transom.toml").write_text('upstream = "https://elsewhere.example"\n')
    said = refused(transom, environment={"TRANSOM_UPSTREAM_KEY": "OPENAI_API_KEY", "OPENAI_API_KEY": "secret"})
    assert "they belong together" in said


def test_a_folders_file_sends_no_key_to_another_machine(transom: Run, tmp_path: Path) -> None:
    told = 'upstream = "https://elsewhere.example"\nupstream_key = "OPENAI_API_KEY"\n'
    (tmp_path / "here" / "transom.toml").write_text(told)
    said = refused(transom, environment={"OPENAI_API_KEY": "secret"})
    assert "whoever wrote that file may not be you" in said
    assert "--user" in said


def test_what_is_not_installed_is_named_with_its_extra(transom: Run, tmp_path: Path) -> None:
    (tmp_path / "aiohttp.py").write_text("raise ModuleNotFoundError('no aiohttp', name='aiohttp')")
    done = transom("serve", "--upstream", "http://127.0.0.1:1", environment={"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stderr) == (1, 'transom: the gateway is not installed (pip install "transom[gateway]")\n')


def test_it_says_where_it_listens_whom_it_asks_and_what_window_is_known(tmp_path: Path) -> None:
    upstreams = ["--upstream", "local=http://127.0.0.1:9", "--upstream", "claude=https://api.anthropic.com"]
    settings = {"TRANSOM_WINDOW": "32000"}
    with served(tmp_path, *upstreams, "--upstream-port", "claude=0", environment=settings) as process:
        assert process.stdout is not None
        first, local, claude, store = (process.stdout.readline() for _ in range(4))
    assert first.startswith("serving on http://127.0.0.1:")
    assert "local: http://127.0.0.1:9" in local
    assert "/local and by default; window 32,000 tokens" in local
    assert "claude: https://api.anthropic.com at http://127.0.0.1:" in claude
    assert "/claude; window 32,000 tokens" in claude
    assert store == f"  store: {tmp_path / 'store.db'}\n"
    assert "/v1 for clients" in first


def test_a_dead_upstream_does_not_keep_it_from_starting(tmp_path: Path) -> None:
    with served(tmp_path, "--json", "--upstream", "http://127.0.0.1:9") as process:
        url = address(process)
        status, body = ask(url)
        assert (status, "127.0.0.1:9" in body["error"]["message"]) == (502, True)
        with pytest.raises(urllib.error.HTTPError) as health:
            urllib.request.urlopen(f"{url}/_transom/healthz")
        with health.value as error:
            assert error.code == 503


@pytest.mark.feature("Z9")
def test_the_key_of_an_upstream_goes_to_it_alone_and_nobody_is_told(tmp_path: Path) -> None:
    with ScriptedProvider([says("one")]) as first, ScriptedProvider([says("two")] * 2) as second:
        options = ["--upstream", f"first={first.url}", "--upstream", f"second={second.url}", "--upstream-key", "second=SECOND"]
        with served(tmp_path, "--json", *options, environment={"SECOND": "sk-second-secret"}) as process:
            url = address(process)
            ask(url, authorization="Bearer mine")
            ask(url, "/second/v1/chat/completions", authorization="Bearer mine")
            with urllib.request.urlopen(f"{url}/_transom/requests") as told:
                assert b"sk-second" not in told.read()
            process.terminate()
            out, err = process.communicate(timeout=30)
        assert "sk-second" not in out + err
        assert first.received[0].headers["authorization"] == "Bearer mine"
        assert second.received[0].headers["authorization"] == "Bearer sk-second-secret"


@pytest.mark.feature("G1")
def test_settings_name_upstreams_and_say_which_models_are_whose(tmp_path: Path) -> None:
    with ScriptedProvider([says("one")]) as first, ScriptedProvider([says("two")]) as second:
        settings = f'upstream = "first={first.url}, second={second.url}"\nupstream_models = "second=tiny-*, second=big"\n'
        (tmp_path / "transom.toml").write_text(settings)
        with served(tmp_path, "--json") as process:
            url = address(process)
            said = [ask(url, body={"model": model})[1]["choices"][0]["message"]["content"] for model in ("any", "tiny-1")]
    assert said == ["one", "two"]


@pytest.mark.feature("G1")
def test_a_port_of_its_own_leads_to_an_upstream_whatever_else_a_request_names(tmp_path: Path) -> None:
    with ScriptedProvider([says("one")] * 3) as first, ScriptedProvider([says("two")] * 4) as second:
        options = ["--upstream", f"first={first.url}", "--upstream", f"second={second.url}", "--upstream-port", "second=0"]
        with served(tmp_path, "--json", *options, "--token", "open") as process:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            main, own = told["url"], told["upstreams"][1]["served_at"]
            assert told["upstreams"][0]["served_at"] is None
            assert own.rpartition(":")[0] == main.rpartition(":")[0] != main
            own_port = int(own.rpartition(":")[2])

            def said(url: str, path: str = "/v1/chat/completions") -> str:
                return str(ask(url, path, x_transom_token="open")[1]["choices"][0]["message"]["content"])

            assert (said(main), said(own)) == ("one", "two")
            assert (said(main, "/second/v1/chat/completions"), said(main)) == ("two", "one")
            # Another's name is no prefix there, but a part of the path.
            ask(own, "/first/v1/chat/completions", x_transom_token="open")
            assert second.received[-1].path == "/first/v1/chat/completions"
            assert len(first.received) == 2
            # Who may ask is the same on each, and so is what is ours.
            assert ask(own)[0] == 401
            assert ask(own, host="evil.example", x_transom_token="open")[0] == 421
            assert ask(own, origin="https://evil.example", x_transom_token="open")[0] == 403
            assert ask(own, host=f"127.0.0.1:{own_port}", x_transom_token="open")[0] == 200
            asking = urllib.request.Request(f"{own}/_transom/requests", headers={"x-transom-token": "open"})
            with urllib.request.urlopen(asking) as answer:
                assert answer.status == 200


def test_an_upstreams_port_that_is_taken_is_said_in_one_line(transom: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        options = ["--upstream", "a=http://127.0.0.1:1", "--port", "0", "--upstream-port", f"a={port}"]
        assert f"port {port} is taken" in refused(transom, *options)


@pytest.mark.feature("Z10")
def test_a_token_is_wanted_from_everybody(tmp_path: Path) -> None:
    with ScriptedProvider([says("Hello")]) as provider:
        with served(tmp_path, "--json", "--upstream", provider.url, "--token", "open") as process:
            url = address(process)
            assert ask(url)[0] == 401
            assert ask(url, x_transom_token="open", authorization="Bearer mine")[0] == 200
        assert provider.received[0].headers["authorization"] == "Bearer mine"
        assert "x-transom-token" not in provider.received[0].headers


@pytest.mark.skipif(os.name == "nt", reason="there a process is ended, not asked to end")
def test_asked_to_end_it_finishes_what_runs(tmp_path: Path) -> None:
    asked, goes_on = threading.Event(), threading.Event()

    def slow(_: object) -> str:
        asked.set()
        goes_on.wait(30)
        return "It was worth waiting for."

    answers: list[Any] = []
    with ScriptedProvider(slow) as provider, served(tmp_path, "--json", "--upstream", provider.url) as process:
        url = address(process)
        asking = threading.Thread(target=lambda: answers.append(ask(url)))
        asking.start()
        assert asked.wait(30)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        assert "finishing 1 answer; once more to end at once" in process.stderr.readline()
        goes_on.set()
        asking.join(30)
        assert process.wait(30) == 0
    assert answers[0][1]["choices"][0]["message"]["content"] == "It was worth waiting for."


@pytest.mark.skipif(os.name == "nt", reason="there a process is ended, not asked to end")
def test_asked_twice_it_goes_at_once(tmp_path: Path) -> None:
    asked, goes_on = threading.Event(), threading.Event()

    def slow(_: object) -> str:
        asked.set()
        goes_on.wait(30)
        return "too late"

    def ask_and_fail(url: str) -> None:
        with pytest.raises((OSError, ValueError)):
            ask(url)

    with ScriptedProvider(slow) as provider, served(tmp_path, "--json", "--upstream", provider.url) as process:
        url = address(process)
        asking = threading.Thread(target=ask_and_fail, args=(url,))
        asking.start()
        assert asked.wait(30)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 0
        goes_on.set()
        asking.join(30)


@pytest.mark.skipif(os.name == "nt", reason="there a process is ended, not asked to end")
def test_an_answer_that_is_broken_off_at_the_end_shows_no_traceback(tmp_path: Path) -> None:
    goes_on = threading.Event()

    def slow(_: object) -> str:
        goes_on.wait(30)
        return "too late"

    with ScriptedProvider(slow) as provider, served(tmp_path, "--json", "--upstream", provider.url) as process:
        url = address(process)
        host, port = url.removeprefix("http://").split(":")
        body = json.dumps(ASKED | {"stream": True}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: "
        with socket.create_connection((host, int(port))) as client:
            client.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body)
            while not provider.received:
                pass
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=15)
        goes_on.set()
    assert "Traceback" not in said


@pytest.mark.parametrize("quiet", [False, True])
def test_each_request_has_a_line_in_the_log_unless_it_is_to_be_quiet(tmp_path: Path, quiet: bool) -> None:
    options = ["--quiet"] * quiet
    with (
        ScriptedProvider([says("Hello")]) as provider,
        served(tmp_path, "--json", "--upstream", provider.url, "--window", "4096", *options) as process,
    ):
        assert ask(address(process), authorization="Bearer sk-secret-of-the-client-0123456789")[0] == 200
        process.terminate()
        said = process.communicate(timeout=30)[1]
    assert "sk-secret" not in said
    lines = said.splitlines()
    assert len(lines) == (0 if quiet else 1)
    for line in lines:
        assert "POST /v1/chat/completions upstream m answered 200 tokens " in line
        assert "guard=passed" in line


def test_a_path_that_only_ends_as_a_known_one_goes_on_and_is_written_down(tmp_path: Path) -> None:
    with (
        ScriptedProvider([says("Hello")]) as provider,
        served(tmp_path, "--json", "--upstream", f"one={provider.url}") as process,
    ):
        url = address(process)
        request = urllib.request.Request(f"{url}/three/v1/chat/completions", json.dumps(ASKED).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.headers["x-transom-decision"] == "gateway=passed"
            assert answer.headers["x-transom-reason"] == "path not known"
        process.terminate()
        assert "/three/v1/chat/completions one - answered 200 gateway=passed" in process.communicate(timeout=30)[1]


def long_talk() -> list[dict[str, str]]:
    long = [{"role": "user", "content": "Begin"}]
    for number in range(30):
        long += [
            {"role": "assistant", "content": f"answer {number} " * 90},
            {"role": "user", "content": f"question {number} " * 30},
        ]
    return long


@pytest.mark.feature("G2")
def test_what_left_is_read_back_with_the_usual_command(transom: Run, tmp_path: Path) -> None:
    with ScriptedProvider([says("Hello")]) as provider:
        with served(tmp_path, "--json", "--upstream", provider.url, "--window", "4096") as process:
            url = address(process)
            assert ask(url, body={"messages": long_talk()}, authorization="Bearer mine")[0] == 200
            with urllib.request.urlopen(f"{url}/_transom/requests") as told:
                (seen,) = json.load(told)["requests"]
        assert "question 3 question 3" not in str(provider.received[0].body)
    uri = next(uri for each in seen["decisions"] for uri in each["uris"])
    options = ["--store", str(tmp_path / "store.db"), "--scope", seen["scope"]]
    assert "question 3 question 3" in transom("store", "get", uri, "--expand", *options).stdout
    assert transom("store", "get", uri, *options[:2]).returncode == 1


def test_a_store_whose_path_ends_with_a_separator_is_a_folder(tmp_path: Path) -> None:
    with served(tmp_path, "--json", "--upstream", "http://127.0.0.1:9", store="files/") as process:
        address(process)
        assert (tmp_path / "files").is_dir()


def test_where_nothing_can_be_kept_it_does_not_start(transom: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    place = tmp_path / "file" / "store.db"
    done = transom("serve", "--upstream", "http://127.0.0.1:1", "--port", "0", "--store", str(place))
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert str(place) in line


@pytest.mark.skipif(os.name == "nt", reason="there an open file cannot be removed")
def test_a_store_that_was_removed_lets_nothing_leave(tmp_path: Path) -> None:
    with ScriptedProvider([says("Hello"), says("Hello again")]) as provider:
        with served(tmp_path, "--json", "--upstream", provider.url, "--window", "4096") as process:
            url = address(process)
            (tmp_path / "store.db").unlink()
            assert ask(url, body={"messages": long_talk()})[0] == 200
            with urllib.request.urlopen(f"{url}/_transom/requests") as told:
                (seen,) = json.load(told)["requests"]
            with pytest.raises(urllib.error.HTTPError) as health:
                urllib.request.urlopen(f"{url}/_transom/healthz")
            with health.value as error:
                assert not json.load(error)["store"]["ok"]
            process.terminate()
            assert "store.db is gone" in process.communicate(timeout=30)[1]
        assert provider.received[0].body["messages"] == long_talk()
    (guard,) = (each for each in seen["decisions"] if each["step"] == "guard")
    assert guard["action"] == "failed"
    assert "is gone" in guard["reason"]


def test_dry_it_tells_what_it_would_do_and_does_nothing(tmp_path: Path) -> None:
    long = long_talk()
    with ScriptedProvider([says("Hello")]) as provider:
        with served(tmp_path, "--json", "--upstream", provider.url, "--window", "4096", "--dry-run") as process:
            url = address(process)
            ask(url, body={"messages": long})
            with urllib.request.urlopen(f"{url}/_transom/requests") as told:
                (seen,) = json.load(told)["requests"]
        assert provider.received[0].body["messages"] == long
    assert not (tmp_path / "store.db").exists()
    assert next(each["action"] for each in seen["decisions"] if each["step"] == "guard") == "closed"
    assert not seen["edited"]
