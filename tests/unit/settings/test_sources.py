from __future__ import annotations

import re
from pathlib import Path

import pytest

from transom.errors import SettingError
from transom.settings import Settings, catalogue, load, project_file, user_file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "deep" / "er").mkdir(parents=True)
    return folder


@pytest.fixture
def user(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "transom.toml"
    path.parent.mkdir()
    return path


def sources(
    project: Path, user: Path, environment: dict[str, str] | None = None, **given: object
) -> dict[str, tuple[object, str]]:
    resolved = load(given, directory=project / "deep" / "er", environment=environment or {}, user=user)
    for key, entry in resolved.entries.items():
        assert getattr(resolved.settings, key) == entry.value
    return {key: (entry.value, entry.source) for key, entry in resolved.entries.items()}


def test_without_any_source_every_setting_has_its_default(project: Path, user: Path) -> None:
    defaults = Settings()
    assert sources(project, user) == {key: (getattr(defaults, key), "default") for key in catalogue()}
    assert (defaults.window, defaults.strategy, defaults.trigger, defaults.prune_bytes) == (
        None,
        "clear,digest,reset",
        0.7,
        16_384,
    )


@pytest.mark.feature("U1")
def test_each_source_overrules_the_ones_before_it_and_every_value_knows_its_own(project: Path, user: Path) -> None:
    user.write_text('window = 1111\nscope = "mine"\ntrigger = 0.5\nprune_bytes = 1\n')
    (project / "transom.toml").write_text("window = 2222\ntrigger = 0.6\nprune_bytes = 2\n")
    found = sources(project, user, {"TRANSOM_WINDOW": "3333", "TRANSOM_PRUNE_BYTES": "3"}, prune_bytes=4)
    assert found["scope"] == ("mine", "user")
    assert found["trigger"] == (0.6, "project")
    assert found["window"] == (3333, "environment")
    assert found["prune_bytes"] == (4, "command line")
    assert found["low_water"] == (0.5, "default")


def test_a_source_names_its_file_variable_or_option(project: Path, user: Path) -> None:
    (project / "transom.toml").write_text("trigger = 0.6\n")
    entries = load({"low_water": 0.4}, directory=project, environment={"TRANSOM_WINDOW": "3333"}, user=user).entries
    assert entries["trigger"].where == str(project / "transom.toml")
    assert entries["window"].where == "TRANSOM_WINDOW"
    assert entries["low_water"].where == "--low-water"
    assert entries["prune"].where == ""


def test_an_option_that_was_not_given_leaves_the_setting_alone(project: Path, user: Path) -> None:
    user.write_text("window = 1111\n")
    assert sources(project, user, window=None)["window"] == (1111, "user")


def test_the_nearest_file_counts_and_a_repository_ends_the_search(project: Path) -> None:
    (project / "transom.toml").touch()
    assert project_file(project / "deep" / "er") == project / "transom.toml"
    (project / "deep" / "transom.toml").touch()
    assert project_file(project / "deep" / "er") == project / "deep" / "transom.toml"
    (project / "deep" / "er" / ".git").mkdir()
    assert project_file(project / "deep" / "er") is None


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("windw = 3", r"'windw' is no setting \(did you mean window\?\)"),
        ("colour = 3", r"'colour' is no setting \(settings are window, target, .*\)"),
        ('window = "big"', r"window cannot be 'big' \(it is a whole number of tokens, 1024 or more, 100000000 at most\)"),
        ("window = 12", r"window cannot be 12 "),
        ("window = 1e6", r"window cannot be 1000000.0 "),
        ("trigger = 1", r"trigger cannot be 1 \(it is a number above 0 and below 1\)"),
        ("trigger = nan", r"trigger cannot be nan "),
        ("prune = 1", r"prune cannot be 1 \(it is true or false\)"),
        ('target = "claude"', r"target cannot be 'claude' \(it is openai, openai-responses, anthropic, gemini or ollama\)"),
        ('strategy = "clear digest"', r"strategy cannot be 'clear digest' "),
        ('scope = "../other"', r"scope cannot be '\.\./other' "),
        ('store = ""', r"store cannot be '' \(it is a path\)"),
        ("store = 3", r"store cannot be 3 "),
        ("[window]", r"window cannot be \{\} "),
        ("window =", r"is not TOML: "),
        ("window = 2000\nwindow = 3000", r"is not TOML: "),
    ],
)
def test_a_file_with_a_fault_is_refused_with_its_place_and_what_is_valid(
    project: Path, user: Path, line: str, says: str
) -> None:
    path = project / "transom.toml"
    path.write_text(line)
    with pytest.raises(SettingError, match=f"^{re.escape(str(path))}:? {says}"):
        load(directory=project, environment={}, user=user)


def test_a_file_that_is_not_text_is_refused(project: Path, user: Path) -> None:
    (project / "transom.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match="is not TOML"):
        load(directory=project, environment={}, user=user)


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("TRANSOM_WINDOW", "32_000", "window", 32_000),
        ("TRANSOM_WINDOW", " 32000 ", "window", 32_000),
        ("TRANSOM_TRIGGER", "0.65", "trigger", 0.65),
        ("TRANSOM_PRUNE", "no", "prune", False),
        ("TRANSOM_PRUNE", "0", "prune", False),
        ("TRANSOM_PRUNE", "True", "prune", True),
        ("TRANSOM_PRUNE", "on", "prune", True),
        ("TRANSOM_SCOPE", "1_000", "scope", "1_000"),
        ("TRANSOM_TARGET", "gemini", "target", "gemini"),
        ("TRANSOM_STORE", "a_b/", "store", "a_b/"),
    ],
)
def test_a_variable_is_read_as_a_person_would_write_it(
    project: Path, user: Path, variable: str, text: str, key: str, value: object
) -> None:
    found = sources(project, user, {variable: text})[key]
    assert found == (value, "environment")
    assert type(found[0]) is type(value)


@pytest.mark.parametrize("text", ["x", "-1", "1e99999", "32000 tokens", "null"])
def test_a_variable_that_does_not_fit_is_refused_by_its_name(project: Path, user: Path, text: str) -> None:
    with pytest.raises(SettingError, match=r"^TRANSOM_WINDOW: window cannot be "):
        load(directory=project, environment={"TRANSOM_WINDOW": text}, user=user)


def test_a_variable_set_to_nothing_is_not_set(project: Path, user: Path) -> None:
    assert sources(project, user, {"TRANSOM_STORE": "", "TRANSOM_WINDOW": "  "})["store"] == (None, "default")


def test_another_programs_variables_are_left_alone_and_listed(project: Path, user: Path) -> None:
    resolved = load(
        directory=project, environment={"TRANSOM_PORT": "tcp://10.0.0.1:80", "TRANSOM_WINDW": "1", "PATH": ""}, user=user
    )
    assert resolved.ignored == ("TRANSOM_PORT", "TRANSOM_WINDW")


def test_a_store_in_a_file_is_relative_to_that_file(project: Path, user: Path) -> None:
    (project / "transom.toml").write_text('store = "data/agent.db"\n')
    assert sources(project, user)["store"] == (str(project / "data" / "agent.db"), "project")


def test_an_absolute_store_stays_where_it_is_and_a_tilde_is_the_home(project: Path, user: Path) -> None:
    (project / "transom.toml").write_text("store = '~/agent.db'\n")
    assert sources(project, user)["store"] == (str(Path("~/agent.db").expanduser()), "project")


def test_a_store_given_by_a_program_may_be_a_path(project: Path, user: Path) -> None:
    assert sources(project, user, store=Path("agent.db"))["store"] == ("agent.db", "command line")


def test_a_separator_at_the_end_of_a_store_is_kept(project: Path, user: Path) -> None:
    (project / "transom.toml").write_text('store = "data/"\n')
    assert sources(project, user)["store"] == (f"{project / 'data'}/", "project")


def test_an_option_that_does_not_fit_is_refused_by_its_name(project: Path, user: Path) -> None:
    with pytest.raises(SettingError, match=r"^--window: window cannot be 5 "):
        load({"window": 5}, directory=project, environment={}, user=user)
    with pytest.raises(SettingError, match=r"^the command line: 'widnow' is no setting"):
        load({"widnow": 5}, directory=project, environment={}, user=user)


def test_every_setting_says_what_it_does_and_what_is_valid() -> None:
    for setting in catalogue().values():
        assert setting.help.endswith("."), setting.key
        assert setting.valid, setting.key


def test_the_users_file_lies_in_the_configuration_directory() -> None:
    assert user_file().name == "transom.toml"
    assert user_file().parent.name == "transom"


def test_only_settings_reads_the_environment(repository: Path) -> None:
    readers = [
        path.relative_to(repository / "src" / "transom").parts[0]
        for path in sorted((repository / "src" / "transom").rglob("*.py"))
        if re.search(r"\bos\.(?:environ|getenv)\b", path.read_text(encoding="utf-8"))
    ]
    assert set(readers) == {"settings"}
