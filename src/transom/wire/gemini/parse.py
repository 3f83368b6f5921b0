"""Gemini generateContent: the conversation, read.

Knows contents and parts, not the head of the request. One element of ``contents`` becomes one message and one wire part one of
ours, so that an edit finds it by index. Keys are read in both spellings the API takes, camelCase and snake_case. A thought
signature may stand on any part; it stays with that part.

Sources: https://ai.google.dev/api/caching#Content, https://ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ...errors import FormatError
from ...jsontext import EMPTY, dumps_text
from ...messages import Attachment, Call, Content, Message, Opaque, Origin, Part, Result, Role, Text, Thinking
from ..arguments import arguments_text
from ..attachments import UNKNOWN_MEDIA

__all__ = ["FORMAT", "RESPONSE_KEYS", "either", "parse_content", "parse_part", "parse_system", "response_text"]

FORMAT = "gemini"

RESPONSE_KEYS = ("output", "result", "error")
"""Members that stand for the whole of a function response: "output" and "error" are the API's own, SDKs write "result"."""

_ROLES: Mapping[object, Role] = {"user": "user", "model": "assistant", "function": "tool", "tool": "tool", None: "user"}

_META = frozenset(
    {
        "thought",
        "thoughtSignature",
        "thought_signature",
        "videoMetadata",
        "video_metadata",
        "mediaResolution",
        "media_resolution",
    }
    | {"partMetadata", "part_metadata"}
)
"""Members that say something about a part and are not its content."""


class _RawCall(msgspec.Struct):
    args: msgspec.Raw = msgspec.Raw(b"")


class _RawResponse(msgspec.Struct):
    response: msgspec.Raw = msgspec.Raw(b"")


class _RawPart(msgspec.Struct):
    camel_call: _RawCall | None = msgspec.field(default=None, name="functionCall")
    snake_call: _RawCall | None = msgspec.field(default=None, name="function_call")
    camel_response: _RawResponse | None = msgspec.field(default=None, name="functionResponse")
    snake_response: _RawResponse | None = msgspec.field(default=None, name="function_response")

    def exact(self) -> bytes:
        """The bytes of the arguments or the response."""
        call = self.camel_call or self.snake_call
        if call is not None:
            return bytes(call.args)
        response = self.camel_response or self.snake_response
        return bytes(response.response) if response is not None else b""


class _RawContent(msgspec.Struct):
    parts: list[_RawPart]


_decode_parts = msgspec.json.Decoder(_RawContent).decode


def either(value: Mapping[str, object], camel: str, snake: str) -> object:
    """A member in whichever spelling it stands there."""
    found = value.get(camel)
    return value.get(snake) if found is None and snake in value else found


def parse_content(value: object, raw: bytes, index: int) -> Message:
    """Read one element of ``contents``.

    Args:
        value: the element as parsed JSON.
        raw: its exact bytes.
        index: its place, for errors.

    Raises:
        FormatError: no object, an unknown role, or parts that are no list of objects.
    """
    where = f"contents[{index}]"
    if not isinstance(value, dict):
        raise FormatError(f"{where} is not an object", hint="each content is {role, parts}")
    name = value.get("role")
    role = _ROLES.get(name) if name is None or isinstance(name, str) else None
    if role is None:
        raise FormatError(f"{where} has the role {name!r}", hint="Gemini knows user and model")
    parts, results = _parts(value.get("parts"), raw, where)
    if role in ("user", "tool"):
        role = "tool" if results and results == len(parts) else "user"
    extra = EMPTY
    if len(value) > 2:
        extra = {key: item for key, item in value.items() if key not in ("role", "parts")} or EMPTY
    return Message.of(role, parts, Origin(FORMAT, raw), extra=extra)


def parse_system(value: object, raw: bytes, place: str) -> Message:
    """Read the system instruction: a content, or plain text as the SDKs take it.

    Args:
        value: the field as parsed JSON.
        raw: its exact bytes.
        place: the field's name as it was spelled.

    Raises:
        FormatError: neither.
    """
    origin = Origin(FORMAT, raw, place)
    if isinstance(value, str):
        return Message.of("system", (Text(value),), origin)
    if not isinstance(value, dict):
        raise FormatError(f"{place} is a {type(value).__name__}", hint="it is a content: {parts: [{text}]}")
    parts, _ = _parts(value.get("parts"), raw, place)
    return Message.of("system", parts, origin)


def _parts(value: object, raw: bytes, where: str) -> tuple[tuple[Part, ...], int]:
    """The parts of a content, and how many of them are results."""
    if value is None:
        return (), 0
    items = [value] if isinstance(value, dict) else value
    if not isinstance(items, list | tuple):
        raise FormatError(f"{where}.parts is a {type(value).__name__}", hint="parts is a list of objects")
    exact: list[_RawPart] | None = None
    parts: list[Part] = []
    results = 0
    for position, item in enumerate(items):
        if not isinstance(item, dict):
            raise FormatError(f"{where}.parts[{position}] is not an object", hint="each part is an object such as {text}")
        if "text" in item:
            parts.append(parse_part(item))
            continue
        called = either(item, "functionCall", "function_call")
        answered = None if called is not None else either(item, "functionResponse", "function_response")
        if isinstance(answered, dict):
            results += 1
        if isinstance(called, dict) or (isinstance(answered, dict) and not _is_plain(answered.get("response"))):
            if exact is None:
                exact = _exact(raw)
            parts.append(parse_part(item, exact[position].exact() if exact else b""))
        else:
            parts.append(parse_part(item))
    return tuple(parts), results


def _is_plain(response: object) -> bool:
    """Whether a response is one text, so that its own bytes are not needed."""
    if not isinstance(response, dict) or len(response) != 1:
        return False
    key, value = next(iter(response.items()))
    return isinstance(value, str) and key in RESPONSE_KEYS


def _exact(raw: bytes) -> list[_RawPart]:
    """Where the exact bytes of arguments and responses stand; empty for text that only the slow parser reads."""
    try:
        return _decode_parts(raw).parts
    except (msgspec.DecodeError, RecursionError, ValueError):
        return []


def parse_part(item: Mapping[str, object], exact: bytes = b"") -> Part:
    """Read one part.

    Args:
        item: the part.
        exact: the exact bytes of its arguments or response, where known.
    """
    text = item.get("text")
    if isinstance(text, str):
        if len(item) == 1:
            return Text(text)
        if item.get("thought") is True:
            signature = either(item, "thoughtSignature", "thought_signature")
            rest = _rest(item, "text", "thought", "thoughtSignature", "thought_signature")
            return Thinking(text, signature if isinstance(signature, str) else None, extra=rest)
        return Text(text, extra=_rest(item, "text"))
    called = either(item, "functionCall", "function_call")
    if isinstance(called, dict):
        return _call(item, called, exact)
    answered = either(item, "functionResponse", "function_response")
    if isinstance(answered, dict):
        return _result(item, answered, exact)
    return parse_file(item) or Opaque(FORMAT, _kind(item), item)


def parse_file(item: Mapping[str, object]) -> Attachment | None:
    """Read a part that holds a file; ``None`` for any other."""
    inline = either(item, "inlineData", "inline_data")
    linked = either(item, "fileData", "file_data")
    rest = _rest(item, "inlineData", "inline_data", "fileData", "file_data")
    source = inline if isinstance(inline, dict) else linked
    if not isinstance(source, dict):
        return None
    media = either(source, "mimeType", "mime_type")
    media = media if isinstance(media, str) else UNKNOWN_MEDIA
    name = either(source, "displayName", "display_name")
    filename = name if isinstance(name, str) else None
    if source is inline:
        data = source.get("data")
        return Attachment(media, data=_plain_base64(data), filename=filename, extra=rest) if isinstance(data, str) else None
    url = either(source, "fileUri", "file_uri")
    return Attachment(media, url=url, filename=filename, extra=rest) if isinstance(url, str) else None


def _plain_base64(data: str) -> str:
    """The alphabet of RFC 4648 section 4: the API also takes, and SDKs write, the one that is safe in addresses."""
    if "-" in data or "_" in data:
        data = data.replace("-", "+").replace("_", "/")
    return data + "=" * (-len(data) % 4)


def _kind(item: Mapping[str, object]) -> str:
    return next((key for key in item if key not in _META), "part")


def _rest(item: Mapping[str, object], *known: str) -> Mapping[str, object]:
    if len(item) == 1:
        return EMPTY
    return {key: value for key, value in item.items() if key not in known} or EMPTY


def _both(outer: Mapping[str, object], inner: Mapping[str, object]) -> Mapping[str, object]:
    return {**outer, **inner} if outer and inner else outer or inner or EMPTY


def _call(item: Mapping[str, object], called: Mapping[str, object], exact: bytes) -> Call:
    signature = either(item, "thoughtSignature", "thought_signature")
    identity, name = called.get("id"), called.get("name")
    extra = _both(
        _rest(item, "functionCall", "function_call", "thoughtSignature", "thought_signature"),
        _rest(called, "id", "name", "args"),
    )
    return Call(
        name if isinstance(name, str) else "",
        arguments_text(called.get("args"), exact),
        identity if isinstance(identity, str) else "",
        signature=signature if isinstance(signature, str) else None,
        extra=extra,
    )


def _result(item: Mapping[str, object], answered: Mapping[str, object], exact: bytes) -> Result:
    response = answered.get("response")
    text, is_error = response_text(response, exact)
    content: list[Content] = [] if text is None else [Text(text)]
    files = answered.get("parts")
    if isinstance(files, list | tuple):
        content += [parse_file(file) or Opaque(FORMAT, _kind(file), file) for file in files if isinstance(file, dict)]
    identity, name = answered.get("id"), answered.get("name")
    extra = _both(_rest(item, "functionResponse", "function_response"), _rest(answered, "id", "name", "response", "parts"))
    return Result(
        tuple(content),
        call_id=identity if isinstance(identity, str) else "",
        name=name if isinstance(name, str) else "",
        is_error=is_error,
        extra=extra,
    )


def response_text(response: object, exact: bytes = b"") -> tuple[str | None, bool]:
    """What a function response says, as text, and whether it reports a failure.

    A response of one well-known member holding text is that text; any other is its own JSON text.
    """
    if not isinstance(response, dict):
        return (None if response is None else dumps_text(response)), False
    if not response:
        return None, False
    is_error = "error" in response and response["error"] not in (None, "", False) and "output" not in response
    if _is_plain(response):
        return str(next(iter(response.values()))), is_error
    return (exact.decode() if exact else dumps_text(response)), is_error
