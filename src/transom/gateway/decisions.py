"""What the gateway decided about a request: one line a step, for headers, logs and exports."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Decision"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What one step did, or why it did nothing.

    Attributes:
        step: who decided, for example ``guard``.
        action: what was done: ``passed``, ``observed``, ``closed``, ``applied``, ``retried``, ``kept``, ``failed`` …
        reason: why, in a few words; no text of the conversation.
        uris: where what left is kept.
    """

    step: str
    action: str
    reason: str = ""
    uris: tuple[str, ...] = ()
