"""Whether the upstreams answer: each of them is really asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from ...errors import TransomError, UpstreamError
from ...safety.secrets import masked
from ...upstream import Limits
from ..upstream_client import upstream_client
from ..upstreams import Upstream

__all__ = ["health"]

_LIMITS = Limits(connect=2.0, read=3.0, total=3.0)


async def health(
    upstreams: Sequence[Upstream], limits: Limits = _LIMITS, clock: Callable[[], float] = time.monotonic
) -> tuple[bool, dict[str, object]]:
    """Ask each upstream for its models, all at once.

    Args:
        upstreams: who is asked.
        limits: how long one may take.
        clock: seconds.

    Returns:
        Whether all of them answer, and an account as JSON. One that wants a key, where none is configured, does answer: clients
        bring theirs.
    """
    found = await asyncio.gather(*(_asked(upstream, limits, clock) for upstream in upstreams))
    well = all(each["ok"] for each in found)
    return well, {"status": "ok" if well else "unavailable", "upstreams": found}


async def _asked(upstream: Upstream, limits: Limits, clock: Callable[[], float]) -> dict[str, object]:
    began = clock()
    status: int | None = 200
    message = ""
    try:
        client = upstream_client(upstream, limits)
        await client.get(f"{client.address.base}/models")
    except UpstreamError as error:
        status, message = error.status, masked(error.message)
    except TransomError as error:
        status, message = None, masked(error.message)
    keyless = status in {401, 403} and upstream.key is None
    well = status is not None and status < 500 and (status not in {401, 403} or keyless)
    return {
        "name": upstream.name,
        "url": upstream.address.shown,
        "ok": well,
        "status": status,
        "seconds": round(clock() - began, 3),
        "message": "" if well else message,
    }
