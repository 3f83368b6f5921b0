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
