"""Arguments in the body of a skill, as the published format defines them, with missing ones said instead of left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given as tried_with
from hypothesis import strategies as st

from transom.engine.skills.arguments import Arguments, render_body
from transom.engine.skills.block import escape
from transom.engine.skills.skill import Skill
from transom.errors import InputError
from transom.vocabulary import ENGLISH

WORDS = ENGLISH.skills


def rendered(body: str, given: Arguments = None, /, **fields: object) -> str:
    return render_body(Skill(name="s", body=body, **fields), given, words=WORDS)  # type: ignore[arg-type]


@pytest.mark.feature("L8")
@pytest.mark.parametrize(
    ("body", "arguments", "names", "expected"),
    [
        ("Fix $ARGUMENTS.", "issue 12", (), "Fix issue 12."),
        ("Fix $ARGUMENTS.", '"issue 12" now', (), 'Fix "issue 12" now.'),
        ("Move $0 from $1 to $2.", 'Bar "Vue 2" React', (), "Move Bar from Vue 2 to React."),
        ("Move $ARGUMENTS[0] to $ARGUMENTS[1].", ["a b", "c"], (), "Move a b to c."),
        ("Fix $issue on $branch.", "12 main", ("issue", "branch"), "Fix 12 on main."),
        ("Fix $issue-fast.", "12", ("issue",), "Fix 12-fast."),
        ("Fix $my-issue.", "12", ("my-issue",), "Fix 12."),
        ("Fix $issue on $branch.", {"branch": "main", "issue": "12"}, ("issue", "branch"), "Fix 12 on main."),
        ("All: $ARGUMENTS", {"branch": "a b", "issue": "12"}, ("issue", "branch"), "All: 12 'a b'"),
        (r"Costs \$1.00, \$ARGUMENTS, $HOME and \$HOME.", "x", (), None),
        ("It's $ARGUMENTS", "it's open", (), "It's it's open"),
        ("Nothing.", "12 main", (), "Nothing.\n\nARGUMENTS: 12 main\n"),
        ("Nothing $ARGUMENTS.", "", (), "Nothing ."),
        ("$0", "$1 $ARGUMENTS", (), "$1\n\nARGUMENTS: $ARGUMENTS\n"),
        ("Do $a.", "1 please be careful", ("a",), "Do 1.\n\nARGUMENTS: please be careful\n"),
        ("Do $a.", ["1", "2"], ("a",), "Do 1.\n\nARGUMENTS: 2\n"),
        ("$ARGUMENTS: awk '{print $2}', pay $1", "fix the login", (), "fix the login: awk '{print $2}', pay $1"),
        ("$ARGUMENTS: awk '{print $2}'", "fix", (), "fix: awk '{print $2}'"),
    ],
)
def test_arguments_stand_where_the_body_asks_for_them(
    body: str, arguments: Arguments, names: tuple[str, ...], expected: str | None
) -> None:
    if expected is None:
        expected = "Costs $1.00, $ARGUMENTS, $HOME and \\$HOME.\n\nARGUMENTS: x\n"
    assert rendered(body, arguments, arguments=names) == expected


@pytest.mark.feature("L8")
@pytest.mark.parametrize(
    ("body", "arguments", "names", "message"),
    [
        ("$0 and $1 and $2", "one", (), r"\$1, \$2, and 1 argument came"),
        ("$issue", None, ("issue",), r"\$issue, and no arguments came"),
        ("$a and $b", {"a": "x"}, ("a", "b"), r"\$b, and 1 argument came"),
        ("$ARGUMENTS[3]", "one two", (), r"\$ARGUMENTS\[3\], and 2 arguments came"),
        ("$a", {"c": "x"}, ("a",), "no argument 'c'"),
        ("x", {"c": "x"}, (), "no argument 'c'"),
    ],
)
def test_missing_and_unknown_arguments_are_an_error_that_names_them(
    body: str, arguments: Arguments, names: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message) as refused:
        rendered(body, arguments, arguments=names)
    assert refused.value.hint


def test_an_optional_argument_may_be_missing() -> None:
    assert rendered("Look at $area$depth.", "src", arguments=("area", "depth"), optional=("depth",)) == "Look at src."
    assert rendered("$0|$1", "src", arguments=("area", "depth"), optional=("depth",)) == "src|"


def test_a_skill_that_takes_no_arguments_keeps_its_shell_scripts() -> None:
    script = "awk '{print $1, $2}' \"$0\" # ${HOME} $PATH !`rm -rf /`"

    assert rendered(script) == script
    with pytest.raises(InputError):
        rendered(script, argument_hint="[file]")
    skill = Skill(name="s", body=script, argument_hint="[file]")
    assert render_body(skill, "log.txt", words=WORDS, missing="keep") == script.replace("$0", "log.txt")


def test_texts_for_commands_that_count_from_one_can_be_read_so() -> None:
    skill = Skill(name="s", body="Merge $1 into $2.")

    assert render_body(skill, "a b", words=WORDS, first=1) == "Merge a into b."


def test_the_folder_of_a_skill_is_put_in_where_there_is_one() -> None:
    body = "Run ${CLAUDE_SKILL_DIR}/check.sh"

    assert rendered(body, directory=Path("/skills/review")) == "Run /skills/review/check.sh"
    assert rendered(body) == body


@tried_with(st.text("$ARGUMENTS0123[]{}\\ ab-_!`", max_size=40), st.lists(st.text(max_size=5), max_size=3))
def test_any_body_takes_any_arguments_when_missing_ones_may_stay(body: str, arguments: list[str]) -> None:
    skill = Skill(name="s", body=body, arguments=("a", "ab"))

    once = render_body(skill, arguments, words=WORDS, missing="keep")
    assert once == render_body(skill, arguments, words=WORDS, missing="keep")
    if "$" not in body and not arguments:
        assert once == body


def test_numbers_are_arguments_as_they_are_written() -> None:
    assert rendered("$0 and $1", [1, 2.5]) == "1 and 2.5"
    assert rendered("$a", {"a": 1}, arguments=("a",)) == "1"


@pytest.mark.parametrize("wrong", [5, b"x", [None], [["x"]], {"a": None}, {"a": True}, {1: "x", "b": "y"}])
def test_arguments_of_another_kind_are_refused(wrong: object) -> None:
    with pytest.raises(InputError):
        rendered("$ARGUMENTS", wrong, arguments=("a",))  # type: ignore[arg-type]


def test_a_word_may_have_any_number_of_hyphens() -> None:
    word = "-x" * 400_000

    assert rendered(f"$a{word} $b{word}", {"a": "1"}, arguments=("a",)) == f"1{word} $b{word}"


def test_a_bracket_may_be_followed_by_any_number_of_blanks() -> None:
    blanks = " " * 900_000
    frame = WORDS.block_name

    assert escape(f"<{blanks}x <{blanks}/{blanks}{frame}>", WORDS) == f"<{blanks}x &lt;{blanks}/{blanks}{frame}>"
