"""Our message behind a cut and the user's next one become one, and nothing else does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from transom.gateway.alternation import taking_turns

SYSTEM = {"role": "system", "content": "You help."}
HEAD = {"role": "user", "content": "12 messages before this point were set aside. “é\n”"}
ASK = {"role": "user", "content": 'And now? "é"'}
ANSWER = {"role": "assistant", "content": "This."}


def turned(sent: list[Any], came: list[Any]) -> list[Any]:
    read: list[Any] = json.loads(taking_turns(json.dumps(sent).encode(), json.dumps(came).encode()))
    return read


def test_a_head_and_the_next_question_are_one_message_of_the_user() -> None:
    made = turned([SYSTEM, HEAD, ASK], [SYSTEM, {"role": "user", "content": "old"}, ANSWER, ASK])
    assert made == [SYSTEM, {"role": "user", "content": f"{HEAD['content']}\n\n{ASK['content']}"}]


def test_pictures_and_fields_of_the_question_stay() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    ask = {"role": "user", "name": "ann", "content": [picture], "odd": 1.0}
    made = turned([HEAD, ask, ANSWER], [ASK, ANSWER, ask, ANSWER])
    assert made == [{**ask, "content": [{"type": "text", "text": HEAD["content"]}, picture]}, ANSWER]


@pytest.mark.parametrize(
    ("sent", "came"),
    [
        ([SYSTEM, HEAD, ANSWER, ASK], [SYSTEM, ASK, ANSWER, ASK]),
        ([SYSTEM, ASK, ASK], [SYSTEM, ASK, ASK]),
        ([SYSTEM, HEAD], [SYSTEM, ASK]),
        ([SYSTEM], [SYSTEM, ASK]),
        ([], []),
        ([HEAD, {"role": "user", "content": None}], [ASK, ANSWER, ASK]),
        ([{"role": "user", "content": "Whole text: context://vfs/1"}, ASK], [{"role": "user", "content": "long"}, ASK]),
    ],
    ids=[
        "an answer between",
        "the client's own",
        "alone",
        "nothing but system",
        "empty",
        "no text",
        "shortened, and their own",
    ],
)
def test_whatever_else_stands_side_by_side_stays(sent: list[Any], came: list[Any]) -> None:
    data = json.dumps(sent, indent=1).encode()
    assert taking_turns(data, json.dumps(came, indent=1).encode()) == data


def test_what_the_user_adds_before_an_answer_changes_nothing_of_what_was_sent() -> None:
    asked = {"role": "user", "content": "And this?", "images": ["iVBORw0KGgo="]}
    came = [{"role": "user", "content": "old"}, ANSWER, ANSWER, asked]
    before = turned([HEAD, asked], came)
    after = turned([HEAD, asked, ASK], [*came, ASK])
    assert after == [*before, ASK]
    assert before == [{**asked, "content": f"{HEAD['content']}\n\nAnd this?"}]
