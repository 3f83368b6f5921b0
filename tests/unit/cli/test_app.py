from __future__ import annotations

import ast
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from transom.cli.app import COMMANDS

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def with_commands(tmp_path: Path) -> Callable[[str, str], subprocess.CompletedProcess[str]]:
    """Runs ``transom run`` where ``run`` is the function of that name in the source given."""

    def run(source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "made_up.py").write_text(source)
        starter = (
            "import sys; from transom.cli.app import Command, run; "
            "sys.exit(run(['run', *sys.argv[1:]], [Command('run', 'made_up:run', 'Made up.')]))"
        )
        return subprocess.run(
            [sys.executable, "-c", starter, *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return run


def test_version_and_help_are_on_stdout(transom: Run) -> None:
    assert transom("--version").stdout == f"transom {version('transom')}\n"
    done = transom("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert f"{command.name}: {command.summary}" in " ".join(done.stdout.split())


def test_no_command_shows_the_help(transom: Run) -> None:
    assert transom().stdout == transom("--help").stdout


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_of_the_table_is_there_and_takes_json(transom: Run, command: object) -> None:
    target = next(known.target for known in COMMANDS if known is command)
    name = next(known.name for known in COMMANDS if known is command)
    module, _, attribute = target.partition(":")
    assert hasattr(importlib.import_module(module), attribute)
    shown = transom(name, "--help").stdout
    subcommands = [
        line.split(":")[0].strip()
        for line in shown.partition("Commands:\n")[2].splitlines()
        if line.startswith("  ") and ":" in line
    ]
    for words in [[name, word] for word in subcommands] or [[name]]:
        assert "--json" in transom(*words, "--help").stdout, words


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("replya",), 'Unknown command "replya".'),
        (("config", "sow"), 'Unknown command "sow".'),
        (("config", "show", "--jsn"), "Unknown option"),
        (("config", "set", "window"), "requires an argument"),
    ],
)
def test_wrong_usage_is_one_line_that_names_the_help(transom: Run, arguments: tuple[str, ...], says: str) -> None:
    done = transom(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("transom: ")
    assert says in done.stderr
    named = " ".join(word for word in arguments[:2] if word in {"config", "show", "set"})
    assert done.stderr.endswith(f"(see {' '.join(filter(None, ('transom', named)))} --help)\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate", "FILE", "--format", "nope"),
        ("validate", "FILE", "--target", "nope"),
        ("convert", "FILE", "--to", "nope"),
        ("convert", "FILE", "--from", "nope", "--to", "openai"),
        ("convert", "FILE", "--to", "openai", "--thinking", "nope"),
        ("compile", "FILE", "--format", "nope", "--window", "8000"),
        ("compile", "FILE", "--target", "nope", "--window", "8000"),
        ("compile", "FILE", "--window", "-5"),
        ("replay", "FILE", "--format", "nope", "--window", "8000"),
        ("replay", "FILE", "--tokenizer", "nope", "--window", "8000"),
        ("replay", "FILE", "--strategy", "nope", "--window", "8000"),
    ],
    ids=" ".join,
)
def test_a_value_that_an_option_cannot_have_is_wrong_usage_and_the_message_names_those_it_can(
    transom: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    file = tmp_path / "body.json"
    file.write_text('{"model": "m", "messages": [{"role": "user", "content": "hi"}]}')
    done = transom(*(str(file) if word == "FILE" else word for word in arguments))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert ("nope" if "nope" in arguments else "-5") in done.stderr
    assert any(known in done.stderr for known in ("openai", "drop or text", "1024 or more", "o200k", "clear"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("replay", "x", "--window", "32k"), "--window cannot be '32k' (it is a whole number in digits, such as 32000)"),
        (("store", "gc", "--min-age", "1h"), "--min-age cannot be '1h' (it is a number in digits, such as 0.5)"),
        (("replay", "absent.json", "--window", "8000"), "absent.json: No such file or directory (check the path)"),
        (("validate", "."), ".: Is a directory (name a file in it)"),
    ],
)
def test_a_wrong_value_or_path_says_the_way_out(transom: Run, arguments: tuple[str, ...], says: str) -> None:
    assert transom(*arguments).stderr == f"transom: {says}\n"


def test_the_help_of_a_command_tells_all_of_it_in_paragraphs_as_wide_as_the_terminal(transom: Run) -> None:
    paragraph = transom("replay", "--help", environment={"COLUMNS": "70"}).stdout.split("\n\n")[2]
    assert "store get" in paragraph
    assert all(50 < len(line.rstrip()) <= 70 for line in paragraph.splitlines()[:-1])


def test_what_a_command_returns_is_the_exit_status(with_commands: Run) -> None:
    assert with_commands("def run() -> int:\n    return 1").returncode == 1
    assert with_commands("def run() -> None:\n    pass").returncode == 0
    assert with_commands("async def run() -> int:\n    return 1").returncode == 1


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (
            "StoreError('the store is locked', hint='another process\\nholds it')",
            1,
            "transom: the store is locked (another process holds it)",
        ),
        ("UsageError('--to is missing')", 2, "transom: --to is missing"),
        ("SettingError('no')", 2, "transom: no"),
        (
            "FileNotFoundError(2, 'No such file or directory', 'a\\x1b[31m.json')",
            1,
            "transom: a\\x1b[31m.json: No such file or directory (check the path)",
        ),
        ("PermissionError(13, 'Permission denied')", 1, "transom: Permission denied (check its permissions)"),
        ("KeyboardInterrupt()", 130, "transom: interrupted"),
        ("BrokenPipeError()", 141, ""),
    ],
)
def test_an_error_a_user_can_meet_is_one_line(with_commands: Run, error: str, status: int, says: str) -> None:
    done = with_commands(f"from transom.errors import *\ndef run() -> None:\n    raise {error}")
    assert (done.returncode, done.stderr) == (status, f"{says}\n" if says else "")


def test_a_fault_of_the_program_keeps_its_traceback(with_commands: Run) -> None:
    done = with_commands("def run() -> None:\n    {}['missing']")
    assert done.returncode == 1
    assert "made_up.py" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes that close early are told by a signal on POSIX")
def test_a_reader_that_goes_away_ends_the_command_quietly(tmp_path: Path) -> None:
    (tmp_path / "made_up.py").write_text("def run() -> None:\n    for number in range(100_000):\n        print(number)\n")
    starter = (
        "import sys; from transom.cli.app import Command, run; sys.exit(run(['run'], [Command('run', 'made_up:run', '')]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starter],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_ends_the_command_with_130(tmp_path: Path) -> None:
    (tmp_path / "made_up.py").write_text(
        "import threading\ndef run() -> None:\n    print('on', flush=True)\n    threading.Event().wait()\n"
    )
    starter = (
        "import sys; from transom.cli.app import Command, run; sys.exit(run(['run'], [Command('run', 'made_up:run', '')]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starter],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"on\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == b"transom: interrupted\n"


def test_the_script_and_the_module_are_the_same_program(transom: Run) -> None:
    script = Path(sys.executable).parent / "transom"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == transom("--version").stdout


def loaded(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    return set(json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60).stdout))


def test_starting_the_command_line_loads_no_command_no_engine_and_nothing_that_draws() -> None:
    found = loaded("import transom.cli.app; transom.cli.app.build()")
    assert {
        name for name in found if name.startswith(("rich.console", "rich.table", "toktok", "splintr", "sqlite3", "asyncio"))
    } == set()
    parts = {name for name in found if name.startswith("transom.") and name.count(".") == 1}
    assert parts <= {"transom.cli", "transom.errors", "transom.jsontext"}


def test_importing_the_library_loads_no_face() -> None:
    found = loaded("import transom")
    assert {name for name in found if name.split(".")[0] in {"cyclopts", "rich", "mcp", "starlette", "aiohttp"}} == set()
    assert {name for name in found if name.startswith(("transom.cli", "transom.testing"))} == set()


def test_commands_print_through_the_output_module_alone(repository: Path) -> None:
    for path in sorted((repository / "src" / "transom" / "cli").glob("*.py")):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        assert not [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"], path.name
