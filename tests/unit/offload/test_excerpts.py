"""What of a long text stays to be read."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from transom.engine.offload.excerpts import excerpt, excerpt_source, excerpt_to, is_excerpt
from transom.jsontext import loads
from transom.store.blobs import blob_uri
from transom.tokens import Chars, Heuristic, bpe
from transom.vocabulary import ENGLISH


def shorten(text: str, head: int = 200, tail: int = 100, *, keep_errors: bool = True) -> str:
    return excerpt(text, uri=blob_uri(text), head=head, tail=tail, vocabulary=ENGLISH, keep_errors=keep_errors)


LOG = "".join(f"{number:05d} request served in {number % 97} ms\n" for number in range(1, 3001))


@pytest.mark.feature("S7")
def test_head_and_tail_end_with_whole_lines_and_the_gap_says_what_it_hides_and_where_all_of_it_is() -> None:
    shown = shorten(LOG)
    head, mark, tail = re.split(r"(\[… .* …\]\n)", shown)
    assert LOG.startswith(head)
    assert head.endswith("ms\n")
    assert LOG.endswith(tail)
    assert tail.startswith("0")
    hidden = len(LOG) - len(head) - len(tail)
    first = head.count("\n") + 1
    last = 3000 - tail.count("\n")
    assert mark == f"[… lines {first}-{last} not shown: {hidden} of {len(LOG)} bytes. Whole text: {blob_uri(LOG)} …]\n"


@pytest.mark.feature("S7")
def test_lines_of_failure_stay_verbatim_with_their_line_numbers() -> None:
    lines = LOG.splitlines(keepends=True)
    lines[1499] = "ConnectionError: the database refused the connection\n"
    lines[2299] = "== 3 failed, 97 passed ==\n"
    text = "".join(lines)
    shown = shorten(text, 600, 300)
    assert lines[1499] in shown
    assert lines[2299] in shown
    assert re.search(r"lines \d+-1499 not shown.*\nConnectionError.*\n\[… lines 1501-2299 not shown: \d+ bytes #", shown)
    assert lines[1499] not in shorten(text, 600, 300, keep_errors=False)


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        "ValueError: invalid literal",
        "E   assert 1 == 2",
        "src/main.c:10:5: error: expected ';'",
        "error[E0382]: borrow of moved value",
        "FAILED tests/test_a.py::test_b",
        "npm ERR! code ELIFECYCLE",
        "bash: foo: command not found",
        "cat: x: No such file or directory",
        "Permission denied (publickey).",
        "process exited with code 137",
        "thread 'main' panicked at src/main.rs:2",
        "2026-01-01 ERROR could not connect",
        "致命错误：无法打开文件",
        "エラー: ファイルが見つかりません",
        "Fehler: Datei nicht gefunden",
    ],
)
def test_failures_are_known_in_many_tongues(line: str) -> None:
    lines = LOG.splitlines(keepends=True)
    lines[1000] = line + "\n"
    assert line in shorten("".join(lines), 1000, 400)


def test_a_file_name_that_speaks_of_errors_is_no_failure() -> None:
    listing = "".join(f"src/error_handler_{number}.py\n" for number in range(2000))
    assert shorten(listing).count("[…") == 1


def test_ten_thousand_failures_take_no_more_room_than_their_share() -> None:
    text = "error: something went wrong here, again and again\n" * 10_000
    assert len(shorten(text, 2000, 1000)) < 2000 + 1000 + (2000 + 1000) // 4 + 13 * 200


def test_one_long_line_is_cut_within_and_the_gap_counts_its_characters() -> None:
    text = "x" * 50_000
    shown = shorten(text)
    assert shown.startswith("x" * 200 + "\n[… characters 201-49900 of line 1 not shown: 49700 of 50000 bytes.")
    assert shown.endswith("…]\n" + "x" * 100)


def test_a_gap_that_begins_within_one_line_and_ends_within_another_names_both() -> None:
    text = "start " * 200 + "\n" + "middle\n" * 100 + "end " * 200
    assert "from line 1, character 201, to line 102, character 700, not shown" in shorten(text)


def test_no_character_a_reader_sees_as_one_is_split() -> None:
    for cluster in (
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "👍🏽",
        "🇩🇪",
        "\ud83d\ude00",
        "ᄒ\u1161\u11ab",
        "☎\ufe0f",
        "क\u094d",
        "\r\n",
    ):
        for offset in range(len(cluster)):
            text = "x" * (200 - offset) + cluster * 2000
            shown = shorten(text)
            head = shown[: shown.index("[…")]
            assert (len(head) - (200 - offset) - (not head.endswith(cluster))) % len(cluster) == 0


@pytest.mark.feature("S7")
def test_an_excerpt_is_never_shortened_again() -> None:
    shown = shorten(LOG)
    assert is_excerpt(shown)
    assert shorten(shown, 20, 10) is shown
    source = excerpt_source(shown)
    assert source is not None
    assert (source.uri, source.size) == (blob_uri(LOG), len(LOG))


def test_a_text_that_quotes_a_mark_is_no_excerpt() -> None:
    quoting = "This is what was shown:\n" + shorten(LOG) + LOG
    assert not is_excerpt(quoting)
    shown = shorten(quoting, 2000, 100)
    assert len(shown) < 4000
    source = excerpt_source(shown)
    assert source is not None
    assert source.uri == blob_uri(quoting)


def test_an_excerpt_with_a_line_added_is_no_longer_taken_for_one() -> None:
    assert not is_excerpt(shorten(LOG) + "added by somebody\n")


def test_a_text_that_would_not_get_shorter_stays() -> None:
    for text in ("", "short", "x" * 300, "x" * 460, "x" * 550):
        assert shorten(text) == text


def test_lone_surrogates_and_nul_survive() -> None:
    text = "\ud800\x00" * 5000
    assert is_excerpt(shorten(text))


@pytest.mark.parametrize("unit", ["x", "line of text\n", "error: again\n", "世界", "\n", "e\u0301", "Error"])
def test_a_huge_text_is_shortened_in_linear_time(unit: str) -> None:
    text = unit * (20_000_000 // len(unit))
    started = time.perf_counter()
    shown = shorten(text, 2048, 512)
    assert time.perf_counter() - started < 5
    assert len(shown) < 8000


@pytest.mark.parametrize("limit", [100, 150, 300, 1000, 5000])
def test_an_excerpt_is_made_to_fit_a_number_of_tokens(limit: int) -> None:
    mixed = LOG + "错误：数据库拒绝连接\n" * 500 + "é" * 5000
    for tokenizer in (Chars(), Heuristic(), bpe("o200k")):
        shown = excerpt_to(mixed, uri=blob_uri(mixed), limit_tokens=limit, tokenizer=tokenizer, vocabulary=ENGLISH)
        assert tokenizer.count(shown) <= limit
        assert tokenizer.count(shown) >= limit * 0.6 or limit < 200
        assert blob_uri(mixed) in shown


def test_a_text_that_fits_is_given_back_and_one_that_cannot_fit_is_down_to_its_mark() -> None:
    assert excerpt_to("short", uri="context://vfs/x", limit_tokens=10, tokenizer=Chars(), vocabulary=ENGLISH) == "short"
    shown = excerpt_to(LOG, uri=blob_uri(LOG), limit_tokens=1, tokenizer=Chars(), vocabulary=ENGLISH)
    assert shown == f"[… lines 1-3000 not shown: {len(LOG)} of {len(LOG)} bytes. Whole text: {blob_uri(LOG)} …]"
    tiny = "x" * 50
    assert excerpt_to(tiny, uri=blob_uri(tiny), limit_tokens=1, tokenizer=Chars(), vocabulary=ENGLISH) == tiny


def _strings(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)


def test_real_results_are_shortened_to_verbatim_lines(transcripts: Path) -> None:
    seen = 0
    for path in sorted(transcripts.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for text in set(_strings(loads(line))):
                if len(text) <= 16_384:
                    continue
                seen += 1
                shown = shorten(text, 2048, 512)
                assert is_excerpt(shown)
                assert len(shown) < 6000
                own = re.compile(rf"\n?\[… [^\n]*(?:{re.escape(blob_uri(text))}| #{blob_uri(text)[-8:]}) …\]\n?")
                assert all(piece in text for piece in own.split(shown))
    assert seen > 50
