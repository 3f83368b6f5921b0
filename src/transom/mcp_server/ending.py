"""How long a server that is asked to end waits for what runs."""

from __future__ import annotations

__all__ = ["GRACE"]

GRACE = 5.0
"""Seconds that running calls are given. Clients kill a server that takes much longer."""
