"""The golden files and the reasons for what they hold."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "payloads"
REASONS = Path(__file__).resolve().parent / "REASONS.md"
ROW = re.compile(r"\| `([a-z-]+\.json)` \| `([0-9a-f]{64})` \| (.+) \|")
HEADING = """# Why the golden payloads are as they are

Each file is a request body, byte for byte, as a compile emitted it. One that changes gives its reason here. After a change
that is meant, `python -m tests.golden "what changed and why"` writes the files that differ and their rows; read the diff.

| file | SHA-256 | reason of its last change |
|---|---|---|
"""


def golden_path(configuration: str, target: str) -> Path:
    """Where the payload of a configuration for a target is kept."""
    return FOLDER / f"{configuration}-for-{target}.json"


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def reasons() -> dict[str, tuple[str, str]]:
    """File name to digest and reason."""
    if not REASONS.exists():
        return {}
    return {name: (digest, reason) for name, digest, reason in ROW.findall(REASONS.read_text(encoding="utf-8"))}


def write_reasons(rows: dict[str, tuple[str, str]]) -> None:
    """Write the table anew."""
    lines = [f"| `{name}` | `{digest}` | {reason} |\n" for name, (digest, reason) in sorted(rows.items())]
    REASONS.write_text(HEADING + "".join(lines), encoding="utf-8")
