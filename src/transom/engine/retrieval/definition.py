"""What a model is told of our tools: definitions that are the same bytes in every session of one vocabulary.

No list of keys or addresses stands in them: what there is, the tools say when they are called. A definition that changed
would move everything behind it out of the provider's cache.
"""

from __future__ import annotations

from ...jsontext import dumps
from ...messages import Tool
from ...messages.message import Origin
from ...vocabulary import ENGLISH, Vocabulary

__all__ = ["COMMANDS", "MEMORY_TOOL", "NEW_CONTEXT", "context_tools", "native_memory_tool"]

COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename", "search")
"""What the context tool can do. All but ``search`` are named and shaped as those of Anthropic's memory tool."""

NEW_CONTEXT = "new_context"
"""The tool by which a model closes its window."""

MEMORY_TOOL = "memory"
"""What Anthropic calls its memory tool."""

_MEMORY_TYPE = "memory_20250818"


def context_tools(vocabulary: Vocabulary = ENGLISH, *, name: str = "context") -> tuple[Tool, ...]:
    """The context tool, and the one that closes the window.

    Args:
        vocabulary: the words of the descriptions.
        name: what the context tool is called; another one where the caller has a tool ``context`` of its own.
    """
    words = vocabulary.retrieving
    arguments = words.arguments
    text, whole = {"type": "string"}, {"type": "integer"}
    properties: dict[str, object] = {
        "command": {"type": "string", "enum": list(COMMANDS), "description": arguments.command},
        "path": text | {"description": arguments.path},
        "view_range": {"type": "array", "items": {"type": "integer"}, "description": arguments.view_range},
        "offset": whole | {"description": arguments.offset},
        "query": text | {"description": arguments.query},
        "file_text": text | {"description": arguments.file_text},
        "old_str": text | {"description": arguments.old_str},
        "new_str": text | {"description": arguments.new_str},
        "insert_line": whole | {"description": arguments.insert_line},
        "insert_text": text | {"description": arguments.insert_text},
        "old_path": text | {"description": arguments.old_path},
        "new_path": text | {"description": arguments.new_path},
    }
    return (
        Tool(name, words.description, {"type": "object", "properties": properties, "required": ["command"]}),
        Tool(NEW_CONTEXT, words.new_context, {"type": "object", "properties": {}}),
    )


def native_memory_tool() -> Tool:
    """Anthropic's own memory tool, which its models are trained on. Other targets leave it out and say so in their notes.

    Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool
    """
    raw = dumps({"type": _MEMORY_TYPE, "name": MEMORY_TOOL})
    return Tool(MEMORY_TOOL, kind="native", origin=Origin("anthropic", raw, "tools"))
