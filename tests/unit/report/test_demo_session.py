"""The recorded session under ``examples/``, checked with plain JSON: it is what newcomers see first."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

SESSION = Path(__file__).resolve().parents[3] / "examples" / "demo-session.json"


@pytest.fixture(scope="module")
def body() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SESSION.read_text(encoding="utf-8"))
    return loaded


def test_it_is_a_request_body_of_a_few_hundred_messages(body: dict[str, Any]) -> None:
    assert {"model", "tools", "messages"} <= body.keys()
    assert 300 <= len(body["messages"]) <= 450
    assert SESSION.stat().st_size <= 2_500_000
    assert [message["role"] for message in body["messages"][:2]] == ["system", "user"]
    assert body["messages"][-1]["role"] in ("user", "tool")


def test_every_call_is_answered_right_after_it_and_in_order(body: dict[str, Any]) -> None:
    waiting: list[str] = []
    seen: set[str] = set()
    names = {tool["function"]["name"] for tool in body["tools"]}
    for message in body["messages"]:
        if message["role"] == "tool":
            assert waiting, f"{message['tool_call_id']} answers no call"
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert not waiting, f"{waiting} not answered"
        for call in message.get("tool_calls", []):
            assert call["function"]["name"] in names
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert call["id"] not in seen
            seen.add(call["id"])
            waiting.append(call["id"])
        assert message["content"] or message.get("tool_calls"), "a message says or does something"
    assert not waiting
    assert any(len(message.get("tool_calls", [])) > 1 for message in body["messages"])


def test_some_results_are_larger_than_fifty_kilobytes_and_one_of_them_comes_twice(body: dict[str, Any]) -> None:
    large = [m["content"] for m in body["messages"] if m["role"] == "tool" and len(m["content"].encode()) > 50 * 1024]
    assert len(large) >= 4
    assert len(set(large)) < len(large)


def test_facts_of_the_first_message_are_asked_for_in_the_last(body: dict[str, Any]) -> None:
    first, last = body["messages"][1]["content"], body["messages"][-1]["content"]
    for fact in ("OPS-4127", "8791", "850 ms", "--since", "3.11"):
        assert fact in first
        assert fact not in last
    assert "ground rules" in last


def test_no_path_or_name_of_the_recording_machine_shows() -> None:
    text = SESSION.read_text(encoding="utf-8")
    assert not re.search(r"/(work|root|tmp|private|Users)/(?!bulk)", text.replace("/var/tmp/", ""))
    assert set(re.findall(r"/home/(\w+)", text)) == {"dev"}
    assert "pyenv" not in text
