"""Runs benchmarks, prints what they found and writes it as JSON. Exit 1 when a promised bound is broken.

Each benchmark runs in a process of its own, so that none measures what another left in memory. ``--one`` is such a process.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from figures import Figure

HERE = Path(__file__).resolve().parent
SLOWEST = 900
"""Seconds after which a benchmark is given up."""


def main() -> int:
    """Run what was asked for."""
    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="script/bench", description="Run benchmarks and hold them to the project's bounds.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(names)}")
    parser.add_argument("--peers", action="store_true", help="also beside other people's libraries, installed for the run")
    parser.add_argument("--all", action="store_true", help="also those that need the network, peers included")
    parser.add_argument(
        "--json", type=Path, default=HERE.parent / "bench-results.json", metavar="FILE", help="where the JSON goes"
    )
    parser.add_argument("--one", metavar="NAME", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        return _one(given.one)
    if unknown := sorted(set(given.names) - set(names)):
        parser.error(f"no such benchmark: {', '.join(unknown)} (there are {', '.join(names)})")

    results: dict[str, list[dict[str, object]]] = {}
    failed: list[str] = []
    broken = 0
    begun = datetime.now(UTC)
    for name in given.names or names:
        module = importlib.import_module(f"bench_{name}")
        network, peers = getattr(module, "NETWORK", False), getattr(module, "PEERS", False)
        if not given.names and ((network and not given.all and not peers) or (peers and not (given.peers or given.all))):
            continue
        print(f"\n{name}: {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
        try:
            for figure in _figures(name):
                broken += not figure.kept
                results.setdefault(name, []).append(as_json(figure))
                print(f"  {_line(figure)}", flush=True)
        except RuntimeError as error:
            failed.append(name)
            print(f"  {error}", file=sys.stderr, flush=True)
    document = {"date": f"{begun:%Y-%m-%d}", "machine": _machine(), "failed": failed, "figures": results}
    given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    said = [f"{broken} bound{'s' * (broken > 1)} broken"] * bool(broken) + [f"{', '.join(failed)} failed"] * bool(failed)
    print("; ".join([f"\nwritten: {given.json.name}", *said]))
    return 1 if broken or failed else 0


def _figures(name: str) -> Iterator[Figure]:
    """What a benchmark found, as it finds it.

    Raises:
        RuntimeError: it failed, or took too long.
    """
    command = [sys.executable, str(HERE / "run.py"), "--one", name]
    deadline = time.monotonic() + SLOWEST
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                yield Figure(**json.loads(line))
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{name} took more than {SLOWEST} seconds")
            process.wait(SLOWEST)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise RuntimeError(f"{name} ended with {process.returncode}")


def _one(name: str) -> int:
    for figure in importlib.import_module(f"bench_{name}").measure():
        fields = ("what", "value", "unit", "at_most", "at_least", "note")
        print(json.dumps({field: getattr(figure, field) for field in fields}), flush=True)
    return 0


def _line(figure: Figure) -> str:
    bound = f"({figure.bound})" if figure.bound else ""
    mark = "" if figure.kept else "  <-- BROKEN"
    return f"{figure.what:<60} {figure.value:>12,.2f} {figure.unit:<4} {bound:<16} {figure.note}{mark}".rstrip()


def _machine() -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def as_json(figure: Figure) -> dict[str, object]:
    """A figure for the file."""
    return {
        "what": figure.what,
        "value": round(figure.value, 4),
        "unit": figure.unit,
        "at_most": figure.at_most,
        "at_least": figure.at_least,
        "kept": figure.kept,
        "note": figure.note,
    }


if __name__ == "__main__":
    sys.exit(main())
