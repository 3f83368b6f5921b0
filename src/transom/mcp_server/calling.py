"""``tools/call``: one call through the toolbox, and what came of it in the protocol's shape.

Each call runs in a task of its own. The SDK cancels by scope, again and again until the scope is left; in a task of its own the
tool is told once, and has its time to end what it started.
"""

from __future__ import annotations

import asyncio

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, InputRequiredResult

from ..toolbox.box import Toolbox
from ..toolbox.dispatch import Caller
from ..toolbox.tool import Envelope
from .consent import Consent
from .listing import ToolList
from .progress import Progress
from .questions import Questions
from .roots import Folders
from .sessions import Context, Session, Sessions, is_stateless

__all__ = ["Calls", "result"]

LINGER = 5.0
"""Seconds that a cancelled call may take to end what it started."""


class Calls:
    """The calls of one server.

    Args:
        toolbox: what is called.
        tools: the list, for arguments of another form.
        sessions: whom calls are from.
        project: the project of all callers.
    """

    def __init__(self, toolbox: Toolbox, tools: ToolList, sessions: Sessions, *, project: str | None = None) -> None:
        self._toolbox = toolbox
        self._tools = tools
        self._sessions = sessions
        self._project = project
        self._folders = Folders(toolbox.session)
        self._running: set[asyncio.Task[Envelope]] = set()

    async def handle(self, context: Context, params: CallToolRequestParams) -> dict[str, object] | InputRequiredResult:
        """Answer a request.

        Raises:
            MCPError: there is no such tool.
        """
        session = self._sessions.of(context)
        questions = Questions(by_retry=is_stateless(context), replies=params.input_responses)
        task = asyncio.ensure_future(self._call(context, session, questions, params))
        self._running.add(task)
        try:
            envelope = await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait({task}, timeout=LINGER)
            raise
        finally:
            self._running.discard(task)
        if (open_questions := questions.unanswered()) is not None:
            return open_questions
        if envelope.error == "unknown_tool" and not self._toolbox.knows(params.name):
            raise MCPError(INVALID_PARAMS, envelope.text)
        return result(envelope)

    async def _call(self, context: Context, session: Session, questions: Questions, params: CallToolRequestParams) -> Envelope:
        if self._toolbox.knows(params.name):
            await self._folders.settle(context, session, questions)
            if questions.unanswered() is not None:
                return Envelope(ok=False)
        consent = Consent(context, questions, self._toolbox.words.serving)
        progress = Progress(context)
        caller = Caller(
            session=session.id,
            project=self._project,
            stateful=session.id is not None,
            services=session.services,
            ask=consent.ask if consent.possible else None,
            listen=progress,
        )
        try:
            envelope = await self._toolbox.call(params.name, self._tools.restored(params.name, params.arguments or {}), caller)
        except asyncio.CancelledError:
            await progress.dropped()
            raise
        await progress.settled()
        return envelope

    async def drained(self, seconds: float) -> bool:
        """Wait for the calls that run, so long at most; whether they all came to their end."""
        if not self._running:
            return True
        _, left = await asyncio.wait(set(self._running), timeout=seconds)
        return not left


def result(envelope: Envelope) -> dict[str, object]:
    """A tool's result as the protocol has it: the text for models, the data beside it, what went wrong by its symbol."""
    meta = {
        f"transom/{name}": value
        for name, value in (("error", envelope.error), ("uri", envelope.uri), ("provenance", envelope.provenance))
        if value is not None
    }
    if envelope.confidence != "extracted":
        meta["transom/confidence"] = envelope.confidence
    made: dict[str, object] = {
        "content": [{"type": "text", "text": envelope.text}],
        "isError": not envelope.ok,
        "resultType": "complete",
    }
    if envelope.data:
        made["structuredContent"] = _whole(envelope)
    if meta:
        made["_meta"] = meta
    return made


def _whole(envelope: Envelope) -> dict[str, object]:
    """The data, and the text where they do not hold it: some clients show their model the structured part alone."""
    data, text = dict(envelope.data), envelope.text.strip()
    if "text" not in data and not any(isinstance(value, str) and text in value for value in data.values()):
        data["text"] = envelope.text
    return data
