"""Anthropic Messages: the provider's rules, named before the provider names them.

Knows parsed JSON and the API's wording. A bare list of messages is checked as a conversation; what a request must hold
beside it (``max_tokens``, tools) is asked of bodies that name a model. Neighbours of one role count as one
turn, since the API merges them; a system message between them splits no pair.

Sources: https://platform.claude.com/docs/en/api/errors, https://platform.claude.com/docs/en/api/messages,
https://platform.claude.com/docs/en/build-with-claude/prompt-caching,
https://platform.claude.com/docs/en/build-with-claude/extended-thinking; wording as the API answered clients.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..report import Violation
from .blocks import is_blank, valid_id

__all__ = ["refuses_prefill", "thinks", "validate"]

_API = "https://platform.claude.com/docs/en/api/messages"
_TOOLS = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use"
_CACHE = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching"
_THINKING = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking"
_PREFILL_TEXT = "https://platform.claude.com/docs/en/build-with-claude/prompt-engineering/prefill-claudes-response"
_PREFILL = "https://platform.claude.com/docs/en/about-claude/models/migration-guide"

MAX_MARKERS = 4

_REQUIRED: Mapping[str, Sequence[tuple[str, type | tuple[type, ...]]]] = {
    "text": (("text", str),),
    "image": (("source", Mapping),),
    "document": (("source", Mapping),),
    "tool_use": (("id", str), ("name", str), ("input", Mapping)),
    "tool_result": (("tool_use_id", str),),
    "thinking": (("thinking", str), ("signature", str)),
    "redacted_thinking": (("data", str),),
}
"""Members without which the API says "Field required"; of block types not listed nothing is asked."""

_VERSION = re.compile(r"claude-[a-z]+-(\d+)(?:[-.](\d{1,2}))?(?!\d)")


def validate(body: object) -> list[Violation]:
    """Every rule that a parsed request body, or a bare list of messages, breaks; in document order."""
    request: Mapping[str, object] = body if isinstance(body, Mapping) else {}
    messages = request.get("messages") if isinstance(body, Mapping) else body
    if not isinstance(messages, list | tuple):
        return [Violation("anthropic.messages-required", "messages", None, "messages: Field required", _API)]
    check = _Check(request, messages)
    check.request_fields()
    check.tools()
    check.conversation()
    check.markers()
    return check.found


def _is_blocks(content: object) -> bool:
    return isinstance(content, list | tuple)


def _blocks(content: object) -> list[Mapping[str, object]]:
    if isinstance(content, list | tuple):
        return [block for block in content if isinstance(block, Mapping)]
    return []


def _last_text(content: object) -> str:
    """The text that a message ends in; empty where it ends in something else."""
    blocks = _blocks(content)
    text = (
        content if isinstance(content, str) else blocks[-1].get("text") if blocks and blocks[-1].get("type") == "text" else ""
    )
    return text if isinstance(text, str) else ""


@dataclass(slots=True)
class _Check:
    """One validation. Each method adds what it finds."""

    request: Mapping[str, object]
    messages: Sequence[object]
    found: list[Violation] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether the body names a model, and so claims to be a whole request."""
        return "model" in self.request

    def add(self, rule: str, where: str, index: int | None, message: str, source: str = _API) -> None:
        self.found.append(Violation(f"anthropic.{rule}", where, index, message, source))

    # the request

    def request_fields(self) -> None:
        limit = self.request.get("max_tokens")
        if self.complete and limit is None:
            self.add("max-tokens-required", "max_tokens", None, "max_tokens: Field required")
        thinking = self.request.get("thinking")
        if isinstance(thinking, Mapping) and thinking.get("type") == "enabled":
            budget = thinking.get("budget_tokens")
            if isinstance(budget, int) and budget < 1024:
                message = "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
                self.add("thinking-budget", "thinking.budget_tokens", None, message, _THINKING)
            elif isinstance(budget, int) and isinstance(limit, int) and limit <= budget and not self._interleaved():
                message = "`max_tokens` must be greater than `thinking.budget_tokens`."
                self.add("thinking-budget", "max_tokens", None, message, _THINKING)
        system = self.request.get("system")
        for position, block in enumerate(_blocks(system)):
            if block.get("type") == "text" and not block.get("text"):
                where = f"system[{position}]"
                self.add("empty-text", where, None, "system: text content blocks must be non-empty")

    def _interleaved(self) -> bool:
        """With interleaved thinking the budget may exceed ``max_tokens``."""
        return "interleaved-thinking" in str(self.request.get("betas", ""))

    def tools(self) -> None:
        tools = self.request.get("tools")
        names: set[str] = set()
        for position, tool in enumerate(_blocks(tools)):
            where = f"tools[{position}]"
            name = tool.get("name")
            if isinstance(name, str):
                if name in names:
                    self.add("tool-names-unique", where, None, "tools: Tool names must be unique.", _TOOLS)
                names.add(name)
            if tool.get("type") not in (None, "custom"):
                continue
            if not isinstance(name, str) or not valid_id(name) or len(name) > 128:
                message = f"tools.{position}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
                self.add("tool-name", where, None, message, _TOOLS)
            schema = tool.get("input_schema")
            if not isinstance(schema, Mapping):
                self.add("tool-schema", where, None, f"tools.{position}.custom.input_schema: Field required", _TOOLS)
            elif schema.get("type") != "object":
                message = f"tools.{position}.custom.input_schema.type: Input should be 'object'"
                self.add("tool-schema", where, None, message, _TOOLS)
        if not tools and self.request.get("tool_choice") is not None:
            message = "tool_choice: tool_choice may only be specified while providing tools."
            self.add("tool-choice-needs-tools", "tool_choice", None, message, _TOOLS)
        if self.complete and "tools" not in self.request and self._uses_tools():
            message = "Requests which include `tool_use` or `tool_result` blocks must define tools."
            self.add("tools-defined", "tools", None, message, _TOOLS)

    def _uses_tools(self) -> bool:
        return any(
            block.get("type") in ("tool_use", "tool_result")
            for message in self.messages
            if isinstance(message, Mapping)
            for block in _blocks(message.get("content"))
        )

    # the conversation

    def conversation(self) -> None:
        if not self.messages:
            self.add("messages-empty", "messages", None, "messages: at least one message is required")
            return
        first = True
        seen_ids: set[str] = set()
        for index, message in enumerate(self.messages):
            role = self._shape(index, message)
            if role in ("user", "assistant"):
                if first and role != "user":
                    rule = 'messages: first message must use the "user" role'
                    self.add("first-user", f"messages[{index}]", index, rule)
                first = False
            if isinstance(message, Mapping):
                self._unique_ids(index, message, seen_ids)
        self._pairs()
        self._thinking_before_tools()
        self._prefill()

    def _shape(self, index: int, message: object) -> str:
        where = f"messages[{index}]"
        if not isinstance(message, Mapping):
            self.add("message-shape", where, index, f"messages.{index}: Input should be a valid dictionary")
            return ""
        role = message.get("role")
        if role not in ("user", "assistant", "system"):
            known = 'Allowed roles are "user", "assistant" and, on recent models, "system".'
            self.add("role", where, index, f'messages: Unexpected role "{role}". {known}')
        content = message.get("content")
        last_assistant = role == "assistant" and index == len(self.messages) - 1
        if isinstance(content, str) or _is_blocks(content):
            if not content and not last_assistant:
                rule = "all messages must have non-empty content except for the optional final assistant message"
                self.add("empty-content", where, index, f"messages.{index}: {rule}")
        else:
            self.add("content-required", where, index, f"messages.{index}.content: Field required")
        for position, block in enumerate(content if isinstance(content, list | tuple) else ()):
            self._block(index, position, block, str(role))
        return str(role)

    def _block(self, index: int, position: int, block: object, role: str) -> None:
        where = f"messages[{index}].content[{position}]"
        path = f"messages.{index}.content.{position}"
        kind = block.get("type") if isinstance(block, Mapping) else None
        if not isinstance(block, Mapping) or not isinstance(kind, str):
            self.add("block-shape", where, index, f"{path}: Input should be an object with a `type`")
            return
        for member, wanted in _REQUIRED.get(kind, ()):
            if not isinstance(block.get(member), wanted) or (member == "signature" and not block[member]):
                rule = "thinking-signature" if member == "signature" else "field-required"
                self.add(rule, where, index, f"{path}.{kind}.{member}: Field required", _THINKING if "think" in kind else _API)
        if kind == "text" and isinstance(text := block.get("text"), str) and is_blank(text):
            what = "must contain non-whitespace text" if text else "must be non-empty"
            self.add("empty-text", where, index, f"messages: text content blocks {what}")
        elif kind == "tool_use":
            if role != "assistant":
                self.add("block-role", where, index, f"{path}: `tool_use` blocks can only be in `assistant` messages", _TOOLS)
            if isinstance(block.get("id"), str) and not valid_id(str(block["id"])):
                self.add(
                    "id-pattern", where, index, f"{path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", _TOOLS
                )
        elif kind == "tool_result" and role != "user":
            self.add("block-role", where, index, f"{path}: `tool_result` blocks can only be in `user` messages", _TOOLS)

    def _unique_ids(self, index: int, message: Mapping[str, object], seen: set[str]) -> None:
        for position, block in enumerate(_blocks(message.get("content"))):
            if block.get("type") == "tool_use" and isinstance(block.get("id"), str):
                identity = str(block["id"])
                if identity in seen:
                    rule = f"messages.{index}.content.{position}: `tool_use` ids must be unique"
                    self.add("ids-unique", f"messages[{index}].content[{position}]", index, rule, _TOOLS)
                seen.add(identity)

    # calls and results

    def _turns(self) -> Iterator[tuple[str, list[tuple[int, int, Mapping[str, object]]]]]:
        """Neighbours of one role as one: role, and its blocks with message index and position. Text is a block, too."""
        role = ""
        blocks: list[tuple[int, int, Mapping[str, object]]] = []
        for index, message in enumerate(self.messages):
            if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
                continue
            if message["role"] != role and role:
                yield role, blocks
                blocks = []
            role = str(message["role"])
            content = message.get("content")
            if isinstance(content, str):
                blocks.append((index, 0, {"type": "text"}))
            blocks.extend([(index, position, block) for position, block in enumerate(_blocks(content))])
        if role:
            yield role, blocks

    def _pairs(self) -> None:
        calls: dict[str, int] = {}
        for role, blocks in self._turns():
            if role == "assistant":
                calls = {str(block.get("id")): index for index, _, block in blocks if block.get("type") == "tool_use"}
                continue
            answered = self._results(blocks, calls)
            self._unanswered({name: index for name, index in calls.items() if name not in answered})
            calls = {}
        self._unanswered(calls)

    def _results(self, blocks: list[tuple[int, int, Mapping[str, object]]], calls: Mapping[str, int]) -> set[str]:
        """Check the results of one user turn; returns the calls they answer in time."""
        answered: set[str] = set()
        text_before = False
        for index, position, block in blocks:
            if block.get("type") != "tool_result":
                text_before = True
                continue
            identity = str(block.get("tool_use_id"))
            where = f"messages[{index}].content[{position}]"
            if identity not in calls:
                rule = (
                    f"messages.{index}.content.{position}: unexpected `tool_use_id` found in `tool_result` blocks: {identity}. "
                    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                )
                self.add("result-needs-call", where, index, rule, _TOOLS)
            elif identity in answered:
                rule = (
                    f"messages.{index}.content.{position}: each tool_use must have a single result. "
                    f"Found multiple `tool_result` blocks with id: {identity}"
                )
                self.add("single-result", where, index, rule, _TOOLS)
            elif not text_before:
                answered.add(identity)
        return answered

    def _unanswered(self, calls: Mapping[str, int]) -> None:
        by_message: dict[int, list[str]] = {}
        for identity, index in calls.items():
            by_message.setdefault(index, []).append(identity)
        for index, names in by_message.items():
            rule = (
                f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(names)}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            )
            self.add("call-needs-result", f"messages[{index}]", index, rule, _TOOLS)

    # reasoning, prefill, cache

    def _thinking_before_tools(self) -> None:
        """Manual thinking: the assistant turn of a running tool loop starts with its reasoning."""
        thinking = self.request.get("thinking")
        if not isinstance(thinking, Mapping) or thinking.get("type") != "enabled":
            return
        turns = list(self._turns())
        if len(turns) < 2 or turns[-1][0] != "user" or turns[-2][0] != "assistant" or not turns[-2][1]:
            return
        if not any(block.get("type") == "tool_result" for _, _, block in turns[-1][1]):
            return
        index, position, block = turns[-2][1][0]
        kind = block.get("type")
        if kind == "tool_use":
            rule = (
                f"messages.{index}.content.{position}.type: Expected `thinking` or `redacted_thinking`, but found `{kind}`. "
                "When `thinking` is enabled, a final `assistant` message must start with a thinking block."
            )
            self.add("thinking-first", f"messages[{index}].content[{position}]", index, rule, _THINKING)

    def _prefill(self) -> None:
        last = self.messages[-1]
        if not isinstance(last, Mapping) or last.get("role") != "assistant":
            return
        self._ends_in_white_space(last)
        if thinks(self.request):
            # A running tool loop ends in the user's results; reasoning that was begun may be handed back.
            if _last_text(last.get("content")):
                index = len(self.messages) - 1
                rule = "Prefill is not supported with extended thinking. The conversation must end with a user message."
                self.add("prefill-thinking", f"messages[{index}]", index, rule, _THINKING)
            return
        if not refuses_prefill(self.request.get("model")):
            return
        blocks = _blocks(last.get("content"))
        if blocks and str(blocks[-1].get("type")).endswith(("server_tool_use", "_tool_result")):
            return
        index = len(self.messages) - 1
        rule = "This model does not support assistant message prefill. The conversation must end with a user message."
        self.add("prefill", f"messages[{index}]", index, rule, _PREFILL)

    def _ends_in_white_space(self, last: Mapping[str, object]) -> None:
        text = _last_text(last.get("content"))
        if text != text.rstrip():
            index = len(self.messages) - 1
            rule = "messages: final assistant content cannot end with trailing whitespace"
            self.add("prefill-white-space", f"messages[{index}]", index, rule, _PREFILL_TEXT)

    def markers(self) -> None:
        count = 0
        short_seen = False
        for where, index, block in self._marked():
            marker = block["cache_control"]
            count += 1
            kind = block.get("type")
            path = where.replace("[", ".").replace("]", "")
            if kind in ("thinking", "redacted_thinking"):
                rule = f"{path}.{kind}.cache_control: Extra inputs are not permitted"
                self.add("marker-place", where, index, rule, _CACHE)
            elif kind == "text" and not block.get("text"):
                rule = f"{path}.text: cache_control cannot be set for empty text blocks"
                self.add("marker-place", where, index, rule, _CACHE)
            if isinstance(marker, Mapping) and marker.get("ttl") == "1h" and short_seen:
                rule = (
                    f"{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                    "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`."
                )
                self.add("marker-ttl", where, index, rule, _CACHE)
            short_seen = short_seen or not (isinstance(marker, Mapping) and marker.get("ttl") == "1h")
        if self.request.get("cache_control") is not None:
            count += 1
        if count > MAX_MARKERS:
            rule = f"A maximum of {MAX_MARKERS} blocks with cache_control may be provided. Found {count}."
            self.add("marker-count", "cache_control", None, rule, _CACHE)

    def _marked(self) -> Iterator[tuple[str, int | None, Mapping[str, object]]]:
        """Everything with a cache marker, in the order the provider caches."""
        for name in ("tools", "system"):
            for position, block in enumerate(_blocks(self.request.get(name))):
                if block.get("cache_control") is not None:
                    yield f"{name}[{position}]", None, block
        for index, message in enumerate(self.messages):
            for position, block in enumerate(_blocks(message.get("content") if isinstance(message, Mapping) else None)):
                where = f"messages[{index}].content[{position}]"
                for inner, item in enumerate(_blocks(block.get("content")) if block.get("type") == "tool_result" else ()):
                    if item.get("cache_control") is not None:
                        yield f"{where}.content[{inner}]", index, item
                if block.get("cache_control") is not None:
                    yield where, index, block


def thinks(fields: Mapping[str, object]) -> bool:
    """Whether a request turns extended thinking on, with which no answer may be begun (source: the page in ``_THINKING``)."""
    thinking = fields.get("thinking")
    return isinstance(thinking, Mapping) and thinking.get("type") in ("enabled", "adaptive")


def refuses_prefill(model: object) -> bool:
    """Whether a model takes no prefill, as none does since 4.6 (source: the page named in ``_PREFILL``)."""
    found = _VERSION.search(model) if isinstance(model, str) else None
    return found is not None and (int(found[1]), int(found[2] or 0)) >= (4, 6)
