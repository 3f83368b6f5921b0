"""One toolbox case: files and surroundings are set up in a folder of its own, a tool is called, what came of it is checked.

A case is data (``toolbox-*.jsonl``): which call must end how. Names of tools and arguments are the product's own, so nothing is
mapped here. What a case needs that is not there (a program, a sandbox) skips it and says so.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import shutil
import stat
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

CASES = Path(__file__).parent

STUB = '#!/bin/sh\n: > "{root}/CALLED"\n'


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a case file."""

    id: str
    area: str
    tool: str
    setup: Mapping[str, Any]
    args: Any
    expect: Literal["ok", "content", "reject"]
    expected: Mapping[str, Any]
    why: str
    platform: str | None
    requires: tuple[str, ...]
    danger: bool

    @property
    def lenient(self) -> bool:
        return bool(self.expected.get("allow_reject"))


def cases(*areas: str) -> Iterator[Case]:
    for area in areas:
        for line in (CASES / f"toolbox-{area}.jsonl").read_text(encoding="utf-8").splitlines():
            read = json.loads(line)
            yield Case(
                id=read["id"],
                area=read["area"],
                tool=read["tool"],
                setup=read["setup"],
                args=read["args"],
                expect=read["expect"],
                expected=read["expected"],
                why=read["why"],
                platform=read.get("platform"),
                requires=tuple(read.get("requires") or ()),
                danger=bool(read.get("danger")),
            )


def missing(case: Case) -> str:
    """Why a case cannot run here; empty if it can."""
    here = "windows" if os.name == "nt" else "posix"
    if case.platform and case.platform not in {here, sys.platform}:
        return f"for {case.platform} only"
    for need in case.requires:
        # Node is not what runs JavaScript here, and the Python is the one that runs this.
        if need in {"bash", "tar", "git"} and shutil.which(need) is None:
            return f"needs {need}"
        if need == "os_sandbox" and not sys.platform.startswith("linux"):
            return "needs a sandbox of the operating system"
    return ""


def content(value: Any) -> bytes:
    """The bytes that a case writes as text, base64 or repeated pieces."""
    match value:
        case str():
            return value.encode("utf-8", "surrogatepass")
        case {"b64": data}:
            return base64.b64decode(data)
        case {"gen": pieces}:
            return b"".join(content(text) * count for text, count in pieces)
        case _:
            raise AssertionError(f"no content: {value!r}")


class Place:
    """The folder of one case: ``{BASE}``, with ``{ROOT}`` in it."""

    def __init__(self, base: Path, case: Case, port: int = 0) -> None:
        self.base, self.root, self.case, self.port = base, base / "ws", case, port
        self.root.mkdir()
        setup = case.setup
        for name in setup.get("dirs", ()):
            (base / name).mkdir(parents=True, exist_ok=True)
        for name, value in setup.get("files", {}).items():
            path = base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content(self.filled(value)))
        for link, target in setup.get("symlinks", {}).items():
            (base / link).parent.mkdir(parents=True, exist_ok=True)
            (base / link).symlink_to(self.filled(target))
        for link, target in setup.get("hardlinks", {}).items():
            (base / link).hardlink_to(base / target)
        for name in setup.get("fifos", ()):
            os.mkfifo(base / name)
        for name, mode in setup.get("modes", {}).items():
            (base / name).chmod(int(mode, 8))
        if stubs := setup.get("stubs", ()):
            (base / "bin").mkdir(exist_ok=True)
            for name in stubs:
                (base / "bin" / name).write_text(STUB.format(root=self.root))
                (base / "bin" / name).chmod(0o755)
        self.before = self.seen()

    def filled(self, value: Any) -> Any:
        """A value with the places of this case in it."""
        match value:
            case str():
                for name, text in (("{BASE}", self.base), ("{ROOT}", self.root), ("{PORT}", self.port)):
                    value = value.replace(name, str(text))
                return value
            case list():
                return [self.filled(item) for item in value]
            case dict():
                return {self.filled(key): self.filled(item) for key, item in value.items()}
            case _:
                return value

    @property
    def environment(self) -> dict[str, str]:
        found = {name: str(value) for name, value in self.filled(dict(self.case.setup.get("env", {}))).items()}
        if self.case.setup.get("stubs"):
            found["PATH"] = f"{self.base / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return found

    def seen(self) -> dict[str, bytes]:
        """Every file below, by its name."""
        return {
            str(path.relative_to(self.base)): path.read_bytes()
            for path in sorted(self.base.rglob("*"))
            if not path.is_symlink() and stat.S_ISREG(path.stat().st_mode)
        }


def read_by_model(envelope: Mapping[str, Any]) -> str:
    """All that a model would read: the text, and every string of the structured part."""

    def strings(value: Any) -> Iterator[str]:
        match value:
            case str():
                yield value
            case dict():
                for key, item in value.items():
                    yield str(key)
                    yield from strings(item)
            case list():
                for item in value:
                    yield from strings(item)
            case _:
                yield json.dumps(value)

    return "\n".join([envelope["text"], *strings(envelope["data"]), json.dumps(envelope["data"], ensure_ascii=False)])


def check(case: Case, place: Place, envelope: Mapping[str, Any], took: float, size: int) -> None:
    """Assert whatever the case expects of one call.

    Args:
        case, place: what was called, and where.
        envelope: what came of it.
        took: milliseconds.
        size: bytes that were handed over.
    """
    want: Mapping[str, Any] = place.filled(dict(case.expected))
    said = read_by_model(envelope)
    refused = not envelope["ok"]
    about = f"{case.id}: {case.why}\n{json.dumps(envelope)[:2000]}"
    for text in want.get("not_contains", ()):
        assert text not in said, about
    for data in want.get("not_contains_b64", ()):
        assert base64.b64decode(data).decode("utf-8", "replace") not in said, about
    for name in want.get("unchanged", ()):
        assert (place.base / name).read_bytes() == place.before[name], f"{name} changed\n{about}"
    for name in want.get("absent", ()):
        assert not (place.base / name).exists(), f"{name} is there\n{about}"
    if "max_ms" in want:
        assert took <= want["max_ms"], f"{took:.0f} ms\n{about}"
    if "max_output_bytes" in want:
        assert size <= want["max_output_bytes"], f"{size} bytes\n{about}"
    if case.expect == "reject":
        assert refused, f"it worked\n{about}"
        assert not want.get("error") or envelope["error"] in want["error"], about
        return
    if refused and case.lenient:
        return
    if "error" in want and refused:
        assert envelope["error"] in want["error"], about
    elif "exit_code" not in want:
        assert not refused, about
    _content(want, place, envelope, said, about)


def _content(want: Mapping[str, Any], place: Place, envelope: Mapping[str, Any], said: str, about: str) -> None:
    for text in want.get("contains", ()):
        assert text in said, f"{text!r} is missing\n{about}"
    if any_of := want.get("contains_any"):
        assert any(text in said for text in any_of), about
    for name, value in {**want.get("files", {}), **want.get("files_kept", {})}.items():
        assert (place.base / name).read_bytes() == content(value), f"{name}: {(place.base / name).read_bytes()!r}\n{about}"
    for name, mode in want.get("modes", {}).items():
        assert stat.S_IMODE((place.base / name).stat().st_mode) == int(mode, 8), about
    for name, target in want.get("symlinks", {}).items():
        assert str((place.base / name).readlink()) == target, about
    for name, value in want.get("json", {}).items():
        assert json.loads((place.base / name).read_bytes()) == value, about
    for name, rows in want.get("csv_rows", {}).items():
        assert _rows(place.base / name) == rows, about
    for name, cells in want.get("csv_cell_json", {}).items():
        for row, column, value in cells:
            assert json.loads(_rows(place.base / name)[row][column]) == value, about
    if "result_json" in want:
        assert envelope["data"].get("value") == want["result_json"], about
    for name, value in want.get("fields", {}).items():
        assert envelope["data"].get(name) == value, about
    if "exit_code" in want:
        assert envelope["data"].get("exit_code") == want["exit_code"], about
    if "findings" in want:
        assert len(envelope["data"]["findings"]) == want["findings"], about
    if "findings_min" in want:
        assert len(envelope["data"]["findings"]) >= want["findings_min"], about
    if "archive" in want:
        with zipfile.ZipFile(place.base / want["archive"]) as archive:
            members = archive.namelist()
            held = b"".join(archive.read(name) for name in members)
        for name in want.get("archive_members_include", ()):
            assert any(member.split("/")[-1] == name for member in members), f"{members}\n{about}"
        for text in want.get("archive_not_contains", ()):
            assert text.encode() not in held, about
    for name in want.get("dead_pids_in", ()):
        for pid in (place.base / name).read_text().split():
            assert not Path(f"/proc/{pid}").exists(), about


def _rows(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
