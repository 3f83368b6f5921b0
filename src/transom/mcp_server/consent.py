"""Asking the user, through the client, whether something may be done."""

from __future__ import annotations

import hashlib

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult
from pydantic import ValidationError

from ..vocabulary.serving import ServingWords
from .questions import Questions
from .sessions import Context

__all__ = ["Consent"]

FIELD = "confirm"


class Consent:
    """How one call asks for consent.

    Args:
        context: the request.
        questions: where the question waits on the stateless revision.
        words: what the user reads beside the question.
    """

    def __init__(self, context: Context, questions: Questions, words: ServingWords) -> None:
        self._context = context
        self._questions = questions
        self._words = words

    @property
    def possible(self) -> bool:
        """Whether the client can show a form."""
        capabilities = self._context.session.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            return False
        # An empty capability is the form of before there were modes.
        return capabilities.elicitation.form is not None or capabilities.elicitation.url is None

    async def ask(self, question: str) -> bool | None:
        """Put a question to the user.

        Returns:
            What was answered; closing the form is a no. ``None`` where nobody answered.
        """
        request = ElicitRequest(params=ElicitRequestFormParams(message=question, requested_schema=self._form()))
        if self._questions.by_retry:
            # The name holds the question, so that a reply to another one is none to this.
            name = f"{FIELD}-{hashlib.sha256(question.encode(errors='surrogatepass')).hexdigest()[:16]}"
            reply = self._questions.answer(name, request)
            return None if reply is None else _agreed(reply.get("action"), reply.get("content"))
        metadata = ServerMessageMetadata(related_request_id=self._context.request_id)
        try:
            answer = await self._context.session.send_request(request, ElicitResult, metadata=metadata)
        except (MCPError, ValidationError):
            return None
        return _agreed(answer.action, answer.content)

    def _form(self) -> dict[str, object]:
        field = {"type": "boolean", "title": self._words.agree, "description": self._words.agree_help, "default": True}
        return {"type": "object", "properties": {FIELD: field}, "required": [FIELD]}


def _agreed(action: object, content: object) -> bool:
    return action == "accept" and isinstance(content, dict) and content.get(FIELD) is True
