"""What a client is told when a request fails through no fault of its own: the reason if it is one of ours, else nothing of it.

The SDK would send the text of any exception.
"""

from __future__ import annotations

import logging

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from pydantic import ValidationError

from ..errors import TransomError
from .sessions import Context

__all__ = ["answer_failures"]

_log = logging.getLogger(__name__)


async def answer_failures(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Let a request through, and turn what it raises into an error of the protocol (a middleware of the SDK)."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except TransomError as error:
        raise MCPError(INTERNAL_ERROR, error.message) from error
    except Exception as error:
        _log.exception("%s failed", ctx.method)
        raise MCPError(INTERNAL_ERROR, f"{ctx.method} failed; the server's log says why.") from error
