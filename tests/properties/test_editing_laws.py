"""Every edit gives the bytes that a second, differently written model of it gives."""

from __future__ import annotations

import pytest
from tests.properties.edit_model import Case, cases, expected

from transom.toolbox.editing.document import Document
from transom.toolbox.editing.line_edits import appended, deleted, inserted, moved
from transom.toolbox.editing.refusal import EditRefused
from transom.toolbox.editing.replacing import replaced
from transom.toolbox.editing.verifying import drift


def made(case: Case) -> bytes | str:
    """What the engine makes of an edit."""
    given = case.arguments
    try:
        if case.tool == "save_file":
            return str(given["content"]).encode()
        document = Document.of(case.data)
        match case.tool:
            case "delete_lines_in_file":
                first = int(str(given["start_line"]))
                last = int(str(given.get("end_line", first)))
                if last < first:
                    return "out_of_range"
                step = drift(document, first, str(verify)) if (verify := given.get("verify_before_delete")) else 0
                edit = deleted(document, first + step, last + step)
            case "insert_at_line":
                content = document.encoded(str(given["content_to_insert"]), "content_to_insert")
                edit = inserted(document, int(str(given["line_number"])), content)
            case "replace_text_in_file":
                old, new = (document.encoded(str(given[name]), name) for name in ("old_string", "new_string"))
                done = replaced(
                    document,
                    old,
                    new,
                    everywhere=bool(given.get("global", True)),
                    normalise=bool(given.get("normalize_line_endings", True)),
                )
                return document.written(done.splices) if done.matches else "not_found"
            case "line_operations":
                edit = moved(document, int(str(given["move_from"])), int(str(given["move_to"])))
            case _:
                edit = appended(document, document.encoded(str(given["content"]), "content"))
        return document.written(edit.splices)
    except EditRefused as refused:
        return refused.error


@pytest.mark.parametrize("seed", range(4))
def test_no_edit_differs_from_the_model_of_it(seed: int) -> None:
    for case in cases(seed, 2_000):
        assert made(case) == expected(case), case
