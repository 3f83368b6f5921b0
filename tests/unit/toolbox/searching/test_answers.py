"""What searching tools answer: everything found where it fits, less of everything where it does not, and what is missing."""

from __future__ import annotations

import pytest
from tests.unit.toolbox.searching.searching_box import Box


async def test_lines_stand_below_their_files(box: Box) -> None:
    box.write("src/a.py", b"import os\nx = 1\nimport re\n")
    box.write("b.py", b"import re\n")
    answer = await box.works("ripgrep", pattern="^import")
    assert answer.text == "b.py\n1: import re\n\nsrc/a.py\n1: import os\n3: import re\n[… 3 lines in 2 files …]"
    assert answer.data["hits"][0] == {"path": "b.py", "line": 1, "column": 1, "text": "import re"}
    assert answer.provenance == "."


async def test_one_file_is_searched_too(box: Box) -> None:
    box.write("src/a.py", b"import os\nx = 1\n")
    box.write("src/b.py", b"import os\n")
    answer = await box.works("ripgrep", pattern="import", path="src/a.py")
    assert answer.data["hits"] == [{"path": "src/a.py", "line": 1, "column": 1, "text": "import os"}]
    scan = await box.works("pattern_scan", pattern="import", root="src/a.py")
    assert scan.data["total"] == 1
    tiny = await box.works("pattern_scan", pattern="import", root="src/a.py", maxFileSizeBytes=3)
    assert tiny.data["skipped"] == {"size": 1}


async def test_nothing_found_is_said_with_what_was_not_searched(box: Box) -> None:
    box.write("node_modules/a.js", b"needle\n")
    answer = await box.works("ripgrep", pattern="needle")
    assert answer.text == "No line matches needle.\n[… not searched: 1 excluded folders (include_excluded) …]"
    assert (await box.works("ripgrep", pattern="needle", include_excluded=True)).data["total"] == 1
    assert (await box.works("ripgrep", pattern="needle", path="node_modules")).data["total"] == 1


@pytest.mark.feature("Z7")
@pytest.mark.parametrize("name", ["ripgrep", "pattern_scan"])
async def test_an_unsafe_or_invalid_regex_is_searched_as_literal_text_and_that_is_said(box: Box, name: str) -> None:
    box.write("a.txt", b"the pattern (a+)+$ is unsafe\ncall foo(x)\naaaa\n")
    unsafe = await box.works(name, pattern="(a+)+$")
    assert [hit["line"] for hit in unsafe.data["hits"]] == [1]
    assert unsafe.data["demoted_to_literal"] is True
    assert "literal text" in unsafe.text
    invalid = await box.works(name, pattern="foo(")
    assert [hit["line"] for hit in invalid.data["hits"]] == [2]
    assert invalid.data["demoted_to_literal"] is True
    literal = await box.works(name, pattern="foo(", mode="literal")
    assert literal.data["demoted_to_literal"] is False


async def test_a_long_line_is_cut_around_the_match_and_no_character_in_two(box: Box) -> None:
    box.write("a.txt", "".join(["日本" * 3000, "needle", "ü" * 5000]).encode())
    answer = await box.works("ripgrep", pattern="needle")
    text = answer.data["hits"][0]["text"]
    assert "needle" in text
    assert len(text) <= 302
    assert text[0] == text[-1] == "…"
    assert set(text) <= set("…日本needlü")


async def test_large_answers_get_shorter_as_a_whole_and_come_in_pages(box: Box) -> None:
    for number in range(30):
        box.write(f"{number:02}.txt", b"needle and a good deal of other text on the same line\n" * 30)
    locations = await box.works("ripgrep", pattern="needle")
    assert locations.data["show"] == "counts"
    assert locations.data["counts"][0] == {"path": "00.txt", "lines": 30}
    assert locations.data["total"] == 900
    seen: list[tuple[str, int]] = []
    offset: int | None = 0
    while offset is not None:
        page = await box.works("ripgrep", pattern="needle", show="lines", offset=offset)
        assert len(page.text.encode()) + len(str(page.data["hits"])) < 30_000
        seen += [(hit["path"], hit["line"]) for hit in page.data["hits"]]
        offset = page.data["next_offset"]
    assert seen == [(f"{number:02}.txt", line) for number in range(30) for line in range(1, 31)]
    behind = await box.refuses("ripgrep", pattern="needle", show="lines", offset=900)
    assert behind.error == "out_of_range"


async def test_fewer_than_that_are_shown_as_locations(box: Box) -> None:
    box.write("a.txt", b"needle and a good deal of other text on the same line, which is rather long\n" * 200)
    answer = await box.works("ripgrep", pattern="needle")
    assert answer.data["show"] == "locations"
    assert answer.text.startswith("a.txt:1\na.txt:2\n")


async def test_other_encodings_are_named_where_they_are_shown(box: Box) -> None:
    box.write("old.txt", b"caf\xe9\n")
    box.write("wide.txt", b"\xfe\xff" + "café\n".encode("utf-16-be"))
    answer = await box.works("ripgrep", pattern="caf")
    assert [hit["text"] for hit in answer.data["hits"]] == ["café", "café"]
    assert answer.data["encodings"] == {"old.txt": "cp1252", "wide.txt": "utf-16-be"}
    assert "utf-16-be: wide.txt" in answer.text


async def test_lines_that_end_with_cr_alone_have_the_numbers_that_editing_tools_use(box: Box) -> None:
    box.write("classic.txt", b"one\rtwo needle\rthree\r")
    answer = await box.works("ripgrep", pattern="needle")
    assert answer.data["hits"] == [{"path": "classic.txt", "line": 2, "column": 5, "text": "two needle"}]


@pytest.mark.parametrize("pattern", ["", "two\nlines", "half \ud800"])
async def test_patterns_that_no_line_can_hold_are_refused(box: Box, pattern: str) -> None:
    assert (await box.refuses("ripgrep", pattern=pattern)).error == "invalid_input"


async def test_bad_globs_and_places_are_refused(box: Box) -> None:
    box.write("a", b"")
    assert (await box.refuses("ripgrep", pattern="x", globs=["{a"])).error == "invalid_input"
    assert (await box.refuses("ripgrep", pattern="x", path="../x")).error == "outside_root"
    assert (await box.refuses("ripgrep", pattern="x", path="b")).error == "not_found"


async def test_files_are_found_by_glob_and_by_part_of_their_name(box: Box) -> None:
    for name in ("src/App.tsx", "src/deep/app_test.py", "README.md", ".github/app.yml", "node_modules/app/x.js"):
        box.write(name, b"")
    assert (await box.works("find_files", pattern="app")).text == ".github/app.yml\nsrc/App.tsx\nsrc/deep/app_test.py"
    assert (await box.works("find_files", pattern="*.{tsx,md}")).data["paths"] == ["README.md", "src/App.tsx"]
    assert (await box.works("find_files", pattern="src/*")).data["paths"] == ["src/App.tsx"]
    assert (await box.works("find_files", pattern="app", case_sensitive=True, hidden=False)).data["paths"] == [
        "src/deep/app_test.py"
    ]
    folders = await box.works("find_files", pattern="app", kind="folder", include_excluded=True)
    assert folders.data["paths"] == ["node_modules/app/"]
    assert "No file name matches" in (await box.works("find_files", pattern="nope")).text
    assert (await box.works("find_files", pattern="app", path="src")).data["paths"] == ["src/App.tsx", "src/deep/app_test.py"]


async def test_found_files_come_in_pages(box: Box) -> None:
    for number in range(25):
        box.write(f"{number:02}.txt", b"")
    page = await box.works("find_files", pattern="*.txt", limit=10, offset=20)
    assert page.data["paths"] == [f"{number:02}.txt" for number in range(20, 25)]
    assert page.data["next_offset"] is None
    first = await box.works("find_files", pattern="*.txt", limit=10)
    assert first.text.endswith("[… 1-10 of 25; go on with offset=10 …]")
    assert (await box.refuses("find_files", pattern="*.txt", offset=25)).error == "out_of_range"


async def test_a_name_that_is_half_remembered_is_found(box: Box) -> None:
    for name in ("src/configuration.py", "src/settings.py", "src/confirm.py", "tests/test_settings.py", "src/deep/other.txt"):
        box.write(name, b"")
    assert (await box.works("fuzzy_find_local_files", query="configration.py")).data["matches"][0][
        "path"
    ] == "src/configuration.py"
    settings = await box.works("fuzzy_find_local_files", query="setings")
    assert [match["path"] for match in settings.data["matches"]][:2] == ["src/settings.py", "tests/test_settings.py"]
    assert settings.confidence == "inferred"
    by_path = await box.works("fuzzy_find_local_files", query="tests/settings")
    assert by_path.data["matches"][0]["path"] == "tests/test_settings.py"
    assert (await box.works("fuzzy_find_local_files", query="zzzzqqqq")).data["matches"] == []


async def test_a_project_is_described_by_its_names_and_sizes(box: Box) -> None:
    box.write("pyproject.toml", b"[project]\n")
    box.write("src/app/main.py", b"x" * 100)
    box.write("src/app/web/index.ts", b"x" * 50)
    box.write("tests/test_main.py", b"x" * 10)
    box.write("node_modules/x/index.js", b"x" * 1000)
    answer = await box.works("analyze_project")
    assert [language["name"] for language in answer.data["languages"]] == ["Python", "TypeScript"]
    assert answer.data["build_files"] == ["pyproject.toml"]
    assert answer.data["entry_points"] == ["src/app/main.py", "src/app/web/index.ts"]
    assert answer.data["tests"] == {"files": 1, "folders": {"tests": 1}}
    assert answer.data["excluded"] == ["node_modules/"]
    assert answer.data["files"] == 4
    assert "Python: 2 files, 110 bytes" in answer.text
