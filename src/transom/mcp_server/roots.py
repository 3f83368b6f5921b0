"""The folders that a client lets us work in: its roots replace those of the command line.

Knows how to ask on both kinds of revision. An empty answer, or none, keeps what the command line said; a root that is no folder
here is named in a warning and left out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ListRootsRequest, ListRootsResult
from pydantic import ValidationError

from ..toolbox.access.workspace import Workspace
from .questions import Questions
from .sessions import Context, Session

__all__ = ["Folders"]

PATIENCE = 10.0
"""Seconds that a client may take to name its roots."""
QUESTION = "roots"

_log = logging.getLogger(__name__)


class Folders:
    """Where the calls of each session may work.

    Args:
        usual: the services of a session whose client gives no folders.
    """

    def __init__(self, usual: Callable[[], Mapping[type, object]]) -> None:
        self._usual = usual

    async def settle(self, context: Context, session: Session, questions: Questions) -> None:
        """Let a session work where its client says, asking if that is not known.

        Args:
            context, session: the request and whom it is from.
            questions: where the question waits if only the next request can answer it.
        """
        capabilities = context.session.client_capabilities
        workspace = session.services.get(Workspace)
        if capabilities is None or capabilities.roots is None or not isinstance(workspace, Workspace):
            return
        if questions.by_retry:
            answer = questions.answer(QUESTION, ListRootsRequest())
            workspace.replace_roots(_folders(answer or {}))
            return
        async with session.asking:
            if session.unsure:
                # What changes while the client is asked is asked again.
                session.unsure = False
                folders: Sequence[str | Path] = await _asked(context)
                session.confined, before = bool(folders), session.confined
                workspace.replace_roots(folders if folders or not before else self._of_the_command_line())

    def _of_the_command_line(self) -> list[str]:
        usual = self._usual().get(Workspace)
        return [root.given for root in usual.roots.all] if isinstance(usual, Workspace) else []


async def _asked(context: Context) -> list[Path]:
    metadata = ServerMessageMetadata(related_request_id=context.request_id)
    try:
        answer = await context.session.send_request(
            ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=PATIENCE, metadata=metadata
        )
    except (MCPError, ValidationError) as error:
        _log.warning("the client named no roots (%s); those of the command line hold", error)
        return []
    return _folders(answer.model_dump(mode="json"))


def _folders(answer: Mapping[str, object]) -> list[Path]:
    found: list[Path] = []
    roots = answer.get("roots")
    for root in roots if isinstance(roots, list) else ():
        uri = str(root.get("uri", "")) if isinstance(root, dict) else ""
        path = _path(uri)
        if path is not None and path.is_dir():
            found.append(path)
        else:
            _log.warning("the client's root %s is no folder here and is left out", uri)
    return found


def _path(uri: str) -> Path | None:
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"} or "\0" in unquote(parts.path):
        return None
    path = Path(url2pathname(parts.path))
    return path if path.is_absolute() else None
