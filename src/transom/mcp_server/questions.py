"""Questions to a client that cannot be asked while a call runs: they are its answer, and it calls again with the replies.

On the stateless revision of the protocol (2026-07-28) a server may not send requests. A call that needs to know something ends
with the questions; the client repeats the call and sends the replies along. So whatever asks must do so before it changes
anything, and take no reply as no.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import ElicitRequest, InputRequiredResult, ListRootsRequest
from pydantic import BaseModel

__all__ = ["Questions"]


class Questions:
    """The questions of one call.

    Args:
        by_retry: replies come with the next call.
        replies: those that came with this one, by the name of their question.
    """

    def __init__(self, *, by_retry: bool, replies: Mapping[str, object] | None = None) -> None:
        self.by_retry = by_retry
        self._replies = replies or {}
        self._asked: dict[str, ElicitRequest | ListRootsRequest] = {}
        self._open = False

    def answer(self, name: str, question: ElicitRequest | ListRootsRequest) -> Mapping[str, object] | None:
        """The reply to a question, or ``None`` where it has yet to be asked.

        A question that was answered is asked again with those that follow, since replies come with one call only.
        """
        self._asked[name] = question
        match self._replies.get(name):
            case BaseModel() as reply:
                return reply.model_dump(mode="json", by_alias=True)
            case dict() as reply:
                return reply
            case _:
                self._open = True
                return None

    def unanswered(self) -> InputRequiredResult | None:
        """What to end the call with; ``None`` if nothing is open."""
        return InputRequiredResult(input_requests=dict(self._asked)) if self._open else None
