"""Random conversations for property tests: neutral messages, and valid request bodies of the wire formats.

Knows messages and what each provider accepts. Hypothesis strategies; whatever they draw is valid: every call has its result
right after it, ids are unique, content has the form its role allows, and fields nobody knows stand here and there.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache
from typing import cast

from hypothesis import strategies as st

from ..jsontext import dumps_text
from ..messages import Attachment, Call, Content, Message, Part, RedactedThinking, Result, Text, Thinking

__all__ = [
    "TOOL_NAMES",
    "agent_sessions",
    "arguments",
    "chat_bodies",
    "conversations",
    "json_values",
    "prose",
    "responses_bodies",
    "texts",
]

Draw = Callable[[st.SearchStrategy[object]], object]

_ALPHABET = st.characters(codec="utf-8", exclude_categories=["Cs"])
TOOL_NAMES = ("read_file", "run", "search-web", "f", "get_weather")
"""The tools that are called."""
_IMAGE = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


@cache
def texts(min_size: int = 1, max_size: int = 30) -> st.SearchStrategy[str]:
    """Text of any script, line ends and controls included."""
    return st.text(_ALPHABET, min_size=min_size, max_size=max_size)


@cache
def words() -> st.SearchStrategy[str]:
    """Text that is more than white space."""
    return texts().filter(lambda text: bool(text.strip()))


@cache
def json_values() -> st.SearchStrategy[object]:
    """Small JSON values."""
    scalars = (
        st.none()
        | st.booleans()
        | st.integers(-(2**70), 2**70)
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts(0, 8)
    )
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(0, 5), inner, max_size=3), max_leaves=5
    )


@cache
def arguments() -> st.SearchStrategy[str]:
    """Arguments of a call: JSON text of an object, now and then spaced out."""
    objects = st.dictionaries(st.sampled_from(["path", "q", "n", "ü"]), json_values(), max_size=3)
    return objects.map(dumps_text) | objects.map(lambda value: dumps_text(value).replace("{", "{ ", 1))


def _unknown(draw: Draw) -> dict[str, object]:
    """Fields nobody knows."""
    return cast("dict[str, object]", draw(_unknown_fields()))


@cache
def _unknown_fields() -> st.SearchStrategy[object]:
    return st.just({}) | st.dictionaries(st.sampled_from(["x_trace", "x_note", "annotations"]), json_values(), max_size=2)


@cache
def _some_words(most: int, least: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(words(), min_size=least, max_size=most)


class _Ids:
    """Call ids that are unique in a conversation."""

    def __init__(self, prefix: str = "call_") -> None:
        self._prefix = prefix
        self._count = 0

    def __call__(self) -> str:
        self._count += 1
        return f"{self._prefix}{self._count:04d}"


@st.composite
def conversations(
    draw: st.DrawFn, *, max_turns: int = 5, attachments: bool = True, thinking: bool = True, system: bool = True
) -> tuple[Message, ...]:
    """A valid conversation of neutral messages: a user first, every call answered in order, ids unique."""
    ids = _Ids()
    messages: list[Message] = []
    if system and draw(st.booleans()):
        messages.append(Message("system", draw(words())))
    for _ in range(draw(st.integers(1, max_turns))):
        messages.append(_user(draw, attachments))
        for _ in range(draw(st.integers(0, 2))):
            messages.extend(_exchange(draw, ids, thinking))
    return tuple(messages)


def _user(draw: st.DrawFn, attachments: bool) -> Message:
    parts: list[Part] = [Text(text) for text in draw(_some_words(2, 1))]
    if attachments and draw(st.integers(0, 4)) == 0:
        parts.append(Attachment("image/png", data=_IMAGE))
    return Message("user", parts)


def _exchange(draw: st.DrawFn, ids: _Ids, thinking: bool) -> list[Message]:
    parts: list[Part] = []
    if thinking and draw(st.integers(0, 3)) == 0:
        parts.append(Thinking(draw(words())) if draw(st.booleans()) else RedactedThinking("b64=="))
    said = draw(words()) if draw(st.booleans()) else None
    if said is not None:
        parts.append(Text(said))
    calls = [Call(draw(st.sampled_from(TOOL_NAMES)), draw(arguments()), ids()) for _ in range(draw(st.integers(0, 3)))]
    if not calls and said is None:
        parts.append(Text(draw(words())))
    made = [Message("assistant", [*parts, *calls])]
    for call in calls:
        content = tuple(Text(text) for text in draw(_some_words(2)))
        made.append(Message("tool", [Result(content, call_id=call.id, is_error=draw(st.integers(0, 5)) == 0)]))
    return made


@st.composite
def chat_bodies(draw: st.DrawFn, *, max_turns: int = 5) -> dict[str, object]:
    """A valid body of ``POST /v1/chat/completions``: nulls, names, arrays, custom and legacy calls, unknown fields."""
    ids = _Ids()
    messages: list[dict[str, object]] = [
        {"role": role, "content": draw(_chat_text()), **_unknown(draw)}
        for role in draw(st.lists(st.sampled_from(["system", "developer"]), max_size=2))
    ]
    for _ in range(draw(st.integers(1, max_turns))):
        messages.append(_chat_user(draw))
        for _ in range(draw(st.integers(0, 2))):
            messages.extend(_chat_exchange(draw, ids))
        if draw(st.integers(0, 5)) == 0:
            messages.append({"role": "system", "content": draw(words())})
    body: dict[str, object] = {"model": draw(st.sampled_from(["gpt-5.1", "local/model"]))}
    if draw(st.booleans()):
        body["messages"] = messages
    body |= draw(st.fixed_dictionaries({}, optional=_SAMPLING))
    if draw(st.booleans()):
        body["tools"] = [
            _chat_tool(draw, name) for name in draw(st.lists(st.sampled_from(TOOL_NAMES), min_size=1, unique=True))
        ]
        body |= draw(st.fixed_dictionaries({}, optional={"tool_choice": st.sampled_from(["auto", "none", "required"])}))
    body |= _unknown(draw)
    body["messages"] = messages
    return body


_SAMPLING: dict[str, st.SearchStrategy[object]] = {
    "temperature": st.floats(0, 2),
    "top_p": st.none() | st.floats(0, 1),
    "max_completion_tokens": st.integers(16, 9999),
    "stop": st.just("END") | st.just(["a", "b"]),
    "stream": st.booleans(),
    "seed": st.integers(0, 2**40),
    "user": texts(),
    "parallel_tool_calls": st.booleans(),
    "metadata": st.just({"k": "v"}),
}


@cache
def _chat_text() -> st.SearchStrategy[object]:
    part = st.builds(lambda text: {"type": "text", "text": text}, words())
    return words() | st.lists(part, min_size=1, max_size=2)


def _chat_user(draw: st.DrawFn) -> dict[str, object]:
    content = draw(_chat_text())
    if isinstance(content, list) and draw(st.booleans()):
        content.append(
            draw(
                st.sampled_from(
                    [
                        {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
                        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_IMAGE}"}},
                        {"type": "file", "file": {"file_id": "file-abc"}},
                        {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{_IMAGE}"}},
                        {"type": "input_audio", "input_audio": {"data": _IMAGE, "format": "wav"}},
                    ]
                )
            )
        )
    named = draw(st.sampled_from([{}, {"name": "ann"}]))
    return {"role": "user", "content": content, **named, **_unknown(draw)}


def _chat_exchange(draw: st.DrawFn, ids: _Ids) -> list[dict[str, object]]:
    style = draw(st.integers(0, 5))
    if style == 0:
        call = {"name": draw(st.sampled_from(TOOL_NAMES)), "arguments": draw(arguments())}
        return [
            {"role": "assistant", "content": None, "function_call": call},
            {"role": "function", "name": call["name"], "content": draw(texts(0))},
        ]
    if style == 1:
        return [{"role": "assistant", "content": None, "refusal": draw(words()), **_unknown(draw)}]
    if style == 2:
        content = draw(_chat_text())
        return [{"role": "assistant", "content": content, **draw(st.sampled_from([{}, {"reasoning_content": "hm"}]))}]
    calls = [_chat_call(draw, ids()) for _ in range(draw(st.integers(1, 3)))]
    entry: dict[str, object] = {"role": "assistant", "content": draw(st.none() | texts(0)), "tool_calls": calls}
    if draw(st.booleans()):
        entry["refusal"] = None
    results = [{"role": "tool", "tool_call_id": call["id"], "content": draw(_chat_text() | st.just(""))} for call in calls]
    return [entry, *results]


def _chat_call(draw: st.DrawFn, call_id: str) -> dict[str, object]:
    name = draw(st.sampled_from(TOOL_NAMES))
    if draw(st.integers(0, 4)) == 0:
        return {"id": call_id, "type": "custom", "custom": {"name": name, "input": draw(texts(0))}}
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": draw(arguments())}, **_unknown(draw)}


def _parameters(draw: st.DrawFn) -> dict[str, object]:
    return {"type": "object", "properties": {"path": {"type": draw(st.sampled_from(["string", "integer"]))}}, "required": []}


def _chat_tool(draw: st.DrawFn, name: str) -> dict[str, object]:
    if draw(st.integers(0, 4)) == 0:
        return {"type": "custom", "custom": {"name": name, "description": "free text"}}
    inner = {"name": name, "description": draw(words()), "parameters": _parameters(draw)}
    return {"type": "function", "function": inner | draw(st.sampled_from([{}, {"strict": True}]))}


@st.composite
def responses_bodies(draw: st.DrawFn, *, max_turns: int = 5) -> dict[str, object]:
    """A valid body of ``POST /v1/responses``: plain and list input, reasoning, hosted tools, outputs out of order."""
    body: dict[str, object] = {"model": draw(st.sampled_from(["gpt-5.1", "o4-mini"]))}
    if draw(st.booleans()):
        body["instructions"] = draw(st.none() | texts(0))
    if draw(st.integers(0, 6)) == 0:
        return {**body, "input": draw(texts(0)), **_unknown(draw)}
    call_ids, item_ids = _Ids(), _Ids("it_")
    items: list[dict[str, object]] = []
    if draw(st.booleans()):
        items.append({"role": draw(st.sampled_from(["system", "developer"])), "content": draw(words())})
    for _ in range(draw(st.integers(1, max_turns))):
        items.append(_response_user(draw))
        for _ in range(draw(st.integers(0, 2))):
            items.extend(_response_exchange(draw, call_ids, item_ids))
    optional: dict[str, st.SearchStrategy[object]] = {
        "temperature": st.floats(0, 2),
        "max_output_tokens": st.integers(16, 9999),
        "store": st.booleans(),
        "include": st.just(["reasoning.encrypted_content"]),
        "reasoning": st.just({"effort": "low", "summary": "auto"}),
        "text": st.just({"verbosity": "low"}),
        "tools": st.just([{"type": "web_search"}, {"type": "function", "name": "f", "parameters": {}, "strict": False}]),
        "tool_choice": st.sampled_from(["auto", "none"]),
    }
    return {**body, **draw(st.fixed_dictionaries({}, optional=optional)), **_unknown(draw), "input": items}


def _response_user(draw: st.DrawFn) -> dict[str, object]:
    content: object = draw(words())
    if draw(st.booleans()):
        extra = draw(
            st.sampled_from(
                [
                    [],
                    [{"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{_IMAGE}"}],
                    [{"type": "input_file", "file_id": "file-abc"}],
                ]
            )
        )
        content = [{"type": "input_text", "text": content}, *extra]
    return draw(st.sampled_from([{}, {"type": "message"}])) | {"role": "user", "content": content}


def _response_exchange(draw: st.DrawFn, call_ids: _Ids, item_ids: _Ids) -> list[dict[str, object]]:
    items: list[dict[str, object]] = []
    if draw(st.booleans()):
        summary = [{"type": "summary_text", "text": draw(words())} for _ in range(draw(st.integers(0, 2)))]
        items.append({"type": "reasoning", "id": item_ids(), "summary": summary, "encrypted_content": draw(texts())})
    if draw(st.integers(0, 3)) == 0:
        items.append(
            {"type": "web_search_call", "id": item_ids(), "status": "completed", "action": {"type": "search", "query": "q"}}
        )
    calls: list[dict[str, object]] = []
    for _ in range(draw(st.integers(0, 3))):
        call: dict[str, object] = {"call_id": call_ids(), "name": draw(st.sampled_from(TOOL_NAMES))}
        if draw(st.integers(0, 3)) == 0:
            calls.append({"type": "custom_tool_call", **call, "input": draw(texts(0))})
        else:
            calls.append(
                {"type": "function_call", "id": item_ids(), **call, "arguments": draw(arguments()), "status": "completed"}
            )
    if not calls:
        part = {"type": "output_text", "text": draw(words()), "annotations": []}
        said: dict[str, object] = {"type": "message", "id": item_ids(), "role": "assistant", "status": "completed"}
        said["content"] = [part]
        more: dict[str, object] = {"role": "assistant", "content": "more"}
        return [*items, said, more] if draw(st.booleans()) else [*items, said]
    outputs = [_response_output(draw, call) for call in draw(st.permutations(calls))]
    return [*items, *calls, *outputs]


def _response_output(draw: st.DrawFn, call: dict[str, object]) -> dict[str, object]:
    output = draw(texts(0) | st.just([{"type": "input_text", "text": "listed"}]))
    return {"type": f"{call['type']}_output", "call_id": call["call_id"], "output": output}


_SIZES = (12, 12, 60, 60, 400, 400, 1_500, 5_000, 18_000)
"""Characters of a text in an agent session: most are short, few are longer than a small window."""
_SPOKEN = (
    "the test reads a file and the parser fails where config.toml holds port 8443 so retry later with src/app/main.py line 118 "
    "ERROR: broken pipe é ü 端口 設定 失敗 done created removed TODO must not change user_id=4711 sha 9f3c2a https://example.org/x"
)
_PHOTO = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 12).decode()


def prose(number: int, size: int) -> str:
    """Text of about ``size`` characters in lines, different for every number and the same in every process."""
    pieces = [f"#{number}"]
    vocabulary = _SPOKEN.split(" ")
    length, state = len(pieces[0]), (number * 2_654_435_761 + size) & 0xFFFFFFFF
    while length < size:
        state = (state * 1_664_525 + 1_013_904_223) & 0xFFFFFFFF
        word = vocabulary[(state >> 8) % len(vocabulary)]
        pieces.append(("\n" if (state >> 24) % 9 == 0 else " ") + word)
        length += len(pieces[-1])
    return "".join(pieces)


@st.composite
def agent_sessions(
    draw: st.DrawFn,
    *,
    max_requests: int = 6,
    max_steps: int = 6,
    sizes: tuple[int, ...] = _SIZES,
    pinned: bool = True,
    thinking: bool = True,
    attachments: bool = True,
) -> tuple[Message, ...]:
    """A valid session of an agent that outgrows a small window: requests, each with a loop of calls, results of every size.

    Every text is different, so that a test can tell where each of them went. Some messages are pinned, some system messages
    stand where they stand, some reasoning is signed.
    """
    number = draw(st.integers(0, 9_999)) * 1_000
    ids = _Ids()
    messages: list[Message] = []

    def text() -> str:
        nonlocal number
        number += 1
        return prose(number, draw(st.sampled_from(sizes)))

    if draw(st.booleans()):
        messages.append(Message("system", prose(number, 60)))
    for _ in range(draw(st.integers(1, max_requests))):
        odd = draw(st.integers(0, 19))
        if odd == 0 and len(messages) > 1:
            messages.append(Message("system", prose(number, 60), positional=True))
            number += 1
        parts: list[Part] = [Text(text())]
        if attachments and odd == 1:
            parts.append(Attachment("image/png", data=_PHOTO))
        if odd == 2:
            parts.append(Text(text()))
        pin = pinned and odd == 3
        messages.append(Message("user", [Text(prose(number, 60))] if pin else parts, pinned=pin))
        for _ in range(draw(st.integers(0, max_steps))):
            messages.extend(_agent_step(draw, ids, text, thinking=thinking, pinned=pinned))
    return tuple(messages)


def _agent_step(draw: st.DrawFn, ids: _Ids, text: Callable[[], str], *, thinking: bool, pinned: bool) -> list[Message]:
    kind = draw(st.integers(0, 19))
    parts: list[Part] = []
    if thinking and kind in {0, 1}:
        # No provider takes a turn in progress without its signed reasoning, so it is kept short of what a window can hold.
        parts.append(Thinking(text()[:400], signature="c2lnbmVk" if kind == 0 else None))
    if kind < 8:
        parts.append(Text(text()))
    count = draw(st.sampled_from((1, 1, 1, 2, 3)))
    if kind == 7 and draw(st.booleans()):
        count = 0
    pin = pinned and kind == 9
    calls: list[Call] = []
    for _ in range(count):
        name = draw(st.sampled_from(TOOL_NAMES))
        calls.append(Call(name, dumps_text({"q": text(), "n": len(calls)}), ids()))
    made = [Message("assistant", [*parts, *calls], pinned=pin and count > 0)]
    for call in calls:
        content: tuple[Content, ...] = (Text(text()),) if kind != 10 else (Text(text()), Text(text()))
        if kind == 12:
            content = (*content, Attachment("image/png", data=_PHOTO))
        made.append(Message("tool", [Result(content, call_id=call.id, name=call.name, is_error=kind == 11)]))
    return made
