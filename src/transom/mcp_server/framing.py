"""A line of the client as a message of the protocol, or as the answer that JSON-RPC has for what is none.

Pure; knows no pipe and no tool. Whoever sends a request waits for its answer, so also what cannot be read is answered, with the
name it gave itself where that can be told. What is deeply nested is scanned, never descended into.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from mcp_types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, JSONRPCMessage, JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from ..jsontext import dumps_text

__all__ = ["Refusal", "framed", "written"]

_DEEPEST = 200
"""Levels of nesting that the SDK's parser reads."""
_BOM = "\ufeff"
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_TOKEN = re.compile(rf'(?P<text>"[^"\\]*(?:\\.[^"\\]*)*"?)|(?P<number>{_NUMBER})|[\[\]{{}}:,]|[a-zA-Z]+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a line is no message.

    Attributes:
        code: JSON-RPC's.
        reason: a sentence for who reads the client's log.
        name: the id it is answered under, as JSON text.
    """

    code: int
    reason: str
    name: str = "null"

    def line(self) -> str:
        """The answer."""
        return f'{{"jsonrpc":"2.0","id":{self.name},"error":{{"code":{self.code},"message":{dumps_text(self.reason)}}}}}'


def framed(line: bytes) -> JSONRPCMessage | Refusal | None:
    """What a line is.

    Returns:
        ``None`` for what is a broken answer: answers are not answered.
    """
    try:
        text = line.decode().removeprefix(_BOM)
    except UnicodeDecodeError:
        return Refusal(PARSE_ERROR, "A message is UTF-8, and this one is not.", _Scan.of(line.decode(errors="replace")).name)
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return _framed_slowly(text)
    if isinstance(message, JSONRPCNotification) and '"id"' in text:
        # A request whose id is of no kind that there is passes for a notification.
        scan = _Scan.of(text)
        return Refusal(INVALID_REQUEST, "An id is text or a whole number.", scan.name) if scan.named else message
    return message


def written(message: JSONRPCMessage) -> str:
    """A message as a line, whatever text is in it."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True)
    except (PydanticSerializationError, UnicodeEncodeError):
        # Half a surrogate pair, in a name the client gave. Escaped it is what it was.
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True), separators=(",", ":"))


def _framed_slowly(text: str) -> JSONRPCMessage | Refusal | None:
    scan = _Scan.of(text)
    if scan.deepest > _DEEPEST:
        if not scan.balanced:
            return Refusal(PARSE_ERROR, "This is not JSON.")
        return Refusal(INVALID_REQUEST, f"This is nested deeper than {_DEEPEST} levels.", scan.name)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return Refusal(PARSE_ERROR, f"This is not JSON: {error.msg} at character {error.pos + 1}.")
    except (ValueError, RecursionError):
        return Refusal(INVALID_REQUEST, "This holds a number that is too long to be read.", scan.name)
    if isinstance(value, list):
        return Refusal(INVALID_REQUEST, "Messages come one by one: this protocol has no batches.")
    if not isinstance(value, dict):
        return Refusal(INVALID_REQUEST, "A message is a JSON object.")
    if "method" not in value and ("result" in value or "error" in value):
        return None
    try:
        # Halves of surrogate pairs, which JSON has and the fast parser refuses: tools get them as they came.
        message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        return _refused(value, scan.name)
    if isinstance(message, JSONRPCNotification) and scan.named:
        return Refusal(INVALID_REQUEST, "An id is text or a whole number.", scan.name)
    return message


def _refused(value: dict[str, object], name: str) -> Refusal:
    if value.get("jsonrpc") != "2.0":
        return Refusal(INVALID_REQUEST, 'A message says "jsonrpc": "2.0".', name)
    if not isinstance(value.get("method"), str):
        return Refusal(INVALID_REQUEST, "A request names its method.", name)
    params = value.get("params")
    if isinstance(params, list):
        return Refusal(INVALID_PARAMS, "Parameters are given by name, in an object.", name)
    if params is not None and not isinstance(params, dict):
        return Refusal(INVALID_REQUEST, "Parameters are an object.", name)
    return Refusal(INVALID_REQUEST, "This is no message of the protocol.", name)


@dataclass(frozen=True, slots=True)
class _Scan:
    """What can be told of a text without reading it as a whole.

    Attributes:
        named: the object has an id, of whatever kind.
        name: it, as JSON text: ``null`` where it is neither text nor a number.
        deepest: levels of nesting.
        balanced: all brackets are closed.
    """

    named: bool
    name: str
    deepest: int
    balanced: bool

    @classmethod
    def of(cls, text: str) -> _Scan:
        depth = deepest = 0
        named, name = False, "null"
        before: tuple[str, str] = ("", "")
        for token in _TOKEN.finditer(text):
            found = token[0]
            if found in "[{":
                depth += 1
                deepest = max(deepest, depth)
            elif found in "]}":
                depth -= 1
            if depth <= 1 or (depth == 2 and found in "[{"):
                if before == ('"id"', ":"):
                    named, name = True, found if token["text"] or token["number"] else "null"
                before = (before[1], found)
        # The id of what is in a list is not the list's.
        inside = text.lstrip().startswith("{")
        return cls(named and inside, name if named and inside else "null", deepest, depth == 0)
