"""``python -m tests.golden "reason"``: records what the golden suite produces now, each changed file with its reason."""

from __future__ import annotations

import asyncio
import sys

from tests.golden.configurations import CONFIGURATIONS, TARGETS
from tests.golden.recorded import FOLDER, digest_of, golden_path, reasons, write_reasons


async def record(reason: str) -> list[str]:
    """Write every payload that differs from its file; the names of those."""
    FOLDER.mkdir(exist_ok=True)
    known = reasons()
    rows: dict[str, tuple[str, str]] = {}
    changed: list[str] = []
    for name, configuration in CONFIGURATIONS.items():
        for target in TARGETS:
            path = golden_path(name, target)
            data = (await configuration(target)).json()
            if not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)
                changed.append(path.name)
            before = known.get(path.name)
            digest = digest_of(path)
            rows[path.name] = before if before is not None and before[0] == digest else (digest, reason)
    for path in FOLDER.glob("*.json"):
        if path.name not in rows:
            path.unlink()
            changed.append(path.name)
    write_reasons(rows)
    return changed


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].strip() or "|" in sys.argv[1]:
        sys.exit('usage: python -m tests.golden "what changed and why"')
    for file in asyncio.run(record(sys.argv[1].strip())):
        print(file)
