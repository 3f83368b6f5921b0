"""The scripts on machines that lack something: one clear message, and nobody's files touched."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="scripts of a POSIX shell")


@pytest.fixture
def checkout(repository: Path, tmp_path: Path) -> Path:
    """A checkout in a folder with a blank in its name, with nothing in it but what the scripts read."""
    root = tmp_path / "check out"
    (root / "script").mkdir(parents=True)
    shutil.copy(repository / "script" / "environment", root / "script")
    shutil.copy(repository / "pyproject.toml", root)
    return root


def python(folder: Path, script: str) -> Path:
    """A stand-in for a Python that lacks something."""
    folder.mkdir(exist_ok=True)
    path = folder / "python3"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def run(checkout: Path, executable: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "script" / "environment"],
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHON": str(executable)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_python_that_is_too_old_is_named(checkout: Path, tmp_path: Path) -> None:
    done = run(checkout, python(tmp_path / "a bin", 'case "$1" in --version) echo Python 3.9.2 ;; *) exit 1 ;; esac'))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("transom: Python 3.11 or newer is needed (found: Python 3.9.2).")
    assert not (checkout / ".venv").exists()


def test_a_python_that_is_not_there_is_said(checkout: Path, tmp_path: Path) -> None:
    done = run(checkout, tmp_path / "none")
    assert done.returncode == 1
    assert "(found: none)" in done.stderr


def test_a_debian_without_venv_is_told_which_package_to_install(checkout: Path, tmp_path: Path) -> None:
    script = 'case "$2" in *ensurepip*) exit 1 ;; *print*) echo 3.12 ;; esac'
    done = run(checkout, python(tmp_path / "a bin", script))
    assert (done.returncode, done.stdout) == (1, "")
    assert "sudo apt install python3.12-venv" in done.stderr


def test_an_environment_of_somebody_else_is_left_alone(checkout: Path, tmp_path: Path) -> None:
    theirs = checkout / ".venv" / "bin"
    theirs.mkdir(parents=True)
    (theirs / "keep").touch()
    done = run(checkout, python(tmp_path / "a bin", "exit 0"))
    assert done.returncode == 1
    assert "is not ours" in done.stderr
    assert (theirs / "keep").exists()
