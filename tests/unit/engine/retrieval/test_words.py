"""Whatever the context tools say comes from the vocabulary; only names and what was kept is said in its own words."""

from __future__ import annotations

import re

import pytest
from tests.unit.engine.retrieval.desks import Desk
from tests.unit.vocabulary.moved import MOVED

from transom import Call, Message
from transom.engine.overflow.archive import archive_path, archive_writes
from transom.engine.retrieval import COMMANDS, READABLE, context_tools
from transom.jsontext import dumps_text
from transom.messages import Attachment, Result, Text, Thinking

pytestmark = pytest.mark.feature("X5")

KEPT = "端口 五四 設定"
NAMES = {
    *COMMANDS,
    *READABLE,
    "user",
    "assistant",
    "tool",
    "tool_call",
    "read",
    "path",
    "new_context",
    "png",
    "image",
    "memories",
    "plan",
}
_SAID = re.compile(r"context://\S+|/memories\S*|\{\"command\".*?\}(?= )|[\w]+")


def strays(text: str, arguments: tuple[str, ...]) -> list[str]:
    found = [word for word in _SAID.findall(text) if re.match(r"[A-Za-z]{2,}\Z", word)]
    return [word for word in found if word not in NAMES and word not in arguments]


async def test_no_answer_says_a_word_of_another_vocabulary() -> None:
    desk = Desk(budget=260, more={"vocabulary": MOVED, "request_new_context": lambda: None})
    base64 = "".join(chr(65 + n * 7 % 26) + chr(97 + n * 11 % 26) for n in range(4_000))
    span = [
        Message("user", [Text(KEPT), Attachment("image/png", data=base64)]),
        Message("assistant", [Thinking(KEPT), Call("read", dumps_text({"path": KEPT}), "9")]),
        Message("tool", [Result((Text(KEPT * 3_000),), call_id="9", name="read", is_error=True)]),
        Message("assistant", KEPT),
    ]
    await desk.store.commit(archive_writes(span, (0,)))
    archive = f"archive/{archive_path(span)}"
    binary = await desk.store.put("vfs", b"\x89PNG\r\n\x1a\n" + b"\x99" * 300)
    many = "\n".join(f"{KEPT} {number}" for number in range(90))
    calls: list[tuple[str, dict[str, object]]] = [
        ("view", {}),
        ("view", {"path": "notes"}),
        ("create", {"path": "notes/plan", "file_text": many}),
        ("create", {"path": "notes/plan", "file_text": many}),
        ("create", {"path": "memory/plan", "file_text": KEPT}),
        ("view", {"path": "notes/plan"}),
        ("view", {"path": "notes"}),
        ("view", {"path": "notes/plan", "view_range": [500, 600]}),
        ("view", {"path": "notes/plan", "offset": 5_000}),
        ("view", {"path": "notes/plan", "offset": "x"}),
        ("view", {"path": "notes/plan", "view_range": 7}),
        ("view", {"path": 7}),
        ("view", {"path": "notes/../plan"}),
        ("view", {"path": "plan"}),
        ("view", {"path": "notes/plan/plan"}),
        ("view", {"path": archive, "view_range": [1, 1]}),
        ("view", {"path": archive, "view_range": [2, 2]}),
        ("view", {"path": archive, "view_range": [3, 3]}),
        ("view", {"path": binary}),
        ("search", {"query": KEPT}),
        ("search", {"query": "口口"}),
        ("search", {}),
        ("str_replace", {"path": "notes/plan", "old_str": KEPT, "new_str": "1"}),
        ("str_replace", {"path": "notes/plan", "old_str": "2222", "new_str": "1"}),
        ("str_replace", {"path": "notes/plan", "old_str": "1", "new_str": "1"}),
        ("str_replace", {"path": "memory/plan", "old_str": KEPT, "new_str": "1"}),
        ("insert", {"path": "notes/plan", "insert_line": 900, "insert_text": "1"}),
        ("insert", {"path": "notes/plan", "insert_line": 1, "insert_text": "1"}),
        ("create", {"path": "vfs/plan", "file_text": "1"}),
        ("create", {"path": "notes/", "file_text": "1"}),
        ("rename", {"old_path": "notes/plan", "new_path": "memory/plan"}),
        ("rename", {"old_path": "notes/plan", "new_path": "notes/read"}),
        ("delete", {"path": "notes/read"}),
        ("delete", {"path": "notes/read"}),
        ("undo", {}),
        ("", {}),
    ]
    for command, given in calls:
        answer = await desk.ask(command, **given)
        assert answer
        assert strays(answer, (*given, "offset", "view_range", "query", "undo")) == [], answer
    assert strays(await desk.call("context", "7"), ("command",)) == []
    assert strays(await desk.call("new_context", None), ()) == []


def test_the_definitions_say_nothing_else() -> None:
    for tool in context_tools(MOVED):
        assert strays(tool.description, ()) == []
        assert isinstance(tool.parameters, dict)
        properties = tool.parameters["properties"]
        assert isinstance(properties, dict)
        for schema in properties.values():
            assert strays(schema["description"], ()) == []
