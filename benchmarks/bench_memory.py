"""What a loaded session of 20,000 messages takes, each measured in a process of its own over a SQLite store."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import orjson
from figures import HERE, Figure
from sessions import chat_body, session

COUNT = 20_000
_CHILD = """
import sys, time
sys.path.insert(0, sys.argv[1])
import orjson
from pathlib import Path
from figures import resident_mb
import resource
from transom import Context, SQLiteBackend, Store

found = {"start": resident_mb()}
context = Context(window=64_000, store=Store(SQLiteBackend(Path(sys.argv[3]))))
text = Path(sys.argv[2]).read_bytes()
if sys.argv[4] == "parsed":
    text = orjson.loads(text)
context.load(text, format="openai")
del text
found["loaded"] = resident_mb()
payload = context.compile_sync("openai").json()
found["compiled"] = resident_mb()
time.sleep(1)
found["rested"] = resident_mb()
found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
context.close()
print(orjson.dumps(found).decode())
"""


def measure() -> Iterable[Figure]:
    """Resident memory after the load, after the first compile, after a second of rest, and at most."""
    if not sys.platform.startswith("linux"):
        return
    with tempfile.TemporaryDirectory(prefix="bench-memory-") as folder:
        source = Path(folder) / "body.json"
        size = source.write_bytes(orjson.dumps(chat_body(session(COUNT)))) / 1e6
        bound = round(3 * size + 60, 1)
        yield Figure("session, as JSON", size, "MB", note=f"{COUNT:,} messages; bounds are 3 times that and 60 MB")
        for given in ("parsed", "text"):
            found = _run(source, Path(folder) / f"{given}.db", given)
            named = f"loaded as {'parsed JSON' if given == 'parsed' else 'JSON text'}"
            note = f"{found['start']:.0f} MB of it before"
            yield Figure(f"{named}: after the load", found["loaded"] * 1.048576, "MB", at_most=bound, note=note)
            yield Figure(f"{named}: after the first compile", found["compiled"] * 1.048576, "MB", at_most=bound)
            yield Figure(f"{named}: a second later", found["rested"] * 1.048576, "MB", at_most=bound)
            yield Figure(f"{named}: peak, reading the file included", found["peak"] * 1.048576, "MB")


def _run(source: Path, store: Path, given: str) -> dict[str, float]:
    command = [sys.executable, "-c", _CHILD, str(HERE), str(source), str(store), given]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found
