"""The estimate that needs no vocabulary."""

from __future__ import annotations

import base64
import random

import pytest

from transom.tokens import Chars, Custom, Heuristic, Tokenizer, bpe

O200K = bpe("o200k")
CL100K = bpe("cl100k")
HEURISTIC = Heuristic()

PROSE = {
    "English": "The service restarts every night at three, and the log says which of the jobs were still running then. ",
    "German": "Der Dienst startet jede Nacht um drei Uhr neu, und das Protokoll nennt die Aufträge, die noch liefen. ",
    "Chinese": "服务每天凌晨三点重新启动，日志会记录当时仍在运行的任务，请先检查配置文件再继续操作。",
    "Traditional Chinese": "服務每天凌晨三點重新啟動，記錄檔會寫明當時仍在執行的工作，請先檢查設定檔再繼續操作。",
    "Japanese": "サービスは毎晩三時に再起動し、そのとき実行中だったジョブがログに記録されます。",
    "Korean": "서비스는 매일 새벽 세 시에 다시 시작되며 그때 실행 중이던 작업이 로그에 기록됩니다. ",
    "Russian": "Служба перезапускается каждую ночь в три часа, и журнал показывает, какие задания ещё выполнялись. ",
    "Arabic": "تعاد تشغيل الخدمة كل ليلة في الساعة الثالثة ويسجل السجل المهام التي كانت لا تزال قيد التنفيذ. ",
    "Hindi": "सेवा हर रात तीन बजे फिर से शुरू होती है और लॉग बताता है कि उस समय कौन से काम चल रहे थे। ",
    "emoji": "🚀🎉 done ✅ 🔥🐛 ",
}


@pytest.mark.feature("K1")
@pytest.mark.parametrize("language", PROSE)
def test_no_script_is_counted_at_less_than_nine_tenths_of_what_it_costs(language: str) -> None:
    text = PROSE[language] * 20
    assert HEURISTIC.count(text) >= 0.9 * O200K.count(text)


@pytest.mark.parametrize("language", ["Chinese", "Traditional Chinese", "Japanese", "Korean"])
def test_an_east_asian_text_is_not_undercounted_two_or_three_times_as_four_characters_a_token_does(language: str) -> None:
    text = PROSE[language] * 20
    assert HEURISTIC.count(text) >= O200K.count(text)
    assert HEURISTIC.count(text) >= 0.75 * CL100K.count(text)
    assert Chars().count(text) < 0.5 * O200K.count(text)


def test_an_english_text_is_counted_within_a_third_of_what_it_costs() -> None:
    text = PROSE["English"] * 20
    assert O200K.count(text) <= HEURISTIC.count(text) <= 1.33 * O200K.count(text)


@pytest.mark.parametrize("kind", ["base64", "hex", "digits", "listing"])
def test_what_is_no_prose_is_not_undercounted(kind: str) -> None:
    rng = random.Random(1)
    noise = bytes(rng.getrandbits(8) for _ in range(3000))
    text = {
        "base64": base64.b64encode(noise).decode(),
        "hex": noise.hex(),
        "digits": " ".join(map(str, noise)),
        "listing": "-rw-r--r--  1 root root  4096 Nov 30 14:16 notes.txt\n" * 50,
    }[kind]
    assert HEURISTIC.count(text) >= 0.9 * O200K.count(text)


def test_it_says_what_it_is_and_takes_the_price_of_an_image() -> None:
    assert isinstance(HEURISTIC, Tokenizer)
    assert (HEURISTIC.name, HEURISTIC.image_tokens) == ("heuristic", 1600)
    assert Heuristic(image_tokens=85).image_tokens == 85


def test_hostile_text_is_counted_without_complaint() -> None:
    for text in ("a" * 1_000_000, " " * 1_000_000, "\x00" * 1000, "\ud800" * 1000, "漢" * 100_000, "\U0001f600" * 1000):
        assert HEURISTIC.count(text) > 0


@pytest.mark.feature("K1")
def test_a_caller_brings_a_counting_function_of_its_own() -> None:
    words = Custom(lambda text: len(text.split()), name="words", image_tokens=7)
    assert isinstance(words, Tokenizer)
    assert (words.name, words.image_tokens) == ("words", 7)
    assert words.count_batch(["one two three", " ", ""]) == [3, 1, 0]


def test_four_characters_are_one_token_for_whoever_wants_that() -> None:
    assert isinstance(Chars(), Tokenizer)
    assert Chars().count_batch(["", "a", "four", "fives"]) == [0, 1, 1, 2]
    assert (Chars().name, Chars(image_tokens=3).image_tokens) == ("chars4", 3)
