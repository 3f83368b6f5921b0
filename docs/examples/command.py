"""A command as it would stand in src/transom/cli, called here by hand."""

from transom.cli import output
from transom.cli.options import JSON, Fitting


def run(file: str, /, *, fitting: Fitting | None = None, json: JSON = False) -> int:
    """Count the lines of a file.

    Parameters
    ----------
    file:
        The file to read.
    """
    _, window = (fitting or Fitting()).resolved()
    with open(file, encoding="utf-8") as lines:
        count = sum(1 for _ in lines)
    if json:
        output.json_line({"lines": count, "fits": count <= window})
    else:
        output.table(("lines", "fits"), [(count, count <= window)], right=(0,))
    return 0 if count <= window else 1


if __name__ == "__main__":
    assert run(__file__, fitting=Fitting(window=2_000)) == 0
    assert run(__file__, fitting=Fitting(window=2_000), json=True) == 0
