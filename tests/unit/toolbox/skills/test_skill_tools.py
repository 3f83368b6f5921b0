"""Skills as tools: listed within a budget, loaded with their arguments, read file by file and nothing outside."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.skills import FAMILY, skill_services
from transom.toolbox.tool import Envelope

posix = pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")


class Box:
    """A project with skills of its own, and a user's."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "ws"
        self.user = folder / "home" / "skills"
        self.root.mkdir(parents=True)
        self._box = Toolbox((FAMILY,), services={Workspace: Workspace([self.root]), **skill_services(self.user)})

    def write(self, name: str, body: str, *, user: bool = False, head: str = "", **files: str) -> Path:
        folder = (self.user if user else self.root / ".claude" / "skills") / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does {name}.\n{head}---\n{body}", "utf-8")
        for file, text in files.items():
            place = folder / file.replace("__", "/").replace("_md", ".md")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        return folder

    async def call(self, tool: str, **arguments: object) -> Envelope:
        return await self._box.call(tool, arguments, Caller(session="s"))


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def _names(answer: Envelope) -> list[str]:
    skills = answer.data["skills"]
    assert isinstance(skills, list)
    return [skill["name"] for skill in skills]


@pytest.mark.feature("L8")
async def test_a_projects_skills_stand_before_the_users_and_a_broken_one_is_told(box: Box) -> None:
    box.write("review", "Project's way.")
    box.write("review", "User's way.", user=True)
    box.write("release", "Tag it.", user=True)
    broken = box.root / ".claude" / "skills" / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_bytes(b"\xff\xfe")
    listed = await box.call("list_skills")
    assert _names(listed) == ["review", "release"]
    assert "- review: Does review." in listed.text
    assert "load it with load_skill" in listed.text
    assert "broken cannot be used" in listed.text
    assert "Project's way." in (await box.call("load_skill", name="review")).text
    shadowed = listed.data["shadowed"]
    assert isinstance(shadowed, list)
    assert [hidden["name"] for hidden in shadowed] == ["review"]


async def test_a_skill_that_was_written_or_changed_meanwhile_is_seen(box: Box) -> None:
    assert "SKILL.md" in (await box.call("list_skills")).text
    box.write("late", "First.")
    assert _names(await box.call("list_skills")) == ["late"]
    box.write("late", "Second, and longer.")
    assert "Second, and longer." in (await box.call("load_skill", name="late")).text


async def test_a_list_keeps_its_budget(box: Box) -> None:
    for number in range(60):
        box.write(f"skill-{number:02}", "x", head=f"when_to_use: {'often ' * 30}\n")
    answer = await box.call("list_skills", max_tokens=400)
    assert len(answer.text) < 2_500
    assert len(_names(answer)) == 60


@pytest.mark.feature("L8")
async def test_arguments_and_the_skills_folder_are_filled_in(box: Box) -> None:
    folder = box.write("greet", "Say $0 to $1 from ${CLAUDE_SKILL_DIR}/a.", head="arguments: [word, who]\n")
    answer = await box.call("load_skill", name="greet", arguments='hello "the world"')
    assert f"Say hello to the world from {folder}/a." in answer.text
    assert folder.is_absolute()
    refused = await box.call("load_skill", name="greet")
    assert (refused.ok, refused.error) == (False, "invalid_input")
    assert "word" in refused.text


async def test_further_files_are_read_in_pages(box: Box) -> None:
    text = "".join(f"line {number}\n" for number in range(4_000))
    box.write("big", "See docs/long.md.", docs__long_md=text)
    assert "docs/long.md" in (await box.call("load_skill", name="big")).text
    got, offset = "", 0
    while offset < len(text):
        page = await box.call("read_skill_file", name="big", path="./docs/long.md", offset=offset)
        body = page.text.split("\n", 1)[1]
        end = page.data["end"]
        assert isinstance(end, int)
        assert len(page.text) < 16_500
        got += body[: end - offset]
        offset = end
    assert got == text
    box.write("big", "See docs/long.md.", docs__new_md="new")
    assert "new" in (await box.call("read_skill_file", name="big", path="docs/new.md")).text
    beyond = await box.call("read_skill_file", name="big", path="docs/long.md", offset=len(text))
    assert beyond.error == "out_of_range"


@posix
@pytest.mark.parametrize(
    "path", ["../other/SKILL.md", "../../../secret.txt", "link.txt", ".hidden", "/etc/passwd", "docs", "", "a\0b"]
)
async def test_nothing_outside_a_skills_folder_is_read(box: Box, path: str) -> None:
    folder = box.write("one", "x", docs__a_md="a", b_md="b")
    box.write("other", "y")
    (box.root / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(box.root / "secret.txt")
    (folder / ".hidden").write_text("hidden")
    answer = await box.call("read_skill_file", name="one", path=path)
    assert (answer.ok, answer.error) == (False, "not_found")
    assert "secret" not in answer.text.replace(path, "")


async def test_an_unknown_skill_and_one_for_the_user_alone_are_refused(box: Box) -> None:
    assert (await box.call("load_skill", name="none")).error == "not_found"
    box.write("known", "x")
    box.write("private", "x", head="disable-model-invocation: true\n")
    unknown = await box.call("load_skill", name="none")
    assert (unknown.error, "known" in unknown.text) == ("not_found", True)
    private = await box.call("load_skill", name="private")
    assert (private.ok, private.error) == (False, "disabled")
    assert _names(await box.call("list_skills")) == ["known"]


async def test_many_calls_at_once_see_whole_skills(box: Box) -> None:
    for number in range(20):
        box.write(f"s{number}", f"Body {number}.")
    answers = await asyncio.gather(*(box.call("load_skill", name=f"s{number % 20}") for number in range(60)))
    assert [f"Body {number % 20}." in answer.text for number, answer in enumerate(answers)] == [True] * 60
