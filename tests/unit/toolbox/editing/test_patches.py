"""Patches in both forms: where hunks go, what is refused, and many files as one."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from tests.unit.toolbox.editing.editing_box import Box, field

TWO = "def a():\n    return 1\n\n\ndef b():\n    return 1\n"


async def patch(box: Box, text: str, **arguments: object) -> str:
    return (await box.works("apply_patch", None, patch=text, **arguments)).text


async def refused(box: Box, error: str, text: str) -> str:
    return (await box.refuses(error, "apply_patch", None, patch=text)).text


async def test_several_files_change_in_one_call(box: Box) -> None:
    box.file(TWO, "a.py")
    box.file("one\r\ntwo\r\n", "b.txt")
    box.file("gone\n", "c.txt")
    await patch(
        box,
        "*** Begin Patch\n*** Update File: a.py\n@@ def b():\n-    return 1\n+    return 2\n"
        "*** Update File: b.txt\n@@\n one\n-two\n+TWO\n+three\n"
        "*** Add File: sub/d.txt\n+new\n*** Delete File: c.txt\n*** End Patch",
    )
    assert box.holds("a.py") == TWO.replace("1", "2").replace("2", "1", 1).encode()
    assert box.holds("b.txt") == b"one\r\nTWO\r\nthree\r\n"
    assert box.holds("sub/d.txt") == b"new\n"
    assert not (box.root / "c.txt").exists()


async def test_where_one_file_does_not_fit_none_changes_and_every_problem_is_named(box: Box) -> None:
    box.file(TWO, "a.py")
    text = await refused(
        box,
        "drift",
        "*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: a.py\n-def aa():\n+def c():\n"
        "*** Delete File: nope\n*** End Patch",
    )
    assert "No file was changed" in text
    assert "def a():" in text
    assert "nope does not exist" in text


async def test_a_hunk_that_fits_two_places_is_not_guessed(box: Box) -> None:
    box.file(TWO, "a.py")
    text = await refused(
        box, "ambiguous", "*** Begin Patch\n*** Update File: a.py\n-    return 1\n+    return 2\n*** End Patch"
    )
    assert "lines 2, 6" in text


async def test_line_numbers_decide_between_places_and_wrong_ones_are_told(box: Box) -> None:
    box.file(TWO, "a.py")
    await patch(box, "--- a/a.py\n+++ b/a.py\n@@ -6 +6 @@\n-    return 1\n+    return 2\n")
    assert box.holds("a.py").endswith(b"return 2\n")
    told = await patch(box, "--- a/a.py\n+++ b/a.py\n@@ -40,2 +40,2 @@\n def a():\n-    return 1\n+    return 3\n")
    assert "stood at line 1, not 40" in told


async def test_blanks_are_left_out_of_account_only_where_one_place_fits_and_kept_lines_stay_as_they_are(box: Box) -> None:
    box.file("if x:  \n\tpass\n", "a.py")
    told = await patch(box, "*** Begin Patch\n*** Update File: a.py\n if x:\n-    pass\n+\treturn\n*** End Patch")
    assert box.holds("a.py") == b"if x:  \n\treturn\n"
    assert "left out of account" in told
    box.file("  x\n x\n", "a.py")
    await refused(box, "ambiguous", "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch")


async def test_added_lines_take_the_indentation_of_the_file(box: Box) -> None:
    box.file("func a() {\n\tif x {\n\t\treturn 1\n\t}\n}\n", "a.go")
    text = await patch(
        box,
        "--- a/a.go\n+++ b/a.go\n@@ -1,5 +1,8 @@\n func a() {\n     if x {\n-        return 1\n+        if y {\n"
        "+            return 2\n+        }\n+        return 3\n     }\n }\n",
    )
    assert box.holds("a.go") == b"func a() {\n\tif x {\n\t\tif y {\n\t\t\treturn 2\n\t\t}\n\t\treturn 3\n\t}\n}\n"
    assert "given the file's indentation" in text
    box.file("class A:\n    def a(self):\n        return 1\n", "a.py")
    await patch(box, "*** Update File: a.py\n@@\n def a(self):\n-    return 1\n+    if x:\n+        return 2\n")
    assert box.holds("a.py") == b"class A:\n    def a(self):\n        if x:\n            return 2\n"
    box.file("a\n    b\n", "b.txt")
    await patch(box, "*** Update File: b.txt\n@@\n a\n \tb\n+\t\tc\n+\n+d\n")
    assert box.holds("b.txt") == b"a\n    b\n        c\n\nd\n"


@pytest.mark.parametrize("added", ["      odd", "\t  both"])
async def test_indentation_that_cannot_be_told_is_not_mixed(box: Box, added: str) -> None:
    box.file("a\n\tb\n" if added[0] == " " else "a\n    b\n")
    ours = "    b" if added[0] == " " else "\tb"
    text = await refused(box, "drift", f"*** Update File: f.txt\n@@\n a\n {ours}\n+{added}\n")
    assert "Copy the file's indentation" in text
    assert box.holds().decode() in text + "\n"


async def test_look_alikes_do_not_match(box: Box) -> None:
    box.file("a \u2013 b\n", "a.txt")
    text = await refused(box, "drift", "*** Begin Patch\n*** Update File: a.txt\n-a - b\n+c\n*** End Patch")
    assert "EN DASH" in text


async def test_a_code_fence_and_prose_around_a_diff_are_no_matter(box: Box) -> None:
    box.file("x\n", "a.txt")
    await patch(box, "Here it is:\n```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n```\n")
    assert box.holds("a.txt") == b"y\n"


async def test_a_later_section_sees_what_an_earlier_one_made(box: Box) -> None:
    text = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update File: a.txt\n*** Move to: b.txt\n-one\n+two\n*** End Patch"
    await patch(box, text)
    assert box.holds("b.txt") == b"two\n"
    assert not (box.root / "a.txt").exists()


@pytest.mark.skipif(os.name == "nt", reason="permission bits")
async def test_a_renamed_file_keeps_its_permission_bits(box: Box) -> None:
    box.file("#!/bin/sh\n", "run").chmod(0o755)
    await patch(box, "diff --git a/run b/go\nsimilarity index 100%\nrename from run\nrename to go\n")
    assert stat.S_IMODE((box.root / "go").stat().st_mode) == 0o755


async def test_a_file_that_is_there_is_not_added(box: Box) -> None:
    box.file("x\n", "a.txt")
    assert "exists already" in await refused(box, "invalid_input", "*** Begin Patch\n*** Add File: a.txt\n+y\n*** End Patch")


async def test_a_file_is_deleted_only_if_it_holds_what_the_diff_says(box: Box) -> None:
    box.file("other\n", "a.txt")
    text = "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    await refused(box, "drift", text)
    box.file("x\n", "a.txt")
    await patch(box, text)
    assert not (box.root / "a.txt").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "@@ -1 +1 @@\n-a\n+b",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\nUpdate File: a.txt\n-x\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.txt\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.txt\n@@\nx\n*** End Patch",
        "*** Begin Patch\n*** Add File: b.txt\nx\n*** End Patch",
        "--- a/a.txt\n+++ b/a.txt\nGIT binary patch\n",
        "*** Begin Patch\n*** Update File: a.txt\n-x\n+\ud800\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.txt\n-x\n+x\n*** End Patch",
    ],
)
async def test_what_is_no_patch_or_changes_nothing_is_refused(box: Box, text: str) -> None:
    box.file("x\n", "a.txt")
    await refused(box, "invalid_input", text)


@pytest.mark.parametrize("path", ["../out.txt", "/etc/hostname", ".git/hooks/x"])
async def test_no_section_leads_out_of_the_root(box: Box, path: str) -> None:
    box.file("x\n", "a.txt")
    text = f"*** Begin Patch\n*** Update File: a.txt\n-x\n+y\n*** Add File: {path}\n+z\n*** End Patch"
    answer = await box("apply_patch", None, patch=text)
    assert answer.error in {"outside_root", "protected_path", "invalid_path"}
    assert box.holds("a.txt") == b"x\n"


async def test_a_dry_run_shows_all_of_it_and_makes_nothing(box: Box) -> None:
    box.file("x\n", "a.txt")
    text = "*** Begin Patch\n*** Update File: a.txt\n-x\n+y\n*** Add File: d/b.txt\n+z\n*** End Patch"
    told = await patch(box, text, dry_run=True)
    assert "+y" in told
    assert "+z" in told
    assert [path.name for path in box.root.iterdir()] == ["a.txt"]


def git_diff(folder: Path, before: str, after: str) -> str:
    (folder / "old").write_bytes(before.encode())
    (folder / "new").write_bytes(after.encode())
    command = ["git", "diff", "--no-index", "--no-color", "old", "new"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("seed", range(40))
async def test_what_git_says_of_two_files_makes_one_into_the_other(box: Box, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    end = chance.choice(["\n", "\r\n"])
    old = [f"{chance.choice('abcd')}{chance.randrange(40)}" for _ in range(chance.randrange(1, 30))]
    new = list(old)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(new) + 1)
        new[at : at + chance.randrange(3)] = [f"new{chance.randrange(99)}" for _ in range(chance.randrange(3))]
    before, after = (end.join(lines) + chance.choice(["", end]) * bool(lines) for lines in (old, new))
    diff = git_diff(tmp_path, before, after)
    if not diff:
        return
    box.file(before, "old")
    answer = await box.works("apply_patch", None, patch=diff.replace("b/new", "b/old"))
    assert box.holds("old") == after.encode(), answer
    assert field(answer, "files", 0, "path") == "old"
