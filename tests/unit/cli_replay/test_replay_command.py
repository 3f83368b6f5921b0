"""``transom replay`` and ``transom compile`` as a user runs them: a process, its two streams, its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.replay.recordings import chat_body, chat_lines, chat_messages
from tests.unit.replay.test_replay import check_document

from transom.runtime import open_store

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def transom(tmp_path: Path) -> Run:
    """``transom("replay", …)`` in an empty folder that holds ``session.json``."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "session.json").write_bytes(chat_body(40))

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "transom", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return run


@pytest.mark.feature("X6", "U1")
async def test_json_is_one_exact_document_and_everything_that_moved_can_be_read_back(transom: Run, tmp_path: Path) -> None:
    done = transom("replay", "session.json", "--window", 6_000, "--store", "kept.db", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    check_document(document)
    assert document["store"] == "kept.db"
    assert document["target"] == "openai"
    assert document["strategy"] == "clear → digest → reset"
    assert document["totals"]["windows"] > 1
    moves = [moved for turn in document["turns"] for moved in turn["moved"]]
    async with open_store(tmp_path / "kept.db", create=False) as store:
        assert [len(await store.get(moved["uri"])) for moved in moves] == [moved["bytes"] for moved in moves]
    got = transom("store", "get", moves[-1]["uri"], "--store", "kept.db")
    assert len(got.stdout.encode()) == moves[-1]["bytes"]


def test_in_a_pipe_it_prints_plain_lines_with_the_totals_and_where_the_store_is(transom: Run) -> None:
    done = transom("replay", "session.json", "--window", 6_000)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split()[:4] == ["turn", "messages", "input", "output"]
    assert "\x1b" not in done.stdout
    assert not any(character in done.stdout for character in "│┃━╭")
    assert any(line.startswith("prefix breaks") and line.split()[-1] == "0" for line in lines)
    assert any(line.startswith("over window") and line.split()[-1] == "0" for line in lines)
    store = next(line.removeprefix("store: ") for line in lines if line.startswith("store: "))
    assert Path(store).is_file(), "a fresh store was made and its path printed"
    assert any("closed the window" in line and "evict" in line for line in lines)


def test_a_turn_that_cannot_fit_is_listed_and_the_command_ends_with_status_1(transom: Run, tmp_path: Path) -> None:
    messages = chat_messages(6)
    messages[0]["content"] = "long system prompt " * 2_000
    (tmp_path / "long.json").write_text(json.dumps({"model": "m", "messages": messages}))
    done = transom("replay", "long.json", "--window", 4_000, "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    check_document(document)
    assert document["totals"]["errors"] == len(document["turns"]) == 7
    plain = transom("replay", "long.json", "--window", 4_000)
    assert plain.returncode == 1
    assert plain.stdout.count("error: the window of 4,000 tokens has no room") == 1
    assert plain.stdout.count("the same error") == 6
    assert "7 of 7 turns could not be compiled: the window of 4,000 tokens has no room" in plain.stderr


def test_the_report_is_one_file_that_needs_no_network(transom: Run, tmp_path: Path) -> None:
    done = transom("replay", "session.json", "--window", 6_000, "--report", "out.html")
    assert done.returncode == 0
    assert "report: out.html" in done.stdout
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "<script src" not in page
    assert "<link" not in page
    assert "context://archive/" in page


@pytest.mark.feature("S8")
def test_no_prune_leaves_long_results_whole(transom: Run, tmp_path: Path) -> None:
    (tmp_path / "big.json").write_bytes(chat_body(3, 40_000))
    kinds = []
    for extra in ((), ("--no-prune",)):
        done = transom("replay", "big.json", "--window", 400_000, "--json", *extra)
        kinds.append({moved["kind"] for turn in json.loads(done.stdout)["turns"] for moved in turn["moved"]})
    assert kinds == [{"prune"}, set()]


@pytest.mark.feature("X6")
async def test_every_compile_leaves_a_flight_record_in_the_store(transom: Run, tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").write_bytes(chat_lines(15, 5))
    done = transom("replay", "lines.jsonl", "--window", 5_000, "--store", "kept.db", "--json")
    document = json.loads(done.stdout)
    async with open_store(tmp_path / "kept.db", create=False) as store:
        records = [json.loads(entry.data) for _, entry in sorted((await store.read_all("flights", "")).items())]
    assert len(records) == len(document["turns"])
    for record, turn in zip(records, document["turns"], strict=True):
        assert record["window_id"] == turn["window_id"]
        assert record["tokens"]["after"] == turn["output_tokens"]
        assert [moved["uri"] for moved in record["moved"]] == [moved["uri"] for moved in turn["moved"]]
        assert sum(record["parts"].values()) == record["tokens"]["after"]
        assert record["prefix"]["held"] == turn["prefix_bytes"]


def test_a_second_replay_over_the_filled_store_and_one_over_a_fresh_store_say_the_same(transom: Run) -> None:
    def told(store: str) -> object:
        document = json.loads(transom("replay", "session.json", "--window", 6_000, "--store", store, "--json").stdout)
        for turn in document["turns"]:
            del turn["compile_ms"]
        for name in ("compile_ms_p50", "compile_ms_p99"):
            del document["totals"][name]
        return {**document, "store": ""}

    first = told("kept.db")
    assert told("kept.db") == first
    assert told("other.db") == first


@pytest.mark.parametrize("target", ["openai-responses", "anthropic", "gemini"])
def test_another_target_and_a_single_strategy_can_be_asked_for(transom: Run, target: str) -> None:
    done = transom("replay", "session.json", "--window", 6_000, "--target", target, "--strategy", "reset", "--json")
    document = json.loads(done.stdout)
    assert (document["target"], document["strategy"]) == (target, "reset")
    assert {turn["valid"] for turn in document["turns"]} == {True}
    assert document["totals"]["prefix_breaks"] == document["totals"]["over_window"] == 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("replay", "session.json"), 2, "window 32000"),
        (("replay", "absent.json", "--window", "6000"), 1, "absent.json"),
        (("replay", "session.json", "--window", "6000", "--strategy", "magic"), 2, "no overflow strategy 'magic'"),
        (("replay", "session.json", "--window", "6000", "--target", "magic"), 2, "magic"),
        (("compile", "session.json"), 2, "window 32000"),
    ],
)
def test_an_error_is_one_line_with_the_way_out(transom: Run, arguments: tuple[str, ...], status: int, said: str) -> None:
    done = transom(*arguments)
    assert done.returncode != 0
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.returncode == status


@pytest.mark.feature("U1")
def test_settings_come_from_the_file_the_environment_and_the_command_line_in_rising_precedence(
    transom: Run, tmp_path: Path
) -> None:
    (tmp_path / "transom.toml").write_text('window = 6000\nstrategy = "digest"\ntokenizer = "chars4"\n')
    document = json.loads(transom("replay", "session.json", "--json").stdout)
    assert (document["window"], document["strategy"], document["totals"]["counter"]) == (6_000, "digest", "chars4")
    document = json.loads(transom("replay", "session.json", "--json", TRANSOM_WINDOW="7000").stdout)
    assert (document["window"], document["strategy"]) == (7_000, "digest")
    document = json.loads(transom("replay", "session.json", "--window", 8_000, "--json", TRANSOM_WINDOW="7000").stdout)
    assert document["window"] == 8_000


def test_compile_writes_the_last_turns_body_and_says_the_rest_on_stderr(transom: Run) -> None:
    done = transom("compile", "session.json", "--window", 6_000, "--target", "anthropic", "--store", "kept.db")
    assert done.returncode == 0
    body = json.loads(done.stdout)
    assert body["messages"][0]["role"] == "user"
    assert "tokens before" in done.stderr
    assert "store: kept.db" in done.stderr
    full = json.loads(
        transom("compile", "session.json", "--window", 6_000, "--target", "anthropic", "--store", "kept.db", "--json").stdout
    )
    assert full["payload"] == body
    assert full["meta"]["tokens"]["after"] + full["meta"]["tokens"]["reserve"] <= 6_000


@pytest.mark.parametrize("command", ["replay", "compile", "convert", "validate"])
def test_every_command_that_reads_a_file_reads_stdin_as_a_dash(command: str, tmp_path: Path) -> None:
    options = {"convert": ["--to", "gemini"], "validate": []}.get(command, ["--window", "6000", "--store", "kept.db"])
    done = subprocess.run(
        [sys.executable, "-m", "transom", command, "-", *options],
        cwd=tmp_path,
        input=chat_body(4),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_report_that_cannot_be_written_is_refused_before_the_work(transom: Run, tmp_path: Path) -> None:
    done = transom("replay", "session.json", "--window", 6_000, "--store", "kept.db", "--report", "nowhere/report.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "transom: --report: there is no folder nowhere (make it first, or name another)\n"
    assert not (tmp_path / "kept.db").exists()


def test_the_report_and_the_result_name_the_session_file(transom: Run, tmp_path: Path) -> None:
    done = transom("replay", "session.json", "--window", 6_000, "--report", "report.html", "--json")
    assert json.loads(done.stdout)["file"] == "session.json"
    assert "<title>Context report: session.json to openai, window 6,000</title>" in (tmp_path / "report.html").read_text()
