"""A client that asks an upstream on the gateway's own account: for a window, or whether anybody is there."""

from __future__ import annotations

from ..upstream import Client, Limits
from ..upstream.windows import host_kind
from .upstreams import Upstream

__all__ = ["upstream_client"]


def upstream_client(upstream: Upstream, limits: Limits | None = None) -> Client:
    """A client with the upstream's own key, in the header that it looks for.

    A key that a client sent is not ours to use, and may not be meant for the upstream at all.

    Args:
        upstream: who is asked.
        limits: how long and how much.

    Raises:
        InputError: a key that cannot be sent.
    """
    match host_kind(upstream.address.host):
        case "anthropic":
            # https://docs.claude.com/en/api/versioning
            return Client(
                upstream.url,
                key=upstream.key,
                limits=limits,
                key_header="x-api-key",
                headers={"anthropic-version": "2023-06-01"},
            )
        case "gemini":
            return Client(upstream.url, key=upstream.key, limits=limits, key_header="x-goog-api-key")
        case _:
            return Client(upstream.url, key=upstream.key, limits=limits)
