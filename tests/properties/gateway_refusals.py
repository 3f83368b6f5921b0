"""What only a provider can tell of a request that was edited: whether what it signed is as it was, and has what it belongs to.

Knows bodies before and after as parsed JSON. Beside these stand the rules of the wire formats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from transom.jsontext import loads, raw_items, raw_object

__all__ = ["refusals"]


def refusals(protocol: str, came: bytes, went: bytes) -> list[str]:
    """What the provider would say.

    Args:
        protocol: of both bodies.
        came, went: as the client sent it, and as it went on.
    """
    if came == went:
        return []
    one: Any = loads(came)
    two: Any = loads(went)
    match protocol:
        case "anthropic":
            return _thinking(one["messages"], two["messages"])
        case "openai-responses":
            return _reasoning(*(raw_items(raw_object(body)["input"]) for body in (came, went)))
        case "gemini":
            return _signatures(one["contents"], two["contents"])
        case _:
            return _templates(came, went)


def _templates(before: bytes, after: bytes) -> list[str]:
    """Chat templates refuse two turns of one role in a row, and content that is empty; the client's own may be so."""
    mine = raw_items(raw_object(before)["messages"])
    items = raw_items(raw_object(after)["messages"])
    came: Any = list(map(loads, mine))
    thought = {json.dumps(item["tool_calls"]): _thought_of(item) for item in came if item.get("tool_calls")}
    found = []
    for index, raw in enumerate(items):
        item: Any = loads(raw)
        role = str(item["role"])
        if role == "system" and index and raw not in mine:
            found.append("System message must be at the beginning")
        if raw not in mine and not item.get("content") and not item.get("tool_calls") and role != "tool":
            found.append(f"nothing is said at {index}")
        if "reasoning_content" in item and not isinstance(item["reasoning_content"], str):
            # llama.cpp, common/chat.cpp.
            found.append("type must be string, but is null")
        if item.get("tool_calls") and _thought_of(item) != thought.get(json.dumps(item["tool_calls"])):
            # Moonshot and DeepSeek.
            found.append(f"thinking is enabled but reasoning_content is missing in assistant tool call message at {index}")
    if _rows(map(loads, items)) > _rows(came):
        found.append("Conversation roles must alternate user/assistant/user/assistant/...")
    return found


def _rows(items: Iterable[Any]) -> int:
    """Turns of the user that follow one of the user."""
    roles = [item["role"] for item in items]
    return sum(one == two == "user" for one, two in pairwise(roles))


def _thought_of(item: Mapping[str, Any]) -> object:
    return item.get("reasoning_content") or item.get("thinking")


def _thinking(came: Sequence[Any], went: Sequence[Any]) -> list[str]:
    signed = ("thinking", "redacted_thinking")
    whole = [block for message in came for block in _blocks(message) if block["type"] in signed]
    if any(block not in whole for message in went for block in _blocks(message) if block["type"] in signed):
        return ["Invalid `signature` in `thinking` block"]
    started = {_used(message): _blocks(message)[0]["type"] in signed for message in came if _used(message)}
    latest = [message for message in went if message["role"] == "assistant"][-1:]
    for message in latest:
        if started.get(_used(message)) and _blocks(message)[0]["type"] not in signed:
            return ["Expected `thinking` or `redacted_thinking`, but found `tool_use`"]
    thought = [
        [block for block in _blocks(message) if block["type"] in signed] for message in came if message["role"] == "assistant"
    ]
    kept = [[block for block in _blocks(message) if block["type"] in signed] for message in latest]
    if kept and thought[-1] != kept[-1]:
        return ["`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."]
    return []


def _blocks(message: Mapping[str, Any]) -> Sequence[Any]:
    content = message["content"]
    return content if isinstance(content, list) else []


def _used(message: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(block["id"] for block in _blocks(message) if block["type"] == "tool_use")


def _reasoning(came: Sequence[bytes], went: Sequence[bytes]) -> list[str]:
    """Encrypted reasoning byte for byte as it was, followed by what followed it; and what followed it not without it."""
    thought = [(one, two) for one, two in pairwise([*came, b"{}"]) if _is_reasoning(one)]
    followed = dict(thought)
    for item, following in pairwise([*went, b"{}"]):
        if _is_reasoning(item) and item not in followed:
            return ["Encrypted content could not be verified."]
        if _is_reasoning(item) and not _is(followed[item], following):
            return ["Item of type 'reasoning' was provided without its required following item."]
    led = [(one, two) for one, two in thought if b'"id"' in one and b'"id"' in two]
    for before, item in pairwise([b"{}", *went]):
        if any(_is(two, item) and one != before for one, two in led):
            return ["Item was provided without its required 'reasoning' item."]
    return []


def _is_reasoning(item: bytes) -> bool:
    value: Any = loads(item)
    return bool(value.get("type") == "reasoning")


def _is(was: bytes, now: bytes) -> bool:
    """Whether an item is that one: the same bytes, or the same name where its text was set aside."""
    return was == now or (b"context://" in now and _named(loads(was)) == _named(loads(now)))


def _named(item: Any) -> object:
    return item.get("id") or item.get("call_id") or (item.get("type", "message"), item.get("role"))


def _signatures(came: Sequence[Any], went: Sequence[Any]) -> list[str]:
    signed = [part for content in came for part in content["parts"] if "thoughtSignature" in part]
    for content in went:
        for part in content["parts"]:
            if "thoughtSignature" in part and part not in signed:
                return ["Thought signature is not valid"]
    return []
