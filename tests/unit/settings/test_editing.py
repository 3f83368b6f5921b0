from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from transom.errors import SettingError
from transom.settings import load, set_in_file, unset_in_file

BEFORE = """\
# How this project is run.

window = 32_000   # what the model takes: "32k" # really
 'trigger'=0.6
strategy = "clear,reset"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "transom.toml"


def test_a_new_file_holds_the_one_setting(path: Path) -> None:
    assert set_in_file(path, "window", "64_000") == 64_000
    assert path.read_text() == "window = 64000\n"


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    set_in_file(tmp_path / "a" / "b" / "transom.toml", "prune", "off")
    assert (tmp_path / "a" / "b" / "transom.toml").read_text() == "prune = false\n"


def test_a_value_is_replaced_where_it_stands_and_its_comment_stays(path: Path) -> None:
    path.write_text(BEFORE)
    set_in_file(path, "window", "64000")
    assert path.read_text() == BEFORE.replace("32_000", "64000")


def test_a_quoted_key_is_the_same_key(path: Path) -> None:
    path.write_text(BEFORE)
    set_in_file(path, "trigger", "0.8")
    assert path.read_text() == BEFORE.replace(" 'trigger'=0.6", "trigger = 0.8")


def test_a_new_setting_goes_to_the_end(path: Path) -> None:
    path.write_text(BEFORE.rstrip("\n"))
    set_in_file(path, "scope", "team")
    assert path.read_text() == BEFORE + 'scope = "team"\n'


def test_line_ends_stay_as_they_are(path: Path) -> None:
    path.write_bytes(BEFORE.replace("\n", "\r\n").encode())
    set_in_file(path, "window", "64000")
    set_in_file(path, "scope", "team")
    assert path.read_bytes() == (BEFORE.replace("32_000", "64000") + 'scope = "team"\n').replace("\n", "\r\n").encode()


def test_what_is_set_is_what_is_read(path: Path) -> None:
    for key, text in {"store": r"C:\new \"place\".db", "scope": "a.b", "target": "gemini", "low_water": "0.25"}.items():
        set_in_file(path, key, text)
    settings = load(directory=path.parent, environment={}, user=path.parent / "none").settings
    assert settings.store == str(path.parent / r"C:\new \"place\".db")
    assert (settings.scope, settings.target, settings.low_water) == ("a.b", "gemini", 0.25)


def test_a_relative_store_stays_relative_to_the_file(path: Path) -> None:
    set_in_file(path, "store", "data/agent.db")
    assert tomllib.loads(path.read_text()) == {"store": "data/agent.db"}


def test_taking_a_setting_out_leaves_the_rest(path: Path) -> None:
    path.write_text(BEFORE)
    assert unset_in_file(path, "trigger")
    assert path.read_text() == BEFORE.replace(" 'trigger'=0.6\n", "")
    assert not unset_in_file(path, "trigger")
    assert not unset_in_file(path.parent / "none.toml", "trigger")


def test_what_is_written_over_several_lines_is_left_to_a_person(path: Path) -> None:
    text = 'strategy = """\\\n  clear,\\\n  reset"""\n'
    path.write_text(text)
    with pytest.raises(SettingError, match="by hand"):
        set_in_file(path, "strategy", "reset")
    assert path.read_text() == text


def test_an_assignment_inside_a_text_is_not_taken_for_one(path: Path) -> None:
    text = 'scope = """\nwindow = 3\n"""\n'
    path.write_text(text)
    with pytest.raises(SettingError, match="by hand"):
        set_in_file(path, "window", "4000")
    assert path.read_text() == text


@pytest.mark.parametrize(("key", "text"), [("window", "many"), ("windw", "3"), ("store", ""), ("scope", "a b")])
def test_a_wrong_name_or_value_changes_nothing(path: Path, key: str, text: str) -> None:
    path.write_text(BEFORE)
    with pytest.raises(SettingError, match=r"^config set"):
        set_in_file(path, key, text)
    assert path.read_text() == BEFORE


def test_a_broken_file_is_not_overwritten(path: Path) -> None:
    path.write_text("window = \n")
    with pytest.raises(SettingError, match="not TOML"):
        set_in_file(path, "window", "4000")
    assert path.read_text() == "window = \n"


@pytest.mark.skipif(os.name == "nt", reason="modes and links of a POSIX file system")
def test_mode_and_link_survive(path: Path) -> None:
    real = path.parent / "real.toml"
    real.write_text("window = 2000\n")
    real.chmod(0o600)
    path.symlink_to(real)
    set_in_file(path, "window", "4000")
    assert path.is_symlink()
    assert real.read_text() == "window = 4000\n"
    assert real.stat().st_mode & 0o777 == 0o600
    assert sorted(found.name for found in path.parent.iterdir()) == ["real.toml", "transom.toml"]
