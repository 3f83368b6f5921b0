"""What a conversation is: messages, their parts, turns, repair and digests. Pure: no I/O, no provider, no clock."""

from .message import Edit, Message, Origin, Role
from .parts import Attachment, Call, Content, Opaque, Part, RedactedThinking, Result, Text, Thinking
from .tools import Tool, ToolChoice

__all__ = [
    "Attachment",
    "Call",
    "Content",
    "Edit",
    "Message",
    "Opaque",
    "Origin",
    "Part",
    "RedactedThinking",
    "Result",
    "Role",
    "Text",
    "Thinking",
    "Tool",
    "ToolChoice",
]
