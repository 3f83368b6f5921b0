"""Skills in directories: precedence, what cannot be used, changes on disk, the files of a skill and nothing outside."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from transom import Context
from transom.engine.skills.library import SkillLibrary
from transom.engine.skills.parsing import parse_skill
from transom.errors import FormatError, InputError


def write(directory: Path, name: str, body: str = "Body.", **files: str) -> Path:
    folder = directory / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\ndescription: {body} Does {folder.name}.\n---\n{body}\n", encoding="utf-8")
    for path, text in files.items():
        target = folder / path.replace("__", "/").replace("_md", ".md")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.feature("L8")
def test_the_first_directory_wins_and_what_it_hides_is_reported(tmp_path: Path) -> None:
    own = write(tmp_path / "project", "review", "Ours.")
    theirs = write(tmp_path / "user", "review", "Theirs.")
    write(tmp_path / "user", "deploy")
    library = SkillLibrary(tmp_path / "project", tmp_path / "user", tmp_path / "absent")

    assert [skill.name for skill in library] == ["review", "deploy"]
    assert library.get("review").body == "Ours.\n"
    assert [(hidden.name, hidden.directory, hidden.by) for hidden in library.shadowed] == [("review", theirs, own)]


@pytest.mark.feature("L8")
def test_skills_are_found_in_groups_of_folders_and_not_inside_another_skill(tmp_path: Path) -> None:
    write(tmp_path, "office/letters/invite")
    write(tmp_path, "office/invoice")
    write(tmp_path, "office/invoice/examples/inner")
    write(tmp_path, ".hidden/secret")
    library = SkillLibrary(tmp_path)

    assert [skill.name for skill in library] == ["invoice", "invite"]
    assert library.get("invoice").files == ()


def test_a_skill_that_cannot_be_read_takes_no_other_away(tmp_path: Path) -> None:
    write(tmp_path, "good")
    bad = write(tmp_path, "bad")
    (bad / "SKILL.md").write_text("---\nname: [a, b]\n---\n", encoding="utf-8")
    other = write(tmp_path, "latin")
    (other / "SKILL.md").write_bytes("---\nname: caf\xe9\n---\n".encode("latin-1"))
    library = SkillLibrary(tmp_path)

    assert [skill.name for skill in library] == ["good"]
    assert [(item.directory, item.reason[:24]) for item in library.unusable] == [
        (bad, "line 2: name is a list t"),
        (other, "SKILL.md is not UTF-8: b"),
    ]


@pytest.mark.feature("L8")
def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(tmp_path: Path) -> None:
    folder = write(tmp_path, "review", "Before.")
    library = SkillLibrary(tmp_path)
    first = library.get("review")

    assert library.get("review") is first
    assert not library.refresh()
    write(tmp_path, "review", "After, and longer.")
    assert library.get("review").body == "After, and longer.\n"
    write(tmp_path, "deploy")
    assert library.refresh()
    assert "deploy" in library
    (folder / "SKILL.md").write_text("---\nname: renamed\n---\nBody.\n", encoding="utf-8")
    with pytest.raises(InputError, match="no skill 'review'"):
        library.get("review")
    assert library.get("renamed").body == "Body.\n"


def test_a_skill_whose_file_is_gone_or_broken_says_so(tmp_path: Path) -> None:
    folder = write(tmp_path, "review")
    library = SkillLibrary(tmp_path)
    (folder / "SKILL.md").write_text("---\nname: {}\n---\n", encoding="utf-8")
    with pytest.raises(FormatError):
        library.get("review")
    (folder / "SKILL.md").unlink()
    with pytest.raises(InputError):
        library.get("review")


@pytest.mark.feature("L8")
def test_files_beside_a_skill_are_listed_and_read(tmp_path: Path) -> None:
    write(tmp_path, "review", references__rules_md="No tabs.", checklist_md="One.")
    (tmp_path / "review" / ".env").write_text("SECRET=1", encoding="utf-8")
    library = SkillLibrary(tmp_path)

    assert library.get("review").files == ("checklist.md", "references/rules.md")
    assert library.read("review", "references/rules.md") == "No tabs."
    for path in (".env", "../review/checklist.md", "references/../checklist.md", "/etc/hostname", "absent", "SKILL.md", ""):
        with pytest.raises(InputError):
            library.read("review", path)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_that_lead_out_are_refused_unless_they_are_trusted(tmp_path: Path) -> None:
    outside = write(tmp_path / "elsewhere", "linked", "From elsewhere.")
    secret = tmp_path / "secret.md"
    secret.write_text("secret", encoding="utf-8")
    own = write(tmp_path / "skills", "own", inner_md="inside")
    (own / "secret.md").symlink_to(secret)
    (own / "same.md").symlink_to(own / "inner.md")
    (own / "loop").symlink_to(own)
    (tmp_path / "skills" / "linked").symlink_to(outside)
    fake = tmp_path / "skills" / "fake"
    fake.mkdir()
    (fake / "SKILL.md").symlink_to(secret)
    library = SkillLibrary(tmp_path / "skills")

    assert [skill.name for skill in library] == ["own"]
    assert library.get("own").files == ("inner.md", "same.md")
    assert {item.directory.name for item in library.unusable} == {"fake", "linked"}
    with pytest.raises(InputError):
        library.read("own", "secret.md")
    trusting = SkillLibrary(tmp_path / "skills", follow_links=True)
    assert {skill.name for skill in trusting} == {"own", "linked", "fake"}


def test_a_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError):
        SkillLibrary(tmp_path / "file")


def test_a_file_in_small_letters_is_a_skill_too(tmp_path: Path) -> None:
    folder = write(tmp_path, "small")
    (folder / "SKILL.md").rename(folder / "skill.md")

    assert [skill.name for skill in SkillLibrary(tmp_path)] == ["small"]


@pytest.mark.feature("L8")
def test_a_context_takes_skills_by_name_and_lists_them(tmp_path: Path) -> None:
    write(tmp_path, "review", "Read $ARGUMENTS.", rules_md="No tabs.")
    ctx = Context(window=8_000, skills=SkillLibrary(tmp_path))
    ctx.system("Prompt.")

    listing = ctx.skills(tool="load_skill")
    assert listing.names == ("review",)
    assert "- review: Read $ARGUMENTS. Does review." in listing.text
    assert "load_skill" in listing.text
    ctx.skill("review", arguments="a.py")
    body = ctx.compile_sync("anthropic").body
    assert "Read a.py." in str(body["system"])
    assert "Further files of this skill: rules.md" in str(body["system"])
    with pytest.raises(InputError, match="no skill 'absent'"):
        ctx.skill("absent")


def test_what_is_parsed_from_text_has_no_files() -> None:
    assert parse_skill("Body.", name="a").files == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_a_socket_or_a_device_is_no_skill_and_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "good")
    for name in ("pipe", "socket", "device"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    (tmp_path / "device" / "SKILL.md").symlink_to("/dev/zero")
    # Relative: the address of a socket has few characters.
    monkeypatch.chdir(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("SKILL.md")
        library = SkillLibrary(tmp_path, follow_links=True)

    assert [skill.name for skill in library] == ["good"]
    assert sorted(item.directory.name for item in library.unusable) == ["device", "pipe", "socket"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_beside_a_skill_is_none_of_its_files(tmp_path: Path) -> None:
    os.mkfifo(write(tmp_path, "good") / "notes.md")
    library = SkillLibrary(tmp_path)

    assert library.get("good").files == ()
    with pytest.raises(InputError):
        library.read("good", "notes.md")


def test_an_escape_beyond_unicode_takes_no_other_skill_away(tmp_path: Path) -> None:
    write(tmp_path, "good")
    (write(tmp_path, "bad") / "SKILL.md").write_text('---\ndescription: "\\U99999999"\n---\n', encoding="utf-8")
    library = SkillLibrary(tmp_path)

    assert [skill.name for skill in library] == ["good"]
    assert [item.directory.name for item in library.unusable] == ["bad"]


def test_a_name_or_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "good", notes_md="Notes.")
    library = SkillLibrary(tmp_path)

    with pytest.raises(InputError, match="text, not int"):
        library.read("good", 5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="text, not list"):
        library.get([])  # type: ignore[arg-type]


@pytest.mark.feature("L8")
def test_what_cannot_be_used_is_said_wherever_skills_are_asked_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, "good")
    bad = write(tmp_path, "bad")
    (bad / "SKILL.md").write_text('---\ndescription: "\\uD800"\n---\n', encoding="utf-8")
    library = SkillLibrary(tmp_path)
    context = Context(window=8_000, skills=library)

    reason = "line 2: description holds half a surrogate pair, which is no character (take the escape out)"
    assert f"a skill cannot be used: {bad}: {reason}" in caplog.messages
    assert [(each.directory, each.reason) for each in context.skills().unusable] == [(bad, reason)]
    with pytest.raises(InputError, match=r"no skill 'bad' .there are: good; .*bad cannot be used: line 2"):
        context.skill("bad")
    caplog.clear()
    library.refresh()
    assert caplog.messages == []
