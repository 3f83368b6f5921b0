"""Running code and commands as tools: what is answered, what counts as failed, and what is said about the confinement."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

import pytest
from tests.unit.toolbox.execution.conftest import Box

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.sandbox import Sandbox
from transom.toolbox.toggles import Toggles

linux = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox of Linux")
pytestmark = pytest.mark.feature("Z4")


@linux
class TestPython:
    async def test_it_prints_and_the_answer_says_how_it_ended(self, box: Box) -> None:
        answer = await box("run_python", python="print('sum', 1 + 1)")
        assert answer.ok
        assert answer.data["stdout"] == "sum 2\n"
        assert answer.data["exit_code"] == 0
        assert answer.text.startswith("sum 2\n[exit code 0; confined by ")

    async def test_it_works_on_the_files_of_the_folder(self, box: Box) -> None:
        (box.root / "a.txt").write_text("hé\n", encoding="utf-8")
        answer = await box("run_python", python="open('b.txt', 'w').write(open('a.txt').read().upper())")
        assert answer.ok, answer
        assert (box.root / "b.txt").read_text(encoding="utf-8") == "HÉ\n"

    async def test_a_status_of_its_own_is_no_failure(self, box: Box) -> None:
        answer = await box("run_python", python="import sys; print('partial'); sys.exit(3)")
        assert (answer.ok, answer.data["exit_code"], answer.data["stdout"]) == (True, 3, "partial\n")

    @pytest.mark.parametrize(
        ("code", "error", "said"),
        [
            ("print('before'); 1 / 0", "runtime_error", "ZeroDivisionError: division by zero"),
            ("def f(:", "runtime_error", "SyntaxError"),
            ("import os; os.abort()", "runtime_error", "exit code 134"),
            ("x = 'a' * 10**11", "memory", "MB of memory"),
            ("while True: pass", "timeout", "after 0.5 seconds"),
            ("open('/usr/x', 'w')", "sandbox_denied", "The sandbox did not allow it"),
            ("open('../outside/secret.txt')", "sandbox_denied", "can be written to"),
        ],
    )
    async def test_failures_say_of_what_kind_they_are(self, box: Box, code: str, error: str, said: str) -> None:
        seconds = 0.5 if error == "timeout" else 20.0
        answer = await box("run_python", python=code, timeout_seconds=seconds)
        assert (answer.ok, answer.error) == (False, error), answer
        assert said in answer.text
        assert {"exit_code", "stdout", "stderr", "confined_by", "not_confined"} <= set(answer.data)

    async def test_what_was_printed_before_a_failure_is_kept(self, box: Box) -> None:
        answer = await box("run_python", python="print('before', flush=True)\nwhile True: pass", timeout_seconds=1.0)
        assert answer.data["stdout"] == "before\n"

    async def test_a_script_larger_than_an_argument_may_be_runs(self, box: Box) -> None:
        answer = await box("run_python", python=f"x = {'y' * 300_000!r}\nprint(len(x))")
        assert answer.data["stdout"] == "300000\n"

    async def test_half_a_character_is_refused(self, box: Box) -> None:
        answer = await box("run_python", python="print('\ud800')")
        assert answer.error == "invalid_input"

    async def test_guarded_files_are_not_written(self, box: Box) -> None:
        code = "import os; os.makedirs('.git/hooks'); open('.git/hooks/pre-commit', 'w').write('evil')"
        answer = await box("run_python", python=code)
        assert not answer.ok
        assert not (box.root / ".git" / "hooks" / "pre-commit").exists()


class TestRestrictedPython:
    async def test_where_nothing_confines_the_restricted_interpreter_runs_it_and_says_so(self, bare: Box) -> None:
        answer = await bare("run_python", python="import math\nprint(math.factorial(20))")
        assert answer.ok, answer
        assert answer.data["stdout"] == "2432902008176640000\n"
        assert answer.data["confined_by"] == "the restricted interpreter"
        assert "restricted interpreter, because nothing on this machine can confine CPython" in answer.text

    @pytest.mark.parametrize(
        ("code", "error"), [("1 / 0", "runtime_error"), ("while True: pass", "timeout"), ("x = 'a' * 10**11", "memory")]
    )
    async def test_failures_say_of_what_kind_they_are(self, bare: Box, code: str, error: str) -> None:
        answer = await bare("run_python", python=code, timeout_seconds=1.0)
        assert (answer.ok, answer.error) == (False, error), answer


class TestJavaScript:
    async def test_the_console_and_the_last_value_are_shown(self, box: Box) -> None:
        code = "console.log('a', {b: [1, new Map([[1, 'x']])]}); console.error('careful'); [1, 2, {c: 3n}]"
        answer = await box("run_javascript", javascript=code)
        assert answer.ok, answer
        assert answer.data["stdout"] == 'a { b: [ 1, Map(1) { 1 => "x" } ] }\n'
        assert answer.data["stderr"] == "careful\n"
        assert answer.data["value"] == "[ 1, 2, { c: 3n } ]"
        assert "[value]\n[ 1, 2, { c: 3n } ]\n[exit code 0; confined by quickjs" in answer.text

    async def test_a_promise_is_waited_for(self, box: Box) -> None:
        answer = await box("run_javascript", javascript="(async () => { await null; console.log('later'); return 5 })()")
        assert (answer.data["stdout"], answer.data["value"]) == ("later\n", "5")

    @pytest.mark.parametrize(
        ("code", "error", "said"),
        [
            ("console.log('before'); throw new TypeError('no')", "runtime_error", "TypeError: no"),
            ("let a = [}", "runtime_error", "SyntaxError"),
            ("(async () => { throw new RangeError('far') })()", "runtime_error", "RangeError: far"),
            ("function f() { f() } f()", "runtime_error", "call stack"),
            ("let a = []; while (true) a.push('x'.repeat(1e6) + a.length)", "memory", "MB of memory"),
            ("new Uint8Array(1e9)", "memory", "MB of memory"),
            ("while (true) {}", "timeout", "after 0.5 seconds"),
            ("/^(a+)+$/.test('a'.repeat(40) + 'b')", "timeout", "after 0.5 seconds"),
        ],
    )
    async def test_failures_say_of_what_kind_they_are(self, box: Box, code: str, error: str, said: str) -> None:
        seconds = 0.5 if error == "timeout" else 20.0
        answer = await box("run_javascript", javascript=code, timeout_seconds=seconds)
        assert (answer.ok, answer.error) == (False, error), answer
        assert said in answer.text

    async def test_our_own_frames_are_not_shown(self, box: Box) -> None:
        answer = await box("run_javascript", javascript="function inner() { throw new Error('x') }\ninner()")
        assert answer.data["stderr"] == "Error: x\n    at inner (<input>:1:30)\n    at <eval> (<input>:2:1)\n"

    async def test_where_nothing_else_confines_the_engine_still_does(self, bare: Box) -> None:
        answer = await bare("run_javascript", javascript="console.log(typeof require, typeof process, typeof fetch)")
        assert answer.ok, answer
        assert answer.data["stdout"] == "undefined undefined undefined\n"
        assert answer.data["confined_by"] == "quickjs"

    async def test_bad_letters_do_not_break_the_answer(self, box: Box) -> None:
        answer = await box("run_javascript", javascript=r"console.log('\ud800|\0|é|😀'); 123n ** 200n; '\ud800'")
        assert answer.data["stdout"] == "\ufffd|\ufffd|é|😀\n"
        assert answer.data["value"] == "\ufffd"


@linux
class TestCommands:
    async def test_the_status_and_both_streams_are_told_untrimmed(self, box: Box) -> None:
        answer = await box("execute_command", command="printf '  a \\n\\n'; echo oops >&2 && exit 4")
        assert (answer.ok, answer.data["exit_code"]) == (True, 4)
        assert (answer.data["stdout"], answer.data["stderr"]) == ("  a \n\n", "oops\n")

    async def test_the_policy_speaks_before_anything_runs(self, box: Box) -> None:
        answer = await box("execute_command", command="touch ran && sudo id")
        assert answer.error == "command_blocked"
        assert not (box.root / "ran").exists()

    async def test_what_the_sandbox_stopped_is_a_refusal(self, box: Box) -> None:
        answer = await box("execute_command", command="echo new > ../outside/secret.txt")
        assert answer.error == "sandbox_denied"
        assert "exit_code" in answer.data
        assert (box.root.parent / "outside" / "secret.txt").read_text() == "MARK-7f3a secret\n"

    async def test_an_ordinary_failure_is_not_taken_for_one(self, box: Box) -> None:
        (box.root / "plain").write_text("no program")
        for command in ("./plain", "ls missing", "cat no/such/file", "grep x /usr/share/none", "sh -c 'exit 1'"):
            answer = await box("execute_command", command=command)
            assert answer.ok, answer
            assert answer.data["exit_code"] != 0

    async def test_there_is_no_network(self, box: Box) -> None:
        command = "bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'"
        answer = await box("execute_command", command=command, timeout=20)
        assert not answer.ok or answer.data["exit_code"] != 0

    async def test_time_is_bounded(self, box: Box) -> None:
        started = time.monotonic()
        answer = await box("execute_command", command="sleep 60", timeout=1)
        assert (answer.error, time.monotonic() - started < 10) == ("timeout", True)
        assert "with timeout (at most 300)" in answer.text
        answer = await box("run_python", python="while True: pass", timeout_seconds=0.5)
        assert "with timeout_seconds (at most 60)" in answer.text

    @pytest.mark.parametrize(
        "command", ["git status", "curl http://x", "nc -l 3", "sleep 9 &", "firefox", "sqlite3 a.db", "tmux"]
    )
    async def test_a_refusal_names_no_tool_that_is_not_there(self, root: Path, command: str) -> None:
        services = {Workspace: Workspace([root]), Sandbox: Sandbox(os.environ)}
        toolbox = Toolbox(services=services, toggles=Toggles(["all"]))
        answer = await toolbox.call("execute_command", {"command": command})
        assert answer.error == "command_blocked"
        assert all(toolbox.knows(name) for name in re.findall(r"\w+_\w+", answer.text)), answer.text

    async def test_where_nothing_confines_no_command_runs(self, bare: Box) -> None:
        answer = await bare("execute_command", command="touch ran")
        assert answer.error == "unavailable"
        assert "bubblewrap" in answer.text
        assert not (bare.root / "ran").exists()


async def test_commands_are_off_unless_they_are_switched_on() -> None:
    from transom.toolbox.families.execution import FAMILY

    assert {tool.name: tool.on for tool in FAMILY.tools} == {
        "run_javascript": True,
        "run_python": True,
        "execute_command": False,
    }


@pytest.mark.parametrize("length", [1_000, 8_191, 8_192, 16_384, 100_000])
async def test_lines_of_any_length_come_out_of_the_console(box: Box, length: int) -> None:
    answer = await box("run_javascript", javascript=f"console.log('y'.repeat({length}), 'é'.repeat({length}))")
    assert answer.ok, answer.text
    assert answer.data is not None
    assert f"{'y' * 500} é" in str(answer.data["stdout"]) or answer.uri
