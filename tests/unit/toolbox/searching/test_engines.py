"""Both engines find the same, and come back in time whatever they search and wherever they hang."""

from __future__ import annotations

import asyncio
import os
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.toolbox.searching.searching_box import Box

from transom.toolbox.searching import ripgrep
from transom.toolbox.searching.engine import Engine
from transom.toolbox.searching.globs import Globs
from transom.toolbox.searching.query import Query

BOTH: tuple[Engine, Engine] = ("ripgrep", "python")
POSIX = pytest.mark.skipif(os.name == "nt", reason="FIFOs and links")
needs_ripgrep = pytest.mark.skipif(ripgrep.program(os.environ) is None, reason="ripgrep is not installed")


@pytest.mark.parametrize("engine", BOTH)
async def test_lines_are_found_in_order_with_the_byte_of_the_match(box: Box, engine: Engine) -> None:
    box.write("b/late.txt", b"no\nfoo\r\n")
    box.write("a.txt", "äh foo\nbar\nFoo foo\n".encode())
    box.write("b.txt", b"foo")
    found = await box.probe(Query(pattern="foo"), engine)
    assert found["hits"] == [
        ["a.txt", 1, 5, "äh foo".encode().decode("latin-1")],
        ["a.txt", 3, 5, "Foo foo"],
        ["b/late.txt", 2, 1, "foo"],
        ["b.txt", 1, 1, "foo"],
    ]
    assert found["searched"] == 3
    assert found["complete"]


@pytest.mark.parametrize("engine", BOTH)
async def test_the_end_of_a_line_is_the_same_before_lf_and_crlf(box: Box, engine: Engine) -> None:
    box.write("a.txt", b"one foo\r\ntwo foo\nfoo three\r\n")
    found = await box.probe(Query(pattern="foo$"), engine)
    assert [hit[1] for hit in found["hits"]] == [1, 2]


@pytest.mark.parametrize("engine", BOTH)
async def test_utf_16_is_searched_and_binary_files_are_counted(box: Box, engine: Engine) -> None:
    box.write("wide.txt", b"\xff\xfe" + "größe\nneedle ü\n".encode("utf-16-le"))
    box.write("marked.txt", b"\xef\xbb\xbfneedle first\n")
    box.write("image.png", b"\x89PNG\0\0needle\0")
    box.write("old.txt", b"caf\xe9 needle\n")
    found = await box.probe(Query(pattern="needle"), engine)
    assert [hit[:3] for hit in found["hits"]] == [["marked.txt", 1, 1], ["old.txt", 1, 6], ["wide.txt", 2, 1]]
    assert found["skipped"] == {"binary": 1}


@pytest.mark.parametrize("engine", BOTH)
async def test_folders_that_tools_make_are_left_out_and_counted_with_files_that_are_too_large(box: Box, engine: Engine) -> None:
    box.write("node_modules/x/needle.js", b"needle\n")
    box.write("large.txt", b"needle\n" * 1000)
    box.write("build", b"needle in a file of that name\n")
    box.write(".hidden/x", b"needle\n")
    query = Query(pattern="needle", excluded=frozenset({"node_modules", "build"}), file_bytes=5000)
    found = await box.probe(query, engine)
    assert [hit[0] for hit in found["hits"]] == [".hidden/x", "build"]
    assert found["skipped"] == {"excluded": 1, "size": 1}


@pytest.mark.parametrize("engine", BOTH)
async def test_bounds_hold_for_a_file_and_for_the_whole_and_are_told(box: Box, engine: Engine) -> None:
    for name in "abc":
        box.write(f"{name}.txt", b"x\n" * 20)
    found = await box.probe(Query(pattern="x", per_file=5, most=12), engine)
    assert [hit[0] for hit in found["hits"]] == ["a.txt"] * 5 + ["b.txt"] * 5 + ["c.txt"] * 2
    assert found["capped"]
    assert found["fuller"][:2] == ["a.txt", "b.txt"]
    within = await box.probe(Query(pattern="x", file_lines=3, depth=1), engine)
    assert [hit[:2] for hit in within["hits"]] == [[f"{name}.txt", line] for name in "abc" for line in (1, 2, 3)]
    assert within["skipped"] == {"line_cap": 3}


@pytest.mark.parametrize("engine", BOTH)
async def test_lines_of_binary_files_do_not_use_up_the_bounds(box: Box, engine: Engine) -> None:
    box.write("a.db", b"\0 needle \n" * 100)
    box.write("b.txt", b"needle\n" * 20)
    found = await box.probe(Query(pattern="needle", most=30), engine)
    assert [hit[:2] for hit in found["hits"]] == [["b.txt", line] for line in range(1, 21)]
    assert found["skipped"] == {"binary": 1}
    assert not found["capped"]


@pytest.mark.parametrize("engine", BOTH)
async def test_globs_choose_files(box: Box, engine: Engine) -> None:
    for name in ("a.py", "src/b.py", "src/deep/c.py", "src/b.txt", "test/d.py"):
        box.write(name, b"x\n")
    for globs, expected in (
        (["*.py"], ["a.py", "src/b.py", "src/deep/c.py", "test/d.py"]),
        (["src/*.py"], ["src/b.py"]),
        (["src/**"], ["src/b.py", "src/b.txt", "src/deep/c.py"]),
        (["src/"], ["src/b.py", "src/b.txt", "src/deep/c.py"]),
        (["*.{py,txt}", "!src/**/*.py"], ["a.py", "src/b.txt", "test/d.py"]),
        (["!test"], ["a.py", "src/b.py", "src/b.txt", "src/deep/c.py"]),
    ):
        found = await box.probe(Query(pattern="x", globs=Globs(globs)), engine)
        assert sorted(hit[0] for hit in found["hits"]) == sorted(expected), (engine, globs)


@POSIX
@pytest.mark.parametrize("engine", BOTH)
async def test_links_are_not_followed_and_fifos_not_waited_for(box: Box, tmp_path: Path, engine: Engine) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"needle\n")
    (box.root / "out").symlink_to(tmp_path / "outside")
    (box.root / "file").symlink_to(tmp_path / "outside" / "secret")
    (box.root / "loop").symlink_to(box.root)
    os.mkfifo(box.root / "fifo")
    box.write("a", b"needle\n")
    begun = time.monotonic()
    found = await box.probe(Query(pattern="needle"), engine)
    assert [hit[0] for hit in found["hits"]] == ["a"]
    assert time.monotonic() - begun < 2


@needs_ripgrep
async def test_what_only_python_can_search_for_is_searched_by_python(box: Box) -> None:
    box.write("a", b"foobar\nfoo foo\nfoo\n<b>\n")
    for pattern, lines in ((r"foo(?!bar)", [2, 3]), (r"(foo) \1", [2]), (r"\<b\>", [4]), (r"fo{,2}$", [2, 3])):
        found = await box.probe(Query(pattern=pattern))
        assert [hit[1] for hit in found["hits"]] == lines, pattern
    assert (await box.probe(Query(pattern=r"foo(?!bar)")))["engine"] == "python"
    assert (await box.probe(Query(pattern=r"\<b\>")))["engine"] == "ripgrep"


async def test_a_pattern_is_never_an_option(box: Box) -> None:
    box.write("a", b"--files\n-e x\n--pre=./evil\n")
    for number, pattern in enumerate(("--files", "-e x", "--pre=./evil"), 1):
        found = await box.probe(Query(pattern=pattern, literal=True))
        assert [hit[1] for hit in found["hits"]] == [number]


@needs_ripgrep
@pytest.mark.skipif(sys.platform != "linux", reason="folders by descriptor")
async def test_a_folder_swapped_for_a_link_shows_nothing_of_what_it_leads_to(box: Box, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_bytes(b"needle secret\n")
    (box.root / "d").mkdir()
    (box.root / "d" / "f").write_bytes(b"needle inside\n")
    (box.root / "link").symlink_to(outside)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for old, new in (("d", "aside"), ("link", "d"), ("d", "link"), ("aside", "d")):
                (box.root / old).rename(box.root / new)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for engine in BOTH * 8:
            found = await box.probe(Query(pattern="needle"), engine)
            assert all("secret" not in hit[3] for hit in found["hits"])
            within = await box("ripgrep", pattern="needle", path="d")
            assert "secret" not in within.text
    finally:
        over.set()
        thread.join()


def no_own_ripgrep(monkeypatch: pytest.MonkeyPatch, path: Path) -> str:
    """As on a machine where nothing was installed beside the interpreter; gives a ``PATH``."""
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(path / "nowhere"))
    return str(path)


@pytest.fixture
def children() -> Callable[[], set[str]]:
    """The processes that were started here since the test began: other tests may keep some for their module."""

    def now() -> set[str]:
        return set(Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split())

    before = now()
    return lambda: now() - before


@pytest.mark.skipif(sys.platform != "linux", reason="looks for children in /proc")
@pytest.mark.feature("Z7")
async def test_a_pattern_that_takes_for_ever_ends_with_the_time_and_leaves_what_was_found_before(
    box: Box, children: Callable[[], set[str]]
) -> None:
    box.write("a.txt", b"aaaaab\n")
    box.write("b.txt", b"a" * 60 + b"!\n")
    box.write("c.txt", b"aab\n")
    begun = time.monotonic()
    found = await box.probe(Query(pattern="(a+)+b$", seconds=1.0), "python")
    assert time.monotonic() - begun < 10, "it ends with its time, which script/bench measures"
    assert [hit[0] for hit in found["hits"]] == ["a.txt"]
    assert not found["complete"]
    assert not children()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for children in /proc")
async def test_a_search_that_is_stopped_by_the_system_ends_with_the_time(
    box: Box, monkeypatch: pytest.MonkeyPatch, children: Callable[[], set[str]]
) -> None:
    # A program in the place of ripgrep that finds one line and then reads from a pipe nobody writes to.
    stuck = box.root.parent / "rg"
    stuck.write_text("#!/bin/sh\nprintf 'a.txt\\0001:1:needle\\n'\nread line <> fifo\n")
    stuck.chmod(0o755)
    os.mkfifo(box.root / "fifo")
    box.write("a.txt", b"needle\n")
    begun = time.monotonic()
    answer = await Box(box.root, path=no_own_ripgrep(monkeypatch, stuck.parent)).works("ripgrep", pattern="needle")
    assert 2.5 < time.monotonic() - begun < 15
    assert answer.data["aborted"]
    assert answer.data["hits"][0]["path"] == "a.txt"
    assert not children()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for children in /proc")
async def test_a_cancelled_search_leaves_nothing_running(box: Box, children: Callable[[], set[str]]) -> None:
    box.write("b.txt", b"a" * 60 + b"!\n")
    # What the judgement would refuse: here only the time, or the caller, can end it.
    running = asyncio.create_task(box.probe(Query(pattern="(a+)+b$", seconds=30.0), "python"))
    while not children():  # noqa: ASYNC110 - another process's birth tells nobody
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not children()


async def test_without_ripgrep_python_searches(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.write("a", b"needle\n")
    answer = await Box(box.root, path=no_own_ripgrep(monkeypatch, box.root.parent)).works("ripgrep", pattern="NEEDLE")
    assert answer.data["engine"] == "python"
    assert answer.data["total"] == 1


async def test_a_ripgrep_that_does_not_start_is_replaced(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = box.root.parent / "rg"
    broken.write_bytes(b"not a program")
    broken.chmod(0o755)
    box.write("a", b"needle\n")
    box = Box(box.root, path=no_own_ripgrep(monkeypatch, broken.parent))
    assert (await box.works("ripgrep", pattern="needle")).data["engine"] == "python"


PIECES = st.sampled_from(
    ["a", "b", "é", "x1", " ", ".", "\\.", "[ab]", "[^a]", "(a|b)", "a+", "b?", "\\w", "\\d", "^", "$", "\\b", "-"]
)
LINES = st.lists(st.text("abé x1:.-", max_size=8), max_size=6)


@needs_ripgrep
@settings(max_examples=15)
@given(
    pattern=st.lists(PIECES, min_size=1, max_size=4).map("".join),
    lines=LINES,
    end=st.sampled_from(["\n", "\r\n"]),
    ignore_case=st.booleans(),
)
async def test_both_engines_find_the_same(pattern: str, lines: list[str], end: str, ignore_case: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "ws"
        root.mkdir()
        box = Box(root)
        box.write("a.txt", end.join(lines).encode())
        query = Query(pattern=pattern, ignore_case=ignore_case)
        one, other = [(await box.probe(query, engine))["hits"] for engine in BOTH]
        assert one == other
