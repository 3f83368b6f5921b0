from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from transom.settings import catalogue

Run = Callable[..., CompletedProcess[str]]


@pytest.mark.feature("U1")
def test_show_prints_every_setting_with_its_value_and_source(transom: Run) -> None:
    transom("config", "set", "scope", "team")
    done = transom("config", "show", environment={"TRANSOM_WINDOW": "64000"})
    assert done.returncode == 0
    assert done.stderr == ""
    rows = [line.split()[:3] for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == ["setting", *catalogue()]
    assert ["window", "64000", "TRANSOM_WINDOW"] in rows
    assert ["prune", "true", "default"] in rows
    assert next(row[2] for row in rows if row[:2] == ["scope", "team"]).endswith("transom.toml")


@pytest.mark.feature("U1")
def test_show_gives_exact_json(transom: Run) -> None:
    done = transom("config", "show", "--json", environment={"TRANSOM_TRIGGER": "0.65", "TRANSOM_COLOUR": "1"})
    found = json.loads(done.stdout)
    assert found["settings"]["trigger"] == {"value": 0.65, "source": "environment", "where": "TRANSOM_TRIGGER"}
    assert found["settings"]["window"] == {"value": None, "source": "default", "where": ""}
    assert found["ignored"] == ["TRANSOM_COLOUR"]


def test_a_variable_that_is_no_setting_is_mentioned(transom: Run) -> None:
    assert (
        transom("config", "show", environment={"TRANSOM_WINDW": "1"}).stderr
        == "TRANSOM_WINDW is set and is no setting of transom\n"
    )


def test_set_writes_the_projects_file_and_unset_takes_it_out_again(transom: Run, tmp_path: Path) -> None:
    file = tmp_path / "here" / "transom.toml"
    done = transom("config", "set", "window", "32_000", "--json")
    assert json.loads(done.stdout) == {"key": "window", "value": 32000, "file": str(file)}
    assert file.read_text() == "window = 32000\n"
    assert transom("config", "unset", "window").stdout == f"window taken out of {file}\n"
    assert json.loads(transom("config", "unset", "window", "--json").stdout)["removed"] is False


def test_set_changes_the_file_that_is_in_force_even_from_a_folder_below(transom: Run, tmp_path: Path) -> None:
    transom("config", "set", "window", "32000")
    below = tmp_path / "here" / "below"
    below.mkdir()
    transom("config", "set", "window", "64000", cwd=below)
    assert (tmp_path / "here" / "transom.toml").read_text() == "window = 64000\n"
    assert not (below / "transom.toml").exists()


def test_set_for_the_user_leaves_the_project_alone(transom: Run, tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path / "home"), "HOME": str(tmp_path / "home"), "APPDATA": str(tmp_path / "home")}
    done = transom("config", "set", "window", "32000", "--user", environment=home)
    assert done.returncode == 0
    assert not (tmp_path / "here" / "transom.toml").exists()
    assert json.loads(transom("config", "show", "--json", environment=home).stdout)["settings"]["window"]["source"] == "user"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("config", "set", "windw", "1"), "transom: config set: 'windw' is no setting (did you mean window?)\n"),
        (("config", "set", "prune", "perhaps"), "transom: config set: prune cannot be 'perhaps' (it is true or false)\n"),
        (("config", "unset", "colour"), "transom: config unset: 'colour' is no setting (settings are "),
    ],
)
def test_a_wrong_name_or_value_is_one_line_and_wrong_usage(transom: Run, arguments: tuple[str, ...], says: str) -> None:
    done = transom(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(says)
    assert done.stderr.count("\n") == 1
