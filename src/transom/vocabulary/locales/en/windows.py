"""English. See ``vocabulary.windows``."""

from __future__ import annotations

from ...windows import WindowWords

__all__ = ["WINDOWS"]

WINDOWS = WindowWords(
    handoff=(
        "[Context notice] About {n_remaining} tokens are left before the older part of this conversation is set aside. It is "
        "kept in full, but you will no longer see it. Say now in a few lines what you need to go on: the goal, what is "
        "decided, what is done, and the next step. Then go on with your work: call the next tool in the same answer if there "
        "is one."
    ),
    handoff_notes=" If you can, keep the lines under context://notes/ with the {tool} tool instead.",
    filling="[ctx ~{used}/{window} = {percent}%]",
    closing="[ctx ~{used}/{window} = {percent}%: older messages are about to be set aside]",
    closed="[ctx older messages were set aside: ~{before} before, ~{after} after, ~{saved} saved]",
)
