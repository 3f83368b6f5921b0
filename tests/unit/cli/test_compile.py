"""``transom compile`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]

FIRST = [{"role": "user", "content": "first?"}, {"role": "assistant", "content": "one"}]
SECOND = [{"role": "user", "content": "second?"}, {"role": "assistant", "content": "two"}]


def test_of_a_file_with_several_conversations_one_is_chosen_or_the_first_is_named(transom: Run, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps(FIRST) + "\n" + json.dumps(SECOND) + "\n", encoding="utf-8")
    plain = transom("compile", str(file), "--window", "8000")
    assert plain.returncode == 0
    assert json.loads(plain.stdout)["messages"] == FIRST[:1]
    assert "holds 2 conversations" in plain.stderr
    names = plain.stderr.partition("chooses: ")[2].partition(")")[0].split(", ")
    chosen = transom("compile", str(file), "--window", "8000", "--conversation", names[1])
    assert json.loads(chosen.stdout)["messages"] == SECOND[:1]
    assert "conversations" not in chosen.stderr
    refused = transom("compile", str(file), "--window", "8000", "--conversation", "third")
    assert refused.returncode == 2
    assert f"there are {', '.join(names)}" in refused.stderr
