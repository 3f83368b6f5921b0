"""A command as it would stand in src/transom/cli, called here by hand."""

from transom.cli import output
from transom.cli.options import JSON, Window
from transom.errors import UsageError
from transom.settings import load


def run(file: str, /, *, window: Window = None, json: JSON = False) -> int:
    """Count the lines of a file.

    Parameters
    ----------
    file:
        The file to read.
    """
    settings = load({"window": window}).settings
    if settings.window is None:
        raise UsageError("no window given", hint="--window N, or: transom config set window N")
    with open(file, encoding="utf-8") as lines:
        count = sum(1 for _ in lines)
    if json:
        output.json_line({"lines": count, "fits": count <= settings.window})
    else:
        output.table(("lines", "fits"), [(count, count <= settings.window)], right=(0,))
    return 0 if count <= settings.window else 1


if __name__ == "__main__":
    assert run(__file__, window=2_000) == 0
    assert run(__file__, window=2_000, json=True) == 0
