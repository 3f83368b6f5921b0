"""Files replaced, moved, copied and removed through places: as one, and with what they are kept."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.toolbox.access.intents import Intents, Named, Planned, digest_of, temporary_name
from transom.toolbox.access.roots import Roots
from transom.toolbox.access.workspace import Change, Workspace
from transom.toolbox.tool import Refused

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs permission bits and links")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.txt").write_bytes(b"old")
    return root


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Workspace:
    return Workspace([root], intents=Intents(tmp_path / "intents"))


def error(work: Callable[[], object]) -> str:
    with pytest.raises(Refused) as caught:
        work()
    return caught.value.error


def names(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


@POSIX
@pytest.mark.parametrize("mode", [0o755, 0o640, 0o600, 0o4755])
def test_permission_bits_stay(workspace: Workspace, root: Path, mode: int) -> None:
    (root / "a.txt").chmod(mode)
    workspace.place("a.txt").replace(b"new")
    assert stat.S_IMODE((root / "a.txt").stat().st_mode) == mode


@POSIX
def test_a_new_file_has_the_bits_that_the_system_gives(workspace: Workspace, root: Path) -> None:
    (root / "plain").write_bytes(b"")
    workspace.place("made").replace(b"new")
    assert (root / "made").stat().st_mode == (root / "plain").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="needs extended attributes")
def test_extended_attributes_stay(workspace: Workspace, root: Path) -> None:
    try:
        os.setxattr(root / "a.txt", "user.origin", b"here")
    except OSError:
        pytest.skip("this file system has none")
    workspace.place("a.txt").replace(b"new")
    assert os.getxattr(root / "a.txt", "user.origin") == b"here"


@POSIX
def test_a_link_stays_and_another_name_keeps_the_old_bytes(workspace: Workspace, root: Path) -> None:
    (root / "link").symlink_to("a.txt")
    (root / "hard").hardlink_to(root / "a.txt")
    workspace.place("link").replace(b"new", expected=b"old")
    assert (root / "link").is_symlink()
    assert (root / "a.txt").read_bytes() == b"new"
    assert (root / "hard").read_bytes() == b"old"


def test_a_file_that_is_not_what_was_read_is_left_alone(workspace: Workspace, root: Path) -> None:
    place = workspace.place("a.txt")
    (root / "a.txt").write_bytes(b"old, and more")
    assert error(lambda: place.replace(b"new", expected=b"old")) == "drift"
    assert error(lambda: place.replace(b"new", expected=None)) == "drift"
    assert error(lambda: workspace.place("gone").replace(b"new", expected=b"old")) == "drift"
    assert names(root) == ["a.txt"]
    assert (root / "a.txt").read_bytes() == b"old, and more"


def test_a_write_protected_file_is_left_alone(workspace: Workspace, root: Path) -> None:
    (root / "a.txt").chmod(0o444)
    assert error(lambda: workspace.place("a.txt").replace(b"new")) == "io_error"
    assert (root / "a.txt").read_bytes() == b"old"


def test_a_file_in_a_folder_that_is_missing_is_made_once_the_folder_is(workspace: Workspace, root: Path) -> None:
    place = workspace.place("one/two/file")
    assert error(lambda: place.replace(b"x")) == "not_found"
    place.create_parents()
    place.create_parents()
    place.replace(b"x", expected=None)
    assert names(root) == ["a.txt", "one", "one/two", "one/two/file"]


def test_moving_takes_nobodys_place(workspace: Workspace, root: Path) -> None:
    (root / "b.txt").write_bytes(b"other")
    (root / "folder/inner").mkdir(parents=True)
    (root / "empty").mkdir()

    def move(one: str, other: str) -> None:
        workspace.place(one).move_to(workspace.place(other))

    for one, other in [("a.txt", "b.txt"), ("a.txt", "folder"), ("folder", "empty"), ("folder", "folder/inner/new")]:
        assert error(partial(move, one, other)) == "invalid_input"
    assert error(lambda: move("a.txt", "nowhere/a.txt")) == "not_found"
    assert error(lambda: move(".", "x")) == "protected_path"
    move("folder", "moved")
    move("a.txt", "moved/inner/a.txt")
    assert names(root) == ["b.txt", "empty", "moved", "moved/inner", "moved/inner/a.txt"]


@POSIX
def test_a_link_moves_and_goes_as_a_link(workspace: Workspace, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept").write_bytes(b"")
    (root / "link").symlink_to("../outside")
    workspace.place("link").move_to(workspace.place("moved"))
    assert str((root / "moved").readlink()) == "../outside"
    workspace.place("moved").remove()
    (root / "folder").mkdir()
    (root / "folder/link").symlink_to(tmp_path / "outside")
    assert workspace.place("folder").remove_all(lambda: None) == 2
    assert names(root) == ["a.txt"]
    assert (tmp_path / "outside/kept").exists()


def test_a_folder_with_something_protected_in_it_is_not_removed_at_all(workspace: Workspace, root: Path) -> None:
    (root / "project/.git").mkdir(parents=True)
    (root / ".config/git").mkdir(parents=True)
    (root / "project/a.txt").write_bytes(b"")
    before = names(root)
    assert error(lambda: workspace.place("project").remove_all(lambda: None)) == "protected_path"
    assert error(lambda: workspace.place(".config").remove_all(lambda: None)) == "protected_path"
    assert error(lambda: workspace.place("project").remove()) == "not_a_file"
    assert names(root) == before


def test_a_copy_has_the_bytes_and_permissions_and_is_not_left_half_made(workspace: Workspace, root: Path) -> None:
    data = os.urandom(3_000_000)
    (root / "large").write_bytes(data)
    (root / "large").chmod(0o755)
    assert workspace.place("large").copy_to(workspace.place("copy"), lambda: None) == len(data)
    assert (root / "copy").read_bytes() == data
    assert (root / "copy").stat().st_mode == (root / "large").stat().st_mode
    assert error(lambda: workspace.place("a.txt").copy_to(workspace.place("copy"), lambda: None)) == "invalid_input"

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workspace.place("large").copy_to(workspace.place("half"), stop)
    assert names(root) == ["a.txt", "copy", "large"]


def test_many_files_change_as_one(workspace: Workspace, root: Path) -> None:
    (root / "b.txt").write_bytes(b"bee")
    places = [workspace.place(name) for name in ("a.txt", "b.txt", "c.txt")]
    workspace.apply(
        [
            Change(place=places[0], data=b"new", expected=b"old"),
            Change(place=places[1], data=None, expected=b"bee"),
            Change(place=places[2], data=b"see", expected=None),
        ]
    )
    assert names(root) == ["a.txt", "c.txt"]
    assert (root / "a.txt").read_bytes() == b"new"


@pytest.mark.parametrize("stale", [0, 1, 2])
def test_many_files_stay_what_they_are_when_one_is_not_what_was_expected(workspace: Workspace, root: Path, stale: int) -> None:
    (root / "b.txt").write_bytes(b"bee")
    changes = [
        Change(place=workspace.place("a.txt"), data=b"new", expected=b"old"),
        Change(place=workspace.place("b.txt"), data=None, expected=b"bee"),
        Change(place=workspace.place("c.txt"), data=b"see", expected=None),
    ]
    (root / ("a.txt", "b.txt", "c.txt")[stale]).write_bytes(b"somebody's")
    before = {name: (root / name).read_bytes() for name in names(root)}
    assert error(lambda: workspace.apply(changes)) == "drift"
    assert {name: (root / name).read_bytes() for name in names(root)} == before


@POSIX
def test_more_files_than_a_process_may_hold_open_change_as_one(workspace: Workspace, root: Path) -> None:
    import resource

    for number in range(5):
        (root / f"d{number}").mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(150, hard), hard))
    try:
        workspace.apply(
            [Change(place=workspace.place(f"d{number % 5}/{number}"), data=b"x", expected=None) for number in range(200)]
        )
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(names(root)) == 206


def test_whoever_reads_meanwhile_sees_the_old_bytes_or_the_new(workspace: Workspace, root: Path) -> None:
    program = """
import sys
bad = 0
print("ready", flush=True)
while True:
    data = open(sys.argv[1], "rb").read()
    if len(set(data)) != 1 or len(data) != 200_000:
        print("torn", len(data), flush=True)
        break
"""
    place = workspace.place("a.txt")
    place.replace(b"0" * 200_000)
    with subprocess.Popen([sys.executable, "-c", program, str(root / "a.txt")], stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"ready\n"
        for number in range(100):
            place.replace(b"%d" % (number % 10) * 200_000)
        running = reader.poll() is None
        reader.kill()
        assert running


# ── what a kill leaves ────────────────────────────────────────────────────────────────────────────────────────────────

WORK = """
import sys
from pathlib import Path
from transom.toolbox.access.intents import Intents
from transom.toolbox.access.roots import Roots
from transom.toolbox.access.workspace import Change, Workspace
root, intents = sys.argv[1:]
workspace = Workspace([root], intents=Intents(Path(intents)))
single, one, other = (workspace.place(name) for name in ("single", "one", "other"))
turn = int(single.read())
while True:
    old, new = b"%d" % turn * 1, b"%d" % (turn + 1)
    single.replace(new, expected=old)
    workspace.apply([Change(place=one, data=new, expected=old), Change(place=other, data=new, expected=old)])
    workspace.place(f"moving{turn}").move_to(workspace.place(f"moving{turn + 1}"))
    turn += 1
    print(turn, flush=True)
"""


@POSIX
def test_a_kill_leaves_no_litter_and_no_half_changes(root: Path, tmp_path: Path) -> None:
    for name in ("single", "one", "other", "moving0"):
        (root / name).write_bytes(b"0")
    intents = tmp_path / "intents"
    told = 0
    for attempt in range(8):
        with subprocess.Popen([sys.executable, "-c", WORK, str(root), str(intents)], stdout=subprocess.PIPE) as worker:
            assert worker.stdout is not None
            told = int(worker.stdout.readline())
            # A random moment: the parts of a turn take some milliseconds.
            end = time.monotonic() + (attempt * 0.0037) % 0.012
            while time.monotonic() < end:
                pass
            worker.kill()
            told = int((worker.stdout.read().split() or [b"%d" % told])[-1])
        assert Workspace([root], intents=Intents(intents)).tidy() == []
        assert list(intents.iterdir()) == []
        assert [name for name in names(root) if name.startswith(".")] == []
        single, one, other = (int((root / name).read_bytes()) for name in ("single", "one", "other"))
        assert one == other
        assert told <= one <= single <= told + 1
        (moving,) = (name for name in names(root) if name.startswith("moving"))
        assert told <= int(moving.removeprefix("moving")) <= one
        for name in ("single", "one", "other"):
            (root / name).write_bytes(b"%d" % single)
        (root / moving).rename(root / f"moving{single}")


def planned(root: Path, name: str, temporary: str, before: bytes | None, after: bytes | None) -> Planned:
    target = Named(str(root), (), name)
    return Planned(target=target, temporary=temporary, before=digest_of(before), after=digest_of(after))


def left_behind(intents: Path, journal: Path, cut: int = 0) -> None:
    """Make it look as if the owner of a journal were gone."""
    (written,) = journal.iterdir()
    intents.mkdir(exist_ok=True)
    data = written.read_bytes()
    copy = intents / written.name
    copy.write_bytes(data[: len(data) - cut])
    copy.chmod(0o600)


@pytest.mark.parametrize("decided", [True, False])
def test_a_change_of_many_files_is_finished_if_it_was_decided_and_undone_if_not(
    root: Path, tmp_path: Path, decided: bool
) -> None:
    (root / "b.txt").write_bytes(b"bee")
    temporary = temporary_name()
    (root / temporary).write_bytes(b"new")
    writer = Intents(tmp_path / "journal", tmp_path / "key")
    number = writer.begin_plan([planned(root, "a.txt", temporary, b"old", b"new"), planned(root, "b.txt", "", b"bee", None)])
    if decided:
        writer.decide(number)
    left_behind(tmp_path / "intents", tmp_path / "journal")
    assert Intents(tmp_path / "intents", tmp_path / "key").recover(Roots([root])) == []
    assert names(root) == (["a.txt"] if decided else ["a.txt", "b.txt"])
    assert (root / "a.txt").read_bytes() == (b"new" if decided else b"old")


def test_what_somebody_changed_meanwhile_is_left_and_named(root: Path, tmp_path: Path) -> None:
    temporary = temporary_name()
    (root / temporary).write_bytes(b"new")
    writer = Intents(tmp_path / "journal", tmp_path / "key")
    writer.decide(writer.begin_plan([planned(root, "a.txt", temporary, b"was", b"new")]))
    left_behind(tmp_path / "intents", tmp_path / "journal")
    assert Intents(tmp_path / "intents", tmp_path / "key").recover(Roots([root])) == [str(root / "a.txt")]
    assert names(root) == ["a.txt"]
    assert (root / "a.txt").read_bytes() == b"old"


def test_the_work_of_a_process_that_lives_is_let_alone(root: Path, tmp_path: Path) -> None:
    temporary = temporary_name()
    (root / temporary).write_bytes(b"half")
    alive = Intents(tmp_path / "intents")
    number = alive.begin(Named(str(root), (), temporary))
    assert Intents(tmp_path / "intents", tmp_path / "key").recover(Roots([root])) == []
    assert (root / temporary).exists()
    alive.end(number)
    alive.close()
    assert list((tmp_path / "intents").iterdir()) == []


@pytest.mark.parametrize("name", ["a.txt", "../ws/a.txt", ".transom-0123456789abcdef.tmp/../a.txt"])
def test_a_journal_removes_nothing_but_temporary_files(root: Path, tmp_path: Path, name: str) -> None:
    writer = Intents(tmp_path / "journal", tmp_path / "key")
    writer.begin(Named(str(root), (), name))
    left_behind(tmp_path / "intents", tmp_path / "journal")
    Intents(tmp_path / "intents", tmp_path / "key").recover(Roots([root]))
    assert names(root) == ["a.txt"]


@pytest.mark.parametrize("folder", [(), ("..", "outside"), ("sub", "..", "..", "outside")])
def test_a_journal_reaches_nothing_outside_the_roots(root: Path, tmp_path: Path, folder: tuple[str, ...]) -> None:
    (tmp_path / "outside").mkdir()
    (root / "sub").mkdir()
    temporary = temporary_name()
    for name in (temporary, "kept"):
        (tmp_path / "outside" / name).write_bytes(b"known")
    top = str(root) if folder else str(tmp_path / "outside")
    writer = Intents(tmp_path / "journal", tmp_path / "key")
    writer.begin(Named(top, folder, temporary))
    kept = Planned(target=Named(top, folder, "kept"), temporary="", before=digest_of(b"known"), after="")
    writer.decide(writer.begin_plan([kept]))
    left_behind(tmp_path / "intents", tmp_path / "journal")
    assert Intents(tmp_path / "intents", tmp_path / "key").recover(Roots([root])) == []
    assert len(names(tmp_path / "outside")) == 2
    assert len(names(tmp_path / "intents")) == 1


@POSIX
def test_a_journal_reaches_nothing_through_a_link_that_came_meanwhile(root: Path, tmp_path: Path) -> None:
    temporary = temporary_name()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / temporary).write_bytes(b"")
    (root / "sub").symlink_to("../outside")
    (root / "inner").mkdir()
    (root / "inner" / temporary).write_bytes(b"")
    (root / "other").symlink_to("inner")
    writer = Intents(tmp_path / "journal", tmp_path / "key")
    writer.begin(Named(str(root), ("sub",), temporary))
    writer.begin(Named(str(root), ("other",), temporary))
    left_behind(tmp_path / "intents", tmp_path / "journal")
    Intents(tmp_path / "intents", tmp_path / "key").recover(Roots([root]))
    assert (tmp_path / "outside" / temporary).exists()
    assert (root / "inner" / temporary).exists()


@given(cut=st.integers(0, 400), noise=st.binary(max_size=40))
@settings(max_examples=40, deadline=None)
def test_a_journal_that_was_cut_or_damaged_never_stops_a_start(
    tmp_path_factory: pytest.TempPathFactory, cut: int, noise: bytes
) -> None:
    base = tmp_path_factory.mktemp("damaged")
    writer = Intents(base / "journal", base / "key")
    writer.end(writer.begin(Named(str(base), (), temporary_name())))
    writer.begin_plan([planned(base, "a", temporary_name(), b"1", b"2")])
    (written,) = (base / "journal").iterdir()
    (base / "intents").mkdir()
    copy = base / "intents" / written.name
    copy.write_bytes(written.read_bytes()[: -cut or None] + noise)
    copy.chmod(0o600)
    assert Intents(base / "intents", base / "key").recover(Roots([base])) == []
    writer.close()


def test_no_tool_writes_the_files_of_the_program_itself(root: Path) -> None:
    for name in ("agent.db", "agent.db-wal", "agent.db-intents/1.intents", "agent.dbx"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(b"")
    workspace = Workspace([root], own=[root / "agent.db"], intents=Intents(root / "agent.db-intents"))
    for name in ("agent.db", "agent.db-wal", "agent.db-intents", "agent.db-intents/1.intents"):
        place = workspace.for_session().place(name)
        assert error(lambda place=place: place.replace(b"x")) == "protected_path"  # type: ignore[misc]
        assert error(partial(place.remove_all, lambda: None)) == "protected_path"
    workspace.place("agent.dbx").replace(b"x")
    (root / "sub").mkdir()
    inner = Workspace([root], own=[root / "sub/agent.db"])
    assert error(lambda: inner.place("sub").move_to(inner.place("moved"))) == "protected_path"


def test_the_journal_does_not_grow_for_ever(workspace: Workspace, tmp_path: Path) -> None:
    intents = workspace.intents
    assert intents is not None
    for _ in range(2_000):
        intents.end(intents.begin(Named("/nowhere", (), temporary_name())))
    (journal,) = (tmp_path / "intents").iterdir()
    assert journal.stat().st_size < 100_000


@POSIX
def test_what_a_protected_name_leads_to_is_protected_under_every_name(root: Path) -> None:
    for folder in ("conf", "gd/hooks", "common", "hooked", "free"):
        (root / folder).mkdir(parents=True)
    (root / ".vscode").symlink_to("conf")
    (root / ".git").write_text("gitdir: gd\n")
    (root / "gd/commondir").write_text("../common\n")
    (root / "common/config").write_text("[core]\n\thooksPath = hooked\n")
    workspace = Workspace([root])
    for name in (
        "conf/tasks.json",
        ".vscode/tasks.json",
        "gd/hooks/pre-commit",
        "gd/config",
        "common/config",
        "hooked/pre-push",
        "conf",
    ):
        place = workspace.place(name)
        assert error(lambda place=place: place.replace(b"x")) == "protected_path", name  # type: ignore[misc]
    assert error(lambda: workspace.place("conf").move_to(workspace.place("moved"))) == "protected_path"
    assert error(partial(workspace.place("gd").remove_all, lambda: None)) == "protected_path"
    workspace.place("free/x").replace(b"x")


@pytest.mark.parametrize(
    ("folder", "name", "temporary"),
    [
        ((), ".envrc", "given"),
        ((".git", "hooks"), "pre-commit", "given"),
        ((), "agent.db-wal", "given"),
        ((), "../escaped", "given"),
        (("sub/../..",), "escaped", "given"),
        (("..",), "escaped", "given"),
        ((), "plain", "p"),
        (("sub",), "plain", "../p"),
    ],
)
def test_even_a_sealed_journal_does_only_what_a_tool_could_have_done(
    root: Path, tmp_path: Path, folder: tuple[str, ...], name: str, temporary: str
) -> None:
    for made in (".git/hooks", "sub"):
        (root / made).mkdir(parents=True)
    given = temporary_name() if temporary == "given" else temporary
    for place in (root / "p", root / given, root.joinpath(*folder[:2], given) if ".." not in str(folder) else root / given):
        place.write_bytes(b"new")
    writer = Intents(tmp_path / "journal", tmp_path / "key")
    target = Named(str(root), folder, name)
    writer.decide(writer.begin_plan([Planned(target=target, temporary=given, before="", after=digest_of(b"new"))]))
    left_behind(tmp_path / "intents", tmp_path / "journal")
    before = {path for path in tmp_path.rglob("*") if "journal" not in path.parts}
    assert Intents(tmp_path / "intents", tmp_path / "key").recover(Roots([root]), [str(root / "agent.db")]) == []
    assert {path for path in tmp_path.rglob("*") if "journal" not in path.parts} == before


def test_a_journal_that_is_not_sealed_or_not_wholly_is_acted_on_up_to_there(root: Path, tmp_path: Path) -> None:
    first, second = temporary_name(), temporary_name()
    for name in (first, second):
        (root / name).write_bytes(b"")
    writer = Intents(tmp_path / "journal", tmp_path / "key")
    writer.begin(Named(str(root), (), first))
    left_behind(tmp_path / "intents", tmp_path / "journal")
    (copy,) = (tmp_path / "intents").iterdir()
    (line,) = copy.read_bytes().splitlines()
    copy.write_bytes(line + b"\n" + line.replace(first.encode(), second.encode()) + b"\n")
    Intents(tmp_path / "intents", tmp_path / "another").recover(Roots([root]))
    assert {first, second} <= set(names(root))
    Intents(tmp_path / "intents", tmp_path / "key").recover(Roots([root]))
    assert {*names(root)} == {"a.txt", second}
    assert copy.exists()
