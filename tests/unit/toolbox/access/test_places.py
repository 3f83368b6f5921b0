"""Paths that a model names: where they lead, and what they never reach."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.tool import Refused

SECRET = b"MARK-7f3a"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in ("ws/real/deep", "outside"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "outside/secret.txt").write_bytes(SECRET)
    (tmp_path / "ws/a.txt").write_bytes(b"inside")
    (tmp_path / "ws/real/f.txt").write_bytes(b"real")
    return tmp_path


@pytest.fixture
def workspace(base: Path) -> Workspace:
    return Workspace([base / "ws"])


def refusal(work: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as caught:
        work()
    return caught.value


def error(work: Callable[[], object]) -> str:
    return refusal(work).error


@pytest.mark.feature("Z1")
@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "real/../a.txt", "real//..//a.txt", "real/deep/../../a.txt"])
def test_a_relative_path_is_read_below_the_working_directory(workspace: Workspace, path: str) -> None:
    assert workspace.place(path).read() == b"inside"


def test_an_absolute_path_inside_a_root_is_shown_relative(workspace: Workspace, base: Path) -> None:
    place = workspace.place(str(base / "ws/real/f.txt"))
    assert (place.shown, place.read()) == ("real/f.txt", b"real")


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt",
        "real/../../outside/secret.txt",
        "missing/../../outside/secret.txt",
        "real/deep/../../../outside",
    ],
)
def test_a_path_that_climbs_out_is_refused_with_the_folders_that_are_allowed(workspace: Workspace, path: str) -> None:
    refused = refusal(workspace.place(path).read)
    assert refused.error == "outside_root"
    assert workspace.roots.all[0].given in refused.text


def test_a_folder_whose_name_begins_with_the_roots_is_outside(workspace: Workspace, base: Path) -> None:
    (base / "ws-evil").mkdir()
    assert error(lambda: workspace.place(str(base / "ws-evil/x"))) == "outside_root"


def test_links_are_followed_inside_and_refused_outside(workspace: Workspace, base: Path) -> None:
    ws = base / "ws"
    (ws / "alias").symlink_to("real")
    (ws / "absolute").symlink_to(ws / "real")
    (ws / "chain").symlink_to("alias/../alias/f.txt")
    (ws / "out").symlink_to("../outside")
    (ws / "real/up").symlink_to("../a.txt")
    for path, data in {"alias/f.txt": b"real", "absolute/f.txt": b"real", "chain": b"real", "real/up": b"inside"}.items():
        assert workspace.place(path).read() == data
    for path in ("out", "out/secret.txt", "alias/../out/secret.txt"):
        assert error(workspace.place(path).stat) == "outside_root"


def test_links_in_a_circle_end(workspace: Workspace, base: Path) -> None:
    (base / "ws/one").symlink_to("two")
    (base / "ws/two").symlink_to("one")
    (base / "ws/self").symlink_to("self/self")
    assert error(workspace.place("one").read) == "io_error"
    assert error(workspace.place("self/x").read) == "io_error"
    assert error(workspace.place("one").status) == "io_error"


def test_a_link_that_leads_nowhere_is_judged_by_where_it_leads(workspace: Workspace, base: Path) -> None:
    (base / "ws/out").symlink_to("../outside/new.txt")
    (base / "ws/in").symlink_to("real/new.txt")
    assert error(lambda: workspace.place("out").replace(b"x")) == "outside_root"
    assert not workspace.place("in").exists()
    workspace.place("in").replace(b"made")
    assert (base / "ws/real/new.txt").read_bytes() == b"made"
    assert (base / "ws/in").is_symlink()
    assert not (base / "outside/new.txt").exists()


def test_a_new_file_below_a_link_out_is_refused_before_anything_is_made(workspace: Workspace, base: Path) -> None:
    (base / "ws/out").symlink_to("../outside")
    place = workspace.place("out/new/deep/file.txt")
    for work in (place.create_parents, place.make_folder, lambda: place.replace(b"x"), place.exists):
        assert error(work) == "outside_root"
    assert [path.name for path in (base / "outside").iterdir()] == ["secret.txt"]


def test_a_file_used_as_a_folder_is_not_there(workspace: Workspace) -> None:
    for path in ("a.txt/x", "a.txt/../a.txt"):
        refused = refusal(workspace.place(path).read)
        assert refused.error == "not_found"
        assert "a.txt is a file" in refused.text


def test_a_name_that_looks_like_another_is_told_apart_and_the_real_one_offered(workspace: Workspace, base: Path) -> None:
    (base / "ws/Shot 9.41\u202fPM.png").write_bytes(b"")
    (base / "ws/nai\u0308ve.txt").write_bytes(b"")
    (base / "ws/real/configuration.toml").write_bytes(b"")
    refused = refusal(workspace.place("Shot 9.41 PM.png").read)
    assert refused.data["nearest"] == "Shot 9.41\u202fPM.png"
    assert "U+202F where you sent U+0020" in refused.text
    assert refusal(workspace.place("na\u00efve.txt").read).data["nearest"] == "nai\u0308ve.txt"
    assert refusal(workspace.place("real/configuraton.toml").read).data["nearest"] == "real/configuration.toml"
    assert refusal(workspace.place("zzzzzz").read).data == {}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
@pytest.mark.timeout(20)
def test_what_is_no_file_is_never_opened(workspace: Workspace, base: Path) -> None:
    os.mkfifo(base / "ws/pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(base / "ws")
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        for name, kind in {"pipe": "FIFO", "socket": "socket", "real": "folder"}.items():
            for work in (workspace.place(name).read, lambda name=name: workspace.place(name).replace(b"x")):
                refused = refusal(work)
                assert refused.error == "not_a_file"
                assert kind in refused.text


def test_a_file_that_is_too_large_is_refused_with_another_way(workspace: Workspace) -> None:
    refused = refusal(lambda: workspace.place("a.txt").read(limit=5))
    assert refused.error == "too_large"
    assert "read_file_chunked" in refused.text


def test_what_configures_programs_is_read_and_never_written(workspace: Workspace, base: Path) -> None:
    (base / "ws/.git/hooks").mkdir(parents=True)
    (base / "ws/.git/config").write_bytes(b"[core]")
    (base / "ws/hooks").symlink_to(".git/hooks")
    assert workspace.place(".git/config").read() == b"[core]"
    for path in (".git/config", ".GIT/hooks/x", "hooks/pre-commit", ".git"):
        place = workspace.place(path)
        for work in (lambda place=place: place.replace(b"x"), place.remove, place.create_parents):
            assert error(work) == "protected_path"
    assert error(lambda: workspace.place("a.txt").move_to(workspace.place("hooks/pre-commit"))) == "protected_path"
    assert error(lambda: workspace.place("a.txt").copy_to(workspace.place(".git/x"), lambda: None)) == "protected_path"
    assert workspace.place("hooks").real() == str(base / "ws/.git/hooks")


def test_roots_of_which_one_does_not_exist_are_those_that_do(base: Path) -> None:
    workspace = Workspace([base / "gone", base / "ws"])
    assert workspace.missing == [str(base / "gone")]
    assert workspace.place("a.txt").read() == b"inside"
    refused = refusal(lambda: Workspace([base / "gone"]).place("a.txt"))
    assert refused.error == "unavailable"
    assert str(base / "gone") in refused.text


def test_a_link_from_one_root_may_lead_into_another(base: Path) -> None:
    (base / "ws/other").symlink_to(base / "outside")
    workspace = Workspace([base / "ws", base / "outside"])
    assert workspace.place("other/secret.txt").read() == SECRET
    place = workspace.place(str(base / "outside/secret.txt"))
    assert place.shown == str(base / "outside/secret.txt")
    assert workspace.place(place.shown).read() == SECRET


def test_roots_are_replaced_while_it_runs(workspace: Workspace, base: Path) -> None:
    workspace.change_directory("real")
    assert workspace.replace_roots([]) == ()
    assert workspace.replace_roots([base / "outside", base / "nowhere"]) == [str(base / "nowhere")]
    assert workspace.cwd == str(base / "outside")
    assert error(lambda: workspace.place(str(base / "ws/a.txt"))) == "outside_root"
    (base / "outside/sub").mkdir()
    workspace.change_directory("sub")
    workspace.replace_roots([base])
    assert workspace.cwd == str(base / "outside/sub")


def test_a_root_may_be_named_by_a_link(base: Path) -> None:
    (base / "named").symlink_to("ws")
    workspace = Workspace([base / "named"])
    for path in (base / "named/a.txt", base / "ws/a.txt"):
        assert workspace.place(str(path)).shown == "a.txt"


def test_the_working_directory_moves_within_the_roots_only(workspace: Workspace, base: Path) -> None:
    (base / "ws/out").symlink_to("../outside")
    (base / "ws/alias").symlink_to("real")
    for path in ("..", "out", str(base / "outside")):
        assert error(partial(workspace.change_directory, path)) == "outside_root"
    assert error(lambda: workspace.change_directory("a.txt")) == "not_a_file"
    assert error(lambda: workspace.change_directory("nowhere")) == "not_found"
    workspace.change_directory("alias")
    assert workspace.cwd == str(base / "ws/real")
    assert workspace.place("../a.txt").read() == b"inside"
    assert workspace.place(str(base / "ws/real/f.txt")).shown == "f.txt"
    assert workspace.for_session().cwd == str(base / "ws")


def test_it_says_whether_links_can_be_swapped_in(workspace: Workspace, base: Path) -> None:
    told = workspace.describe()
    assert told["roots"] == [str(base / "ws")]
    assert told["descriptors"] is (os.name != "nt")


@contextmanager
def swapping(path: Path, folder: Path, link: str) -> Iterator[None]:
    """Another process that swaps a folder for a link and back."""
    program = """
import os, sys
path, folder, link = sys.argv[1:]
while os.getppid() != 1:
    os.rename(folder, path)
    os.rename(path, folder)
    os.symlink(link, path)
    os.unlink(path)
"""
    process = subprocess.Popen([sys.executable, "-c", program, str(path), str(folder), link])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(os.name == "nt", reason="needs descriptors")
def test_a_link_swapped_in_is_followed_neither_for_reading_nor_for_writing(workspace: Workspace, base: Path) -> None:
    (base / "ws/other").mkdir()
    (base / "ws/other/secret.txt").write_bytes(b"fine")
    outcomes = set()
    place = workspace.place("d/secret.txt")
    with swapping(base / "ws/d", base / "ws/other", "../outside"):
        for turn in range(2_000):
            try:
                outcomes.add(place.read())
                if turn % 10 == 0:
                    place.replace(b"fine")
            except Refused as refused:
                outcomes.add(refused.error.encode())
    assert outcomes <= {b"fine", b"outside_root", b"not_found", b"io_error", b"drift"}
    assert {b"fine", b"outside_root"} <= outcomes
    assert (base / "outside/secret.txt").read_bytes() == SECRET
    assert [path.name for path in (base / "outside").iterdir()] == ["secret.txt"]


def test_where_no_name_is_near_some_that_there_are_are_told(workspace: Workspace) -> None:
    # Of a path that goes on, what is missing is a folder.
    missing = refusal(workspace.place("harbour/ships").read)
    assert "There is: " in missing.text
    assert "real/" in missing.text
    assert ".txt" not in missing.text
