"""What is remembered of each client, and for how long.

On the handshake revisions a connection is a session: it ends when the pipe closes, or over HTTP when the client says so or is
not heard of any more. The stateless revision has none, so nothing is kept between its requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp_types import LoggingLevel
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

__all__ = ["Context", "Session", "Sessions", "is_stateless"]

Context = ServerRequestContext[None, object]

_KEY = "transom"


@dataclass(slots=True)
class Session:
    """One client.

    Attributes:
        id: what its state is kept under; ``None`` on the stateless revision.
        connection: where it is told of changes.
        services: what its calls use in place of everybody's.
        level: the least severe log message it wants.
        unsure: it has to be asked which folders it gives.
        confined: it gave some, in place of those of the command line.
        asking: held while it is asked, so that calls at the same time ask once.
    """

    id: str | None
    connection: Connection
    services: Mapping[type, object] = field(default_factory=dict)
    level: LoggingLevel = "warning"
    unsure: bool = True
    confined: bool = False
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


class Sessions:
    """The clients of one server.

    Args:
        services: makes what each session has for itself.
        new_id: makes the id of a session whose transport gave none.
    """

    def __init__(self, services: Callable[[], Mapping[type, object]], new_id: Callable[[], str]) -> None:
        self._services = services
        self._new_id = new_id
        self._open: dict[str, Session] = {}

    def of(self, context: Context) -> Session:
        """The session that a request belongs to; a fresh one for each request of the stateless revision."""
        # The SDK shows a handler no connection, only what it does for it. This is the one place that reaches for it.
        connection: Connection = context.session._connection
        if is_stateless(context):
            return Session(None, connection, self._services())
        session = connection.state.get(_KEY)
        if not isinstance(session, Session):
            name = connection.session_id or self._new_id()
            session = connection.state[_KEY] = self._open[name] = Session(name, connection, self._services())
            connection.exit_stack.callback(self._open.pop, name)
        return session

    def open(self) -> tuple[Session, ...]:
        """Those that are connected and have asked for something."""
        return tuple(self._open.values())


def is_stateless(context: Context) -> bool:
    """Whether a request was made on a revision without sessions."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS
