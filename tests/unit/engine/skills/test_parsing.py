"""SKILL.md as people write it: 30 shapes read and written again, what is refused, and what is changed."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.engine.skills.parsing import parse_skill, render_skill
from transom.engine.skills.skill import Skill
from transom.errors import FormatError

SHAPES = Path(__file__).parents[3] / "fixtures" / "skills"
NAMES = sorted(path.parent.name for path in SHAPES.glob("*/SKILL.md"))


def text_of(name: str) -> str:
    return (SHAPES / name / "SKILL.md").read_bytes().decode()


def shape(name: str) -> Skill:
    return parse_skill(text_of(name), name=name)


def test_there_are_thirty_shapes() -> None:
    assert len(NAMES) == 30


@pytest.mark.feature("L8")
@pytest.mark.parametrize("name", NAMES)
def test_a_skill_that_nothing_was_changed_in_is_written_as_it_was_read(name: str) -> None:
    skill = shape(name)

    assert skill.name
    assert render_skill(skill) == text_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_one_changed_field_leaves_every_other_line_as_it_was(name: str) -> None:
    before = shape(name)
    after = replace(before, license="BSD-3-Clause")

    written = render_skill(after)
    assert parse_skill(written, name=name) == after
    kept = [line for line in text_of(name).lstrip("\ufeff").splitlines() if not line.startswith("license")]
    remaining = iter(written.lstrip("\ufeff").splitlines())
    assert all(line in remaining for line in kept)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        (
            "folded-block",
            "description",
            (
                "Writes release notes from merged changes. Use when the user asks what is new, or before a version is tagged.\n"
                "Also for changelogs."
            ),
        ),
        (
            "literal-strip",
            "description",
            "Reviews SQL migrations.\n- Use before a migration is merged.\n- Not for queries: those have their own skill.",
        ),
        ("literal-keep", "extra", {"notes": "kept with its empty lines\n\n\n"}),
        ("folded-indented", "description", "Two columns deeper than the block says,\n  and folded."),
        (
            "colon-unquoted",
            "description",
            'Deploys to staging. Use when: the user says "ship it". Note: never to production.',
        ),
        ("quoted-double", "description", 'Explains errors: what they mean, "why" they came, and the mend.\nTwo lines.'),
        ("quoted-single", "description", "It's for regular expressions: # is no comment here"),
        ("flow-list", "allowed_tools", ("Read", "Grep", "Bash(git diff:*)")),
        ("flow-list", "extra", {"tags": ("git", "review", 2024)}),
        ("block-list", "allowed_tools", ("Read", "Bash(npm run build)", "Bash(npm run test:*)")),
        ("list-at-margin", "allowed_tools", ("Read", "Write")),
        ("flow-over-lines", "arguments", ("issue", "branch")),
        ("tools-by-spaces", "allowed_tools", ("Bash(git add *)", "Bash(git commit *)", "Read")),
        ("hint-brackets", "argument_hint", "[issue-number]"),
        ("hint-two-brackets", "argument_hint", "[filename] [format]"),
        ("claude-code-keys", "for_model", False),
        ("claude-code-keys", "name", "deploy"),
        ("background-knowledge", "for_user", False),
        (
            "unknown-keys",
            "extra",
            {
                "version": "1.10",
                "x-team": "platform",
                "category": "data & reports",
                "mcp-servers": {"files": {"command": "serve", "args": ("--root", ".")}},
                "dependencies": "python>=3.11, jq",
                "enabled": "yes",
            },
        ),
        ("kebab-and-snake", "extra", {"display_name": "Kebab & Snake", "Min-Version": "2", "created-at": "2026-01-09"}),
        ("crlf", "description", "Lines end as on Windows.\nBoth of them."),
        ("crlf", "body", "\n# Title\n\nText.\n"),
        ("byte-order-mark", "description", "Begins with a mark that nobody sees."),
        ("no-frontmatter", "name", "no-frontmatter"),
        ("no-frontmatter", "summary", "Write them in the imperative, under 60 characters."),
        ("empty-body", "body", ""),
        ("tabs", "metadata", {"author": "a team"}),
        ("tabs", "license", "MIT"),
        ("other-scripts", "name", "发布说明"),
        ("other-scripts", "extra", {"clé étrangère": "значение"}),
        ("comments", "description", "Has comments everywhere."),
        ("comments", "allowed_tools", ()),
        ("plain-over-lines", "description", "Text without a mark that goes on over the next line and the next."),
        ("plain-over-lines", "optional", ("depth",)),
        ("empty-values", "for_model", True),
        ("empty-values", "model", ""),
    ],
)
def test_each_shape_says_what_its_writer_meant(name: str, field: str, value: object) -> None:
    assert getattr(shape(name), field) == value


@pytest.mark.feature("L8")
@pytest.mark.parametrize(
    ("head", "line", "hint"),
    [
        ("name: a\ndescription:\n  - one\n  - two", 3, 'description: "…"'),
        ("name: [a, b]", 2, 'name: "…"'),
        ("name: a\ndescription: {what: this}", 3, 'description: "…"'),
        ('name: a\ndescription: "never closed', 3, "quotes"),
        ("name: a\nallowed-tools: [Read, Grep", 3, "quotes"),
        ("name: a\nallowed-tools: Bash(git *", 3, "Bash(git *)"),
        ("name: a\nallowed-tools:\n  bash: yes", 3, "allowed-tools: Read"),
        ("name: a\nallowed-tools:\n  - [Read]", 3, "one name an item"),
        ("name: a\ndisable-model-invocation: yes", 3, "disable-model-invocation: true"),
        ("user-invocable: [true]", 2, "user-invocable: true"),
        ("name: a\n\nmetadata: none of it", 4, "below metadata"),
        ("arguments: [one, one]", 2, "once"),
        ("arguments: {one: two}", 2, "[first, second]"),
        ("arguments: 'not ok!'", 2, "letters"),
        (f"name: {'n' * 65}", 2, "64"),
        ("name: ../outside", 2, "letters"),
        ('name: "two\\nlines"', 2, "letters"),
        ("name: a\nlicense: MIT\nname: b", 4, "leave one"),
        ("description: |\n  text\n at the margin: no", 4, "quotes"),
        ("license: !!python/name:os.system", 2, "quotes"),
    ],
)
def test_a_known_key_that_says_nothing_usable_is_refused_with_its_line_and_the_mend(head: str, line: int, hint: str) -> None:
    with pytest.raises(FormatError) as refused:
        parse_skill(f"---\n{head}\n---\nBody.\n")

    assert f"line {line}" in refused.value.message
    assert hint in refused.value.hint


def test_a_frontmatter_that_never_ends_is_refused_and_a_rule_across_the_page_is_not() -> None:
    with pytest.raises(FormatError, match="never ends"):
        parse_skill("---\nname: a\n\nBody.\n")

    assert parse_skill("---\n\nA body that begins with a rule.\n").body.startswith("---")


def test_what_stands_before_the_first_key_is_refused() -> None:
    with pytest.raises(FormatError, match="line 2"):
        parse_skill("---\nhello there\n---\n")


@pytest.mark.parametrize(
    "head",
    [
        "a: &a [x, x]\nb: [*a, *a]",
        "a: &a\n  - x\nname: n",
        "deep: " + "[" * 20_000 + "]" * 20_000,
        "deep: " + "{a: " * 8_000 + "}" * 8_000,
        "deep:\n" + "\n".join("  " * depth + "- a:" for depth in range(1, 300)),
        "big: " + "x" * 70_000,
        "tagged: !!python/object/apply:os.system ['true']",
    ],
)
def test_a_bomb_is_refused_and_costs_next_to_nothing(head: str) -> None:
    begun = time.perf_counter()
    with pytest.raises(FormatError):
        parse_skill(f"---\n{head}\n---\n")

    assert time.perf_counter() - begun < 2


def test_a_body_of_more_than_a_mebibyte_is_no_skill() -> None:
    with pytest.raises(FormatError, match=r"SKILL\.md of"):
        parse_skill("x" * ((1 << 20) + 1))


def test_an_unknown_key_is_never_refused_for_what_it_says() -> None:
    text = '---\nname: a\nodd: "never closed\nodder: [1, 2\nplain: *not* an alias\n---\nBody.\n'
    skill = parse_skill(text)

    assert skill.extra == {"odd": '"never closed', "odder": "[1, 2", "plain": "*not* an alias"}
    assert render_skill(replace(skill, model="small")).startswith(text[: text.index("\n---\nBody")])


def test_a_changed_body_keeps_the_line_ends_of_the_file() -> None:
    skill = replace(shape("crlf"), body="One.\nTwo.\n")

    assert render_skill(skill).endswith("---\r\nOne.\r\nTwo.\r\n")


def test_a_field_that_is_emptied_leaves_no_line() -> None:
    skill = replace(shape("comments"), license="", extra={})

    assert "license" not in render_skill(skill)
    assert "# end" in render_skill(skill)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
LINES = TEXTS.map(lambda text: " ".join(text.split()))
WORDS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(-(10**6), 10**6), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.dictionaries(TEXTS.filter(str.strip), inner, max_size=3)
    ),
    max_leaves=6,
)
TAKEN = {"name", "description", "license", "compatibility", "model", "context", "agent", "arguments", "metadata", "when_to_use"}


@given(
    name=st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}", fullmatch=True),
    description=TEXTS.map(str.strip),
    hint=LINES,
    tools=st.lists(WORDS, max_size=3).map(tuple),
    arguments=st.lists(WORDS.filter(lambda word: word != "ARGUMENTS"), max_size=3, unique=True).map(tuple),
    metadata=st.dictionaries(WORDS, TEXTS, max_size=3),
    extra=st.dictionaries(WORDS.filter(lambda key: key not in TAKEN), VALUES, max_size=3),
    flags=st.tuples(st.booleans(), st.booleans()),
    body=TEXTS.map(lambda text: text.replace("\r", "")),
)
def test_a_skill_made_in_a_program_is_read_back_as_it_was_made(
    name: str,
    description: str,
    hint: str,
    tools: tuple[str, ...],
    arguments: tuple[str, ...],
    metadata: dict[str, str],
    extra: dict[str, object],
    flags: tuple[bool, bool],
    body: str,
) -> None:
    skill = Skill(
        name=name,
        description=description,
        argument_hint=hint,
        allowed_tools=tools,
        arguments=arguments,
        metadata=metadata,
        extra=extra,
        for_model=flags[0],
        for_user=flags[1],
        body=body,
    )
    assert parse_skill(render_skill(skill)) == skill


@given(st.text(alphabet="-:#|>\"' \t\n[]{}&*!%@`,?ab\r\\", max_size=60))
def test_whatever_stands_in_the_frontmatter_is_read_or_refused_and_written_as_it_was(inner: str) -> None:
    text = f"---\n{inner}\n---\nBody.\n"
    with contextlib.suppress(FormatError):
        assert render_skill(parse_skill(text)) == text


@pytest.mark.parametrize("value", ['"\\U99999999"', '"\\U00110000"'])
def test_what_breaks_the_reader_of_yaml_is_refused_as_a_format(value: str) -> None:
    with pytest.raises(FormatError, match="line 2: description cannot be read"):
        parse_skill(f"---\ndescription: {value}\n---\n")


def test_blanks_before_a_colon_are_no_part_of_a_key() -> None:
    skill = parse_skill('---\nname \t: a\n"description" : b\nx:y : c\n---\n')

    assert (skill.name, skill.description, dict(skill.extra)) == ("a", "b", {"x:y": "c"})


def test_a_head_that_never_ends_may_hold_any_number_of_blanks() -> None:
    text = "---\na" + " " * 900_000 + "b\n"

    assert parse_skill(text).body == text


def test_a_value_may_hold_any_number_of_blanks() -> None:
    blanks = " " * 60_000

    assert parse_skill(f"---\ndescription: 'a{blanks}b' \t\n---\n").description == f"a{blanks}b"


@pytest.mark.parametrize("text", [r"\ud83d\ude00", r"\U0001F600", "😀"])
def test_a_character_that_is_escaped_in_two_halves_is_one(text: str) -> None:
    assert parse_skill(f'---\nname: a\ndescription: "{text}"\n---\n').description == "😀"


@pytest.mark.parametrize("key", ["description", "name", "license", "metadata", "unknown"])
def test_half_a_character_is_refused_with_its_line(key: str) -> None:
    value = r'{a: "\uDFFF"}' if key == "metadata" else r'"\uD800"'
    with pytest.raises(FormatError, match=f"line 2: {key} holds half a surrogate pair"):
        parse_skill(f"---\n{key}: {value}\n---\n")
