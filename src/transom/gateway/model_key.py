"""Under what name the store keeps what was learnt of a model at an upstream."""

from __future__ import annotations

import hashlib

from .upstreams import Upstream

__all__ = ["model_key"]


def model_key(upstream: Upstream, model: str) -> str:
    """A name for a model at an upstream; says nothing of either, since addresses may hold a key."""
    return hashlib.sha256(f"{upstream.url}\n{model}".encode(errors="replace")).hexdigest()[:32]
