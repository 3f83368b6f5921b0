"""``python -m transom`` and the ``transom`` script."""

from __future__ import annotations

import sys
from types import TracebackType

from .cli.app import run

__all__ = ["main"]


def _show(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    """A fault of the program, as a bug report wants it: the traceback, secrets masked."""
    from .safety.masking import traced

    sys.stderr.write(f"{traced(error)}\n")


def main() -> None:
    """Run the command line and exit with its status."""
    sys.excepthook = _show
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
