"""How much the base install takes on disk: the library, the command line and what they depend on."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from figures import Figure

NETWORK = True


def measure() -> Iterable[Figure]:
    root = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, "--target", folder, str(root)], check=True)
        # Sizes as a disk counts them, in blocks.
        total = sum(path.lstat().st_blocks * 512 for path in Path(folder).rglob("*"))
    yield Figure("base install", total / 1e6, "MB", at_most=45, note="without bytecode")
