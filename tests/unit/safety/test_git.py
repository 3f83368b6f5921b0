"""What git is given cannot be taken for an option, and no program that a repository names is run."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from transom.safety import Verdict, git
from transom.vocabulary import ENGLISH

CASES = {
    case["id"]: case
    for line in (Path(__file__).parents[2] / "cases" / "toolbox-git.jsonl").read_text("utf-8").splitlines()
    if (case := json.loads(line))
}
BY_THE_TOOL = {
    "TBX-GIT-S02": "a name with quotes and blanks may be a file's; here there is none, and no shell is involved",
    "TBX-GIT-S07": "where a .git file points, is in the file",
}
"""Cases that arguments alone do not decide, and why."""

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed here")


def asked(case: Mapping[str, Mapping[str, object]]) -> Verdict:
    """A case's arguments, judged as its tool will have them judged."""
    arguments = case["args"]
    path, branch, message = arguments.get("file_path"), arguments.get("branch_name"), arguments.get("message")
    paths = [path] if isinstance(path, str) else []
    several = arguments.get("paths")
    return git.judge(
        paths=paths + [str(item) for item in (several if isinstance(several, list) else [])],
        branch=branch if isinstance(branch, str) else None,
        create=bool(arguments.get("create_new")),
        message=message if isinstance(message, str) else None,
    )


@pytest.mark.parametrize("identifier", [identifier for identifier in CASES if identifier not in BY_THE_TOOL])
def test_a_case_that_the_arguments_decide_is_judged_as_it_wants(identifier: str) -> None:
    case = CASES[identifier]
    verdict = asked(case)
    if case["expect"] == "reject":
        assert verdict.error in case["expected"]["error"]
        assert ENGLISH.refusing.say(verdict.reason, verdict.facts).endswith(".")
    else:
        assert verdict


@pytest.mark.parametrize(
    "revision", ["main", "HEAD~2", "v1.0..main", "a...b", "@{u}", "main^{tree}", "0123abc", "HEAD^!", "main:src/a.py"]
)
def test_an_ordinary_revision_is_fine(revision: str) -> None:
    assert git.judge(revisions=[revision])


@pytest.mark.parametrize("revision", ["", "-p", "--output=x", "a b", "a\nb", "$(x)", "`x`", "a;b", "main --", "\ud800"])
def test_what_is_no_revision_is_refused(revision: str) -> None:
    verdict = git.judge(revisions=["main", revision])
    assert verdict.error == "invalid_ref"
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize("branch", ["main", "feature/x-1", "übung", "v1.x"])
def test_an_ordinary_branch_is_fine(branch: str) -> None:
    assert git.judge(branch=branch, create=True)


@pytest.mark.parametrize(
    "branch",
    [
        "",
        "-f",
        "--orphan",
        "a..b",
        "a b",
        "x~1",
        "x^",
        "x:y",
        "x?",
        "*",
        "[x",
        "x\\y",
        "/x",
        "x/",
        "x//y",
        "x.lock",
        "x/.y",
        "@",
        "a@{1}",
        "$x",
    ],
)
def test_what_is_no_name_for_a_branch_is_refused(branch: str) -> None:
    assert git.judge(branch=branch, create=True).error == "invalid_ref"


def test_a_branch_that_exists_may_have_an_odd_name() -> None:
    assert git.judge(branch="fix(parser)!")


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("-x", "invalid_input"),
        ("", "invalid_path"),
        ("a\0b", "invalid_path"),
        ("..", "outside_root"),
        ("a/../../b", "outside_root"),
        ("..\\x", "outside_root"),
    ],
)
def test_a_path_that_is_none_or_leaves_the_repository_is_refused(path: str, error: str) -> None:
    verdict = git.judge(paths=["fine.txt", path])
    assert verdict.error == error
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize(
    "key",
    [
        *(
            "core.fsmonitor",
            "core.hooksPath",
            "core.sshCommand",
            "diff.external",
            "diff.jpg.textconv",
            "diff.x.command",
            "alias.st",
        ),
        *(
            "filter.lfs.process",
            "filter.a.b.clean",
            "merge.x.driver",
            "credential.helper",
            "credential.https://x.helper",
            "gpg.program",
        ),
        *("gpg.ssh.program", "include.path", "includeIf.gitdir:/x.path", "pager.log", "core.pager", "remote.origin.uploadpack"),
    ],
)
def test_keys_that_run_a_program_are_known(key: str) -> None:
    assert git.runs_program(key)
    assert git.runs_program(key.upper())


@pytest.mark.parametrize(
    "key", ["core.bare", "user.name", "remote.origin.url", "filter.lfs.required", "branch.main.merge", "diff.renames"]
)
def test_other_keys_are_left_alone(key: str) -> None:
    assert not git.runs_program(key)
    assert git.overrides([key]) == ()


def test_a_program_that_cannot_be_switched_off_stops_the_call() -> None:
    verdict = git.judge(configuration=["user.name", "filter.a=b.clean"])
    assert verdict.error == "command_blocked"
    assert "filter.a=b.clean" in ENGLISH.refusing.say(verdict.reason, verdict.facts)


# ── with git itself ────────────────────────────────────────────────────────────────────────────────────────────────────


def run(repository: Path, *arguments: str) -> str:
    assert GIT is not None
    environment = {"PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(repository), "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        [GIT, *arguments], cwd=repository, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A repository that names a program wherever git looks for one; each leaves a file behind."""
    mark = f"touch {tmp_path}/PWNED; cat"
    run(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / ".gitattributes").write_text("*.txt filter=f diff=d merge=m\n")
    run(tmp_path, "add", ".")
    run(tmp_path, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", "init")
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.d.command",
        "diff.d.textconv",
        "filter.f.clean",
        "filter.f.smudge",
        "core.editor",
    ):
        run(tmp_path, "config", key, mark)
    run(tmp_path, "config", "filter.f.required", "true")
    run(tmp_path, "config", "user.name", "T")
    run(tmp_path, "config", "user.email", "t@example.org")
    hook = tmp_path / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\n{mark}\n")
    hook.chmod(0o755)
    (tmp_path / "a.txt").write_text("changed\n")
    return tmp_path


@needs_git
def test_without_our_arguments_the_planted_programs_run(planted: Path) -> None:
    run(planted, "status")
    assert (planted / "PWNED").exists()


@needs_git
@pytest.mark.parametrize(
    ("verb", "options", "expected"),
    [
        ("status", ("--porcelain",), "a.txt"),
        ("diff", (), "+changed"),
        ("log", ("-p",), "+one"),
        ("show", (), "+one"),
        ("blame", (), "changed"),
        ("add", (), ""),
    ],
)
def test_no_program_of_a_repository_runs(planted: Path, verb: str, options: tuple[str, ...], expected: str) -> None:
    keys = run(planted, "config", "--local", "--includes", "--list", "--name-only", "-z").split("\0")[:-1]
    assert git.judge(paths=["a.txt"], configuration=keys)
    paths = () if verb in {"status", "show"} else ("a.txt",)
    assert expected in run(planted, *git.arguments(verb, *options, paths=paths, configuration=keys))
    assert not (planted / "PWNED").exists()


@needs_git
def test_a_commit_takes_its_message_as_data_and_runs_no_hook(planted: Path) -> None:
    keys = run(planted, "config", "--local", "--list", "--name-only", "-z").split("\0")[:-1]
    run(planted, *git.arguments("add", paths=["a.txt"], configuration=keys))
    run(planted, *git.arguments("commit", "-q", "--message=--amend", configuration=keys))
    assert run(planted, "log", "--format=%s").split() == ["--amend", "init"]
    assert not (planted / "PWNED").exists()


@needs_git
def test_a_path_is_a_path_whatever_it_looks_like(tmp_path: Path) -> None:
    run(tmp_path, "init", "-q")
    for name in ('"; touch PWNED; "', ":(top)x", "*.txt", "b.txt"):
        (tmp_path / name).write_text("x\n")
    run(tmp_path, *git.arguments("add", paths=['"; touch PWNED; "', ":(top)x", "*.txt"]))
    staged = run(tmp_path, "-c", "core.quotePath=false", "diff", "--cached", "--name-only", "-z").split("\0")
    assert sorted(staged) == ["", '"; touch PWNED; "', "*.txt", ":(top)x"]
    assert not (tmp_path / "PWNED").exists()
