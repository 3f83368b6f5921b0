"""What the documentation says is tried: examples run, sessions give the output shown, links lead somewhere, pages are found."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from transom.cli.app import COMMANDS
from transom.settings import load

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "AGENTS.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / "changelog.d").glob("*.md"),
]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
KINDS = {"added", "changed", "fixed", "removed", "security"}


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(page, text.count("\n", 0, found.start()) + 1, found[1], found[2])


BLOCKS = [block for page in PAGES for block in blocks(page)]


def of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


def squeezed(text: str) -> str:
    return re.sub(" +", " ", text)


def environment() -> dict[str, str]:
    """``transom`` and ``python`` are those of this test run."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}


@pytest.mark.feature("U5")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_runs(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", example],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.feature("U5")
@pytest.mark.parametrize("block", of("python"), ids=str)
def test_every_python_block_is_a_passage_of_an_example(block: Block) -> None:
    assert any(block.text in example.read_text(encoding="utf-8") for example in EXAMPLES), (
        "copy it from a file in docs/examples"
    )


@pytest.mark.parametrize("page", sorted({block.page for block in of("console")}), ids=lambda page: page.name)
def test_every_session_gives_the_output_shown(page: Path, tmp_path: Path) -> None:
    """The sessions of a page run one after the other in one folder. ``…`` stands for anything, blanks for any blanks."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for example in EXAMPLES:
        (tmp_path / example.name).write_bytes(example.read_bytes())
    for block in blocks(page):
        if block.language != "console":
            continue
        for session in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, expected = session.partition("\n")
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=tmp_path,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=120,
                check=False,
            )
            pattern = ".*".join(re.escape(squeezed(piece)) for piece in expected.split("…"))
            assert re.fullmatch(pattern, squeezed(done.stdout), re.DOTALL), f"{block}: $ {command}\n{done.stdout}"


@pytest.mark.parametrize("block", of("toml"), ids=str)
def test_every_settings_file_shown_is_valid(block: Block, tmp_path: Path) -> None:
    assert tomllib.loads(block.text)
    (tmp_path / "transom.toml").write_text(block.text, encoding="utf-8")
    load(directory=tmp_path, environment={}, user=tmp_path / "none")


def test_every_json_shown_is_json() -> None:
    for block in of("json"):
        json.loads(block.text)


@pytest.mark.parametrize("block", of("sh", "console"), ids=str)
def test_every_command_named_exists(block: Block) -> None:
    for script in re.findall(r"\b(?:script|\.ci)/[\w-]+", block.text):
        assert os.access(ROOT / script, os.X_OK), script
    names = {command.name for command in COMMANDS}
    for name in re.findall(r"^(?:\$ )?(?:\w+=\S+ )*transom (\w+)", block.text, re.MULTILINE):
        assert name in names


def test_every_block_says_what_it_is() -> None:
    known = {"python", "console", "sh", "toml", "json", "text"}
    assert [str(block) for block in BLOCKS if block.language not in known] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert [target for target in targets if target and not (page.parent / target).exists()] == []


def test_every_page_is_reached_from_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {
        (index.parent / target).resolve() for target in re.findall(r"\]\(([^)#\s]+)\)", index.read_text(encoding="utf-8"))
    }
    assert [
        str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md")) if page != index and page not in linked
    ] == []


def test_generated_pages_are_what_the_code_says() -> None:
    """In a process of its own: what this suite spreads over the engine is none of the code's."""
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_changelog_fragment_has_a_kind_and_says_something() -> None:
    for path in (ROOT / "changelog.d").iterdir():
        if path.name != "README.md":
            assert path.name.split(".")[1:] in [[kind, "md"] for kind in KINDS], path.name
            assert path.read_text(encoding="utf-8").strip(), path.name


def test_the_guide_for_those_who_work_here_is_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) < 120
