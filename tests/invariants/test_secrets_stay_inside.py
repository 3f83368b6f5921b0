"""Secrets never reach logs, reports, flight records, spans, or what a command shows; payloads and the store keep them.

The keys are made up while the tests run, so that no file of the repository holds the form of one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.unit.engine.sessions import context_of, driven, round_of, words
from tests.unit.safety.test_secrets import TOKENS

from transom import Call, Context, MemoryBackend, Message, Payload, Store, chain, clear, reset, summarize
from transom.cli.app import run
from transom.engine.overflow.strategy import Outcome, Span
from transom.errors import StrategyError, UpstreamError
from transom.recorder import FlightRecorder, TelemetrySink
from transom.replay import replay
from transom.report import render_report
from transom.testing.provider import Fault, ScriptedProvider
from transom.toolbox.box import Toolbox
from transom.toolbox.tool import Family, Result, ToolContext, tool
from transom.upstream import ChatModel
from transom.upstream.client import Client
from transom.wire.transcripts import load

pytestmark = pytest.mark.feature("Z9")
KEYS = [tokens[0] for tokens in TOKENS.values()]
ALL = " ".join(KEYS)


def leaked(text: str) -> list[str]:
    """The keys of which more than the kind can be read in a text."""
    return [key for key in KEYS if key[8:18] in text]


class Broken:
    """A strategy that repeats what it was given when it breaks."""

    name = fingerprint = "broken"

    async def apply(self, span: Span) -> Outcome:
        raise StrategyError(f"cannot be sent: {ALL}")


class Complaining:
    """A strategy that tells what failed by itself."""

    name = fingerprint = "complaining"

    async def apply(self, span: Span) -> Outcome:
        return Outcome(failures=tuple(f"a step: {key}" for key in KEYS))


async def summary(messages: Sequence[Message]) -> str:
    raise UpstreamError(f"the server says {'x' * 150} {ALL}")


def session(rounds: int = 40) -> list[Message]:
    """An agent that reads keys: in files, in names of tools, in ids, in what the user says."""
    found = [Message("user", f"Use {KEYS[0]} and go on.")]
    for number in range(rounds):
        key = KEYS[number % len(KEYS)]
        call, result = round_of(number, 300)
        found += [call, Message("tool", f"{key}\n{result.text} {key}", tool_call_id=result.tool_call_id, name=result.name)]
        if number % 4 == 3:
            found.append(Message("assistant", f"I saw {key}."))
            found.append(Message("user", f"Go on with {key} please."))
    return found


async def flown(context: Context, messages: Sequence[Message]) -> tuple[list[Payload], str, str]:
    """What was sent, what the flight records say, and how each compile is explained."""
    recorder, store = FlightRecorder("s"), Store(MemoryBackend())
    context.join(recorder)
    payloads = await driven(context, messages)
    await recorder.flush(store)
    records = [await store.get(f"context://flights/s/{number:06d}") for number in range(1, len(payloads) + 1)]
    explained = [str(context.explain(number)) for number in range(1, len(payloads) + 1)]
    return payloads, b"\n".join(records).decode(), "\n".join(explained)


@pytest.mark.parametrize("strategy", [Broken(), Complaining(), summarize(summary)], ids=lambda each: each.name)
async def test_what_a_strategy_or_a_model_says_is_told_without_its_secrets(
    strategy: Broken, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "transom")
    events: list[object] = []
    context = context_of(overflow=chain(strategy, reset()))
    context.on("compress_ended", events.append)
    payloads, records, explained = await flown(context, session())
    failures = [payload.meta.failure for payload in payloads if payload.meta.failure]
    assert failures
    assert failures[0] in records
    assert "overflow strategy failed" in caplog.text
    assert leaked("\n".join(failures) + repr(events) + records + explained + caplog.text) == []


async def test_a_server_that_repeats_a_key_is_quoted_without_it() -> None:
    with ScriptedProvider([Fault.refuses(401, f"{'no ' * 150}{ALL}")] * 9) as provider:
        with pytest.raises(UpstreamError) as raised:
            await Client(provider.url, key="a-key").post("/v1/chat/completions", {"model": "m", "messages": []})
        context = context_of(overflow=chain(summarize(ChatModel(provider.url, "small", window=8_000)), reset()))
        payloads, records, explained = await flown(context, session(20))
    assert any(payload.meta.failure for payload in payloads)
    assert leaked(str(raised.value) + records + explained) == []


async def test_flight_records_hold_no_secret_and_payloads_and_store_hold_all(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "transom")
    messages = session()
    for number, key in enumerate(KEYS):
        # Ids, tools and results that repair has to speak of.
        messages += [
            Message("assistant", "Next.", tool_calls=[Call(key, "{}", f"id-{key}")]),
            Message("tool", words(20), tool_call_id=f"{number}/{key}", name=key),
        ]
    context = context_of(messages, overflow=chain(clear(), reset()), recall="on")
    context.system(f"Keep {ALL}.")
    recorder = FlightRecorder("s")
    context.join(recorder)
    sent = ""
    for key in KEYS:
        context.append(Message("user", f"What was it with {key} again?"))
        sent += (await context.compile("openai")).json().decode()
        context.append(Message("assistant", "That."))
    await recorder.flush(context.store)
    records = b"\n".join([(await context.store.get(f"context://flights/s/{n:06d}")) for n in range(1, len(KEYS) + 1)]).decode()
    assert json.loads(records.splitlines()[0])["notes"]
    assert leaked(records + str(context.explain(1)) + caplog.text) == []
    assert sorted(leaked(sent)) == sorted(KEYS)
    archive = json.loads(records.splitlines()[0])["archive"]
    assert sorted(leaked((await context.store.expand(archive)).decode())) == sorted(KEYS)


async def test_names_of_tools_are_recorded_as_they_are() -> None:
    large = Message("tool", f"{ALL}\n{words(6_000)}", tool_call_id="call_0", name="read_file")
    _, records, _ = await flown(context_of(overflow=reset()), [*session(1)[:2], large])
    assert '"label":"read_file"' in records
    assert leaked(records) == []


def chat(messages: Sequence[Message]) -> bytes:
    """A recorded request of OpenAI's format."""
    found = []
    for message in messages:
        said: dict[str, object] = {"role": message.role, "content": message.text}
        if message.role == "tool":
            said["tool_call_id"] = message.tool_call_id
        if message.tool_calls:
            said["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in message.tool_calls
            ]
        found.append(said)
    return json.dumps({"model": "m", "messages": found}).encode()


async def test_a_report_shows_no_secret() -> None:
    async def nothing() -> None: ...

    outcome = await replay(
        load(chat(session())),
        lambda _: context_of(overflow=chain(Broken(), clear(), reset())),
        target="openai",
        window=4_000,
        strategy="reset",
        counter="chars4",
        progress=lambda _: None,
        checkpoint=nothing,
    )
    document = outcome.document()
    assert leaked(json.dumps(document)) == []
    page = render_report(document)
    assert leaked(page) == []
    assert "sk-p***" in page or "ghp_***" in page


@pytest.mark.parametrize("field", ["error", "conversation", "closed_by"])
def test_a_report_of_a_result_that_was_written_elsewhere_shows_none_either(field: str) -> None:
    turns = []
    for number, key in enumerate(KEYS, start=1):
        move = {"kind": "evict", "uri": "context://archive/x", "bytes": 9, "label": key, "preview": f"{'x ' * 70}{key}"[:160]}
        turns.append({"turn": number, "output_tokens": 5, "window_id": "w1", "moved": [move], field: f"{'so ' * 60}{key}"})
    page = render_report({"window": 100, "turns": turns, "store": "postgres://me:pa55word@host/x", "file": f"{KEYS[0]}.json"})
    assert leaked(page) == []
    assert "pa55word" not in page


@tool(family="demo", title="Break")
def burst(context: ToolContext, key: str) -> Result:
    """Break."""
    raise ZeroDivisionError(f"divided by {key}")


@pytest.mark.parametrize("key", KEYS)
async def test_a_tool_that_breaks_is_logged_without_its_arguments(key: str, caplog: pytest.LogCaptureFixture) -> None:
    box = Toolbox([Family(name="demo", title="Demonstration", tools=(burst,))])
    answer = await box.call("burst", {"key": key})
    assert answer.error == "runtime_error"
    assert "the tool burst broke" in caplog.text
    assert "ZeroDivisionError: divided by" in caplog.text
    assert leaked(caplog.text + answer.text + repr(answer.data)) == []


async def test_spans_carry_nothing_that_was_said() -> None:
    exporter, tracers = InMemorySpanExporter(), TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    context = context_of(overflow=chain(Broken(), reset()), recall="on", memory=True)
    context.join(TelemetrySink(tracers.get_tracer("test"), phase_floor=0.0))
    context.system(f"Keep {ALL}.")
    await context.memory.facts.set("note", ALL)
    await driven(context, session())
    exported = " ".join(span.to_json() for span in exporter.get_finished_spans())
    assert "transom.closed_by" in exported
    assert leaked(exported) == []
    assert "***" not in exported
    assert "quick brown fox" not in exported


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_settings_are_shown_without_passwords_and_keys(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "transom.toml").write_text(
        f'store = "postgres://me:pa55word@host/x"\nsummarizer_url = "http://127.0.0.1:9/v1?key=abc55&x={KEYS[0]}"\n'
    )
    assert run(["config", "show"]) == 0
    assert run(["config", "show", "--json"]) == 0
    assert run(["config", "set", "summarizer_url", f"http://127.0.0.1:9/v1?key={KEYS[1]}"]) == 0
    assert run(["config", "set", "summarizer_url", f"http://127.0.0.1:9/v1?key={KEYS[1]}", "--json"]) == 0
    run(["doctor", "--json"])
    run(["doctor"])
    run(["store", "list"])
    captured = capsys.readouterr()
    shown = captured.out + captured.err
    assert "me:***@host" in shown
    assert "?key=***" in shown
    assert leaked(shown) == []
    assert "pa55word" not in shown
    assert "abc55" not in shown


def test_what_a_command_logs_and_how_it_breaks_shows_no_secret(tmp_path: Path) -> None:
    (tmp_path / "breaking.py").write_text(
        "import logging, sys\n"
        "def work():\n"
        "    logging.getLogger('transom.x').warning('seen: %s', sys.argv[2])\n"
        "    raise RuntimeError(sys.argv[2])\n"
    )
    (tmp_path / "start.py").write_text(
        "import sys\nfrom transom import __main__\nfrom transom.cli import app\n"
        "run = app.run\n"
        "__main__.run = lambda _: run(['work'], [app.Command('work', 'breaking:work', 'Break.')])\n"
        "__main__.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "start.py", "work", ALL],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "seen: " in done.stderr
    assert "RuntimeError: " in done.stderr
    assert leaked(done.stderr + done.stdout) == []


def test_logging_is_set_up_in_one_place_which_masks_it(repository: Path) -> None:
    source = repository / "src" / "transom"
    found = [
        path.relative_to(source).as_posix()
        for path in sorted(source.rglob("*.py"))
        if any(word in path.read_text(encoding="utf-8") for word in ("basicConfig", "StreamHandler", "dictConfig"))
    ]
    assert found == ["cli/logs.py"]


def test_a_command_that_runs_until_it_is_stopped_logs_no_secret(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            (
                "import logging, sys\nfrom transom.cli.logs import log_to_stderr\nlog_to_stderr()\n"
                "try:\n    raise RuntimeError(sys.argv[1])\n"
                "except RuntimeError:\n    logging.getLogger('transom.x').exception('seen: %s', sys.argv[1])\n"
            ),
            ALL,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr.startswith("transom: seen: ")
    assert "RuntimeError: " in done.stderr
    assert leaked(done.stderr) == []
