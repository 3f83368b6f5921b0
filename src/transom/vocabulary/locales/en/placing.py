"""English. See ``vocabulary.placing``."""

from __future__ import annotations

from ...placing import PlacementWords

__all__ = ["PLACING"]

PLACING = PlacementWords(
    contract="Your next answer has to follow these rules:",
    answer="Write the whole answer between <{name}> and </{name}>.",
    labelled="({what})",
    label_joint=", ",
    extracted="extracted",
    inferred="inferred",
    ambiguous="ambiguous",
    from_fact="fact",
    from_entry="entry",
    from_conversation="conversation",
    from_text="text",
    from_summary="summary",
    from_session="session",
    dated="{day}",
)
