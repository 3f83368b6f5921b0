"""The model-free digest: a text made by rule that stands for the messages that left the window.

Knows messages and a tokenizer; no store, no window record, no clock. ``digest`` is a pure function: the runner stores what the
text cites before it shows it. The span is read into ``notes`` (extraction), joined with those of the digest before it (merging,
reading), and what the budget has room for is written down (fitting, rendering).
"""

from .digest import Digest, digest

__all__ = ["Digest", "digest"]
