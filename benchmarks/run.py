"""Runs benchmarks, prints what they found and writes it as JSON. Exit 1 when a promised bound is broken."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from pathlib import Path

from figures import Figure

HERE = Path(__file__).resolve().parent


def main() -> int:
    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="script/bench", description="Run benchmarks and hold them to the project's bounds.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(names)}")
    parser.add_argument("--all", action="store_true", help="also those that need the network")
    parser.add_argument(
        "--json", type=Path, default=HERE.parent / "bench-results.json", metavar="FILE", help="where the JSON goes"
    )
    given = parser.parse_args()
    if unknown := sorted(set(given.names) - set(names)):
        parser.error(f"no such benchmark: {', '.join(unknown)} (there are {', '.join(names)})")

    results: dict[str, list[dict[str, object]]] = {}
    broken = 0
    for name in given.names or names:
        module = importlib.import_module(f"bench_{name}")
        if getattr(module, "NETWORK", False) and not (given.all or given.names):
            continue
        print(f"\n{name}: {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
        for figure in module.measure():
            broken += not figure.kept
            results.setdefault(name, []).append(as_json(figure))
            mark = "" if figure.kept else "  <-- BROKEN"
            bound = f"  ({figure.bound})" if figure.bound else ""
            note = f"  {figure.note}" if figure.note else ""
            print(f"  {figure.what:<56} {figure.value:>12,.2f} {figure.unit}{bound}{note}{mark}", flush=True)
    machine = {
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
    }
    given.json.write_text(json.dumps({"machine": machine, "figures": results}, indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten: {given.json.name}" + (f"; {broken} bound{'s' * (broken > 1)} broken" if broken else ""))
    return 1 if broken else 0


def as_json(figure: Figure) -> dict[str, object]:
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
