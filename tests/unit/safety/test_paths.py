"""Forms of paths, and places that are not written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.safety.paths import judge_form, protected
from transom.vocabulary import ENGLISH

REFUSED_EVERYWHERE = {
    "": "path_empty",
    "a.txt\0.png": "path_nul",
    "a\nb": "path_control",
    "a\x7fb": "path_control",
    "a\ud800b": "path_surrogate",
    "\\\\server\\share\\x.txt": "path_network",
    "//server/share": "path_network",
    "\\/server/share": "path_network",
    "\\\\?\\C:\\x": "path_device",
    "\\\\.\\PhysicalDrive0": "path_device",
    "//./con": "path_device",
    "\\??\\C:\\x": "path_device",
    "~": "path_home",
    "~/x": "path_home",
    "~\\x": "path_home",
    "~+/x": "path_home",
    "~root/x": "path_home",
    "file:///etc/hostname": "path_url",
    "FILE:/etc/hostname": "path_url",
    "https://example.org/x": "path_url",
    "n" * 256: "path_segment_long",
    "é" * 128: "path_segment_long",
    "d/" * 2500: "path_long",
}


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("path", REFUSED_EVERYWHERE)
def test_a_form_that_can_mean_another_place_is_refused_on_every_system(path: str, windows: bool) -> None:
    verdict = judge_form(path, windows=windows)
    assert (verdict.error, verdict.reason) == ("invalid_path", REFUSED_EVERYWHERE[path])
    ENGLISH.refusing.say(verdict.reason, verdict.facts).encode()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("CON", "path_device"),
        ("src/aux.c", "path_device"),
        ("nul ", "path_device"),
        ("COM1.txt.bak", "path_device"),
        ("lpt¹", "path_device"),
        ("CONIN$", "path_device"),
        ("a.txt:hidden", "path_stream"),
        ("a.txt::$DATA", "path_stream"),
        ("C:notes.md", "path_drive"),
        ("a?", "path_character"),
        ("a.", "path_trailing"),
        ("a /b", "path_trailing"),
    ],
)
def test_names_that_only_windows_changes_are_refused_there(path: str, reason: str) -> None:
    verdict = judge_form(path, windows=True)
    assert verdict.reason == reason
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)
    if path != "C:notes.md":
        assert judge_form(path, windows=False).allowed


@pytest.mark.parametrize("path", ["C:\\Users\\me\\notes.md", "c:/x", "..\\outside\\x", "a\\..\\b", ".\\a"])
def test_paths_of_windows_do_not_become_names_elsewhere(path: str) -> None:
    verdict = judge_form(path, windows=False)
    assert verdict.error == "invalid_path"
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize(
    "path", ["a.txt", "./a", "../a", "/etc/passwd", "a b/ü.txt", "~$doc.docx", "./~", "...", "a\u202fb", "․․/x"]
)
def test_where_a_plain_path_leads_is_not_judged_by_its_form(path: str) -> None:
    assert judge_form(path, windows=False).allowed


def test_absolute_paths_of_windows_are_plain_there() -> None:
    assert judge_form("C:\\Users\\me\\notes.md", windows=True).allowed


@given(st.text(), st.booleans())
def test_any_text_gets_an_answer_that_can_be_said(text: str, windows: bool) -> None:
    verdict = judge_form(text, windows=windows)
    if not verdict.allowed:
        ENGLISH.refusing.say(verdict.reason, verdict.facts).encode()


@pytest.mark.parametrize(
    "path",
    [
        ".git", ".git/hooks/pre-commit", "sub/.git/config", ".GIT/config", ".git./x", ".g\u200cit/x",
        ".git::$INDEX_ALLOCATION/x", "GIT~1/x",
        ".bashrc", "home/.zshenv", ".vscode/settings.json", ".mcp.json", ".claude/commands/x.md", ".config/fish/config.fish",
        ".ssh/config",
        "transom.toml", ".gitmodules", ".husky/pre-commit", ".kiro/settings/mcp.json", ".amazonq/mcp.json", ".devcontainer/x",
        "opencode.json", "HEAD", "x.git/HEAD", ".local/bin/ls",
    ],
)  # fmt: skip
def test_what_runs_by_itself_later_is_protected_even_before_it_exists(path: str) -> None:
    verdict = protected(path.split("/"))
    assert verdict.error == "protected_path"
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml",
        ".gitignore",
        ".gitattributes",
        "git",
        "a.git",
        ".git2",
        "config/fish",
        "bashrc",
        "head",
        "HEAD/x",
        "local/bin",
    ],
)
def test_names_are_compared_whole(path: str) -> None:
    assert protected(path.split("/")).allowed
