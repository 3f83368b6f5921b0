"""Processes killed while they change files: nothing damaged, nothing that was acknowledged lost, nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = 200


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
def test_a_kill_at_any_moment_leaves_every_file_old_or_new_and_no_litter(repository: Path, tmp_path: Path) -> None:
    program = [sys.executable, str(repository / "tests/faults/killed_tools.py"), str(tmp_path), str(ROUNDS), "1"]
    run = subprocess.run(program, capture_output=True, text=True, check=False, timeout=110)
    assert run.returncode == 0, run.stderr
    account = json.loads(run.stdout)
    assert account["wrong"] == []
    assert account["killed"] > ROUNDS / 2
    # How many are done before a kill is a matter of the machine; that many are is not.
    assert account["acknowledged"] > ROUNDS / 8
    assert account["litter before"] > 0  # kills did come between a temporary file and its rename
