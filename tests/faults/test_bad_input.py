"""What the command line makes of bad files: one line with the way out, or a payload, with all that was said still to be read.

The commands run in this process: an exception that is nobody's fault but ours fails the test.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from transom import SQLiteBackend, Store
from transom.cli.app import run
from transom.jsontext import loads
from transom.store.uri import format_uri, mentions
from transom.testing.reachability import lost
from transom.wire import transcripts

pytestmark = pytest.mark.feature("M3", "M14", "X1")

COMMANDS: dict[str, tuple[str, ...]] = {
    "convert": ("--to", "anthropic"),
    "convert to its own": ("--to", "openai"),
    "validate": (),
    "compile": ("--target", "anthropic", "--window", "8000"),
    "replay": ("--window", "8000", "--json"),
}


def user(content: object) -> dict[str, object]:
    return {"role": "user", "content": content}


def calls(*ids: str | None, arguments: str = "{}") -> dict[str, object]:
    made = [{"type": "function", "function": {"name": "run", "arguments": arguments}} for _ in ids]
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [call if key is None else {"id": key, **call} for key, call in zip(ids, made, strict=True)],
    }


def tool(key: str | None, content: str) -> dict[str, object]:
    return {"role": "tool", "content": content} if key is None else {"role": "tool", "tool_call_id": key, "content": content}


def body(*messages: object, **fields: object) -> bytes:
    return json.dumps({"model": "gpt-5.1", **fields, "messages": messages}).encode()


def lines(*messages: object) -> bytes:
    return "\n".join(json.dumps(message) for message in messages).encode()


GOOD = (user("first words"), calls("c1"), tool("c1", "result words"), user("last words"))
DEEP = b"[" * 10_000 + b"]" * 10_000

REFUSED: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "is empty"),
    "white space": (b" \n\n", "is empty"),
    "binary": (bytes(range(256)) * 20, "is binary"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(500), "is binary"),
    "UTF-16": (body(*GOOD).decode().encode("utf-16"), "UTF-16"),
    "Latin-1": (b'{"model":"x","messages":[{"role":"user","content":"caf\xe9"}]}', "UTF-8"),
    "another JSON document": (b'{"hello":"world"}', "no known format"),
    "a list of numbers": (b"[1,2,3]", "no known format"),
    "messages that are text": (b'{"model":"x","messages":"hello"}', "no known format"),
    "content that is a number": (body(user(42)), "content is int"),
    "NaN": (b'{"model":"x","temperature":NaN,"messages":[{"role":"user","content":"go"}]}', "NaN"),
    "10,000 levels": (b'{"model":"x","messages":[{"role":"user","content":"go","x":' + DEEP + b"}]}", "deeper than"),
}

USED: dict[str, tuple[bytes, str]] = {
    "JSON Lines that break off": (lines(*GOOD) + b'\n{"role":"user","cont', "line 5"),
    "a deep line among good ones": (lines(GOOD[0]) + b'\n{"role":"user","x":' + DEEP + b"}\n" + lines(GOOD[3]), "line 2"),
    "two objects on a line": (lines(GOOD[0]) + b"\n" + lines(GOOD[1]) + lines(GOOD[2]) + b"\n" + lines(GOOD[3]), ""),
    "an orphan result": (body(user("a"), tool("zz", "orphan words"), user("b")), "orphan_result"),
    "two calls of one id": (body(user("a"), calls("a", "a"), tool("a", "one"), tool("a", "two"), user("b")), "renamed_id"),
    "an id used again": (
        body(user("a"), calls("a"), tool("a", "one"), calls("a"), tool("a", "two"), user("b")),
        "renamed_id",
    ),
    "a second result": (
        body(user("a"), calls("a", "b"), tool("a", "one"), tool("a", "again"), tool("b", "two"), user("b")),
        "duplicate_result",
    ),
    "parallel results out of order": (
        body(user("a"), calls("a", "b"), tool("b", "two"), tool("a", "one"), user("b")),
        "reordered_result",
    ),
    "a call without a result": (body(user("a"), calls("a", "b"), tool("a", "one"), user("b")), "missing_result"),
    "no ids": (body(user("a"), calls(None), tool(None, "one"), user("b")), ""),
    "null content": (body(user(None), {"role": "assistant", "content": None}, user("b")), "empty_message"),
    "lone surrogates": (
        body(user("lone HERE"), {"role": "assistant", "content": "x"}, user("go")).replace(b"HERE", b"\\ud800 here"),
        "",
    ),
    "NUL": (body(user("nul \x00 here"), {"role": "assistant", "content": "ok \x00"}, user("go")), ""),
    "numbers no float holds": (
        b'{"model":"m","seed":123456789012345678901234567890,"messages":[{"role":"user","content":"go","x":1e999}]}',
        "",
    ),
    "arguments 10,000 levels deep": (body(user("a"), calls("a", arguments=DEEP.decode()), tool("a", "one"), user("b")), ""),
    "arguments that are no JSON": (body(user("a"), calls("a", arguments="not {json"), tool("a", "one"), user("b")), ""),
    "a byte order mark": (b"\xef\xbb\xbf" + body(*GOOD), ""),
}


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str


Command = Callable[[str, bytes], Ended]


@pytest.fixture
def transom(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run one of ``COMMANDS`` on a file of these bytes, with the store ``store.db`` beside it."""
    monkeypatch.chdir(tmp_path)

    def command(name: str, data: bytes) -> Ended:
        Path("file").write_bytes(data)
        verb = name.split(" ", maxsplit=1)[0]
        stored = ("--store", "store.db") if verb in {"compile", "replay"} else ()
        status = run([verb, "file", *COMMANDS[name], *stored])
        said = capfd.readouterr()
        return Ended(status, said.out, said.err)

    return command


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_one_line_that_says_what_it_is(transom: Command, name: str, command: str) -> None:
    data, says = REFUSED[name]
    ended = transom(command, data)
    assert ended.status == 1
    assert ended.out == ""
    assert ended.err.startswith("transom: ")
    assert ended.err.count("\n") == 1
    assert says in ended.err
    assert not Path("store.db").exists()


@pytest.mark.parametrize("name", USED)
def test_what_can_be_mended_is_compiled_with_the_mends_named_and_nothing_lost(transom: Command, name: str) -> None:
    data, says = USED[name]
    ended = transom("compile", data)
    assert ended.status == 0, ended.err
    assert says in ended.err
    segment = transcripts.load(data, None, name="file").conversations[0].segments[0]
    assert segment.messages
    gone = asyncio.run(_gone(ended, segment.messages[: segment.calls[-1].at if segment.calls else None]))
    assert gone == ([], [])


async def _gone(ended: Ended, messages: Sequence[object]) -> tuple[list[object], list[str]]:
    async with Store(SQLiteBackend("store.db")) as store:
        more = [format_uri(*address) for address in mentions(ended.err)]
        gone, dangling = await lost(loads(ended.out), messages, store, more=more)  # type: ignore[arg-type]
        assert (await store.verify()).ok
        return list(gone), dangling


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "compile"])
@pytest.mark.parametrize("name", USED)
def test_every_other_command_works_on_it_too(transom: Command, name: str, command: str) -> None:
    data, _ = USED[name]
    ended = transom(command, data)
    if command == "validate":
        assert ended.status in {0, 1}
        assert ended.out
    else:
        assert ended.status == 0, ended.err
    if command == "replay":
        document = json.loads(ended.out)
        assert document["totals"]["errors"] == 0
        assert all(turn["valid"] for turn in document["turns"])
    if command == "convert to its own" and data.startswith((b"{", b"\xef")) and b"\n" not in data:
        assert loads(ended.out) == loads(data)


@pytest.mark.parametrize("command", ["validate", "compile", "replay"])
def test_what_of_a_file_could_not_be_read_is_named_by_every_command(transom: Command, command: str) -> None:
    ended = transom(command, USED["JSON Lines that break off"][0])
    assert ended.status == 0
    assert "line 5 could not be read" in ended.err


def test_a_document_that_breaks_off_is_used_as_far_as_it_goes_and_never_converted_as_if_it_were_whole(transom: Command) -> None:
    data = body(user("first words"), calls("c1"), tool("c1", "result"), user("last words"))[:-40]
    compiled = transom("compile", data)
    assert compiled.status == 0
    assert "could not be read" in compiled.err
    assert "first words" in compiled.out
    converted = transom("convert", data)
    assert (converted.status, converted.out) == (1, "")
    assert converted.err.count("\n") == 1


@pytest.mark.parametrize("command", ["compile", "replay"])
def test_a_system_prompt_that_exceeds_the_window_is_said_with_each_part_of_the_sum(transom: Command, command: str) -> None:
    data = body({"role": "system", "content": "rule " * 20_000}, user("go"), {"role": "assistant", "content": "ok"})
    ended = transom(command, data)
    assert ended.status == 1
    said = ended.err if command == "compile" else json.loads(ended.out)["turns"][0]["error"]
    for part in ("window of 8,000 tokens", "system 2", "reserve 1,024", "larger window"):
        assert part in said


@pytest.mark.parametrize("role", ["user", "tool"])
def test_a_message_of_50_megabytes_is_shortened_and_kept_whole(transom: Command, role: str) -> None:
    long = "a line of a very long text\n" * 1_950_000
    data = body(user(long), user("go")) if role == "user" else body(user("a"), calls("a"), tool("a", long), user("go"))
    ended = transom("compile", data)
    assert ended.status == 0
    assert len(ended.out) < 100_000
    addresses = {format_uri(*address) for address in mentions(ended.out)}

    async def stored() -> list[bytes]:
        async with Store(SQLiteBackend("store.db")) as store:
            return [await store.get(uri) for uri in addresses]

    assert long.encode() in asyncio.run(stored())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_not_there_or_a_format_nobody_knows_is_one_line(
    transom: Command, command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    verb = command.split(" ", maxsplit=1)[0]
    assert run([verb, "missing.json", *COMMANDS[command]]) == 1
    said = capfd.readouterr().err
    assert said.startswith("transom: missing.json")
    assert said.count("\n") == 1
    Path("file").write_bytes(body(*GOOD))
    option = "--from" if verb == "convert" else "--format"
    assert run([verb, "file", option, "wordstar", *COMMANDS[command]]) in {1, 2}
    said = capfd.readouterr().err
    assert "wordstar" in said
    assert said.count("\n") == 1
