"""Which part of an answer is the summary, and which answers are none."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.engine.overflow.summarizing.answers import extract, read_answer
from transom.errors import StrategyError
from transom.vocabulary import ENGLISH

WORDS = ENGLISH.summarizing
SAID = "The user wants the parser fixed; the cause is in lexer.py."
HEADED = f"## Goal and requests\n{SAID}\n\n## Next steps\n-"


def read(answer: object) -> str:
    return read_answer(answer, words=WORDS, asked=WORDS.write)


@pytest.mark.feature("O2")
@pytest.mark.parametrize(
    "answer",
    [
        f"<analysis>First this, then that.</analysis>\n<summary>\n{SAID}\n</summary>",
        f"<summary>{SAID}</summary>",
        f"<SUMMARY>\n{SAID}</Summary >\n",
        f"<analysis>First this.</analysis><summary>{SAID}",
        f"<analysis>First this. <summary>{SAID}</summary>",
        f"<analysis>A draft: <summary>wrong</summary>. Better:</analysis><summary>{SAID}</summary>",
        f"First this, then that.</analysis>\n{SAID}",
        f"{SAID}\n</summary>",
        f"<think>What now?</think><summary>{SAID}</summary>",
        f"<think>What now?</think>\n\n{SAID}",
        f"What now?</think>\n\n{SAID}",
        f"{SAID}\n<analysis>And on second thought",
        f"Here you are:\n<summary>\n```markdown\n{SAID}\n```\n</summary>\nAnything else?",
        f"```\n{SAID}\n```",
        SAID,
    ],
)
def test_what_was_thought_is_taken_out_and_what_was_summarized_is_taken_over(answer: str) -> None:
    assert extract(answer) == SAID
    assert read(answer) == SAID


PIECES = [
    *(
        "<think",
        "<thinking",
        "<analysis",
        "</think",
        "</analysis ",
        "<Think>",
        "</THINK>",
        "<reasoning kind='x'>",
        "</reasoning>",
    ),
    *("<summary>", "</summary>", "<", ">", "</", " ", "\n", "word"),
]
THOUGHT = re.compile(r"<(analysis|think|thinking|reasoning)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


@pytest.mark.feature("O2")
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_thought_reaches_from_an_opening_to_the_first_end_of_its_kind(answer: str) -> None:
    assert extract(answer) == extract(THOUGHT.sub("", answer))


@pytest.mark.feature("O2", "O20")
def test_an_answer_that_repeats_itself_without_end_is_read_in_one_pass() -> None:
    """It would take minutes, were every opening to look for its end by itself."""
    code = """
from transom.engine.overflow.summarizing.answers import extract
for piece, end in (
    ("<analysis>", ""), ("<think ", ""), ("<think ", ">"), ("<think>", "</analysis>"), ("<reasoning ", "></think>"),
    ("<summary ", ""), ("<summary>", ""), ("</summary ", ""), ("</think ", ""), ("``` ", ""), ("```\\n", ""),
):
    for begin in ("", "<summary>", "```\\n"):
        extract(begin + piece * (1_000_000 // len(piece)) + end)
print("read")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "read\n", done.stderr


def test_a_summary_that_talks_of_summary_tags_is_taken_whole() -> None:
    text = "The page has <details><summary>More</summary>text</details> at its end, and that is all there is."
    assert extract(f"<summary>{text}</summary>") == text


def test_titles_copied_with_what_belongs_under_them_are_taken_as_titles() -> None:
    title, about = WORDS.sections[0]
    copied = WORDS.section.format(title=title, about=about)
    assert read(f"<summary>{copied}\n{SAID}</summary>") == f"## {title}\n{SAID}"


def test_characters_that_no_record_can_hold_are_replaced() -> None:
    assert read("<summary>The file \x00 holds \ud800 and a tab\tand a line\nend.</summary>") == (
        "The file \ufffd holds \ufffd and a tab\tand a line\nend."
    )


@pytest.mark.feature("O20")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, "NoneType"),
        (b"bytes", "bytes"),
        ({"role": "assistant"}, "dict"),
        (7, "int"),
        ("", "empty"),
        (" \n\t ", "empty"),
        ("<summary></summary>", "no summary"),
        ("<analysis>Only thought, and the answer was cut off here", "no summary"),
        ("<analysis>thought</analysis>", "no summary"),
        ("ok", "says nothing"),
        ("<summary>## Goal and requests\n-\n## Next steps\n-</summary>", "says nothing"),
        ('{"error": {"message": "Rate limit reached", "type": "requests", "code": 429}}', "an error"),
        ('{"detail": "Not authenticated"}', "an error"),
        ('{"message": "no healthy upstream", "status": 503}', "an error"),
        ("HTTP/1.1 502 Bad Gateway", "an error"),
        ("503 Service Unavailable", "an error"),
        ("Error: connect ECONNREFUSED 127.0.0.1:8080", "an error"),
        ("**Error:** the request failed", "an error"),
        ("<summary>Error: 429 Too Many Requests</summary>", "an error"),
        ("error code: 524", "an error"),
        ("openai.RateLimitError: Error code: 429", "an error"),
        ("Internal Server Error", "an error"),
        ("upstream connect error or disconnect/reset before headers. reset reason: overflow", "an error"),
        ("The model is currently overloaded with other requests. Please try again later.", "an error"),
        ("Rate limit exceeded, retry in 20 s", "an error"),
        ("context length exceeded: 131072 tokens are too many", "an error"),
        ("Invalid API key provided: sk-…", "an error"),
        ("<!DOCTYPE html><html><head><title>504</title></head>" + "<p>gateway</p>" * 200, "an error"),
        ("Traceback (most recent call last):\n" + '  File "a.py", line 1\n' * 100 + "KeyError: 'choices'", "an error"),
        ("I'm sorry, but I can't help with that.", "a refusal"),
        ("I’m sorry, I can’t assist with that request.", "a refusal"),
        ("As an AI language model, I cannot summarize conversations.", "a refusal"),
        ("Please provide the conversation you would like me to summarize.", "a refusal"),
        ("There is no conversation to summarize.", "a refusal"),
        ("Es tut mir leid, das kann ich nicht.", "a refusal"),
        ("抱歉,我无法完成这个请求,请稍后再试一次吧谢谢你。", "a refusal"),
        (WORDS.write + "\n" + SAID, "question back"),
        (WORDS.instruct(tokens=500, instructions="", guidelines=()), "question back"),
        (f"{WORDS.excerpt}\n{SAID}", "question back"),
        (f"The messages, numbered:\n<messages>\n[1] user\n{SAID}\n</messages>\nThe <summary>.", "question back"),
        ("The user wants the tests to pass. " * 200, "repeats itself"),
    ],
)
def test_what_is_no_summary_is_refused_with_its_reason(answer: object, why: str) -> None:
    with pytest.raises(StrategyError, match=why) as caught:
        read(answer)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.feature("O20")
@pytest.mark.parametrize(
    "text",
    [
        HEADED,
        f"Error handling was the task. {SAID}",
        f"The server answered 503 at first. {SAID}",
        f"## Goal and requests\nError: ECONNREFUSED has to go away. {SAID}",
        f"Nothing was decided yet; {SAID}",
        "用户要求修复解析器。原因在 lexer.py 的第 118 行,已经改好并通过测试。",
        "Error: the build fails with this, says the user. " + " ".join(f"Then step {n} was tried." for n in range(80)),
    ],
)
def test_a_summary_that_talks_of_errors_is_a_summary(text: str) -> None:
    assert read(f"<summary>{text}</summary>") == text
