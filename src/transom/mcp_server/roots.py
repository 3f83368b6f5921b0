"""The folders that a client lets us work in: its roots replace those of the command line.

Knows how to ask on both kinds of revision, not what a folder is used for. An empty answer, or none, keeps what the command line
said; a root that is no folder here is named in a warning and left out.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ListRootsRequest, ListRootsResult
from pydantic import ValidationError

from .questions import Questions
from .sessions import Context, Granted, Session

__all__ = ["granted_by"]

PATIENCE = 10.0
"""Seconds that a client may take to name its roots."""
QUESTION = "roots"

_log = logging.getLogger(__name__)


async def granted_by(context: Context, session: Session, questions: Questions) -> Granted:
    """The folders that a client gives, asked for if that is not known.

    Args:
        context, session: the request and whom it is from.
        questions: where a question waits that only the next request can answer.
    """
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return Granted()
    if questions.by_retry:
        answer = questions.answer(QUESTION, ListRootsRequest())
        return Granted() if answer is None else _read(answer)
    async with session.asking:
        if session.granted is None:
            session.granted = await _ask(context)
            if session.granted.unusable:
                _log.warning("these roots of the client are no folders here: %s", ", ".join(session.granted.unusable))
        return session.granted


async def _ask(context: Context) -> Granted:
    metadata = ServerMessageMetadata(related_request_id=context.request_id)
    try:
        answer = await context.session.send_request(
            ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=PATIENCE, metadata=metadata
        )
    except (MCPError, ValidationError) as error:
        _log.warning("the client named no roots (%s); those of the command line hold", error)
        return Granted()
    return _read(answer.model_dump(mode="json"))


def _read(answer: Mapping[str, object]) -> Granted:
    folders: list[Path] = []
    unusable: list[str] = []
    named = answer.get("roots")
    for root in named if isinstance(named, list) else ():
        uri = str(root.get("uri", "")) if isinstance(root, dict) else ""
        path = _path(uri)
        if path is not None and path.is_dir():
            folders.append(path)
        else:
            unusable.append(uri)
    return Granted(tuple(folders), tuple(unusable))


def _path(uri: str) -> Path | None:
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"} or "\0" in unquote(parts.path):
        return None
    path = Path(url2pathname(parts.path))
    return path if path.is_absolute() else None
