"""One unsafe member refuses a whole archive, and what comes out of one is counted as it comes."""

from __future__ import annotations

import base64
import io
import json
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.safety.archives import Kind, Limits, Member, judge, judge_written, segments
from transom.vocabulary import ENGLISH

CASES = {
    case["id"]: case
    for line in (Path(__file__).parents[2] / "cases" / "toolbox-archive.jsonl").read_text("utf-8").splitlines()
    if (case := json.loads(line))["tool"] == "convert_format"
}
BY_THE_TOOL = {
    "TBX-ARC-S07": "whether it is an archive at all, only reading it tells",
    "TBX-ARC-S10": "packs a folder; the links in it are the file system's",
}


def listed(case: dict[str, dict[str, dict[str, dict[str, str]]]]) -> tuple[list[Member], int]:
    """The members of a case's archive, read with the standard library, and the archive's size."""
    name, content = next((name, content) for name, content in case["setup"]["files"].items() if name.startswith("ws/a."))
    data = base64.b64decode(content["b64"])
    members = []
    if name.endswith(".zip"):
        for info in zipfile.ZipFile(io.BytesIO(data)).infolist():
            link = stat.S_ISLNK(info.external_attr >> 16)
            kind: Kind = "link" if link else "folder" if info.is_dir() else "file"
            members.append(Member(name=info.orig_filename, kind=kind, size=info.file_size))
    else:
        for item in tarfile.open(fileobj=io.BytesIO(data)):  # noqa: SIM115 - it reads from memory
            kind = "link" if item.islnk() or item.issym() else "folder" if item.isdir() else "file" if item.isreg() else "other"
            members.append(Member(name=item.name, kind=kind, size=item.size))
    return members, len(data)


@pytest.mark.parametrize("identifier", [identifier for identifier in CASES if identifier not in BY_THE_TOOL])
def test_a_case_that_the_members_decide_is_judged_as_it_wants(identifier: str) -> None:
    case = CASES[identifier]
    members, packed = listed(case)
    verdict = judge(members, packed=packed)
    if case["expect"] == "reject":
        assert verdict.error in case["expected"]["error"]
        assert ENGLISH.refusing.say(verdict.reason, verdict.facts).endswith(".")
    else:
        assert verdict


@pytest.mark.parametrize(
    "name",
    ["a", "a/b/c.txt", "./a", "a//b", "a..b/..c", "...", "~/x", "ü/文", "C", "con", "ab:c", "a b", "x" * 255, "-rf", ".git/x"],
)
def test_an_ordinary_name_is_fine(name: str) -> None:
    assert judge([Member(name=name)], packed=1)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../x", "archive_above"),
        ("a/../../x", "archive_above"),
        ("a/..", "archive_above"),
        ("..\\x", "archive_above"),
        ("a\\..\\..\\x", "archive_above"),
        ("/etc/x", "archive_absolute"),
        ("//server/share", "archive_absolute"),
        ("\\\\server\\share", "archive_absolute"),
        ("C:/x", "archive_absolute"),
        ("c:x", "archive_absolute"),
        ("a\\b", "archive_backslash"),
        ("a\0b", "archive_character"),
        ("a\nb", "archive_character"),
        ("a\udc80", "archive_character"),
        ("", "archive_name"),
        (".", "archive_name"),
        ("x" * 256, "archive_long"),
        ("文" * 86, "archive_long"),
        ("a/" * 64 + "a", "archive_long"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str, reason: str) -> None:
    verdict = judge([Member(name="fine.txt"), Member(name=name)], packed=1)
    assert (verdict.error, verdict.reason) == ("unsafe_archive", reason)
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize("name", ["con", "a/NUL.txt", "com1", "LPT9.x", "COM¹", "a.", "a ", "ab:c", "what?", "...", "aux .c"])
def test_a_name_that_windows_takes_for_another_is_refused_there(name: str) -> None:
    assert judge([Member(name=name)], packed=1)
    assert judge([Member(name=name)], packed=1, windows=True).reason == "archive_windows"


@pytest.mark.parametrize(("kind", "reason"), [("link", "archive_link"), ("other", "archive_device")])
def test_what_is_neither_file_nor_folder_is_refused(kind: Kind, reason: str) -> None:
    assert judge([Member(name="x", kind=kind)], packed=1).reason == reason


def test_an_encrypted_member_is_refused() -> None:
    assert judge([Member(name="x", encrypted=True)], packed=1).reason == "archive_encrypted"


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ([Member(name="a"), Member(name="a")], "archive_twice"),
        ([Member(name="a"), Member(name="./a")], "archive_twice"),
        ([Member(name="Makefile"), Member(name="makefile")], "archive_alike"),
        ([Member(name="A/x"), Member(name="a/y")], "archive_alike"),
        ([Member(name="e\u0301"), Member(name="\u00e9")], "archive_alike"),
        ([Member(name="a"), Member(name="a/b")], "archive_below_file"),
        ([Member(name="a/b"), Member(name="a")], "archive_below_file"),
        ([Member(name="a/", kind="folder"), Member(name="a")], "archive_below_file"),
    ],
)
def test_members_that_meet_at_one_place_are_refused(members: list[Member], reason: str) -> None:
    verdict = judge(members, packed=1)
    assert (verdict.error, verdict.reason) == ("unsafe_archive", reason)
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


def test_a_folder_may_be_listed_twice_and_the_top_itself_too() -> None:
    members = [
        Member(name="./", kind="folder"),
        Member(name="a/", kind="folder"),
        Member(name="a", kind="folder"),
        Member(name="a/b"),
    ]
    assert judge(members, packed=1)


def test_sizes_that_the_archive_claims_count_and_so_do_those_that_come_out() -> None:
    assert judge([Member(name="a", size=1_000_000)], packed=1)
    assert judge([Member(name="a", size=600_000), Member(name="b", size=600_000)], packed=11_000).error == "too_large"
    assert judge([Member(name="a", size=1_200_000)], packed=12_000)
    assert judge_written(1_000_001, packed=10_000).reason == "archive_ratio"
    assert judge_written(500_000_001, packed=400_000_000).reason == "archive_large"
    assert judge([Member(name=str(number)) for number in range(3)], packed=9, limits=Limits(members=2)).reason == "archive_many"


@given(st.lists(st.text(st.sampled_from("a.A/\\: é\0"), max_size=12), max_size=5), st.booleans())
def test_what_is_allowed_stays_in_the_folder_and_at_places_of_its_own(names: list[str], windows: bool) -> None:
    if judge([Member(name=name) for name in names], packed=1, windows=windows):
        places = [segments(name) for name in names]
        assert all(place and ".." not in place for place in places)
        assert len(set(places)) == len(names)
        assert all("\\" not in name and "\0" not in name for name in names)
