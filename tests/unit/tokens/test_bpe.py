"""Exact counts offline. The golden figures are those of the vocabularies' reference implementation."""

from __future__ import annotations

import base64
import random
import subprocess
import sys
import time

import pytest

from transom.errors import MissingExtraError, SettingError
from transom.tokens import Tokenizer, bpe
from transom.tokens.bpe import BytePair

GOLDEN = [
    ("", 0, 0),
    ("a", 1, 1),
    ("hello world", 2, 2),
    ("Hello, World!", 4, 4),
    ("The quick brown fox jumps over the lazy dog.", 10, 10),
    ("def f(x):\n    return x + 1\n", 11, 11),
    ("你好,世界", 3, 6),
    ("こんにちは世界", 2, 4),
    ("안녕하세요 세계", 3, 9),
    ("Привет, мир", 4, 6),
    ("مرحبا بالعالم", 4, 10),
    ("नमस्ते दुनिया", 5, 13),
    ("🙂🚀👩‍👩‍👧", 11, 18),
    ("1234567890", 4, 4),
    ("<|endoftext|>", 7, 7),
    ("aGVsbG8gd29ybGQgZm9vYmFy", 15, 19),
    ("Straße Größe über", 4, 5),
    ("naïve café", 4, 4),
]


@pytest.mark.feature("K6")
@pytest.mark.parametrize("text, o200k, cl100k", GOLDEN)
def test_counts_are_those_of_the_vocabulary(text: str, o200k: int, cl100k: int) -> None:
    assert (bpe("o200k").count(text), bpe("cl100k").count(text)) == (o200k, cl100k)


def test_a_batch_counts_what_single_calls_count() -> None:
    texts = [text for text, _, _ in GOLDEN]
    tokenizer = bpe("o200k_base")
    assert isinstance(tokenizer, Tokenizer)
    assert (tokenizer.name, tokenizer.image_tokens) == ("o200k", 1600)
    assert tokenizer.count_batch(texts) == [tokenizer.count(text) for text in texts]


def test_a_special_token_spelt_out_in_a_text_is_text() -> None:
    assert bpe("o200k").count("<|endoftext|>") > 1


def test_a_lone_surrogate_costs_what_its_escape_costs() -> None:
    tokenizer = bpe("o200k")
    assert tokenizer.count("a\ud800b") == tokenizer.count("a\\ud800b")
    assert tokenizer.count_batch(["a\ud800b", "fine"]) == [tokenizer.count("a\\ud800b"), 1]


@pytest.mark.parametrize("kind", ["letters", "spaces", "base64", "characters without a space", "newlines"])
def test_hostile_text_is_counted_in_linear_time(kind: str) -> None:
    noise = base64.b64encode(random.Random(2).randbytes(150_000)).decode()
    text = {
        "letters": "a" * 200_000,
        "spaces": " " * 200_000,
        "base64": noise,
        "characters without a space": "所有记录" * 25_000,
        "newlines": "\n" * 200_000,
    }[kind]
    tokenizer = bpe("o200k")
    tokenizer.count("loaded")
    started = time.perf_counter()
    assert tokenizer.count(text) > 0
    assert time.perf_counter() - started < 2


def test_an_unknown_vocabulary_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingError, match="o200k and cl100k"):
        bpe("p50k")


def _without(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


def test_the_second_package_stands_in_for_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("splintr")
    _without(monkeypatch, "toktok")
    tokenizer = bpe("o200k")
    assert [tokenizer.count(text) for text, _, _ in GOLDEN] == [o200k for _, o200k, _ in GOLDEN]
    assert tokenizer.count_batch(["hello world", "a\ud800b"]) == [2, tokenizer.count("a\\ud800b")]


def test_without_either_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch, "toktok", "splintr")
    with pytest.raises(MissingExtraError, match="pip install toktok-rs"):
        bpe("cl100k")


def test_importing_the_tokens_loads_no_vocabulary() -> None:
    probe = "import sys, transom.tokens; print('toktok' in sys.modules or 'splintr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_tokenizer_is_made_by_its_function_only() -> None:
    assert isinstance(bpe("o200k", image_tokens=5), BytePair)
    assert bpe("o200k", image_tokens=5).image_tokens == 5
