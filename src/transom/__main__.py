"""``python -m transom`` and the ``transom`` script."""

from __future__ import annotations

import sys

from .cli.app import run

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit with its status."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
