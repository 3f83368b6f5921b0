"""What a conversation is: messages, their parts, turns, repair and digests. Pure: no I/O, no provider, no clock."""

from .digest import bytes_digest, meaning_digest
from .history import History, Repair, Turn, ensure_valid_history
from .message import Edit, Message, Origin, Role
from .parts import Attachment, Call, Content, Opaque, Part, RedactedThinking, Result, Text, Thinking
from .tools import Tool, ToolChoice
from .turns import group_turns, is_user_request, leading_system

__all__ = [
    "Attachment",
    "Call",
    "Content",
    "Edit",
    "History",
    "Message",
    "Opaque",
    "Origin",
    "Part",
    "RedactedThinking",
    "Repair",
    "Result",
    "Role",
    "Text",
    "Thinking",
    "Tool",
    "ToolChoice",
    "Turn",
    "bytes_digest",
    "ensure_valid_history",
    "group_turns",
    "is_user_request",
    "leading_system",
    "meaning_digest",
]
