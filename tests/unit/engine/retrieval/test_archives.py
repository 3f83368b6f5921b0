"""Archived spans as a model reads them: a transcript, page by page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.unit.engine.retrieval.desks import Desk, body_of, joined

from transom import Call, Message, Store
from transom.engine.overflow.archive import archive_path, archive_writes
from transom.jsontext import dumps
from transom.messages import Attachment, Result, Text, Thinking
from transom.runtime import open_store
from transom.store.archive import archive_lines
from transom.store.backend import Write
from transom.testing.generators import prose
from transom.wire.registry import builtin_registry


async def archived(store: Store, messages: list[Message], heads: tuple[int, ...] = ()) -> str:
    await store.commit(archive_writes(messages, heads))
    return f"context://archive/{archive_path(messages)}"


@pytest.mark.feature("R2")
async def test_an_archive_is_a_readable_transcript() -> None:
    desk = Desk()
    uri = await archived(
        desk.store,
        [
            Message("user", "Fix the port."),
            Message("assistant", "I look.", tool_calls=[Call("read_file", '{"path":"a.py","lines":[1,2]}', "call_1")]),
            Message("tool", "port = 1\nhost = 2", tool_call_id="call_1", name="read_file"),
            Message("tool", [Result((Text("no such file"),), call_id="call_2", is_error=True)]),
            Message("assistant", [Thinking("It is the port."), Text("Done.")]),
        ],
    )
    assert await desk.ask("view", uri) == (
        f"{uri}: messages 1-5 of 5\n"
        "[message 1 of 5: user]\nFix the port.\n\n"
        "[message 2 of 5: assistant]\nI look.\ncall read_file (call_1)\n  path: a.py\n  lines: [1,2]\n\n"
        "[message 3 of 5: tool]\nresult read_file (call_1)\nport = 1\nhost = 2\n\n"
        "[message 4 of 5: tool]\nresult (call_2), failed\nno such file\n\n"
        "[message 5 of 5: assistant]\nthinking:\nIt is the port.\nDone."
    )


BODIES: dict[str, list[dict[str, object]]] = {
    "openai": [
        {"role": "user", "content": [{"type": "text", "text": "Alpha"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": '{"cmd":"a\\nbravo","n":7}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "Charlie"},
        {"role": "assistant", "content": "Delta", "x_trace": "Echo"},
    ],
    "anthropic": [
        {"role": "user", "content": "Alpha"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Foxtrot", "signature": "c2ln"},
                {"type": "tool_use", "id": "call_1", "name": "run", "input": {"cmd": "a\nbravo", "n": 7}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "Charlie"}]}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Delta", "cache_control": {"type": "ephemeral"}}]},
    ],
    "openai-responses": [
        {"role": "user", "content": "Alpha"},
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Foxtrot"}],
            "encrypted_content": "Golf",
        },
        {"type": "function_call", "call_id": "call_1", "name": "run", "arguments": '{"cmd":"a\\nbravo","n":7}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "Charlie"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Delta"}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "Alpha"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "run", "args": {"cmd": "a\nbravo", "n": 7}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "run", "response": {"output": "Charlie"}}}]},
        {"role": "model", "parts": [{"text": "Delta"}, {"inlineData": {"mimeType": "image/png", "data": "SG90ZWw="}}]},
    ],
}


@pytest.mark.feature("R2")
@pytest.mark.parametrize("target", BODIES)
async def test_messages_of_every_provider_are_laid_out_and_nothing_is_left_out(target: str) -> None:
    desk = Desk()
    messages = list(builtin_registry().get(target).parse_items([dict(item) for item in BODIES[target]]))
    shown = await desk.ask("view", await archived(desk.store, messages))
    assert "call run" in shown
    assert "  cmd:\na\nbravo\n  n: 7" in shown
    assert re.search(r"(result|tool)( run)?( \(call_1\))?\]?\n( *output: )?Charlie", shown)
    said = re.findall(r'"(\w+)"', dumps(BODIES[target]).decode().replace("\\n", '"').replace('\\"', '"'))
    missing = {word for word in said if word[0].isupper() and word not in shown}
    assert not missing


async def test_what_stood_for_earlier_messages_says_so() -> None:
    desk = Desk()
    uri = await archived(desk.store, [Message("user", "40 messages were set aside."), Message("user", "Go on.")], (0,))
    assert "[message 1 of 2: user, what stood for earlier messages]\n40 messages" in await desk.ask("view", uri)


@pytest.mark.feature("R2", "R5")
@pytest.mark.parametrize("budget", [128, 400, 2_000])
async def test_page_after_page_every_text_is_reached(budget: int) -> None:
    desk = Desk(budget=budget)
    texts = [prose(number, size) for number, size in enumerate((40, 700, 3_000, 90, 1_500, 60, 2_200))]
    messages = [Message("user" if number % 2 == 0 else "assistant", text) for number, text in enumerate(texts)]
    uri = await archived(desk.store, messages)
    body = body_of(await desk.pages("view", uri))
    assert body == "\n\n".join(
        f"[message {number} of 7: {message.role}]\n{text}"
        for number, (message, text) in enumerate(zip(messages, texts, strict=True), 1)
    )


@pytest.mark.feature("R2")
async def test_a_large_text_is_shown_whole_where_it_fits_a_page_and_as_an_excerpt_with_its_address_otherwise() -> None:
    desk = Desk()
    fits, large = prose(1, 5_000), prose(2, 60_000)
    uri = await archived(desk.store, [Message("user", fits), Message("user", large)])
    pages = await desk.pages("view", uri)
    assert fits in body_of(pages)
    address = re.search(r"Whole text: (context://vfs/\w+)", body_of(pages))
    assert address is not None
    assert await desk.store.get(address[1]) == large.encode()
    assert joined(await desk.pages("view", address[1])) == large


async def test_encoded_files_are_named_and_not_spelt_out() -> None:
    desk = Desk()
    image = "".join(chr(65 + number * 7 % 26) + chr(97 + number * 11 % 26) for number in range(4_000))
    uri = await archived(desk.store, [Message("user", [Text("See."), Attachment("image/png", data=image)])])
    shown = await desk.ask("view", uri)
    assert "8000 characters of base64: context://vfs/" in shown
    assert image[:60] not in shown


async def test_a_text_that_is_gone_is_told() -> None:
    desk = Desk()
    uri = await archived(desk.store, [Message("user", prose(1, 5_000))])
    for path in await desk.store.list("vfs"):
        await desk.store.delete("vfs", path)
    assert "not in the store any more: context://vfs/" in await desk.ask("view", uri)


async def test_lines_that_are_no_message_are_shown_as_they_are() -> None:
    desk = Desk()
    _, data = archive_lines([b'{"role":"user","content":"a"}'])
    await desk.store.commit([Write("archive", "odd", data + b'not json\n[1,2]\n"text"\n{"type":"mystery","a":{"b":1}}\n')])
    shown = await desk.ask("view", "archive/odd")
    for piece in ("not json", "[1,2]", "\ntext", '{"type":"mystery","a":{"b":1}}'):
        assert piece in shown


@pytest.mark.feature("R2", "S16")
@pytest.mark.parametrize("name", ["store.db", "plain/"])
async def test_a_damaged_archive_is_an_error_to_the_model_and_never_its_text(tmp_path: Path, name: str) -> None:
    async with open_store(f"{tmp_path}/{name}") as store:
        uri = await archived(store, [Message("user", "The port is 5433."), Message("assistant", "Noted.")])
    files = [path for path in (tmp_path / name).parent.rglob("*") if path.is_file() and b"5433" in path.read_bytes()]
    for file in files:
        file.write_bytes(file.read_bytes().replace(b"5433", b"6666"))
    async with open_store(f"{tmp_path}/{name}") as store:
        told = await Desk(store).ask("view", uri)
    assert told.startswith("Error:")
    assert f"{uri} is damaged" in told
    assert "port" not in told
