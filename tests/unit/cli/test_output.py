from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from transom.cli import output

TABLE = """
from transom.cli import output
rows = [(1, "clear", 61234), (12, "日本", None), (3, "e\\u0301\\x1b[31m\\n", 7)]
output.table(("turn", "what", "bytes"), rows, title="Moves", right=(0, 2))
"""


@pytest.fixture
def piped() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    def run(code: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, timeout=60, check=False
        )

    return run


def on_a_terminal(code: str, **environment: str) -> str:
    """What a program writes to a terminal of 100 columns that is its stdin, stdout and stderr."""
    pty = pytest.importorskip("pty", reason="terminals of POSIX")
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"COLUMNS": "100", "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"} | environment,
        stdin=follower,
        stdout=follower,
        stderr=follower,
    ) as process:
        os.close(follower)
        written = bytearray()
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # Linux says so when the last writer is gone
                break
            if not piece:
                break
            written += piece
        process.wait(60)
    os.close(leader)
    return written.decode()


def test_a_table_in_a_pipe_is_aligned_lines_with_a_header(piped: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    done = piped(TABLE, PYTHONIOENCODING="utf-8")
    assert done.stdout.decode().splitlines() == [
        "turn  what         bytes",
        "   1  clear        61234",
        "  12  日本",
        "   3  e\u0301\\x1b[31m\\n      7",
    ]


def test_a_table_on_a_terminal_is_drawn_and_controls_never_reach_it() -> None:
    written = on_a_terminal(TABLE)
    assert "Moves" in written
    assert "─" in written
    assert "\x1b[31m" not in written
    assert "\\x1b[31m" in written


WIDE = """
from transom.cli import output
address = "context://vfs/" + "0123456789abcdef" * 4
output.table(("bytes", "address"), [("5,514", address), ("1,234,567", address)], right=(0,))
output.table(("turn", "input", "ms", "what"), [(1, "123,456", "0.5", "one two three")], right=(0, 1, 2), spare=(2,))
"""


def test_a_terminal_too_narrow_for_an_address_gets_lines_in_which_it_can_be_copied() -> None:
    lines = on_a_terminal(WIDE, COLUMNS="60").splitlines()
    assert lines[:2] == ["    bytes  address", "    5,514  context://vfs/" + "0123456789abcdef" * 4]


def test_a_narrow_terminal_leaves_out_what_can_be_spared_and_breaks_no_number() -> None:
    wide, narrow, tiny = (on_a_terminal(WIDE, COLUMNS=columns) for columns in ("100", "36", "12"))
    assert ["1", "123,456", "0.5", "one", "two", "three"] in [line.split() for line in wide.splitlines()]
    for written in (narrow, tiny):
        assert "123,456" in written
        assert "0.5" not in written


def test_no_color_is_honoured() -> None:
    assert "\x1b[38" not in on_a_terminal(TABLE, NO_COLOR="1")
    assert "\x1b[3" not in on_a_terminal(TABLE, NO_COLOR="1").replace("\x1b[3m", "")


def test_an_encoding_that_cannot_hold_the_text_shows_it_escaped(
    piped: Callable[..., subprocess.CompletedProcess[bytes]],
) -> None:
    code = "from transom.cli.app import run; from transom.cli import output; run(['--version']); output.line('日本 \\ud800')"
    assert piped(code, PYTHONIOENCODING="ascii", PYTHONUTF8="0").stdout.splitlines()[-1] == b"\\u65e5\\u672c \\ud800"


def test_json_and_raw_bytes_are_exact(piped: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    code = (
        "from transom.cli import output; output.line('first'); "
        "output.json_line({'a': '\\x1b', 'é': [1.0, 2**70]}); output.raw(bytes(range(256)))"
    )
    assert piped(
        code, PYTHONIOENCODING="ascii"
    ).stdout == b'first\n{"a":"\\u001b","\xc3\xa9":[1.0,1180591620717411303424]}\n' + bytes(range(256))


def test_notes_go_to_stderr(piped: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    done = piped("from transom.cli import output; output.note('left out: 1')")
    assert (done.stdout, done.stderr) == (b"", b"left out: 1\n")


PROGRESS = """
from transom.cli import output
with output.progress("Replaying", 2) as advance:
    advance(1)
    advance(1)
"""


def test_progress_says_nothing_in_a_pipe(piped: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    done = piped(PROGRESS)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_progress_is_drawn_on_a_terminal() -> None:
    assert "Replaying" in on_a_terminal(PROGRESS)


def test_json_notes_are_exact_on_stderr(piped: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    done = piped("from transom.cli import output; output.json_note({'é': 1})", PYTHONIOENCODING="ascii")
    assert (done.stdout, done.stderr) == (b"", '{"é":1}\n'.encode())


def test_marks_that_turn_the_reading_order_are_shown_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    output.line("a\u202eb\u2066c\u2028d")
    assert capsys.readouterr().out == "a\\u202eb\\u2066c\\u2028d\n"
