"""Every edit gives the bytes that a second, differently written model of it gives, through the tools and on real files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.properties.edit_model import cases, expected

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox

EDITS = 2_000


@pytest.mark.parametrize("seed", range(4))
async def test_no_edit_differs_from_the_model_of_it(seed: int, tmp_path: Path) -> None:
    toolbox = Toolbox(services={Workspace: Workspace([tmp_path])})
    file = tmp_path / "f.txt"
    for case in cases(seed, EDITS // 4):
        file.write_bytes(case.data)
        answer = await toolbox.call(case.tool, {"file_name": "f.txt", **case.arguments})
        wanted = expected(case)
        if isinstance(wanted, str):
            assert (answer.error, file.read_bytes()) == (wanted, case.data), (case, answer)
        else:
            assert answer.ok, (case, answer)
            assert file.read_bytes() == wanted, (case, answer)


@pytest.mark.parametrize("seed", [7])
async def test_the_diff_of_a_dry_run_applied_as_a_patch_makes_the_edit(seed: int, tmp_path: Path) -> None:
    toolbox = Toolbox(services={Workspace: Workspace([tmp_path])})
    file = tmp_path / "f.txt"
    made = 0
    for case in cases(seed, 1_000):
        wanted = expected(case)
        # A diff is text with LF between its lines: it can say neither what a lone CR is nor which bytes are no UTF-8.
        exact = b"\r" not in case.data and isinstance(wanted, bytes) and b"\r" not in wanted and wanted != case.data
        if not exact or case.tool in {"save_file", "append_file"} or not case.data.isascii() or not wanted:
            continue
        file.write_bytes(case.data)
        told = await toolbox.call(case.tool, {"file_name": "f.txt", "dry_run": True, **case.arguments})
        assert file.read_bytes() == case.data
        answer = await toolbox.call("apply_patch", {"patch": told.data["diff"]})
        assert file.read_bytes() == wanted, (case, told, answer)
        made += 1
    assert made > 50
