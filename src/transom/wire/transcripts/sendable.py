"""A head that a provider would accept, for a session file that does not hold one.

Pure. Session files often leave out what the agent sent with every request: its tools, its model, how much answer it asked
for. A replay has to send something: tools are named after the calls in the file, without a schema. The head is the same for
the whole segment, so that the prefix stands still.
"""

from __future__ import annotations

from dataclasses import replace

from ...messages import Tool
from ..format import Head
from .transcript import Segment

__all__ = ["UNKNOWN_MODEL", "sendable_head"]

UNKNOWN_MODEL = "unknown"


def sendable_head(segment: Segment) -> Head:
    """The segment's head, completed where the file left out what every provider asks for."""
    head = segment.head
    known = {tool.name for tool in head.tools}
    called = dict.fromkeys(call.name for message in segment.messages for call in message.tool_calls if call.name not in known)
    missing_tools = tuple(
        Tool(name, description="(not in the session file)", parameters={"type": "object", "properties": {}}) for name in called
    )
    model = head.model or next((call.model for call in segment.calls if call.model), "") or UNKNOWN_MODEL
    tools = head.tools or missing_tools
    if tools is head.tools and model == head.model and head.fields:
        return head
    # Without its own fields the head is spelled anew by the target, which then adds what it cannot do without.
    fields = {} if not head.fields or head.model is None else head.fields
    return replace(head, tools=tools, model=model, fields=fields, format=head.format if fields else "")
