"""Texts that the policy accepts, run by real shells: none of them reaches a program that it refuses.

The programs are stand-ins that leave a mark, and no others are found; no text here can name a place outside its folder.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from transom.safety.categories import CATEGORIES
from transom.safety.commands import judge

from .test_commands import ACCEPTED, REFUSED

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX shells")

SHELLS = [shell for shell in ("/bin/bash", "/bin/dash", "/bin/sh") if Path(shell).exists()]
PLAIN = ("cat", "env", "xargs", "timeout", "nice", "find", "sh", "bash", "printf", "stdbuf")
PIECES = [
    "sudo", "su", "do", "rm", "rm -rf d", "-rf", "-r", "-f", " ", " ", " ", "\n", ";", "&", "|", "||", "&&", "'", '"', "\\",
    "$", "`", "(", ")", "{",
    "}", "<", ">", ">>", "<<", "<<<", "<<-", "&>", ">&", "<&", "|&", "$(", "${", "$((", "))", "[[", "]]", "[", "]", "EOF",
    "\nEOF\n", "<<EOF\n", "<<'EOF'\n",
    "#", "=", "*", "?", "!", "-", "--", "for ", "x", " in ", "do ", "done", "if ", "then ", "fi", "while ", "case ", "esac",
    "time ", "env ", "sh -c ",
    "xargs ", "eval ", "$x", '"$@"', "$'", '$"', "\\\n", "\t", "1", ",", "{r,f}", "2>&1", "+", "find . -exec ", "\\;", "{}",
    "-I{} ", "read x", "'sudo'",
    "$'\\x73udo'", "timeout 1 ", "-ec ", "-s", "-e", "-o ", "+o", "\r", "function ", "trap ", " EXIT",
]  # fmt: skip


class Playground:
    """A folder with stand-ins, and whether one of them was called."""

    def __init__(self, base: Path) -> None:
        self.mark, self.programs, self.work = base / "CALLED", base / "bin", base / "work"
        self.programs.mkdir()
        self.work.mkdir()
        self.stand_in("sudo", f": > {self.mark}")
        spelled = [("--recursive", "r=1"), ("--force", "f=1")]
        arms = "".join(f" {'|'.join(name[:end] for end in range(3, len(name) + 1))}) {does};;" for name, does in spelled)
        self.stand_in(
            "rm",
            f"for a do case $a in --) break;;{arms} --*) ;;\n"
            "-*) case $a in *[rR]*) r=1;; esac; case $a in *f*) f=1;; esac;; esac; done\n"
            f'[ "$r$f" = 11 ] && : > {self.mark}',
        )
        for name in PLAIN:
            if found := shutil.which(name):
                (self.programs / name).symlink_to(found)

    def stand_in(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def reached(self, shell: str, text: str) -> bool:
        # A file that an earlier text wrote would be a script for a later one.
        shutil.rmtree(self.work)
        self.work.mkdir()
        with self.started(shell, text) as process, suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        reached = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return reached

    @contextmanager
    def started(self, shell: str, text: str) -> Iterator[subprocess.Popen[bytes]]:
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(
            [shell, "-c", text],
            cwd=self.work,
            env={"PATH": str(self.programs)},
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def varied(random_: random.Random) -> str:
    """A known text, changed here and there, or one put together from pieces."""
    if random_.random() < 0.4:
        return "".join(random_.choice(PIECES) for _ in range(random_.randint(3, 12)))
    text = random_.choice(KNOWN)
    for _ in range(random_.randint(1, 4)):
        at = random_.randint(0, len(text))
        piece = random_.choice(PIECES) if random_.random() < 0.6 else ""
        text = text[:at] + piece + text[at + (0 if piece else random_.randint(1, 4)) :]
    return text


def harmless(text: str) -> bool:
    """What is started here can only be a stand-in, and only write below its folder."""
    return "/" not in text and ".." not in text and "~" not in text


KNOWN = [text for text in [*REFUSED, *ACCEPTED] if harmless(text)]


def test_the_playground_notices_what_is_reached(tmp_path: Path) -> None:
    playground = Playground(tmp_path)
    for shell in SHELLS:
        assert playground.reached(shell, "sudo id")
        assert playground.reached(shell, "rm d -r --force")
        assert not playground.reached(shell, "echo sudo id; rm -r -- -f")


@pytest.mark.parametrize("seed", range(4))
def test_nothing_that_is_accepted_reaches_a_program_that_is_refused(seed: int, tmp_path: Path) -> None:
    playground = Playground(tmp_path)
    random_ = random.Random(seed)
    accepted = 0
    while accepted < 60:
        text = varied(random_)
        if not harmless(text) or not judge(text, allowed=CATEGORIES).allowed:
            continue
        accepted += 1
        for shell in SHELLS[:2]:
            assert not playground.reached(shell, text), (shell, text)
