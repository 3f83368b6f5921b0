"""``letta-agent-file``: a Letta agent with all messages it ever had and the indices of those in its context.

Messages out of context were left behind when the agent compacted: they are the first segment, in file order. Those in
context, in the order ``in_context_message_indices`` gives, are the last segment: the system prompt as it stands now, the
summary, what followed. Each message stands in exactly one of the two. Earlier versions of the system prompt stay where the
file has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import FormatError
from ..format import Head
from .chat_elements import chat_element, chat_head, chat_segment
from .drafting import CallNote, SkipLog
from .shape import mapping, sequence, text
from .source import one_document
from .transcript import Conversation, Transcript

__all__ = ["LettaAgentFile"]

_FIELDS = {"tool_returns": "the result again, with output of the sandbox"}
_AGENT_FIELDS = {
    "system": "the template of the system prompt; the messages hold it filled in",
    "core_memory": "memory blocks; the system prompt holds them",
    "tool_rules": "settings of the agent",
    "tool_exec_environment_variables": "settings of the agent",
    "embedding_config": "settings of the agent",
}


class LettaAgentFile:
    """The reader of ``letta-agent-file`` files."""

    @property
    def name(self) -> str:
        """``letta-agent-file``."""
        return "letta-agent-file"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the document is an agent with messages and a context."""
        body = mapping(document)
        return not lines and "agent_type" in body and "messages" in body and "in_context_message_indices" in body

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        body = mapping(one_document(document, lines=lines))
        skips = SkipLog()
        skips.fields("document", body, _AGENT_FIELDS)
        messages = [mapping(message) for message in sequence(body.get("messages"))]
        in_context = _indices(body.get("in_context_message_indices"), len(messages))
        chosen = set(in_context)
        left = [index for index in range(len(messages)) if index not in chosen]
        head = _head(body)
        groups = [group for group in (left, in_context) if group]
        if not groups:
            raise FormatError("no message in this agent file", hint="the agent was never spoken to")
        segments = tuple(chat_segment(_elements(messages, group, skips), head, skips) for group in groups)
        meta = {key: body[key] for key in ("name", "agent_type", "version") if key in body}
        return Transcript(self.name, (Conversation("main", segments),), skips.done(), meta)


def _indices(value: object, size: int) -> list[int]:
    found = [index for index in sequence(value) if isinstance(index, int) and 0 <= index < size]
    return list(dict.fromkeys(found))


def _elements(
    messages: Sequence[Mapping[str, object]], group: Sequence[int], skips: SkipLog
) -> list[tuple[str, Mapping[str, object], CallNote]]:
    elements: list[tuple[str, Mapping[str, object], CallNote]] = []
    for index in group:
        message = messages[index]
        skips.fields(f"messages[{index}]", message, _FIELDS)
        element = chat_element(message)
        elements.append((f"messages[{index}]", element, CallNote(model=text(message.get("model")))))
    return elements


def _head(body: Mapping[str, object]) -> Head:
    config = mapping(body.get("llm_config"))
    tools: list[object] = []
    for value in sequence(body.get("tools")):
        schema = mapping(mapping(value).get("json_schema"))
        function = {key: schema[key] for key in ("name", "description", "parameters") if schema.get(key) is not None}
        if "name" in function:
            tools.append({"type": "function", "function": function})
    return chat_head(
        model=text(config.get("model")),
        tools=tools,
        temperature=config.get("temperature"),
        max_tokens=config.get("max_tokens"),
    )
