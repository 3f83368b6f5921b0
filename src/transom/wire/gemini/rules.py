"""Gemini generateContent: the provider's rules, named before the provider names them.

Knows parsed JSON and the API's wording. A bare list of contents is checked as a conversation. Keys are read in both spellings.

Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/function-calling,
https://ai.google.dev/gemini-api/docs/thought-signatures; wording as the API answered clients.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..report import Violation
from .parse import either
from .pieces import tool_name

__all__ = ["validate"]

_API = "https://ai.google.dev/api/generate-content"
_CALLING = "https://ai.google.dev/gemini-api/docs/function-calling"
_SIGNED = "https://ai.google.dev/gemini-api/docs/thought-signatures"

_CONTENT_KEYS = (
    ("text", "text"),
    ("inlineData", "inline_data"),
    ("fileData", "file_data"),
    ("functionCall", "function_call"),
    ("functionResponse", "function_response"),
    ("executableCode", "executable_code"),
    ("codeExecutionResult", "code_execution_result"),
    ("toolCall", "tool_call"),
    ("toolResponse", "tool_response"),
)
_NEEDED = (("inlineData", "inline_data", "mimeType", "mime_type"), ("fileData", "file_data", "fileUri", "file_uri"))
_MODEL = re.compile(r"gemini-(\d+)")

CALL_PLACE = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
RESPONSE_PLACE = "Please ensure that function response turn comes immediately after a function call turn."
RESPONSE_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function "
    "call turn."
)


NAME_PATTERN = (
    "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), "
    "underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128."
)


def validate(body: object) -> list[Violation]:
    """Every rule that a parsed request body, or a bare list of contents, breaks; in document order."""
    request: Mapping[str, object] = body if isinstance(body, Mapping) else {}
    contents = request.get("contents") if isinstance(body, Mapping) else body
    if not isinstance(contents, list | tuple) or not contents:
        message = "* GenerateContentRequest.contents: contents is not specified"
        return [Violation("gemini.contents-required", "contents", None, message, _API)]
    check = _Check(request, contents)
    check.tools()
    check.system()
    check.conversation()
    return check.found


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()


def _parts(content: object) -> list[Mapping[str, object]]:
    if not isinstance(content, Mapping):
        return []
    return [part for part in _listed(content.get("parts")) if isinstance(part, Mapping)]


def _named(content: object, camel: str, snake: str) -> list[Mapping[str, object]]:
    """The members of that name in a content's parts."""
    found = [either(part, camel, snake) for part in _parts(content)]
    return [value for value in found if isinstance(value, Mapping)]


@dataclass(slots=True)
class _Check:
    """One validation. Each method adds what it finds."""

    request: Mapping[str, object]
    contents: Sequence[object]
    found: list[Violation] = field(default_factory=list)

    def add(self, rule: str, where: str, index: int | None, message: str, source: str = _API) -> None:
        self.found.append(Violation(f"gemini.{rule}", where, index, message, source))

    def tools(self) -> None:
        names: set[str] = set()
        for position, tool in enumerate(_listed(self.request.get("tools"))):
            declared = either(tool, "functionDeclarations", "function_declarations") if isinstance(tool, Mapping) else ()
            for inner, declaration in enumerate(_listed(declared)):
                where = f"tools[{position}].functionDeclarations[{inner}]"
                path = f"GenerateContentRequest.tools[{position}].function_declarations[{inner}].name"
                name = declaration.get("name") if isinstance(declaration, Mapping) else None
                if not isinstance(name, str) or not name or tool_name(name) != name:
                    rule = f"* {path}: {NAME_PATTERN}"
                    self.add("tool-name", where, None, rule, _CALLING)
                elif name in names:
                    self.add("tool-names-unique", where, None, f"Duplicate function declaration found: {name}", _CALLING)
                names.add(str(name))

    def system(self) -> None:
        instruction = either(self.request, "systemInstruction", "system_instruction")
        if isinstance(instruction, Mapping) and not _parts(instruction):
            rule = "* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty."
            self.add("parts-empty", "systemInstruction", None, rule)

    def conversation(self) -> None:
        for index, content in enumerate(self.contents):
            self._shape(index, content)
            self._adjacency(index)
        self._signatures()

    def _shape(self, index: int, content: object) -> None:
        where = f"contents[{index}]"
        if not isinstance(content, Mapping):
            self.add("content-shape", where, index, f"Invalid value at 'contents[{index}]' (type.googleapis.com/Content)")
            return
        if content.get("role") not in (None, "user", "model", "function"):
            self.add("role", where, index, "Please use a valid role: user, model.")
        parts = _listed(content.get("parts"))
        if not parts:
            rule = f"* GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty."
            self.add("parts-empty", where, index, rule)
        for position, part in enumerate(parts):
            self._part(index, position, part)

    def _part(self, index: int, position: int, part: object) -> None:
        where = f"contents[{index}].parts[{position}]"
        path = f"* GenerateContentRequest.contents[{index}].parts[{position}]"
        if not isinstance(part, Mapping):
            self.add("part-shape", where, index, f"Invalid value at '{where}' (type.googleapis.com/Part)")
            return
        known = [camel for camel, snake in _CONTENT_KEYS if either(part, camel, snake) is not None]
        signed = either(part, "thoughtSignature", "thought_signature") is not None
        if not known and not signed and all(key in ("thought", "text") for key in part):
            rule = f"{path}.data: required oneof field 'data' must have one initialized field"
            self.add("part-empty", where, index, rule)
        if len(known) > 1:
            self.add("part-shape", where, index, f"Invalid value at '{where}': oneof field 'data' is already set")
        called = either(part, "functionCall", "function_call")
        if isinstance(called, Mapping) and not called.get("name"):
            self.add("call-name", where, index, f"{path}.function_call.name: Name cannot be empty.", _CALLING)
        answered = either(part, "functionResponse", "function_response")
        if isinstance(answered, Mapping):
            if not answered.get("name"):
                self.add("response-name", where, index, f"{path}.function_response.name: Name cannot be empty.", _CALLING)
            if answered.get("response") is not None and not isinstance(answered["response"], Mapping):
                rule = f"Invalid value at '{where}.function_response.response' (type.googleapis.com/google.protobuf.Struct)"
                self.add("response-object", where, index, rule, _CALLING)
        for camel, snake, inner, inner_snake in _NEEDED:
            value = either(part, camel, snake)
            if isinstance(value, Mapping) and not either(value, inner, inner_snake):
                self.add("source-missing", where, index, f"{path}.{snake}.{inner_snake}: must not be empty")

    def _adjacency(self, index: int) -> None:
        content = self.contents[index]
        where = f"contents[{index}]"
        before = self.contents[index - 1] if index else None
        calls = len(_named(content, "functionCall", "function_call"))
        answers = len(_named(content, "functionResponse", "function_response"))
        if calls and (not isinstance(before, Mapping) or before.get("role") == "model"):
            self.add("call-place", where, index, CALL_PLACE, _CALLING)
        if answers:
            asked = len(_named(before, "functionCall", "function_call"))
            if not asked:
                self.add("response-place", where, index, RESPONSE_PLACE, _CALLING)
            elif asked != answers:
                self.add("response-count", where, index, RESPONSE_COUNT, _CALLING)
        elif before is not None and _named(before, "functionCall", "function_call"):
            self.add("call-needs-response", f"contents[{index - 1}]", index - 1, RESPONSE_COUNT, _CALLING)
        if calls and index == len(self.contents) - 1:
            self.add("call-needs-response", where, index, RESPONSE_COUNT, _CALLING)

    def _signatures(self) -> None:
        """Gemini 3: the first call of each step of the current turn is signed."""
        model = self.request.get("model")
        found = _MODEL.search(model) if isinstance(model, str) else None
        if found is None or int(found[1]) < 3:
            return
        start = 0
        for index, content in enumerate(self.contents):
            if (
                isinstance(content, Mapping)
                and content.get("role") != "model"
                and any("text" in part for part in _parts(content))
            ):
                start = index
        for index in range(start, len(self.contents)):
            for position, part in enumerate(_parts(self.contents[index])):
                called = either(part, "functionCall", "function_call")
                if not isinstance(called, Mapping):
                    continue
                if not either(part, "thoughtSignature", "thought_signature"):
                    name = called.get("name")
                    rule = f"Function call `{name}` in the `{index + 1}.` content block is missing a `thought_signature`."
                    self.add("signature", f"contents[{index}].parts[{position}]", index, rule, _SIGNED)
                break
