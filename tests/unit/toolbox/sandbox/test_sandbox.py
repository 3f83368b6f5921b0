"""What a confined program can do, what it cannot, and what is said about it; for each confinement that works here."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from tests.unit.toolbox.sandbox.conftest import Python, listing, until

from transom.errors import SandboxError
from transom.safety.paths import BELOW_NAMES, NAMED_NAMES, PERSONAL_NAMES, PROJECT_NAMES, protected
from transom.toolbox.sandbox import Limits, Sandbox, interpreter
from transom.toolbox.sandbox.confinement import Confinement
from transom.toolbox.sandbox.guarded import AT_HOME, BLOCKED, WATCHED

pytestmark = [pytest.mark.feature("Z4"), pytest.mark.skipif(sys.platform != "linux", reason="confinements of Linux")]


def contents(folder: Path) -> dict[str, str]:
    """Every name in a folder: files with what they hold, links with where they lead."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        found[name] = f"-> {path.readlink()}" if path.is_symlink() else path.read_text() if path.is_file() else ""
    return found


async def test_a_program_works_in_its_folder(shell: Python, root: Path) -> None:
    (root / "in.txt").write_text("b\na\n")
    run = await shell("sort in.txt > out.txt; cat out.txt; pwd; echo oops >&2; exit 3")
    assert run.stdout.text() == f"a\nb\n{root}\n"
    assert (run.stderr.text(), run.exit_code) == ("oops\n", 3)
    assert (root / "out.txt").read_text() == "a\nb\n"


async def test_the_result_says_what_confined_it_and_what_that_leaves_open(shell: Python, confinement: Confinement) -> None:
    run = await shell("true")
    assert run.confined_by == confinement.name
    assert "disk_space" in run.not_confined


async def test_it_has_a_folder_for_temporary_files_that_goes_with_the_run(shell: Python, tmp_path: Path) -> None:
    run = await shell('echo x > "$TMPDIR/mine" && cat "$TMPDIR/mine" && echo "$TMPDIR" && [ "$HOME" = "$TMPDIR" ]')
    assert run.exit_code == 0
    mine = Path(run.stdout.text().split()[1])
    assert not (mine / "mine").exists()


async def test_elsewhere_nothing_can_be_written_and_the_home_is_out_of_sight(shell: Python, root: Path) -> None:
    home = Path.home()
    run = await shell(f"echo x > ../beside; echo x > /usr/beside; touch {home}/beside; ls {home}; exit 0")
    assert not (root.parent / "beside").exists()
    assert "beside" not in listing(Path("/usr"))
    assert not (home / "beside").exists()
    on_the_way = {path.relative_to(home).parts[0] for path in (root, *interpreter()) if path.is_relative_to(home)}
    assert set(run.stdout.text().split()) <= on_the_way


async def test_credentials_of_the_server_are_not_handed_on(shell: Python) -> None:
    assert "c4n4ry-91" not in (await shell("env")).stdout.text()


async def test_it_starts_in_the_first_root_when_asked_to_start_elsewhere(sandbox: Sandbox, root: Path) -> None:
    run = await sandbox.run(["/bin/pwd"], cwd=root.parent, roots=[root], limits=Limits(seconds=20))
    assert run.stdout.text().strip() == str(root)


async def test_programs_that_are_out_of_sight_do_not_stand_before_those_that_are_not(
    confinement: Confinement, root: Path, tmp_path: Path
) -> None:
    hidden = tmp_path / "bin"
    hidden.mkdir()
    (hidden / "sort").write_text("#!/bin/sh\necho hidden\n")
    (hidden / "sort").chmod(0o755)
    sandbox = Sandbox({"PATH": f"{hidden}:/usr/bin:/bin"}, confined_by=[confinement])
    run = await sandbox.run(["/bin/sh", "-c", "echo shown | sort"], cwd=root, roots=[root], limits=Limits(seconds=20))
    assert (run.stdout.text(), run.exit_code) == ("shown\n", 0)


async def test_each_root_can_be_written_and_what_is_readable_only_read(sandbox: Sandbox, root: Path, tmp_path: Path) -> None:
    other, tools = tmp_path / "other", tmp_path / "tools"
    for folder in (other, tools):
        folder.mkdir()
        (folder / "f").write_text("here\n")
    command = f"cat {tools}/f; echo x > {other}/f; echo x > {tools}/f; exit 0"
    run = await sandbox.run(
        ["/bin/sh", "-c", command], cwd=root, roots=[root, other], limits=Limits(seconds=20), readable=[tools]
    )
    assert run.stdout.text() == "here\n"
    assert ((other / "f").read_text(), (tools / "f").read_text()) == ("x\n", "here\n")


async def test_what_is_only_readable_stays_so_inside_a_root(sandbox: Sandbox, root: Path) -> None:
    kept, other = root / "tools" / "venv", root / "tools" / "src"
    for folder in (kept, other):
        folder.mkdir(parents=True)
        (folder / "f").write_text("here\n")
    command = "cat tools/venv/f; echo x > tools/venv/f; mv tools/venv tools/gone; mv tools gone; echo x > tools/src/f"
    run = await sandbox.run(["/bin/sh", "-c", command], cwd=root, roots=[root], limits=Limits(seconds=20), readable=[kept])
    assert run.stdout.text() == "here\n"
    assert ((kept / "f").read_text(), (other / "f").read_text()) == ("here\n", "x\n")


async def test_a_program_that_is_not_there_is_told_by_its_status(sandbox: Sandbox, root: Path) -> None:
    run = await sandbox.run(["no-such-program"], cwd=root, roots=[root], limits=Limits(seconds=20))
    assert run.exit_code == 127
    assert "no-such-program" in run.stderr.text()


async def test_a_root_that_is_not_there_is_an_error(sandbox: Sandbox, root: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await sandbox.run(["true"], cwd=root, roots=[root / "gone"])


async def test_what_a_program_leaves_running_ends_with_it(shell: Python, python: Python, root: Path) -> None:
    run = await python(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(2)\n"
        "        open('late', 'w').write('x')\n"
        "    os._exit(0)\n"
    )
    assert run.exit_code == 0
    before = listing(root)
    later = await shell("sleep 3")
    assert later.exit_code == 0
    assert listing(root) == before


async def test_time_memory_and_processes_are_bounded(python: Python) -> None:
    assert (await python("while True: pass", seconds=0.5)).timed_out
    alone = await python("x = 'a' * 10**11", memory=200 << 20)
    assert "MemoryError" in alone.stderr.text()
    shared = "import mmap\nm = mmap.mmap(-1, 2 << 30)\nfor at in range(0, 2 << 30, 4096): m[at] = 1"
    assert (await python(shared, memory=200 << 20)).out_of_memory
    forks = "import os, time\nfor _ in range(40):\n    if os.fork() == 0: break\ntime.sleep(30)"
    assert (await python(forks, processes=20)).too_many_processes


async def test_a_file_can_only_grow_so_large(shell: Python, root: Path) -> None:
    await shell("head -c 3000000 /dev/zero > big", file_size=1 << 20)
    assert (root / "big").stat().st_size <= 1 << 20


async def test_guarded_files_stay_as_they_are(shell: Python, root: Path) -> None:
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / ".git" / "config").write_text("[core]\n")
    (root / ".mcp.json").write_text("{}")
    run = await shell(
        "echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo evil > .mcp.json; "
        "mkdir -p .vscode; echo evil > .vscode/tasks.json; rm -r .mcp.json; echo more > fine; "
        "mv .git .gone && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit && echo evil > .git/config"
    )
    assert not (root / ".git" / "hooks" / "pre-commit").exists()
    assert (root / ".git" / "config").read_text() == "[core]\n"
    assert (root / ".mcp.json").read_text() == "{}"
    assert not (root / ".vscode" / "tasks.json").exists()
    assert (root / "fine").read_text() == "more\n"
    assert bool(run.put_back) == (run.confined_by == "landlock")


async def test_repositories_in_subfolders_are_guarded_as_the_one_above(shell: Python, root: Path) -> None:
    for folder in ("sub", "deep/er/still", "linked"):
        (root / folder).mkdir(parents=True)
    for git in (root / "sub/.git", root / "deep/er/still/.git", root / "modules/linked"):
        (git / "hooks").mkdir(parents=True)
        (git / "config").write_text("[core]\n")
    (root / "linked/.git").write_text("gitdir: ../modules/linked\n")
    before = contents(root)
    run = await shell(
        "for git in sub/.git deep/er/still/.git modules/linked; do "
        "echo evil > $git/hooks/post-commit; echo evil >> $git/config; echo evil > $git/commondir; done; "
        "echo 'gitdir: /evil' > linked/.git; echo ref > sub/.git/ORIG_HEAD; echo more > sub/fine && mv sub/fine fine; "
        "mv deep gone && mkdir -p deep/er/still/.git/hooks && echo evil > deep/er/still/.git/hooks/post-commit; exit 0"
    )
    assert run.not_put_back == ()
    assert (root / "fine").read_text() == "more\n"
    after = {name: kept for name, kept in contents(root).items() if ".refused" not in name and not name.startswith("gone")}
    assert {name: kept for name, kept in after.items() if name not in ("fine", "sub/.git/ORIG_HEAD")} == before


async def test_a_missing_guarded_folder_stays_missing_whatever_rights_a_program_gives_itself(shell: Python, root: Path) -> None:
    await shell(
        "mkdir -p .vscode; chmod 777 .vscode; echo evil > .vscode/tasks.json; head -c 1000000 /dev/zero > .vscode/big; exit 0"
    )
    assert not (root / ".vscode" / "tasks.json").exists()
    assert not (root / ".vscode" / "big").exists()


async def test_a_folder_that_is_no_repository_cannot_be_made_one_that_runs_programs(shell: Python, root: Path) -> None:
    await shell("mkdir -p .git/hooks; echo evil > .git/config; echo evil > .git/hooks/post-checkout; echo 'ref: x' > HEAD")
    assert not (root / ".git" / "config").exists()
    assert not (root / ".git" / "hooks" / "post-checkout").exists()
    assert not (root / "HEAD").exists()


async def test_start_up_files_are_guarded_where_the_home_lies_in_a_root(confinement: Confinement, root: Path) -> None:
    (root / ".profile").write_text("mine\n")
    sandbox = Sandbox({**os.environ, "HOME": str(root)}, confined_by=[confinement])
    command = "echo evil >> .profile; echo evil > .bashrc; mkdir .ssh; echo evil > .ssh/authorized_keys"
    await sandbox.run(["/bin/sh", "-c", command], cwd=root, roots=[root], limits=Limits(seconds=20))
    assert (root / ".profile").read_text() == "mine\n"
    assert not (root / ".bashrc").exists()
    assert not (root / ".ssh" / "authorized_keys").exists()


async def test_nothing_of_the_guard_is_left_in_the_folder(shell: Python, root: Path) -> None:
    runs = await asyncio.gather(shell("echo a > a"), shell("sleep 0.3; echo evil > .mcp.json; echo b > b"))
    assert all(run.exit_code in {0, 1, 2} for run in runs)
    assert [name for name in listing(root) if not name.endswith(".refused")] == ["a", "b"]
    assert not (root / ".mcp.json").exists()


async def test_a_cancelled_run_leaves_no_trace(sandbox: Sandbox, root: Path) -> None:
    command = "echo ready > ready; sleep 60"
    call = asyncio.create_task(sandbox.run(["/bin/sh", "-c", command], cwd=root, roots=[root]))
    await until(root / "ready")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert listing(root) == ["ready"]


async def test_what_a_killed_process_left_is_cleared_up_by_the_next(
    confinement: Confinement, root: Path, tmp_path: Path
) -> None:
    program = f"""
import asyncio, os, pathlib
from transom.toolbox.sandbox import Sandbox
from transom.toolbox.sandbox.{type(confinement).__module__.rpartition(".")[2]} import {type(confinement).__name__} as Chosen
chosen = Chosen(os.environ["PATH"]) if Chosen.__name__ == "Bubblewrap" else Chosen()
sandbox = Sandbox(os.environ, confined_by=[chosen], notes=pathlib.Path({str(tmp_path / "notes")!r}))
root = pathlib.Path({str(root)!r})
asyncio.run(sandbox.run(["/bin/sh", "-c", 'echo "$TMPDIR" > ready; exec sleep 60'], cwd=root, roots=[root]))
"""
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    await until(root / "ready")
    server.kill()
    await server.wait()
    Sandbox(os.environ, confined_by=[confinement], notes=tmp_path / "notes").tidy([root])
    assert listing(root) == ["ready"]
    assert listing(tmp_path / "notes") == []
    private = Path((root / "ready").read_text().strip())
    assert private == Path("/tmp") or private.name not in listing(private.parent)


async def test_the_first_confinement_that_works_is_taken(confinement: Confinement, root: Path) -> None:
    from transom.toolbox.sandbox.bubblewrap import Bubblewrap

    sandbox = Sandbox(os.environ, confined_by=[Bubblewrap("/nowhere"), confinement])
    described = await sandbox.describe()
    assert described.confined_by == confinement.name
    assert described.reasons == {"bubblewrap": "bwrap is not installed"}


async def test_where_nothing_confines_nothing_runs(root: Path) -> None:
    sandbox = Sandbox(os.environ, confined_by=[])
    assert (await sandbox.describe()).confined_by is None
    with pytest.raises(SandboxError, match="can confine"):
        await sandbox.run(["/bin/sh", "-c", "touch ran"], cwd=root, roots=[root])
    assert not (root / "ran").exists()


def test_file_tools_and_the_sandbox_guard_the_same_names() -> None:
    for name in (*BLOCKED, *AT_HOME, *WATCHED):
        assert name == ".config" or not protected(name.split("/")), name
    below = [f"{above}/{name}" for above, names in BELOW_NAMES.items() for name in names]
    assert {*PROJECT_NAMES, *PERSONAL_NAMES, *NAMED_NAMES, *below} <= {*BLOCKED, *WATCHED}


async def test_what_guarded_names_lead_to_is_guarded(shell: Python, root: Path) -> None:
    for folder in ("conf", "gd/hooks", "hooked"):
        (root / folder).mkdir(parents=True)
    (root / ".vscode").symlink_to("conf")
    (root / ".idea").symlink_to("later/deep")
    (root / ".git").write_text("gitdir: gd\n")
    (root / "gd/config").write_text("[core]\n\thooksPath = hooked\n")
    before = contents(root)
    run = await shell(
        "echo evil > conf/tasks.json; echo evil > gd/hooks/pre-commit; echo evil >> gd/config; echo evil > .git; "
        "echo evil > hooked/pre-push; mkdir -p later/deep && echo evil > later/deep/workspace.xml; "
        "mv gd gone && mkdir -p gd/hooks && echo evil > gd/hooks/pre-commit; echo evil > gd/commondir; exit 0"
    )
    assert run.not_put_back == ()
    after = {name: kept for name, kept in contents(root).items() if ".refused" not in name and not name.startswith("gone")}
    assert after == before


@pytest.mark.parametrize(
    "command",
    [
        "rm .vscode && mkdir .vscode && echo evil > .vscode/tasks.json",
        "rm .vscode && mkdir evil && ln -s evil .vscode && echo evil > evil/tasks.json",
        "rm .vscode && echo evil > .vscode",
        "rm .vscode && mkfifo .vscode",
        "rm .vscode",
    ],
)
async def test_a_guarded_link_that_was_replaced_is_put_back(shell: Python, root: Path, command: str) -> None:
    (root / "conf").mkdir()
    (root / "conf" / "settings.json").write_text("{}")
    (root / ".vscode").symlink_to("conf")
    run = await shell(command)
    assert root / ".vscode" in run.put_back
    assert run.not_put_back == ()
    assert (root / ".vscode").readlink() == Path("conf")
    assert not (root / ".vscode" / "tasks.json").exists()


async def test_putting_back_follows_no_link_that_came_meanwhile(sandbox: Sandbox, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "repo").mkdir(parents=True)
    (outside / "repo" / "config.toml").write_text("theirs")
    (root / ".jj" / "repo").mkdir(parents=True)
    (root / ".jj" / "repo" / "config.toml").write_text("mine")
    command = f"mv .jj gone; ln -s {outside} .jj"
    await sandbox.run(["/bin/sh", "-c", command], cwd=root, roots=[root], limits=Limits(seconds=20))
    assert contents(outside) == {"repo": "", "repo/config.toml": "theirs"}
    assert (root / ".jj" / "repo" / "config.toml").read_text() == "mine"


async def test_what_cannot_be_put_back_is_told(shell: Python, root: Path) -> None:
    (root / "opencode.json").write_bytes(b" " * 2_000_000)
    run = await shell("echo evil > opencode.json")
    assert run.not_put_back == (root / "opencode.json",)
    assert not (root / "opencode.json").exists()


@pytest.mark.parametrize("folder", [".", "data/deep"])
async def test_a_store_in_a_root_is_out_of_reach_with_all_that_lies_beside_it(
    confinement: Confinement, root: Path, folder: str
) -> None:
    (root / folder / "agent.db-intents").mkdir(parents=True)
    (root / "free").mkdir()
    for name in ("agent.db", "agent.db-wal", "agent.db-intents/1.intents"):
        (root / folder / name).write_text("MARK-7f3a")
    sandbox = Sandbox(os.environ, confined_by=[confinement], store=root / folder / "agent.db")
    command = (
        f"cd {folder}; cat agent.db agent.db-wal agent.db-intents/*; for f in agent.db agent.db-wal agent.db-journal "
        "agent.db-intents/9.intents agent.db-sandbox/9-x; do echo evil > $f; rm -rf $f; ln -s x $f; echo evil > $f; "
        f"mv $f {root}/free/; ln $f {root}/free/linked; done; mv {root}/data {root}/gone; mkdir -p {root}/data/deep; "
        f"echo evil > {root}/data/deep/agent.db; ls {root} > {root}/free/listed; exit 0"
    )
    run = await sandbox.run(["/bin/sh", "-c", command], cwd=root, roots=[root], limits=Limits(seconds=20))
    assert "MARK-7f3a" not in run.stdout.text()
    held = {name: text for name, text in contents(root / folder).items() if name.startswith("agent.db")}
    held.pop("agent.db-journal", None)
    assert held == {
        **dict.fromkeys(("agent.db", "agent.db-wal", "agent.db-intents/1.intents"), "MARK-7f3a"),
        **dict.fromkeys(("agent.db-intents", "agent.db-sandbox"), ""),
    }
    journal = root / folder / "agent.db-journal"
    assert not journal.exists() or not journal.stat().st_size
    assert "free" in (root / "free" / "listed").read_text().split()


async def test_no_program_runs_in_a_folder_of_the_store_itself(sandbox: Sandbox, confinement: Confinement, root: Path) -> None:
    inner = root / "store" / "inner"
    inner.mkdir(parents=True)
    closed = Sandbox(os.environ, confined_by=[confinement], store=root / "store")
    with pytest.raises(SandboxError, match="what tools remember"):
        await closed.run(["/bin/sh", "-c", "touch ran"], cwd=inner, roots=[inner])
    assert listing(inner) == []
